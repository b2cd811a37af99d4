import { Effect, Predicate, Result, Schema, SchemaAST } from "effect"
import type { HostEventType } from "../../../domain/kernel/HostEventType.ts"
import { checkedQuery } from "../../../domain/kernel/ListingCheck.ts"
import { InvalidInput, MalformedInput, NotFound } from "../../../domain/kernel/Rejection.ts"
import type { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"
import { decoder, fieldNamesOf } from "../../kernel/decoding/Decoder.ts"
import { makeCallersTime, requireAnyScope, validCaller } from "../caller/CallerContext.ts"
import {
  type BodyPart,
  type DecodedArguments,
  type IdPart,
  type Part,
  type Parts,
  partsAmong,
  type RefusalOf,
  type RequirementOf,
  type ValuePart
} from "./Operation.ts"

type Refused = InvalidInput | MalformedInput | NotFound

/** Reads an argument: it as the use case takes it, or the refusal. */
export type ArgumentReader = (given: unknown) => Result.Result<unknown, Refused>

/** The side of a schema that an argument is given in: values as use cases take them, or JSON. */
export type Side = (schema: Schema.Top) => Schema.Codec<unknown, unknown>

/** The side of what travels as JSON. */
export const json: Side = (schema) => Schema.toCodecJson(Schema.make<Schema.Codec<unknown>>(schema.ast))

const typed: Side = (schema) => Schema.make<Schema.Codec<unknown>>(SchemaAST.toType(schema.ast))

/** The reader of an id. Whatever is no id cannot exist, and so is not found. */
export const idReader = ({ record, schema }: IdPart): ArgumentReader => {
  const isId = Schema.is(typed(schema))
  return (given) => {
    if (isId(given)) return Result.succeed(given)
    return Result.fail(new NotFound({ record, id: Predicate.isString(given) ? given : "of this id" }))
  }
}

/** The reader of a record as it is given. */
export const bodyReader = ({ record, schema }: BodyPart, side: Side): ArgumentReader =>
  decoder(side(schema), fieldNamesOf(record.ast))

/** The reader of one value that is no object. */
export const valueReader = ({ name, schema }: ValuePart, side: Side): ArgumentReader => {
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

const readerOf = (part: Part): ArgumentReader => {
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

/** The methods of a service in which it checks callers and arguments: what each requires of its caller, and takes. */
type Rows = Readonly<Record<string, { readonly requires: RequirementOf; readonly input: Parts }>>

type Taking<T extends Parts> =
  | ((...args: readonly [...DecodedArguments<T>, ...ReadonlyArray<never>]) => Effectful)
  | (T extends readonly [] ? Effectful : never)

/** The methods of the rows. Whatever else a service has must be no function, so that no method is forgotten. */
type Methods<T extends Rows, S> = {
  readonly [N in keyof S]: N extends keyof T ? Taking<T[N]["input"]> : Effectful
}

/** A method that refuses what it does not take, and callers that are none. */
type Refusing<F, T extends Parts, A extends RequirementOf> = F extends (
  ...args: infer Args
) => Effect.Effect<infer R, infer E, infer Needs>
  ? (...args: Args) => Effect.Effect<R, E | RefusalOf<T> | (A extends null ? never : MalformedInput), Needs>
  : F

type Call = (...args: ReadonlyArray<unknown>) => Effectful

/** The contract's order: who is not permitted learns that, and nothing of the arguments. */
const refusing = (requires: RequirementOf, parts: Parts, method: Call): Call => {
  let readers: ReadonlyArray<ArgumentReader> | undefined
  return (...args) => {
    readers ??= parts.map((part) => guarded(readerOf(part)))
    const read = Result.all(readers.map((each, index) => each(args[index])))
    const performed = Result.isFailure(read)
      ? Effect.fail(read.failure)
      : method(...read.success, ...args.slice(parts.length))
    if (requires === null) return performed
    // The method asks for permission by itself.
    const admitted = Result.isFailure(read) ? Effect.andThen(validCaller, requireAnyScope(requires)) : validCaller
    return Effect.andThen(admitted, performed)
  }
}

const inner = Symbol("almoner/app/inner")

type LooseService = Readonly<Record<string, Call>>

const refusingAll = (rows: Rows, service: LooseService, own: Iterable<HostEventType> = []): object => {
  const methods = Object.entries(rows).flatMap(([name, { input, requires }]) => {
    const method = service[name]
    // Without input it may be an effect, and no function.
    return Predicate.isFunction(method) ? [[name, refusing(requires, partsAmong(input, own), method)] as const] : []
  })
  return Object.defineProperty({ ...service, ...Object.fromEntries(methods) }, inner, { value: service })
}

/**
 * A service of use cases that reads its caller and its arguments before it does anything, whoever calls it. It refuses a
 * caller that is none, then one that may not do what its row requires, then what its `input` does not take: {@link InvalidInput}
 * with the `param` at fault, {@link MalformedInput}, or {@link NotFound} for an id that cannot exist. What it works on is a
 * copy. `own` are the event types that the host declares. docs/decisions/0048.
 */
export function checkedService<T extends Rows, S extends Methods<T, S>>(
  rows: T,
  service: S,
  own?: Iterable<HostEventType>
): { readonly [N in keyof S]: N extends keyof T ? Refusing<S[N], T[N]["input"], T[N]["requires"]> : S[N] }
export function checkedService(rows: Rows, service: LooseService, own?: Iterable<HostEventType>): object {
  return refusingAll(rows, service, own)
}

/**
 * The same service for whoever has decoded the arguments, so that they are not read twice. A service that was not made
 * by {@link checkedService}, such as one of a host's own, is given back.
 */
export const uncheckedService = <S>(service: S): S => Reflect.get(Object(service), inner) ?? service

/**
 * As {@link checkedService}, by the clock of the caller's organisation, which a sandbox may have moved. What concerns keys, webhooks
 * and other things outside an organisation's own affairs is {@link checkedService}, and goes by the real time.
 * docs/decisions/0066.
 */
export function serviceInOrganisationTime<T extends Rows, S extends Methods<T, S>>(
  rows: T,
  service: S,
  own?: Iterable<HostEventType>
): Effect.Effect<
  { readonly [N in keyof S]: N extends keyof T ? Refusing<S[N], T[N]["input"], T[N]["requires"]> : S[N] },
  never,
  SandboxClockStore
>
export function serviceInOrganisationTime(
  rows: Rows,
  service: LooseService,
  own?: Iterable<HostEventType>
): Effect.Effect<object, never, SandboxClockStore> {
  return Effect.map(makeCallersTime, (inTime) => {
    const timed = Object.entries(service).map(([name, method]): readonly [string, Call] => [
      name,
      (rows[name]?.requires ?? null) !== null && Predicate.isFunction(method)
        ? (...args) => inTime(method(...args))
        : method
    ])
    return refusingAll(rows, Object.fromEntries(timed), own)
  })
}
