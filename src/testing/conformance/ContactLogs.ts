import { Effect } from "effect"
import fc from "fast-check"
import { ContactLog, derivedColumns, listing } from "../../domain/giving/ContactLog.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import { ContactLogStore } from "../../ports/giving/ContactLogStore.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { newDonor } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, makerOf } from "./Records.ts"
import type { Thoroughness } from "./Suite.ts"

const contactLogOf = makerOf(ContactLog, "contactLog", (donor: Donor, id) => ({
  id,
  organisation_id: donor.organisation_id,
  donor_id: donor.id,
  contact_method: "PHONE",
  occurred_at: at(0)
}))

const day = fc.option(fc.nat(3).map(at))

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
    must: ["ContactLogStore MUST see no deleted one", "ContactLogStore MUST find one, too"],
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
  })(() => [
    donorReferences({
      name: "contact logs",
      port: ContactLogStore,
      make: (donor) => Effect.all([contactLogOf(donor), contactLogOf(donor, { deleted_at: at(1) })])
    })
  ])
