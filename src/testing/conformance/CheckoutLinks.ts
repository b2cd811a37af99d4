import { DateTime, Effect, Option } from "effect"
import fc from "fast-check"
import { type CheckoutLink, listing, machine, Status, statusAt } from "../../domain/giving/CheckoutLink.ts"
import { DonationId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { asOf, parse } from "../../domain/kernel/Listing.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { CheckoutLinkStore } from "../../ports/giving/CheckoutLinkStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import type { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import type { Expirable } from "../../ports/kernel/Expirable.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { bookedUnder } from "./Booked.ts"
import { donorReferences } from "./DonorReferences.ts"
import { checkoutLinkOf, freshCheckoutLinkId } from "./FormRecords.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { after, isTaken, meetRow } from "./MachineRows.ts"
import { at, donorOf, freshId, newOrganisation } from "./Records.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = RevenueCodeStore | CheckoutLinkStore | DonorStore | OrganisationStore | Transaction

const draft = fc
  .tuple(
    Generators.checkoutLink,
    fc.record({
      amount_cents: fc.integer({ min: 1, max: 3 }),
      currency: fc.constantFrom("AUD", "NZD"),
      expires_at: fc.option(fc.nat(3).map(at)),
      created_at: fc.nat(3).map(at),
      archived_at: fc.option(fc.nat(3).map(at), { freq: 3 })
    })
  )
  .map(([link, given]): CheckoutLink => ({ ...link, ...given }))

const newLink = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<CheckoutLink> = {}) {
  return yield* Effect.tap(checkoutLinkOf(organisation_id, given), (yield* CheckoutLinkStore).insert)
})

/** The link as one of the organisation, and of one of its donors where it names a donor. */
const owned = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: CheckoutLink) {
  const id = yield* freshCheckoutLinkId
  if (given.donor_id === null) return { ...given, id, organisation_id }
  const donor = yield* donorOf(organisation_id)
  yield* (yield* DonorStore).insert(donor)
  return { ...given, id, organisation_id, donor_id: donor.id }
})

const aGift = Effect.map(freshId("donation"), (id) => DonationId.make(id))

/** Times long before those of other checks' records. */
const before = (seconds: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1980, 0, 1) + seconds * 1_000)

const ids = (links: ReadonlyArray<Pick<Expirable, "id">>): ReadonlyArray<string> => links.map(({ id }) => id)

const booked = bookedUnder({
  name: "checkout links",
  port: "CheckoutLinkStore",
  make: (organisation_id, { code, id }) => newLink(organisation_id, { revenue_code: code, revenue_code_id: id }),
  find: ({ id, organisation_id }) => CheckoutLinkStore.use((store) => store.find(organisation_id, id)),
  findForUpdate: ({ id, organisation_id }) =>
    CheckoutLinkStore.use((store) => store.findForUpdate(organisation_id, id)),
  update: (link) => CheckoutLinkStore.use((store) => store.update(link)),
  list: (organisation_id, query) => CheckoutLinkStore.use((store) => store.list(organisation_id, query))
})

const expiry = [
  law("links whose time has run out are found, of all organisations, archived or not, the earliest first", () =>
    Effect.gen(function* () {
      const store = yield* CheckoutLinkStore
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
    })
  ),

  law("what is found to have expired, and listed as such, is what the machine expires, from every status", () =>
    Effect.gen(function* () {
      const store = yield* CheckoutLinkStore
      const { id } = yield* newOrganisation()
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
    })
  ),

  must(
    "a list reads the status as it is at an instant",
    ["RecordReader.list MUST answer as domain/kernel/Listing defines"],
    () =>
      Effect.gen(function* () {
        const store = yield* CheckoutLinkStore
        const { id } = yield* newOrganisation()
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
      })
  )
]

/**
 * The laws of {@link CheckoutLinkStore}.
 */
export const checkoutLinks = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a checkout link is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordStore.update MUST write all fields of the record that has the same organisation and id",
      "RecordReader MUST see the named organisation's records only"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.checkoutLink, Generators.checkoutLink),
        Effect.fnUntraced(function* ([given, next]) {
          const store = yield* CheckoutLinkStore
          const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const link = yield* owned(id, given)
          yield* store.insert(link)
          same(yield* store.find(id, link.id), Option.some(link))
          none(yield* store.find(other.id, link.id))
          none(yield* store.findForUpdate(other.id, link.id))
          const changed = { ...(yield* owned(id, next)), id: link.id }
          yield* store.update({ ...changed, organisation_id: other.id })
          same(yield* store.findForUpdate(id, link.id), Option.some(link))
          yield* store.update(changed)
          same(yield* store.find(id, link.id), Option.some(changed))
        })
      )
  ),

  ...lists(
    {
      name: "checkout links",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, given) {
        return yield* Effect.tap(owned(organisation_id, given), (yield* CheckoutLinkStore).insert)
      }),
      list: (organisation_id, query) => CheckoutLinkStore.use((store) => store.list(organisation_id, query)),
      columns: (link) => link,
      archived: (link) => link.archived_at !== null
    },
    runsOf(given)
  ),

  holding({
    name: "a checkout link",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      return yield* newLink(id)
    }),
    findForUpdate: ({ id, organisation_id }: CheckoutLink) =>
      CheckoutLinkStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (link) => CheckoutLinkStore.use((store) => store.update(link)),
    count: ({ visit_count }) => visit_count,
    counted: (link, visit_count) => ({ ...link, visit_count })
  }),

  donorReferences({
    name: "checkout links",
    store: Effect.fnUntraced(function* ({ id: donor_id, organisation_id }) {
      return [
        yield* newLink(organisation_id, { donor_id }),
        yield* newLink(organisation_id, { donor_id, status: "COMPLETED" }),
        yield* newLink(organisation_id, { donor_id, archived_at: at(1) })
      ]
    }),
    find: ({ id, organisation_id }: CheckoutLink) => CheckoutLinkStore.use((store) => store.find(organisation_id, id)),
    reassign: (...given) => CheckoutLinkStore.use((store) => store.reassign(...given))
  }),

  booked,
  ...expiry
]
