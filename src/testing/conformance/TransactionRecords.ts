import { Effect, Option } from "effect"
import { DonorId, type OrganisationId, RevenueCodeId } from "../../domain/kernel/Ids.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import type { RecordStore } from "../../ports/kernel/RecordStore.ts"
import { donorOf, freshId, queryOf, revenueCodeOf } from "./Records.ts"

/** Named records, in a store that takes part in transactions, by which transactions are observed. */
export interface TransactionRecords<R> {
  /** Stores a new record; its id. */
  readonly insert: (organisation_id: OrganisationId, name: string) => Effect.Effect<string, never, R>
  readonly find: (organisation_id: OrganisationId, id: string) => Effect.Effect<Option.Option<string>, never, R>
  /** The record's name, held until the transaction ends. */
  readonly hold: (organisation_id: OrganisationId, id: string) => Effect.Effect<string, never, R>
  readonly rename: (organisation_id: OrganisationId, id: string, name: string) => Effect.Effect<void, never, R>
  /** The names of all records of the organisation, in any order. */
  readonly names: (organisation_id: OrganisationId) => Effect.Effect<ReadonlyArray<string>, never, R>
}

const recordsOf = <A extends { readonly id: string }, R>(
  store: Effect.Effect<RecordStore<A, A["id"], unknown>, never, R>,
  form: {
    readonly id: (text: string) => A["id"]
    readonly make: (organisation_id: OrganisationId, name: string) => Effect.Effect<A>
    readonly name: (record: A) => string | null
    readonly renamed: (record: A, name: string) => A
  }
): TransactionRecords<R> => {
  const nameOf = (record: A): string => form.name(record) ?? ""
  return {
    insert: Effect.fnUntraced(function* (organisation_id, name) {
      const record = yield* form.make(organisation_id, name)
      yield* Effect.orDie((yield* store).insert(record))
      return record.id
    }),
    find: (organisation_id, id) =>
      Effect.flatMap(store, (each) => Effect.map(each.find(organisation_id, form.id(id)), Option.map(nameOf))),
    hold: (organisation_id, id) =>
      Effect.flatMap(store, (each) =>
        Effect.map(each.findForUpdate(organisation_id, form.id(id)), (found) => nameOf(Option.getOrThrow(found)))
      ),
    rename: Effect.fnUntraced(function* (organisation_id, id, name) {
      const each = yield* store
      const found = Option.getOrThrow(yield* each.find(organisation_id, form.id(id)))
      yield* Effect.orDie(each.update(form.renamed(found, name)))
    }),
    names: (organisation_id) =>
      Effect.flatMap(store, (each) =>
        Effect.map(Effect.orDie(each.list(organisation_id, queryOf({ archived: true }))), ({ data }) =>
          data.map(nameOf)
        )
      )
  }
}

/** Donors, by their last names. */
export const donorRecords: TransactionRecords<DonorStore> = recordsOf(DonorStore, {
  id: (text) => DonorId.make(text),
  make: (organisation_id, last_name) => donorOf(organisation_id, { last_name }),
  name: (donor) => donor.last_name,
  renamed: (donor, last_name) => ({ ...donor, last_name })
})

/** Revenue codes, by their descriptions. */
export const revenueCodeRecords: TransactionRecords<RevenueCodeStore> = recordsOf(RevenueCodeStore, {
  id: (text) => RevenueCodeId.make(text),
  make: (organisation_id, description) =>
    Effect.flatMap(freshId("request"), (code) => revenueCodeOf(organisation_id, { code, description })),
  name: (code) => code.description,
  renamed: (code, description) => ({ ...code, description })
})
