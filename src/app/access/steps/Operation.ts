import { type Context, type Effect, Schema } from "effect"
import type { Operation as Name, StaffOperation } from "../../../domain/access/Policy.ts"
import type { ListQuery, ListSpec } from "../../../domain/kernel/Listing.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"

/** An id of a record; one that cannot exist is not found. */
export interface IdPart<S extends Schema.Top = Schema.Top> {
  readonly _tag: "Id"
  readonly schema: S
  /** What the record is called where there is none of the id. */
  readonly record: string
}

/** A record as it is given. */
export interface BodyPart<S extends Schema.Top = Schema.Top, Optional extends boolean = boolean> {
  readonly _tag: "Body"
  readonly schema: S
  /** What the operation answers: fields of it that cannot be written are refused as such. */
  readonly record: Schema.Top
  /** Whether every field may be left out, and so the whole. */
  readonly optional: Optional
}

/** What a list is asked for. */
export interface QueryPart<L extends ListSpec = ListSpec> {
  readonly _tag: "Query"
  readonly listing: L
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

/**
 * Whom an operation is for. `caller`: anybody; the use case checks scope and plan. `operator`: whoever keeps an
 * organisation, with WRITE scope. `installation`: whoever keeps the installation; it is for no organisation.
 */
export type Audience = "caller" | "operator" | "installation"

type NameOf<Who extends Audience> = {
  readonly caller: Name
  readonly operator: StaffOperation
  readonly installation: null
}[Who]

/** What is said of an operation once, and made into a method, an endpoint and a line of the reference. */
export interface Operation<Who extends Audience, I, S, T extends Parts, G extends Schema.Top, E, R> {
  readonly who: Who
  /** Its name in policy and audit; null where it is for no organisation, and nothing is asked of a caller. */
  readonly name: NameOf<Who>
  /** The use cases that it is one of. */
  readonly service: Context.Key<I, S>
  readonly takes: T
  /** What the answer shows; fields that it does not name are left out. */
  readonly gives: G
  readonly run: (use: S, ...decoded: Decoded<T>) => Effect.Effect<G["Type"], E, R>
}

type Declaration<Who extends Audience, S, T extends Parts, G extends Schema.Top, E, R> = {
  readonly name: NameOf<Who>
  readonly takes: T
  readonly gives: G
  readonly run: (use: S, ...decoded: Decoded<T>) => Effect.Effect<NoInfer<G["Type"]>, E, R>
}

/** Any operation, for what has lost the types. */
export type AnyOperation = Operation<Audience, unknown, unknown, Parts, Schema.Top, unknown, unknown>

/** Declares the operations of a use-case service. */
export const operationsOf = <I, S>(service: Context.Key<I, S>) => {
  const declare =
    <Who extends Audience, R>(who: Who) =>
    <const T extends Parts, G extends Schema.Top, E>(
      declaration: Declaration<Who, S, T, G, E, R>
    ): Operation<Who, I, S, T, G, E, R> => ({ who, service, ...declaration })
  return {
    forCaller: declare<"caller", CurrentCaller>("caller"),
    forOperator: declare<"operator", CurrentCaller>("operator"),
    forInstallation: <const T extends Parts, G extends Schema.Top, E>(
      declaration: Omit<Declaration<"installation", S, T, G, E, never>, "name">
    ) => declare<"installation", never>("installation")<T, G, E>({ name: null, ...declaration })
  }
}
