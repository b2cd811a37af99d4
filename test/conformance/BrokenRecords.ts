import { type Context, Effect, Layer, Option } from "effect"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import type { Stores } from "../../src/testing/Conformance.ts"
import type { KeptBy, StoredRecord } from "../../src/testing/conformance/RecordStores.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { memory } from "./Adapters.ts"

/** A change of what a store does. */
export type Fault<A extends StoredRecord> = (good: KeptBy<A>) => Partial<KeptBy<A>>

/** The stores in memory, of which one has the fault. */
export function faulty<I extends Stores, A extends StoredRecord, S extends KeptBy<A>>(
  port: Context.Service<I, S>,
  fault: Fault<A>
): Layer.Layer<Stores>
export function faulty<A extends StoredRecord>(port: Context.Service<Stores, KeptBy<A>>, fault: Fault<A>) {
  const broken = Effect.map(port, (good) => ({ ...good, ...fault(good) }))
  return Layer.provideMerge(Layer.effect(port, broken), memory)
}

/** A fault that needs the records that were inserted, by their ids. */
const remembering =
  <A extends StoredRecord>(fault: (known: ReadonlyMap<string, A>, good: KeptBy<A>) => Partial<KeptBy<A>>): Fault<A> =>
  (good) => {
    const known = new Map<string, A>()
    const { insert = good.insert, ...others } = fault(known, good)
    return {
      ...others,
      insert: (record) => Effect.tap(insert(record), () => Effect.sync(() => known.set(record.id, record)))
    }
  }

const withFieldOf = <A extends StoredRecord>(field: string, other: A | undefined, record: A): A =>
  other === undefined ? record : { ...record, [field]: Reflect.get(other, field) }

const finding = <A extends StoredRecord>(
  method: "find" | "findForUpdate"
): ReadonlyArray<readonly [string, Fault<A>]> => [
  [`${method} answers nothing`, () => ({ [method]: () => Effect.succeed(Option.none()) })],
  [
    `${method} answers the first record`,
    remembering((known) => ({ [method]: () => Effect.sync(() => Option.fromIterable(known.values())) }))
  ],
  [
    `${method} ignores the organisation`,
    remembering((known, good) => ({
      [method]: (organisation_id: OrganisationId, id: A["id"]) =>
        good[method](known.get(id)?.organisation_id ?? organisation_id, id)
    }))
  ]
]

/** The record without the blanks at the ends of its texts. */
const trimmed = <A extends StoredRecord>(record: A): A =>
  Object.assign(
    { ...record },
    Object.fromEntries(
      Object.entries(record).flatMap(([field, value]) => (typeof value === "string" ? [[field, value.trim()]] : []))
    )
  )

const writing = <A extends StoredRecord>(fields: ReadonlyArray<string>): ReadonlyArray<readonly [string, Fault<A>]> => [
  ["insert writes nothing", () => ({ insert: () => Effect.void })],
  ["update writes nothing", () => ({ update: () => Effect.void })],
  ["insert trims texts", (good) => ({ insert: (record) => good.insert(trimmed(record)) })],
  ["update trims texts", (good) => ({ update: (record) => good.update(trimmed(record)) })],
  [
    "update ignores the organisation",
    remembering((known, good) => ({
      update: (record) =>
        good.update({ ...record, organisation_id: known.get(record.id)?.organisation_id ?? record.organisation_id })
    }))
  ],
  [
    "update writes all records of the organisation",
    remembering((known, good) => ({
      update: (record) =>
        Effect.forEach(
          [...known.values()].filter(({ organisation_id }) => organisation_id === record.organisation_id),
          ({ id }) => Effect.ignore(good.update({ ...record, id }))
        )
    }))
  ],
  ...fields.flatMap(
    (field): ReadonlyArray<readonly [string, Fault<A>]> => [
      [
        `insert ignores ${field}`,
        remembering((known, good) => ({
          insert: (record) => good.insert(withFieldOf(field, [...known.values()][0], record))
        }))
      ],
      [
        `update ignores ${field}`,
        (good) => ({
          update: (record) =>
            Effect.flatMap(good.findForUpdate(record.organisation_id, record.id), (found) =>
              good.update(withFieldOf(field, Option.getOrUndefined(found), record))
            )
        })
      ]
    ]
  )
]

const listing = <A extends StoredRecord>(): ReadonlyArray<readonly [string, Fault<A>]> => [
  ["list answers nothing", () => ({ list: () => Effect.succeed({ data: [], has_more: false }) })],
  [
    "list ignores the organisation",
    (good) => {
      let first: OrganisationId | undefined
      return {
        list: (organisation_id, query) => {
          first ??= organisation_id
          return good.list(first, query)
        }
      }
    }
  ],
  ...(["limit", "starting_after", "conditions", "sort"] as const).map((name): readonly [string, Fault<A>] => [
    `list ignores ${name}`,
    (good) => ({ list: (organisation_id, query) => good.list(organisation_id, { ...query, [name]: queryOf()[name] }) })
  ])
]

/** The identity of a record, which an adapter cannot ignore and still be asked for it. */
const identity: ReadonlySet<string> = new Set(["id", "organisation_id"])

/**
 * Each method of a store of records with its faults: one answer whatever it is asked, one argument ignored, and of each
 * field of a record that it is not written.
 */
export const faultsOf = <A extends StoredRecord>(
  fields: ReadonlyArray<string>
): ReadonlyArray<readonly [name: string, fault: Fault<A>]> => [
  ...finding<A>("find"),
  ...finding<A>("findForUpdate"),
  ...writing<A>(fields.filter((field) => !identity.has(field))),
  ...listing<A>()
]
