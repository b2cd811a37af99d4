import type { OperationName } from "../../../../app/Operations.ts"

/** A request and its answer. */
export interface Example {
  readonly request?: unknown
  readonly answer: unknown
}

/** The examples of some operations. */
export type Examples = Partial<Record<OperationName, Example>>

/** When a record of the examples is changed. */
export const later = "2026-04-02T00:00:00.000Z"

/** When something ends that a request names: it must lie ahead on the day that somebody sends the example. */
export const farAhead = "2099-12-31T00:00:00.000Z"

/** The only page of a list with one record. */
export const page = (record: unknown) => ({ data: [record], has_more: false })
