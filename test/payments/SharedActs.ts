import { DateTime, Effect, Option, Result } from "effect"
import { Refunds } from "../../src/app/giving/Refunds.ts"
import { Distributor } from "../../src/app/sharing/Distributor.ts"
import { Transfers } from "../../src/app/sharing/Transfers.ts"
import { PaymentId } from "../../src/domain/kernel/Ids.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { standardAccount } from "../../src/domain/payments/TestCharge.ts"
import { isReversal, type TransferAttempt } from "../../src/domain/sharing/TransferAttempt.ts"
import { PaymentStore, RefundStore, TestBank, TransferAttemptStore } from "../../src/ports.ts"
import { dueNow } from "../support/DueTransfer.ts"
import { asOperator } from "../support/Tenant.ts"
import { chargeOf, type GiftLife } from "./GivingSite.ts"
import type { Act } from "./Life.ts"
import { giveBack } from "./RefundRetry.ts"

// What happens to a payment to a set after it has come, in the lives of the crash tests.

/** The parts of the payment, each with the attempts to transfer it or to take it back. */
const partsOf = ({ place, service }: GiftLife, { subject_id }: Charge) =>
  service.raw(
    Effect.gen(function* () {
      const { id } = place.organisation
      const found = yield* PaymentStore.use((store) => store.find(id, PaymentId.make(subject_id)))
      return yield* Effect.forEach(Option.getOrThrow(found).allocations, (part) =>
        TransferAttemptStore.use((store) =>
          Effect.map(store.ofAllocation(id, part.id), (attempts) => ({ ...part, attempts }))
        )
      )
    })
  )

/** The part of the recipient in this place. */
const partOf = async (living: GiftLife, charge: Charge, at = 0) => {
  const part = (await partsOf(living, charge))[at]
  if (part === undefined) throw new Error("The payment has no such part")
  return part
}

/** A worker brings its parts to the recipients of a payment, or takes them back. */
export const shareOut = async (living: GiftLife): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  const shared = Distributor.use(({ distributeDue }) => Effect.asVoid(distributeDue))
  for (let round = 0; round < 3; round += 1) {
    // What is due later is due now: the stores' clocks cannot be set. What another held who was cut off is in a moment.
    const looking = TransferAttemptStore.use((store) =>
      store.lookNow(place.organisation.id, PaymentId.make(charge.subject_id))
    )
    await service.raw(looking)
    await service.run(service.points.run("share", shared))
    const soon = DateTime.add(await service.raw(TransferAttemptStore.use(({ now }) => now)), { seconds: 1 })
    const isHeld = ({ look_at, status }: TransferAttempt) =>
      status === "NEW" && look_at !== null && DateTime.isLessThan(look_at, soon)
    const isUnderWay = (await partsOf(living, charge)).some(({ attempts, transfer_status }) =>
      attempts.length === 0 ? transfer_status === "pending" : attempts.some(isHeld)
    )
    if (!isUnderWay) return
    await new Promise((resume) => setTimeout(resume, 300))
  }
}

/** A recipient of the set takes transfers so; once one was begun anew it takes them. */
export const setRecipient = async (
  living: GiftLife,
  { place: at, transfers: wanted }: Extract<Act, { _tag: "recipient" }>
): Promise<void> => {
  const { place, service } = living
  const recipient = place.recipients[at]
  if (recipient === undefined) throw new Error("The set has no such recipient")
  const { integration_id, organisation_id } = recipient
  const charge = living.life.page === "set" ? Option.getOrUndefined(await chargeOf(living)) : undefined
  const attempts = charge === undefined ? [] : (await partOf(living, charge, at)).attempts
  const onward = attempts.filter((each) => !isReversal(each))
  const transfers = onward.some(({ series }) => series > 1) ? "ACCEPTED" : wanted
  await service.raw(
    TestBank.use((bank) => bank.setAccount({ ...standardAccount(organisation_id, integration_id), transfers }))
  )
  if (transfers !== "ACCEPTED") return
  // What it refused is brought now: the stores' clocks cannot be set.
  for (const { id } of onward) await service.raw(dueNow(place.organisation.id, id))
}

/** Staff give all of a payment back, by REST. */
export const refundPayment = async (living: GiftLife): Promise<void> => {
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  await giveBack(living, {
    operation: "refundPayment",
    path: `/recommendation-set-payments/${charge.subject_id}/refund`,
    body: {},
    key: `refund payment ${living.n}`,
    underWay: "on its way to its recipient",
    work: () => shareOut(living)
  })
}

/** What staff say may have been said before, or by others at the same time. */
const said = async (done: Promise<Result.Result<unknown, { readonly _tag: string }>>): Promise<void> => {
  const answer = await done
  if (Result.isFailure(answer) && answer.failure._tag !== "IllegalTransition") throw answer.failure
}

/** Staff have the transfer begun anew, unless that was done. */
export const beginAnew = async (living: GiftLife): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  const { id } = await partOf(living, charge)
  const begun = Transfers.use((all) => all.retry(id)).pipe(asOperator(place.organisation))
  await said(service.run(Effect.result(service.points.run("beginAnew", begun))))
}

/**
 * Staff say what became of the money that they were to move, unless that was said before a crash. What waits for them is known
 * when a worker has looked at it.
 */
export const movedByHand = async (living: GiftLife, has: "moved" | "failed"): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  const waiting = (await partOf(living, charge)).attempts.find(({ status }) => status === "NEW")
  // What was begun anew after it had failed does not fail again.
  if (waiting === undefined || (has === "failed" && waiting.series > 1)) return
  const { id } = waiting
  const saying = Transfers.use((all) => (has === "moved" ? all.settle(id, {}) : all.fail(id)))
  await said(service.run(Effect.result(service.points.run("byHand", saying.pipe(asOperator(place.organisation))))))
}

/** Staff say that the donor of a payment was paid back, unless that was said before a crash. */
export const paidBack = async (living: GiftLife): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  const rows = await service.raw(RefundStore.use((store) => store.ofCharge(place.organisation.id, charge.id)))
  const waiting = rows.find(({ status }) => status === "PENDING")
  if (waiting === undefined) return
  const saying = Refunds.use((all) => all.settle(waiting.id, {}))
  await said(service.run(Effect.result(service.points.run("paidBack", saying.pipe(asOperator(place.organisation))))))
}
