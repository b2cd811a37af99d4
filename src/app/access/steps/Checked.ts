import { Effect, Predicate, Result, Schema, SchemaAST } from "effect"
import type { HostEventType } from "../../../domain/kernel/HostEventType.ts"
import { checkedQuery } from "../../../domain/kernel/ListingCheck.ts"
import { InvalidInput, MalformedInput, NotFound } from "../../../domain/kernel/Rejection.ts"
import type { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"
import { decoder } from "../../kernel/steps/Decoder.ts"
import { fieldNamesOf } from "../../kernel/steps/Shape.ts"
import {
  type Asked,
  type BodyPart,
  type Decoded,
  type IdPart,
  type Part,
  type Parts,
  partsAmong,
  type RefusalOf,
  type ValuePart
} from "./Operation.ts"
import { makeCallersTime } from "./OrganisationTime.ts"
import { permittedAny, soundCaller } from "./Permission.ts"

type Refused = InvalidInput | MalformedInput | NotFound

/** Reads an argument: it as the use case takes it, or the refusal. */
export type Read = (given: unknown) => Result.Result<unknown, Refused>

/** The side of a schema that an argument is given in: values as use cases take them, or JSON. */
export type Side = (schema: Schema.Top) => Schema.Codec<unknown, unknown>

const typed: Side = (schema) => Schema.make<Schema.Codec<unknown>>(SchemaAST.toType(schema.ast))

/** The reader of an id. Whatever is no id cannot exist, and so is not found. */
export const idReader = ({ record, schema }: IdPart): Read => {
  const isId = Schema.is(typed(schema))
  return (given) => {
    if (isId(given)) return Result.succeed(given)
    return Result.fail(new NotFound({ record, id: Predicate.isString(given) ? given : "of this id" }))
  }
}

/** The reader of a record as it is given. */
export const bodyReader = ({ record, schema }: BodyPart, side: Side): Read =>
  decoder(side(schema), fieldNamesOf(record.ast))

/** The reader of one value that is no object. */
export const valueReader = ({ name, schema }: ValuePart, side: Side): Read => {
  const isGiven = Schema.is(Schema.Struct({ [name]: Schema.Unknown }))
  const read = decoder(Schema.Struct({ [name]: side(schema) }))
  return (given) =>
    Result.match(read({ [name]: given }), {
      onFailure: ({ message }) => Result.fail(new InvalidInput({ param: name, message })),
      onSuccess: (one) => Result.succeed(isGiven(one) ? one[name] : given)
    })
}

/** A copy of plain objects and lists without fields that are undefined: to give one so is to leave it out. */
const withoutUndefined = (given: unknown, met = new Map<unknown, unknown>()): unknown => {
  if (met.has(given)) return met.get(given)
  if (Array.isArray(given)) {
    const copy: Array<unknown> = []
    met.set(given, copy)
    for (const each of given) copy.push(withoutUndefined(each, met))
    return copy
  }
  if (!Predicate.isObject(given) || Object.getPrototypeOf(given) !== Object.prototype) return given
  const copy: Record<string, unknown> = {}
  met.set(given, copy)
  for (const [name, each] of Object.entries(given)) {
    if (each !== undefined) copy[name] = withoutUndefined(each, met)
  }
  return copy
}

const unreadable = () => new MalformedInput({ message: "The input cannot be read: reading one of its fields fails." })

/** Reads what a host gives in its own process, which may be anything: reading a field of it may fail. */
const guarded =
  <A, E>(read: (given: unknown) => Result.Result<A, E>) =>
  (given: unknown): Result.Result<A, E | MalformedInput> =>
    Result.flatMap(Result.try({ try: () => read(given), catch: unreadable }), (result) => result)

/** Most inputs are read once; one that is refused is read again without what is undefined. */
const lenient =
  <A, E>(read: (given: unknown) => Result.Result<A, E>) =>
  (given: unknown): Result.Result<A, E> =>
    Result.orElse(read(given), () => read(withoutUndefined(given)))

/** A reader of an object that a host gives in its own process. */
export const hostReader = <A, E>(read: (given: unknown) => Result.Result<A, E>) => guarded(lenient(read))

const readerOf = (part: Part): Read => {
  switch (part._tag) {
    case "Id":
      return idReader(part)
    case "Body": {
      const read = lenient(bodyReader(part, typed))
      return part.optional ? (given) => read(given ?? {}) : read
    }
    case "Query":
      return (given) => checkedQuery(part.listing, given)
    case "Value":
      return valueReader(part, typed)
  }
}

type Effectful = Effect.Effect<unknown, unknown, unknown>

type Taking<T extends Parts> = (...args: readonly [...Decoded<T>, ...ReadonlyArray<never>]) => Effectful

/** The methods for what is taken. Whatever else a service has must be no function, so that no method is forgotten. */
type Methods<T extends Readonly<Record<string, Parts>>, S> = {
  readonly [N in keyof S]: N extends keyof T ? Taking<T[N]> : Effectful
}

type Refusing<F, T extends Parts, Refusal> = F extends (
  ...args: infer A
) => Effect.Effect<infer R, infer E, infer Needs>
  ? (...args: A) => Effect.Effect<R, E | RefusalOf<T> | Refusal, Needs>
  : never

/** A service whose methods refuse what they do not take, and callers that are none. */
export type Checked<A, T extends Readonly<Record<string, Parts>>, S> = {
  readonly [N in keyof S]: N extends keyof T ? Refusing<S[N], T[N], N extends keyof A ? MalformedInput : never> : S[N]
}

/** What is asked of the callers of methods, by name. Methods that it does not name are for no organisation. */
type Asks<S> = { readonly [N in keyof S]?: NonNullable<Asked> }

type Call = (...args: ReadonlyArray<unknown>) => Effectful

/** The contract's order: who is not permitted learns that, and nothing of the arguments. */
const refusing = (asked: Asked | undefined, parts: Parts, method: Call): Call => {
  let readers: ReadonlyArray<Read> | undefined
  return (...args) => {
    readers ??= parts.map((part) => guarded(readerOf(part)))
    const read = Result.all(readers.map((each, index) => each(args[index])))
    const performed = Result.isFailure(read)
      ? Effect.fail(read.failure)
      : method(...read.success, ...args.slice(parts.length))
    if (asked === undefined || asked === null) return performed
    // The method asks for permission by itself.
    const admitted = Result.isFailure(read) ? Effect.andThen(soundCaller, permittedAny(asked)) : soundCaller
    return Effect.andThen(admitted, performed)
  }
}

const inner = Symbol("almoner/app/inner")

type LooseAsks = Readonly<Record<string, Asked | undefined>>
type LooseTakes = Readonly<Record<string, Parts>>
type LooseService = Readonly<Record<string, Call>>

const refusingAll = (
  asks: LooseAsks,
  takes: LooseTakes,
  service: LooseService,
  own: Iterable<HostEventType> = []
): object => {
  const methods = Object.entries(takes).flatMap(([name, parts]) => {
    const method = service[name]
    return method === undefined ? [] : [[name, refusing(asks[name], partsAmong(parts, own), method)] as const]
  })
  return Object.defineProperty({ ...service, ...Object.fromEntries(methods) }, inner, { value: service })
}

/**
 * A service of use cases that reads its caller and its arguments before it does anything, whoever calls it. It refuses a
 * caller that is none, then one that may not do what `asks` asks, then what `takes` does not take: {@link InvalidInput} with
 * the `param` at fault, {@link MalformedInput}, or {@link NotFound} for an id that cannot exist. What it works on is a copy. `own` are
 * the event types that the host declares.
 * docs/decisions/0048.
 */
export function checked<
  const A extends Asks<S>,
  const T extends { readonly [N in keyof S]?: Parts } & Readonly<Record<string, Parts>>,
  S extends Methods<T, S>
>(asks: A, takes: T, service: S, own?: Iterable<HostEventType>): Checked<A, T, S>
export function checked(
  asks: LooseAsks,
  takes: LooseTakes,
  service: LooseService,
  own?: Iterable<HostEventType>
): object {
  return refusingAll(asks, takes, service, own)
}

/**
 * The same service for whoever has decoded the arguments, so that they are not read twice. A service that was not made
 * by {@link checked}, such as one of a host's own, is given back.
 */
export const unchecked = <S>(service: S): S => Reflect.get(Object(service), inner) ?? service

/**
 * As {@link checked}, by the clock of the caller's organisation, which a sandbox may have moved. What concerns keys, webhooks
 * and other things outside an organisation's own affairs is {@link checked}, and goes by the real time.
 * docs/decisions/0066.
 */
export function checkedInTime<
  const A extends Asks<S>,
  const T extends { readonly [N in keyof S]?: Parts } & Readonly<Record<string, Parts>>,
  S extends Methods<T, S>
>(
  asks: A,
  takes: T,
  service: S,
  own?: Iterable<HostEventType>
): Effect.Effect<Checked<A, T, S>, never, SandboxClockStore>
export function checkedInTime(
  asks: LooseAsks,
  takes: LooseTakes,
  service: LooseService,
  own?: Iterable<HostEventType>
): Effect.Effect<object, never, SandboxClockStore> {
  return Effect.map(makeCallersTime, (inTime) => {
    const timed = Object.entries(service).map(([name, method]): readonly [string, Call] => [
      name,
      Reflect.has(asks, name) && Predicate.isFunction(method) ? (...args) => inTime(method(...args)) : method
    ])
    return refusingAll(asks, takes, Object.fromEntries(timed), own)
  })
}
