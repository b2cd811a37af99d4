import { Effect, Option } from "effect"
import fc from "fast-check"
import { ContactLog, derivedColumns, listing } from "../../domain/giving/ContactLog.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { within } from "../../domain/kernel/Listing.ts"
import { ContactLogStore } from "../../ports/giving/ContactLogStore.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { newDonor } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, donorOf, freshId, makerOf, queryOf } from "./Records.ts"
import { none, same, type Thoroughness } from "./Suite.ts"

const contactLogOf = makerOf(ContactLog, "contactLog", (donor: Donor, id) => ({
  id,
  organisation_id: donor.organisation_id,
  donor_id: donor.id,
  contact_method: "PHONE",
  occurred_at: at(0)
}))

const day = fc.option(fc.nat(3).map(at))

/** Stores the entry as one of a new donor. */
const stored = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: ContactLog) {
  const donor = yield* newDonor(organisation_id)
  const log: ContactLog = { ...given, id: yield* freshId("contactLog"), organisation_id, donor_id: donor.id }
  yield* (yield* ContactLogStore).insert(log)
  return log
})

const findForUpdate = ({ id, organisation_id }: ContactLog) =>
  ContactLogStore.use((store) => store.findForUpdate(organisation_id, id))

/** The laws of {@link ContactLogStore}. */
export const contactLogs = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "contact logs",
    port: ContactLogStore,
    arbitrary: Generators.contactLog,
    schema: ContactLog,
    fresh: freshId("contactLog"),
    parents: (organisation_id) => Effect.map(newDonor(organisation_id), ({ id }) => ({ donor_id: id })),
    hidden: ({ deleted_at }) => deleted_at !== null,
    list: {
      spec: listing,
      few: fc.record({
        occurred_at: fc.nat(3).map(at),
        follow_up_at: day,
        follow_up_completed_at: day,
        deleted_at: fc.option(fc.nat(3).map(at), { freq: 3 })
      }),
      columns: (log) => ({ ...log, ...derivedColumns(log) })
    }
  })(({ law, must }) => [
    law("the entries of one donor are listed by the donor's id", function* ({ store, id }) {
      const [donor, other] = [yield* newDonor(id), yield* newDonor(id)]
      const logs = [yield* contactLogOf(donor, { created_at: at(1) }), yield* contactLogOf(donor)]
      yield* Effect.forEach([...logs, yield* contactLogOf(other)], store.insert)
      same((yield* store.list(id, within(queryOf({}), "donor_id", donor.id))).data, logs)
    }),

    must(
      "a deleted entry is found by those who change it, and by nobody else",
      ["ContactLogStore MUST see no deleted one", "ContactLogStore MUST find one, too"],
      function* ({ store, id }) {
        const deleted = yield* stored(id, yield* contactLogOf(yield* donorOf(id), { deleted_at: at(1) }))
        none(yield* store.find(id, deleted.id))
        same((yield* store.list(id, queryOf({ archived: true }))).data, [])
        same(yield* findForUpdate(deleted), Option.some(deleted))
      }
    ),

    donorReferences({
      name: "contact logs",
      port: ContactLogStore,
      make: (donor) => Effect.all([contactLogOf(donor), contactLogOf(donor, { deleted_at: at(1) })])
    })
  ])
