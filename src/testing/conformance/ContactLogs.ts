import { Effect, Option } from "effect"
import fc from "fast-check"
import { type ContactLog, derived, listing } from "../../domain/giving/ContactLog.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import { ContactLogId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { within } from "../../domain/kernel/Listing.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { ContactLogStore } from "../../ports/giving/ContactLogStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, donorOf, freshId, newOrganisation, queryOf } from "./Records.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = ContactLogStore | DonorStore | OrganisationStore | Transaction

const freshContactLogId = Effect.map(freshId("contactLog"), (id) => ContactLogId.make(id))

const contactLogOf = Effect.fnUntraced(function* (donor: Donor, given: Partial<ContactLog> = {}) {
  const log: ContactLog = {
    id: yield* freshContactLogId,
    organisation_id: donor.organisation_id,
    donor_id: donor.id,
    contact_method: "PHONE",
    notes: null,
    occurred_at: at(0),
    recorded_by_id: null,
    follow_up_at: null,
    follow_up_completed_at: null,
    created_at: at(0),
    updated_at: at(0),
    deleted_at: null,
    ...given
  }
  return log
})

const day = fc.option(fc.nat(3).map(at))

const draft = fc
  .tuple(
    Generators.contactLog,
    fc.record({
      occurred_at: fc.nat(3).map(at),
      follow_up_at: day,
      follow_up_completed_at: day,
      created_at: fc.nat(3).map(at),
      deleted_at: fc.option(fc.nat(3).map(at), { freq: 3 })
    })
  )
  .map(([log, given]): ContactLog => ({ ...log, ...given }))

const newDonor = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  return yield* Effect.tap(donorOf(organisation_id), (yield* DonorStore).insert)
})

/** Stores the entry as one of a new donor. */
const stored = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: ContactLog) {
  const donor = yield* newDonor(organisation_id)
  const log: ContactLog = { ...given, id: yield* freshContactLogId, organisation_id, donor_id: donor.id }
  yield* (yield* ContactLogStore).insert(log)
  return log
})

const findForUpdate = ({ id, organisation_id }: ContactLog) =>
  ContactLogStore.use((store) => store.findForUpdate(organisation_id, id))

/**
 * The laws of {@link ContactLogStore}.
 */
export const contactLogs = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a contact log is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordStore.update MUST write all fields of the record that has the same organisation and id",
      "RecordReader MUST see the named organisation's records only"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.contactLog, Generators.contactLog),
        Effect.fnUntraced(function* ([given, next]) {
          const store = yield* ContactLogStore
          const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const log = yield* stored(id, given)
          same(yield* findForUpdate(log), Option.some(log))
          none(yield* store.find(other.id, log.id))
          none(yield* store.findForUpdate(other.id, log.id))
          const changed = { ...next, id: log.id, organisation_id: id, donor_id: log.donor_id, deleted_at: null }
          yield* store.update({ ...changed, organisation_id: other.id })
          same(yield* findForUpdate(log), Option.some(log))
          yield* store.update(changed)
          same(yield* store.find(id, log.id), Option.some(changed))
        })
      )
  ),

  ...lists(
    {
      name: "contact logs",
      spec: listing,
      draft,
      store: stored,
      list: (organisation_id, query) => ContactLogStore.use((store) => store.list(organisation_id, query)),
      columns: (log) => ({ ...log, ...derived(log) }),
      hidden: (log) => log.deleted_at !== null
    },
    runsOf(given)
  ),

  law("the entries of one donor are listed by the donor's id", () =>
    Effect.gen(function* () {
      const store = yield* ContactLogStore
      const { id } = yield* newOrganisation()
      const [donor, other] = [yield* newDonor(id), yield* newDonor(id)]
      const logs = [yield* contactLogOf(donor, { created_at: at(1) }), yield* contactLogOf(donor)]
      yield* Effect.forEach([...logs, yield* contactLogOf(other)], store.insert)
      same((yield* store.list(id, within(queryOf({}), "donor_id", donor.id))).data, logs)
    })
  ),

  must(
    "a deleted entry is found by those who change it, and by nobody else",
    ["ContactLogStore MUST see no deleted one", "ContactLogStore MUST find one, too"],
    () =>
      Effect.gen(function* () {
        const store = yield* ContactLogStore
        const { id } = yield* newOrganisation()
        const deleted = yield* stored(id, yield* contactLogOf(yield* donorOf(id), { deleted_at: at(1) }))
        none(yield* store.find(id, deleted.id))
        same((yield* store.list(id, queryOf({ archived: true }))).data, [])
        same(yield* findForUpdate(deleted), Option.some(deleted))
      })
  ),

  holding({
    name: "a contact log",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      return yield* stored(id, yield* contactLogOf(yield* donorOf(id), { notes: "0" }))
    }),
    findForUpdate,
    update: (log) => ContactLogStore.use((store) => store.update(log)),
    count: ({ notes }) => Number(notes),
    counted: (log, count) => ({ ...log, notes: `${count}` })
  }),

  donorReferences({
    name: "contact logs",
    store: Effect.fnUntraced(function* (donor) {
      const logs = [yield* contactLogOf(donor), yield* contactLogOf(donor, { deleted_at: at(1) })]
      yield* Effect.forEach(logs, (yield* ContactLogStore).insert)
      return logs
    }),
    find: findForUpdate,
    reassign: (...given) => ContactLogStore.use((store) => store.reassign(...given))
  })
]
