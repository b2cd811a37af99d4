import { Duration, Effect } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { listing, Status, TransferAttempt } from "../../domain/sharing/TransferAttempt.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import { RecommendationSetStore } from "../../ports/sharing/RecommendationSetStore.ts"
import { TransferAttemptStore } from "../../ports/sharing/TransferAttemptStore.ts"
import * as Generators from "../Generators.ts"
import { dueBy, dueByClock, dueRecords, hintCheck } from "./DueRecords.ts"
import { newCharge, newLink, paymentOf, setOf } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { freshId, idsOf, makerOf, newOrganisation, storedIn } from "./Records.ts"
import { lawsOf, runsOf, same, type Thoroughness } from "./Suite.ts"

const { law } = lawsOf(TransferAttemptStore)

type Owner = Pick<
  TransferAttempt,
  "organisation_id" | "payment_id" | "allocation_id" | "charge_id" | "recipient_org_account_link_id"
>

/** A stored payment with one part, of which attempts can be made. */
export const newTransferOwner = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const link = yield* newLink(organisation_id, yield* newOrganisation())
  const set = yield* setOf(organisation_id, [link])
  yield* Effect.orDie((yield* RecommendationSetStore).insert(set))
  const payment = yield* paymentOf(set, [link])
  yield* (yield* PaymentStore).insert(payment)
  const [allocation] = payment.allocations
  const { id: charge_id } = yield* newCharge(organisation_id)
  if (allocation === undefined) return yield* Effect.die(new Error("the payment has no allocation"))
  const owner: Owner = {
    organisation_id,
    payment_id: payment.id,
    allocation_id: allocation.id,
    charge_id,
    recipient_org_account_link_id: link.id
  }
  return owner
})

/** An attempt that was not sent yet. */
export const attemptOf = makerOf(TransferAttempt, "transferAttempt", (owner: Owner, id) => ({
  ...owner,
  id,
  amount_cents: 990,
  currency: "AUD",
  series: 1,
  number: 1,
  status: "NEW",
  looks: 0
}))

/** A stored attempt that is to be taken up so many seconds after the store's present. */
const dueIn = dueBy(TransferAttemptStore, "look_at", (owner: Owner, given: Partial<TransferAttempt>) =>
  storedIn(TransferAttemptStore, attemptOf(owner, given))
)

/** One of a payment of its own. */
const dueOf = (organisation_id: OrganisationId, seconds: number | null) =>
  Effect.flatMap(newTransferOwner(organisation_id), (owner) => dueIn(owner, seconds, { looks: 1 }))

const claim = (limit = 100, lease = Duration.days(1)) => TransferAttemptStore.use((store) => store.claim(limit, lease))

const claims = (given: Thoroughness) => [
  ...dueRecords(
    {
      name: "transfer attempts",
      must: "TransferAttemptStore.claim MUST give an attempt to one worker only for as long as lease, by moving its look_at to the end of it;",
      port: TransferAttemptStore,
      make: dueOf,
      find: ({ id, organisation_id }) => TransferAttemptStore.use((store) => store.find(organisation_id, id)),
      field: "look_at"
    },
    Math.min(runsOf(given), 5)
  ),

  dueByClock({
    name: "transfer attempts",
    port: TransferAttemptStore,
    make: dueOf,
    lookNow: ({ organisation_id, payment_id }) =>
      TransferAttemptStore.use((store) => store.lookNow(organisation_id, payment_id))
  }),

  law("a payment's that were looked at are due now when asked; the others keep their time", function* ({ store, id }) {
    const [owner, other] = [yield* newTransferOwner(id), yield* newTransferOwner(id)]
    const waiting = yield* dueIn(owner, 3_600, { looks: 2 })
    yield* dueIn(owner, 3_600, { number: 2 })
    yield* dueIn(owner, null, { number: 3, looks: 1, status: "FAILED" })
    yield* dueIn(other, 3_600, { looks: 1 })
    yield* store.lookNow(id, owner.payment_id)
    same(idsOf(yield* claim()), [waiting.id])
  })
]

const hints = [
  hintCheck(
    "a new attempt, and one that is asked for, are hinted at once they are committed",
    [
      "TransferAttemptStore MUST raise the hint that wait waits for once a new one is committed.",
      "TransferAttemptStore.lookNow MUST raise the hint that wait waits for once that committed."
    ],
    TransferAttemptStore,
    Effect.fnUntraced(function* (organisation_id) {
      const [store, owner] = [yield* TransferAttemptStore, yield* newTransferOwner(organisation_id)]
      yield* dueIn(owner, 3_600, { looks: 1 })
      const insert = Effect.flatMap(attemptOf(yield* newTransferOwner(organisation_id)), store.insert)
      return [insert, store.lookNow(organisation_id, owner.payment_id)]
    })
  )
]

/** The laws of {@link TransferAttemptStore}. No other attempt may be due in it. */
export const transferAttempts = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "transfer attempts",
    port: TransferAttemptStore,
    arbitrary: Generators.transferAttempt,
    schema: TransferAttempt,
    fresh: freshId("transferAttempt"),
    parents: newTransferOwner,
    idle: { look_at: null },
    answers: Effect.fnUntraced(function* (attempt, other) {
      const store = yield* TransferAttemptStore
      same(yield* store.ofAllocation(attempt.organisation_id, attempt.allocation_id), [attempt])
      same(yield* store.ofAllocation(other, attempt.allocation_id), [])
    }),
    list: { spec: listing, few: fc.record({ status: fc.constantFrom(...Status.literals) }) }
  })(() => [...claims(given), ...hints])
