import { Effect } from "effect"
import fc from "fast-check"
import { CheckoutLink, listing, machine, Status } from "../../domain/giving/CheckoutLink.ts"
import { DonationId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { CheckoutLinkStore } from "../../ports/giving/CheckoutLinkStore.ts"
import * as Generators from "../Generators.ts"
import { checkoutLinkOf } from "./DonationForms.ts"
import { donorReferences } from "./DonorReferences.ts"
import { expiry } from "./Expiry.ts"
import { rowFor } from "./MachineRows.ts"
import { newDonor } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId } from "./Records.ts"
import { bookedUnder } from "./RevenueCodeNames.ts"
import type { Thoroughness } from "./Suite.ts"

const newLink = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<CheckoutLink> = {}) {
  return yield* Effect.tap(checkoutLinkOf(organisation_id, given), (yield* CheckoutLinkStore).insert)
})

const gift = DonationId.make("don_00000000000000000000000001")

const booked = bookedUnder({
  name: "checkout links",
  sentenceOf: "CheckoutLinkStore",
  port: CheckoutLinkStore,
  make: (organisation_id, { code, id }) => newLink(organisation_id, { revenue_code: code, revenue_code_id: id })
})

/** The laws of {@link CheckoutLinkStore}. */
export const checkoutLinks = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "checkout links",
    port: CheckoutLinkStore,
    arbitrary: Generators.checkoutLink,
    schema: CheckoutLink,
    fresh: freshId("checkoutLink"),
    parents: (organisation_id, { donor_id }) =>
      donor_id === null ? Effect.succeed({}) : Effect.map(newDonor(organisation_id), ({ id }) => ({ donor_id: id })),
    list: {
      spec: listing,
      few: fc.record({
        amount_cents: fc.integer({ min: 1, max: 3 }),
        currency: fc.constantFrom("AUD", "NZD"),
        expires_at: fc.option(fc.nat(3).map(at))
      })
    }
  })(() => [
    donorReferences({
      name: "checkout links",
      port: CheckoutLinkStore,
      make: ({ id: donor_id, organisation_id }) =>
        Effect.forEach([{}, { status: "COMPLETED" }, { archived_at: at(1) }] as const, (state) =>
          checkoutLinkOf(organisation_id, { donor_id, ...state })
        )
    }),

    booked,
    ...expiry({
      name: "links",
      port: CheckoutLinkStore,
      make: (id, kind, given) => newLink(id, { ...given, ...kind }),
      year: 1980,
      listing,
      asked: (status) => status,
      statuses: Status.literals,
      rows: (at) => [rowFor(machine, { _tag: "Expire", at }), rowFor(machine, { _tag: "ExpireArchived", at })],
      expired: (link) => ({ ...link, status: "EXPIRED" }),
      open: { archived_at: at(0) },
      ended: [{ status: "COMPLETED" }, { status: "EXPIRED" }, { status: "CANCELED" }, { pending_donation_id: gift }],
      kinds: [null, at(0)].flatMap((archived_at) =>
        [null, gift].flatMap((pending_donation_id) =>
          [{}, { expires_at: null }].map((endless) => ({ archived_at, pending_donation_id, ...endless }))
        )
      )
    })
  ])
