import type { Schema } from "effect"
import type { Plan } from "../../../domain/access/Plan.ts"
import {
  type Requirement,
  reads,
  type StaffRequirement,
  staffReads,
  staffWrites,
  writes
} from "../../../domain/access/Policy.ts"
import type { ListSpec } from "../../../domain/kernel/Listing.ts"
import { type Parts, pageOf, query, type RequirementOf, type Row } from "./Operation.ts"

interface RowOptions {
  /** The lowest plan; every plan when not given. */
  readonly plan?: Plan
  readonly secret?: boolean
}

/** The rows of operations that require the same: what one does, takes and answers. Its table gives it its name. */
const rowsOf =
  <A extends RequirementOf, More extends object>(requires: (name: string, plan?: Plan) => A, more: More) =>
  <const I extends readonly [] | Parts, S extends Schema.Top>(
    summary: string,
    input: I,
    output: S,
    { plan, ...options }: RowOptions = {}
  ) =>
  (name: string) => ({ summary, requires: requires(name, plan), input, output, ...more, ...options })

const listsOf =
  <A extends RequirementOf>(requires: (name: string, plan?: Plan) => A) =>
  <const L extends ListSpec, S extends Schema.Top>(summary: string, listing: L, record: S, options?: RowOptions) =>
    rowsOf(requires, {})(summary, [query(listing)], pageOf(record), options)

/** The row of an operation that changes nothing. */
export const read = rowsOf(reads, {})

/** The row of a list, which takes its query alone and answers a page. */
export const list = listsOf(reads)

/** The row of a change that is performed once for an Idempotency-Key. */
export const change = rowsOf(writes, { keyed: true })

/** The row of a change whose repetition answers the same without a key, such as what ends a record. */
export const end = rowsOf(writes, { keyed: false })

export const staffRead = rowsOf(staffReads, {})
export const staffList = listsOf(staffReads)
export const staffChange = rowsOf(staffWrites, {})

/** The row of an operation for whoever keeps the installation, of whom nothing is asked. */
export const keeper = rowsOf(() => null, {})

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ""

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A requirement with its name, where it has none of its own. */
type RequirementAs<A, Name extends string> =
  A extends Requirement<infer Own, infer S>
    ? Requirement<string extends Own ? Name : Own, S>
    : A extends StaffRequirement<infer Own, infer S>
      ? StaffRequirement<string extends Own ? Name : Own, S>
      : A

type RowAs<R extends Row, Name extends string> = Omit<R, "requires"> & {
  readonly requires: RequirementAs<R["requires"], Name>
}

/** A row whose name is not that of its table and method. */
export function withName<const Name extends string, R extends Row>(
  name: Name,
  row: (name: string) => R
): () => RowAs<R, Name>
export function withName(name: string, row: (name: string) => Row) {
  return () => row(name)
}

/**
 * The operations of a use-case service by its methods' names: all about them but what runs them. In refusals and audit one is
 * named after the subject and its method: `recommendation_sets.list_payments`. decisions, section 3.
 */
export function table<const Subject extends string, T extends Readonly<Record<string, (name: string) => Row>>>(
  subject: Subject,
  rows: T
): { readonly [N in keyof T]: RowAs<ReturnType<T[N]>, `${Subject}.${SnakeCase<N>}`> }
export function table(subject: string, rows: Readonly<Record<string, (name: string) => Row>>): object {
  return Object.fromEntries(
    Object.entries(rows).map(([method, row]) => [method, row(`${subject}.${snakeCase(method)}`)])
  )
}
