import { Effect, Latch, Option } from "effect"
import fc from "fast-check"
import * as Charge from "../../domain/payments/Charge.ts"
import { type Dispute, listing, Status } from "../../domain/payments/Dispute.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../ports/payments/DisputeStore.ts"
import * as Generators from "../Generators.ts"
import { disputeOf, freshDisputeId, newCharge } from "./ChargeRecords.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, newOrganisation } from "./Records.ts"
import { freshMandateId } from "./SubscriptionRecords.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = ChargeStore | DisputeStore | IntegrationStore | OrganisationStore | Transaction

const draft = fc
  .tuple(Generators.dispute, fc.record({ status: fc.constantFrom(...Status.literals), created_at: fc.nat(3).map(at) }))
  .map(([dispute, given]): Dispute => ({ ...dispute, ...given }))

/**
 * The laws of {@link DisputeStore}.
 */
export const disputes = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a dispute is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordReader MUST see the named organisation's records only",
      "RecordStore.update MUST write all fields of the record that has the same organisation and id"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.dispute, Generators.dispute),
        Effect.fnUntraced(function* (written) {
          const store = yield* DisputeStore
          const [{ id: organisation_id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const { id: charge_id } = yield* newCharge(organisation_id)
          const id = yield* freshDisputeId
          for (const [index, each] of written.entries()) {
            const dispute = { ...each, id, organisation_id, charge_id }
            yield* index === 0 ? store.insert(dispute) : store.update(dispute)
            same(yield* store.find(organisation_id, id), Option.some(dispute))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(dispute))
            same(yield* store.ofCharge(organisation_id, charge_id), [dispute])
            none(yield* store.find(other.id, id))
            same(yield* store.ofCharge(other.id, charge_id), [])
          }
        })
      )
  ),

  law("the disputes of a charge are all of them, however they ended, and no other's", () =>
    Effect.gen(function* () {
      const store = yield* DisputeStore
      const { id } = yield* newOrganisation()
      const [charge, other] = [yield* newCharge(id), yield* newCharge(id)]
      same(yield* store.ofCharge(id, charge.id), [])
      const found = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(disputeOf(charge, { status }), store.insert)
      )
      yield* store.insert(yield* disputeOf(other))
      const byId = (all: ReadonlyArray<Dispute>) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      same(byId(yield* store.ofCharge(id, charge.id)), byId(found))
    })
  ),

  must(
    "what hangs on a charge is told by its kind, also to who waited for the charge",
    ["ChargeStore.attached MUST see all that was committed before it was."],
    () =>
      Effect.gen(function* () {
        const [store, charges, transaction] = [yield* DisputeStore, yield* ChargeStore, yield* Transaction]
        const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const [charge, sibling] = [yield* newCharge(id), yield* newCharge(id)]
        const nothing = { refunds: false, disputes: false, exceptions: false }
        same(yield* charges.attached(id, charge.id), nothing)
        const isHeld = yield* Latch.make()
        const holds = Effect.gen(function* () {
          yield* charges.findForUpdate(id, charge.id)
          yield* isHeld.open
          yield* store.insert(yield* disputeOf(charge))
        })
        const waits = Effect.gen(function* () {
          yield* isHeld.await
          yield* charges.findForUpdate(id, charge.id)
          return yield* charges.attached(id, charge.id)
        })
        const both = [transaction.run(holds), transaction.run(waits)] as const
        const [, seen] = yield* Effect.all(both, { concurrency: "unbounded" })
        same(seen, { ...nothing, disputes: true })
        same(yield* charges.attached(id, sibling.id), nothing)
        same(yield* charges.attached(other.id, charge.id), nothing)
      })
  ),

  law("the unsettled charges of a mandate are those that have not ended, and those of which a dispute is open", () =>
    Effect.gen(function* () {
      const [store, charges] = [yield* DisputeStore, yield* ChargeStore]
      const { id } = yield* newOrganisation()
      const mandate_id = yield* freshMandateId
      const made = yield* Effect.forEach(Charge.Status.literals, (status) => newCharge(id, { mandate_id, status }))
      const disputed = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(newCharge(id, { mandate_id, status: "SUCCEEDED" }), (charge) =>
          Effect.flatMap(disputeOf(charge, { status }), store.insert)
        )
      )
      yield* newCharge(id, { mandate_id: yield* freshMandateId, status: "NEW" })
      const unended = made.filter(({ status }) => ["NEW", "WAITING", "PROCESSING"].includes(status))
      const open = disputed.filter((_, index) => Status.literals[index] === "OPEN")
      const ids = (all: ReadonlyArray<Charge.Charge>) => all.map((charge) => charge.id).toSorted()
      same(ids(yield* charges.unsettledOf(id, mandate_id)), ids([...unended, ...open]))
      same(yield* charges.unsettledOf((yield* newOrganisation()).id, mandate_id), [])
    })
  ),

  ...lists(
    {
      name: "disputes",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const { id: charge_id } = yield* newCharge(organisation_id)
        const dispute: Dispute = { ...drafted, id: yield* freshDisputeId, organisation_id, charge_id }
        yield* (yield* DisputeStore).insert(dispute)
        return dispute
      }),
      list: (organisation_id, query) => DisputeStore.use((store) => store.list(organisation_id, query)),
      columns: (dispute) => dispute
    },
    runsOf(given)
  ),

  holding({
    name: "a dispute",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const charge = yield* newCharge((yield* newOrganisation()).id)
      return yield* Effect.tap(disputeOf(charge, { reference: "0" }), (yield* DisputeStore).insert)
    }),
    findForUpdate: ({ id, organisation_id }) => DisputeStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (dispute) => DisputeStore.use((store) => store.update(dispute)),
    count: ({ reference }) => Number(reference),
    counted: (dispute, count) => ({ ...dispute, reference: `${count}` })
  })
]
