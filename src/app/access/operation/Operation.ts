import { type Context, type Effect, Predicate, Schema } from "effect"
import type { Requirement, StaffRequirement } from "../../../domain/access/Policy.ts"
import type { HostEventType } from "../../../domain/kernel/HostEventType.ts"
import type { ListQuery, ListSpec } from "../../../domain/kernel/Listing.ts"
import type { InvalidInput, MalformedInput, NotFound } from "../../../domain/kernel/Rejection.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"

/** An id of a record; one that cannot exist is not found. */
export interface IdPart<S extends Schema.Top = Schema.Top> {
  readonly _tag: "Id"
  readonly schema: S
  /** The record's name in the refusal when the id has none. */
  readonly record: string
}

/** A part that names event types, where a host declares types of its own. docs/decisions/0054. */
type Among<P> = (own: ReadonlyArray<HostEventType>) => P

/** A record as it is given. */
export interface BodyPart<S extends Schema.Top = Schema.Top, Optional extends boolean = boolean> {
  readonly _tag: "Body"
  readonly schema: S
  /** The record that the operation answers: its fields that cannot be written are refused as read-only. */
  readonly record: Schema.Top
  /** Whether every field may be left out, and so the whole. */
  readonly optional: Optional
  readonly among?: Among<BodyPart<S, Optional>>
}

export interface QueryPart<L extends ListSpec = ListSpec> {
  readonly _tag: "Query"
  readonly listing: L
  readonly among?: Among<QueryPart<L>>
}

/** One value that is no object, under the name that a refusal tells. */
export interface ValuePart<S extends Schema.Top = Schema.Top> {
  readonly _tag: "Value"
  readonly name: string
  readonly schema: S
}

/** An argument of an operation. */
export type Part = IdPart | BodyPart | QueryPart | ValuePart

export type Parts = ReadonlyArray<Part>

export const id = <S extends Schema.Top>(schema: S, record: string): IdPart<S> => ({ _tag: "Id", schema, record })

export const body = <S extends Schema.Top>(schema: S, record: Schema.Top = Schema.Struct({})): BodyPart<S, false> => ({
  _tag: "Body",
  schema,
  record,
  optional: false
})

export const optionalBody = <S extends Schema.Top>(
  schema: S,
  record: Schema.Top = Schema.Struct({})
): BodyPart<S, true> => ({ _tag: "Body", schema, record, optional: true })

export const query = <const L extends ListSpec>(listing: L): QueryPart<L> => ({ _tag: "Query", listing })

export const value = <S extends Schema.Top>(name: string, schema: S): ValuePart<S> => ({ _tag: "Value", name, schema })

/** A part that takes the event types that there are: those of the catalogue, and a host's own where it declares some. */
export const ofEventTypes = <P extends BodyPart | QueryPart>(among: Among<P>): P => ({ ...among([]), among })

/** The parts of an operation where a host declares event types of its own. */
export const partsAmong = (input: Parts, own: Iterable<HostEventType>): Parts => {
  const types = Array.from(own)
  return types.length === 0
    ? input
    : input.map((part) => ("among" in part && part.among !== undefined ? part.among(types) : part))
}

export const pageOf = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({ data: Schema.Array(schema), has_more: Schema.Boolean })

type DecodedPart<P> =
  P extends QueryPart<ListSpec>
    ? ListQuery
    : P extends { readonly schema: infer S extends Schema.Top }
      ? S["Type"]
      : never

/** The arguments of an operation, as a use case takes them. */
export type DecodedArguments<T extends Parts> = { readonly [K in keyof T]: DecodedPart<T[K]> }

type RefusalOfPart<P> = P extends IdPart
  ? NotFound
  : P extends BodyPart | QueryPart
    ? InvalidInput | MalformedInput
    : InvalidInput

/** The failures that refuse an argument. */
export type RefusalOf<T extends Parts> = RefusalOfPart<T[number]>

/**
 * The requirement of an operation, which tells whom it is for: {@link Requirement} for anybody, {@link StaffRequirement} for
 * whoever keeps an organisation. Null for whoever keeps the installation: it is for no organisation, and nothing is asked.
 */
export type RequirementOf = Requirement | StaffRequirement | null

/** A service of use cases, by its class: declarations name it, and do not repeat its methods. */
export type ServiceKey<Identifier = unknown> = Context.Key<Identifier, unknown>

/** The one declaration of an operation: the API's method, the endpoint and the reference's line are made from it. */
export interface Operation<A extends RequirementOf, K extends ServiceKey, T extends Parts, G extends Schema.Top, E, R> {
  /** Name, scope and plan; the use case that runs it asks for them. */
  readonly requires: A
  /** What it does, in the words of its endpoint and of its command. */
  readonly summary: string
  /** Whether a repetition under one key is answered as the first was. decisions, section 2, step 8. */
  readonly keyed: boolean
  /** Whether the answer holds a secret: it is sealed where it is kept for a repetition. */
  readonly secret: boolean
  /** The use cases that it is one of. */
  readonly service: K
  readonly input: T
  /** The schema of the answer; fields that it does not name are left out. */
  readonly output: G
  /** Runs it. The operation's failures are those of this effect's type. */
  readonly run: (use: K["Service"], ...decoded: DecodedArguments<T>) => Effect.Effect<G["Type"], E, R>
  /** For an operation that waits for the world outside: does that, and gives the rest of it, which may run in a transaction. */
  readonly prepare?: (
    use: K["Service"],
    ...decoded: DecodedArguments<T>
  ) => Effect.Effect<Effect.Effect<G["Type"], E, R>, E, R>
  /** Whether `prepare` has effects, so that under an Idempotency-Key it runs once at a time. */
  readonly holdsKey?: boolean
}

/** Any operation, for what has lost the types. */
export type AnyOperation = Operation<RequirementOf, ServiceKey, Parts, Schema.Top, unknown, unknown>

interface RowOf<A extends RequirementOf> {
  readonly summary: string
  readonly requires: A
  readonly input: readonly [] | Parts
  readonly output: Schema.Top
}

type Reading = Requirement<string, "READ"> | StaffRequirement | null

/** An operation in the table of its use cases: a change says whether it is keyed. {@link operationsOf} adds what runs it. */
export type Row =
  | RowOf<Reading>
  | (RowOf<Requirement<string, "WRITE">> & { readonly keyed: boolean; readonly secret?: boolean })

type Table = Readonly<Record<string, Row>>

type NeedsOf<A> = A extends null ? never : CurrentCaller

type FailureOf<M> =
  M extends Effect.Effect<infer _A, infer E, infer _R>
    ? E
    : M extends (...args: never) => Effect.Effect<infer _A, infer E, infer _R>
      ? E
      : never

type MethodOf<S, N> = N extends keyof S ? S[N] : never

type Answer<R extends Row, E> = Effect.Effect<R["output"]["Type"], E, NeedsOf<R["requires"]>>

/** The operations that no method of their name runs: it takes something else than its row says, or answers something else. */
type Unlike<S, T extends Table> = {
  readonly [N in keyof T]: N extends keyof S
    ? S[N] extends
        | ((...decoded: DecodedArguments<T[N]["input"]>) => Answer<T[N], unknown>)
        | (T[N]["input"] extends readonly [] ? Answer<T[N], unknown> : never)
      ? never
      : N
    : N
}[keyof T]

/** The implementation of operations that are not just their method. Those fail as the method does. */
type OwnOf<S, T extends Table> = {
  readonly [N in Unlike<S, T>]: {
    readonly run: (use: S, ...decoded: DecodedArguments<T[N]["input"]>) => Answer<T[N], FailureOf<MethodOf<S, N>>>
  }
} & {
  readonly [N in keyof T]?: {
    readonly prepare?: (
      use: S,
      ...decoded: DecodedArguments<T[N]["input"]>
    ) => Effect.Effect<Answer<T[N], FailureOf<MethodOf<S, N>>>, FailureOf<MethodOf<S, N>>, NeedsOf<T[N]["requires"]>>
    readonly holdsKey?: boolean
  }
}

type LooseRun = (use: unknown, ...decoded: ReadonlyArray<unknown>) => unknown

/** The service's member of this name: what it answers to the arguments, or it itself where it is an effect. */
const runOf =
  (name: string): LooseRun =>
  (use, ...decoded) => {
    const member: unknown = Reflect.get(Object(use), name)
    return Predicate.isFunction(member) ? member(...decoded) : member
  }

/**
 * The operations of a table of a service: one is run by the method of its name, or as `own` says. The type is no alias, so that
 * declarations say each operation's failures.
 */
export function operationsOf<K extends ServiceKey, T extends Table>(
  service: K,
  table: T,
  ...own: [Unlike<K["Service"], T>] extends [never] ? [own?: OwnOf<K["Service"], T>] : [own: OwnOf<K["Service"], T>]
): {
  readonly [N in keyof T]: Operation<
    T[N]["requires"],
    K,
    T[N]["input"],
    T[N]["output"],
    FailureOf<MethodOf<K["Service"], N>>,
    NeedsOf<T[N]["requires"]>
  >
}
export function operationsOf(service: ServiceKey, table: Table, own: Readonly<Record<string, object>> = {}): object {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]) => [
      name,
      { keyed: false, secret: false, service, run: runOf(name), ...row, ...own[name] }
    ])
  )
}
