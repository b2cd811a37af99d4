import { DateTime, Effect } from "effect"
import fc from "fast-check"
import { type CheckoutLink, listing, machine, Status, statusAt } from "../../domain/giving/CheckoutLink.ts"
import { DonationId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { asOf, parse } from "../../domain/kernel/Listing.ts"
import { CheckoutLinkStore } from "../../ports/giving/CheckoutLinkStore.ts"
import type { Expirable } from "../../ports/kernel/Expirable.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { checkoutLinkOf, freshCheckoutLinkId } from "./FormRecords.ts"
import { after, isTaken, meetRow } from "./MachineRows.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, newOrganisation } from "./Records.ts"
import { bookedUnder } from "./RevenueCodeNames.ts"
import { newDonor } from "./SubscriptionRecords.ts"
import { lawsOf, same, suite, type Thoroughness } from "./Suite.ts"

const { law, must } = lawsOf(CheckoutLinkStore)

const newLink = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<CheckoutLink> = {}) {
  return yield* Effect.tap(checkoutLinkOf(organisation_id, given), (yield* CheckoutLinkStore).insert)
})

const aGift = Effect.map(freshId("donation"), (id) => DonationId.make(id))

/** Times long before those of other checks' records. */
const before = (seconds: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1980, 0, 1) + seconds * 1_000)

const ids = (links: ReadonlyArray<Pick<Expirable, "id">>): ReadonlyArray<string> => links.map(({ id }) => id)

const booked = bookedUnder({
  name: "checkout links",
  sentenceOf: "CheckoutLinkStore",
  port: CheckoutLinkStore,
  make: (organisation_id, { code, id }) => newLink(organisation_id, { revenue_code: code, revenue_code_id: id })
})

const expiry = [
  law(
    "links whose time has run out are found, of all organisations, archived or not, the earliest first",
    function* ({ store }) {
      const [a, b] = [yield* newOrganisation(), yield* newOrganisation()]
      const late = yield* newLink(a.id, { expires_at: before(2) })
      const early = yield* newLink(b.id, { expires_at: before(1), archived_at: at(0) })
      for (const status of ["COMPLETED", "EXPIRED", "CANCELED"] as const) {
        yield* newLink(a.id, { expires_at: before(0), status })
      }
      yield* newLink(a.id, { expires_at: before(0), pending_donation_id: yield* aGift })
      same(ids(yield* store.expirable(before(0), 10, [])), [])
      same(ids(yield* store.expirable(before(1), 10, [])), [early.id])
      same(ids(yield* store.expirable(before(2), 10, [])), [early.id, late.id])
      same(ids(yield* store.expirable(before(2), 1, [])), [early.id])
      same(ids(yield* store.expirable(before(2), 1, [early.id])), [late.id])
      same(ids(yield* store.expirable(before(2), 1, [late.id, early.id])), [])
      for (const each of [late, early]) yield* store.update({ ...each, status: "EXPIRED" })
      same(ids(yield* store.expirable(before(9), 10, [])), [])
    }
  ),

  law(
    "what is found to have expired, and listed as such, is what the machine expires, from every status",
    function* ({ store, id }) {
      const now = before(5)
      const gift = yield* aGift
      const drafts = Status.literals.flatMap((status) =>
        [null, at(0)].flatMap((archived_at) =>
          [null, before(4), now, before(6)].flatMap((expires_at) =>
            [null, gift].map((pending_donation_id) => ({ status, archived_at, expires_at, pending_donation_id }))
          )
        )
      )
      const links = yield* Effect.forEach(drafts, (draft) => newLink(id, draft))
      const [expires, expiresArchived] = [
        { machine, command: { _tag: "Expire", at: now } },
        { machine, command: { _tag: "ExpireArchived", at: now } }
      ] as const
      for (const asked of [expires, expiresArchived]) meetRow(asked, links)
      const due = Effect.map(store.expirable(now, 100, []), (found) =>
        ids(found.filter(({ organisation_id }) => organisation_id === id)).toSorted()
      )
      const written = links.map((link) => after(expiresArchived, after(expires, link)))
      const listed = Effect.fnUntraced(function* () {
        for (const status of Status.literals) {
          const parsed = yield* Effect.fromResult(parse(listing, [["status", status]]))
          const { data } = yield* store.list(id, asOf({ ...parsed, archived: true, limit: 100 }, now))
          same(ids(data).toSorted(), ids(written.filter((link) => link.status === status)).toSorted(), status)
        }
      })
      same(yield* due, ids(links.filter((link) => isTaken(expires, link) || isTaken(expiresArchived, link))).toSorted())
      yield* listed()
      for (const link of written) yield* store.update(link)
      same(yield* due, [])
      yield* listed()
    }
  ),

  must(
    "a list reads the status as it is at an instant",
    ["RecordReader.list MUST answer as domain/kernel/Listing defines"],
    function* ({ store, id }) {
      const links = [
        yield* newLink(id),
        yield* newLink(id, { expires_at: at(10) }),
        yield* newLink(id, { expires_at: at(10), pending_donation_id: yield* aGift }),
        yield* newLink(id, { expires_at: at(10), status: "COMPLETED" })
      ]
      for (const now of [at(9), at(10), at(11)]) {
        for (const status of Status.literals) {
          const query = yield* Effect.fromResult(parse(listing, [["status", status]]))
          const { data } = yield* store.list(id, asOf(query, now))
          const expected = links.filter((link) => statusAt(link, now) === status)
          same(ids(data).toSorted(), ids(expected).toSorted(), status)
        }
      }
    }
  )
]

/** The laws of {@link CheckoutLinkStore}. */
export const checkoutLinks = (given: Thoroughness = {}) =>
  suite([
    ...recordStore({
      ...given,
      name: "checkout links",
      port: CheckoutLinkStore,
      arbitrary: Generators.checkoutLink,
      fresh: freshCheckoutLinkId,
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
    }),
    donorReferences({
      name: "checkout links",
      port: CheckoutLinkStore,
      make: ({ id: donor_id, organisation_id }) =>
        Effect.forEach([{}, { status: "COMPLETED" }, { archived_at: at(1) }] as const, (state) =>
          checkoutLinkOf(organisation_id, { donor_id, ...state })
        )
    }),

    booked,
    ...expiry
  ])
