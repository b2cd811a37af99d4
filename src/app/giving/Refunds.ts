import { type DateTime, Effect, Result } from "effect"
import type { Donation } from "../../domain/giving/Donation.ts"
import * as Refund from "../../domain/giving/Refund.ts"
import { failByHand, failSharedByHand } from "../../domain/giving/RefundByHand.ts"
import { type OrganisationId, RefundId } from "../../domain/kernel/Ids.ts"
import type { Refusal } from "../../domain/kernel/Machine.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../ports/giving/RefundStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog, makeChange } from "../access/change/Change.ts"
import { id, operationsOf, optionalBody } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Reactions, type RefundChange } from "../kernel/reaction/Reactions.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"

const operations = Row.table("refunds", {
  list: Row.staffList(
    "List refunds of all gifts, newest first; PENDING ones wait for settle or fail",
    Refund.listing,
    Refund.RefundRecord
  ),
  settle: Row.staffChange(
    "Say that the money of a pending refund went back",
    [id(RefundId, "refund"), optionalBody(Refund.Settlement)],
    Refund.RefundRecord
  ),
  fail: Row.staffChange(
    "Say that a pending refund failed: its amount counts as given again",
    [id(RefundId, "refund")],
    Refund.RefundRecord
  )
})

/** A refund that failed; its gift is null where it is a part of a payment. */
type Failed = Omit<Refund.Outcome, "donation"> & { readonly donation: Donation | null }

/**
 * Refunds that wait because this service cannot send their money back by itself: staff do that with the bank or the
 * processor, and record how it ended. decisions, section 5: Refund; docs/decisions/0041.
 */
export class Refunds extends Service<Refunds>()("almoner/app/Refunds", function* () {
  const store = yield* RefundStore
  const donations = yield* DonationStore
  const changeLog = yield* ChangeLog
  const reactions = yield* Reactions
  const transaction = yield* Transaction

  /** A page of the refunds of all gifts of the organisation, newest first. */
  const list = listMethod("Refunds.list", operations.list, store)

  /**
   * The refund and its gift, both locked: a change of a ledger locks its donation, and before it the charge. A part of a
   * payment has none here.
   */
  const lock = Effect.fnUntraced(function* (organisation_id: OrganisationId, id: RefundId) {
    const { allocation_id, charge_id, donation_id } = yield* store
      .find(organisation_id, id)
      .pipe(orNotFound("refund", id))
    if (charge_id !== null) yield* reactions.refunding({ organisation_id, charge_id, by: "hand" })
    const donation =
      allocation_id === null
        ? yield* donations.findForUpdate(organisation_id, donation_id).pipe(orNotFound("donation", donation_id))
        : null
    const refund = yield* store.findForUpdate(organisation_id, id).pipe(orNotFound("refund", id))
    return { donation, refund }
  })

  const failed = (
    { donation, refund }: { readonly donation: Donation | null; readonly refund: Refund.Refund },
    at: DateTime.Utc
  ): Result.Result<Failed, Refusal> =>
    donation === null
      ? Result.map(failSharedByHand(refund, at), (row) => ({ donation, refund: row, events: [] }))
      : failByHand(donation, refund, at)

  const change = (yield* makeChange)({
    machine: Refund.machine,
    lock: (organisation_id, id: RefundId) => Effect.map(lock(organisation_id, id), ({ refund }) => refund),
    update: store.update
  })

  const tell = ({ id: refund_id, ...refund }: Refund.Refund, became: RefundChange["became"], at: DateTime.Utc) =>
    reactions.refundChanged({ ...refund, refund_id, became, at })

  /**
   * Records that the money of a PENDING refund went back: the refund is SUCCEEDED as of now. Its gift does not
   * change, since a refund counts from its request on. Fails with {@link IllegalTransition} when the refund is
   * settled, and with {@link GuardRefused} where its processor pays it back by itself.
   */
  const settle = Effect.fn("Refunds.settle")(function* (id: RefundId, { processor_reference }: Refund.Settlement) {
    const { organisation } = yield* requireStaff(operations.settle)
    const held = yield* change.take(organisation, id)
    const { state } = yield* change.settle(operations.settle.requires.name, held, [
      { _tag: "Succeed", at: held.at, processor_reference: processor_reference ?? null }
    ])
    yield* tell(state, "SUCCEEDED", held.at)
    return state
  }, transaction.run)

  /**
   * Records that a PENDING refund failed: its amount counts as given again, and `donation.refund_reversed` is
   * emitted; one beside its gift leaves the gift as it is. Fails with {@link IllegalTransition} when the refund is
   * settled, and with {@link GuardRefused} where its processor pays it back by itself.
   */
  const fail = Effect.fn("Refunds.fail")(function* (id: RefundId) {
    const caller = yield* requireStaff(operations.fail)
    const held = yield* lock(caller.organisation.id, id)
    const at = yield* organisationNow
    const outcome = yield* Effect.fromResult(failed(held, at))
    yield* store.update(outcome.refund)
    if (outcome.donation !== null && outcome.donation !== held.donation) yield* donations.update(outcome.donation)
    yield* changeLog.write({ operation: operations.fail.requires.name, subject_id: id, at, events: outcome.events })
    yield* tell(outcome.refund, "FAILED", at)
    return outcome.refund
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { list, settle, fail })
}) {}

/** The operations of {@link Refunds}. */
export const refundOperations = operationsOf(Refunds, operations)
