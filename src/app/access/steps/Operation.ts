import { type Context, type Effect, Schema } from "effect"
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

/** What a part that names event types is where a host declares types of its own. docs/decisions/0054. */
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

/** The query of a list. */
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
export const partsAmong = (takes: Parts, own: Iterable<HostEventType>): Parts => {
  const types = Array.from(own)
  return types.length === 0
    ? takes
    : takes.map((part) => ("among" in part && part.among !== undefined ? part.among(types) : part))
}

/** A page of records. */
export const pageOf = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({ data: Schema.Array(schema), has_more: Schema.Boolean })

type DecodedPart<P> =
  P extends QueryPart<ListSpec>
    ? ListQuery
    : P extends { readonly schema: infer S extends Schema.Top }
      ? S["Type"]
      : never

/** The arguments of an operation, as a use case takes them. */
export type Decoded<T extends Parts> = { readonly [K in keyof T]: DecodedPart<T[K]> }

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
export type Asked = Requirement | StaffRequirement | null

/** A service of use cases, by its class: declarations name it, and do not repeat its methods. */
export type ServiceKey<Identifier = unknown> = Context.Key<Identifier, unknown>

/** The one declaration of an operation: the face's method, the endpoint and the reference's line are made from it. */
export interface Operation<A extends Asked, K extends ServiceKey, T extends Parts, G extends Schema.Top, E, R> {
  /** Name, scope and plan; the use case that runs it asks for them. */
  readonly asks: A
  /** What it does, for operations that no endpoint's words are of. */
  readonly says?: string
  /** Arguments that it takes, as JSON, for the reference. */
  readonly example?: ReadonlyArray<unknown>
  /** Whether a repetition under one key is answered as the first was. decisions, section 2, step 8. */
  readonly keyed: boolean
  /** Whether the answer holds a secret: it is sealed where it is kept for a repetition. */
  readonly secret: boolean
  /** The use cases that it is one of. */
  readonly service: K
  readonly takes: T
  /** The schema of the answer; fields that it does not name are left out. */
  readonly gives: G
  /** Runs it. The operation's failures are those of this effect's type. */
  readonly run: (use: K["Service"], ...decoded: Decoded<T>) => Effect.Effect<G["Type"], E, R>
  /**
   * For an operation that waits for the world outside: does that, and gives the rest of it, which may run in a transaction.
   */
  readonly prepare?: (use: K["Service"], ...decoded: Decoded<T>) => Effect.Effect<Effect.Effect<G["Type"], E, R>, E, R>
}

interface Declaration<A extends Asked, S, T extends Parts, G extends Schema.Top, E, R> {
  readonly asks: A
  readonly takes: T
  readonly gives: G
  readonly run: (use: S, ...decoded: Decoded<T>) => Effect.Effect<NoInfer<G["Type"]>, E, R>
  readonly prepare?: (
    use: S,
    ...decoded: Decoded<T>
  ) => Effect.Effect<Effect.Effect<NoInfer<G["Type"]>, NoInfer<E>, R>, NoInfer<E>, R>
}

/** An operation that writes declares whether it is keyed. */
type Keyed<A extends Requirement> =
  A extends Requirement<string, "WRITE"> ? { readonly keyed: boolean; readonly secret?: boolean } : unknown

/** An operation that has no endpoint says what it does by itself; the command line says the same. */
export interface Says {
  readonly says: string
  readonly example?: ReadonlyArray<unknown>
}

/** Any operation, for what has lost the types. */
export type AnyOperation = Operation<Asked, ServiceKey, Parts, Schema.Top, unknown, unknown>

const unless = { keyed: false, secret: false }

/** Declares the operations of a use-case service. */
export const operationsOf = <K extends ServiceKey>(service: K) => ({
  forCaller: <A extends Requirement, const T extends Parts, G extends Schema.Top, E>(
    declaration: Declaration<A, K["Service"], T, G, E, CurrentCaller> & Keyed<A> & Partial<Says>
  ): Operation<A, K, T, G, E, CurrentCaller> => ({ ...unless, service, ...declaration }),
  forOperator: <A extends StaffRequirement, const T extends Parts, G extends Schema.Top, E>(
    declaration: Declaration<A, K["Service"], T, G, E, CurrentCaller> & Says
  ): Operation<A, K, T, G, E, CurrentCaller> & Says => ({ ...unless, service, ...declaration }),
  forInstallation: <const T extends Parts, G extends Schema.Top, E>(
    declaration: Omit<Declaration<null, K["Service"], T, G, E, never>, "asks"> & Says
  ): Operation<null, K, T, G, E, never> & Says => ({ ...unless, asks: null, service, ...declaration })
})
