/**
 * An id of one kind of record. Where one is asked for, a plain string will do, such as one of a host's own database; an
 * id of another kind will not. An id is a string everywhere else.
 */
export type Id<Name extends string> = string & { readonly "~id"?: Name }

/** A page of a list. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  /** Whether there are records behind the last one of this page. */
  readonly has_more: boolean
}

/** The query of every list: which page is wanted. */
export interface PageQuery<Id> {
  /** Records on a page, 1 to 100. */
  readonly limit?: number | undefined
  /** The last record of the page before. */
  readonly starting_after?: Id | undefined
}

/** A filter of a list: a value, or operators with their values. */
export type Filter<Value, Operator extends string> =
  | Value
  | {
      readonly [O in Operator]?: (O extends "in" | "not_in" ? ReadonlyArray<Value> : Value) | undefined
    }

/** The operators of a filter by text or by one of some values. */
export type Equality = "eq" | "in" | "not_in"

/** The operators of a filter by number, instant or day. */
export type Comparison = Equality | "gt" | "gte" | "lt" | "lte"
