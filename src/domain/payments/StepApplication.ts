import { type DateTime, Result } from "effect"
import * as Donation from "../giving/Donation.ts"
import * as Refund from "../giving/Refund.ts"
import type { RefundId } from "../kernel/Ids.ts"
import { birth, can, decide, type Refusal } from "../kernel/Machine.ts"
import type { InvalidInput } from "../kernel/Rejection.ts"
import * as Books from "./Books.ts"
import * as Charge from "./Charge.ts"
import * as Dispute from "./Dispute.ts"
import type { Cause, Posting } from "./Ledger.ts"
import { failedGift, paidGift } from "./Renewal.ts"
import { isChargedBack } from "./ReturnedMoney.ts"
import type { Step } from "./Settlement.ts"
import type { DisputeSnapshot, RefundSnapshot } from "./Snapshot.ts"
import type { ExceptionFacts, LedgerMove, Occasion, SettlementState, StepResult } from "./StepResult.ts"

export type { ExceptionFacts, LedgerMove, Occasion, SettlementState, StepResult } from "./StepResult.ts"

type Ending = Result.Result<StepResult, Refusal | InvalidInput>

const nothing = { events: [], moved: [], raised: [] } as const

const movedBy = (cause: Cause, cause_id: string, postings: ReadonlyArray<Posting>): ReadonlyArray<LedgerMove> =>
  postings.length === 0 ? [] : [{ cause, cause_id, postings }]

const charged = (state: SettlementState, command: Charge.Command): Result.Result<SettlementState, Refusal> =>
  Result.map(decide(Charge.machine, state.charge, command), (decision) => ({ ...state, charge: decision.state }))

/** Has the gift decided about, where the charge pays one. */
const given = (state: SettlementState, command: Donation.Command): Ending =>
  state.gift === null
    ? Result.succeed({ ...nothing, state })
    : Result.map(decide(Donation.machine, state.gift, command), (decision) => ({
        ...nothing,
        state: { ...state, gift: decision.state },
        events: decision.events
      }))

const settleOf = (gift: Donation.Donation | null, { arrived, at, today }: Occasion): Donation.Command =>
  arrived !== null && gift?.payment_method === "bank_transfer"
    ? { _tag: "SettleTransfer", at, arrived_at: arrived.at, arrived_on: arrived.on }
    : { _tag: "Settle", at, received_on: today }

/** The gift of a renewal, which is there from now on. */
const renewed = (
  state: SettlementState,
  { events, state: gift }: Pick<ReturnType<typeof paidGift>, "events" | "state">
): StepResult => ({ ...nothing, state: { ...state, gift, renewal: null }, events })

const settled = (after: SettlementState, occasion: Occasion): Ending =>
  after.gift === null && after.renewal != null
    ? Result.succeed(renewed(after, paidGift(after.renewal, occasion)))
    : given(after, settleOf(after.gift, occasion))

const succeed = (state: SettlementState, occasion: Occasion): Ending =>
  Result.map(
    Result.flatMap(charged(state, { _tag: "Succeed", at: occasion.at }), (after) => settled(after, occasion)),
    (taken) => ({ ...taken, moved: movedBy("charge", state.charge.id, Books.chargePaid(state.charge)) })
  )

const failureOf = (at: DateTime.Utc, failure_code: string): Donation.Command =>
  failure_code === "bank_transfer_lapsed" ? { _tag: "Lapse", at } : { _tag: "Fail", at, failure_code }

/** A transfer whose money has come in full meanwhile is none that fails: what was fetched is behind that. */
const fail = (
  state: SettlementState,
  command: Extract<Charge.Command, { readonly failure_code: string }>,
  { arrived, isUncovered }: Occasion
): Ending => {
  const { amount_cents, id } = state.charge
  const received_cents = arrived?.received_cents ?? 0
  if (received_cents >= amount_cents) return Result.succeed({ ...nothing, state })
  const failed = Result.flatMap(charged(state, command), (after) =>
    after.gift === null && after.renewal?.isFirstFailure === true
      ? Result.map(failedGift(after.renewal, command), (gift) => renewed(after, gift))
      : given(after, failureOf(command.at, command.failure_code))
  )
  const part: ReadonlyArray<ExceptionFacts> =
    received_cents === 0 ? [] : [{ kind: "underpaid", amount_cents: received_cents, held_cents: received_cents }]
  const unseen: ReadonlyArray<ExceptionFacts> = isUncovered
    ? [{ kind: "statement_missing", amount_cents: amount_cents - received_cents, held_cents: 0 }]
    : []
  return Result.map(failed, (taken) => ({
    ...taken,
    moved: movedBy("credit", id, Books.partialTransferHeld(received_cents)),
    raised: [...part, ...unseen]
  }))
}

/** Of a card that the processor still works on nothing is told. money, section 4: Order. */
const enterNetwork = (state: SettlementState, { at }: Occasion): Ending =>
  Result.flatMap(charged(state, { _tag: "Process", at }), (after) =>
    after.gift !== null && can(Donation.machine, after.gift, { _tag: "EnterNetwork", at })
      ? given(after, { _tag: "EnterNetwork", at })
      : Result.succeed({ ...nothing, state: after })
  )

const learnFee = (state: SettlementState, processor_fee_cents: number, { at }: Occasion): Ending =>
  Result.map(charged(state, { _tag: "LearnFee", at, processor_fee_cents }), (after): StepResult => {
    const { charge } = after
    const before = state.charge.processor_fee_cents
    const excess = processor_fee_cents - Math.max(charge.amount_cents, before ?? charge.amount_cents)
    const ofPaid =
      before === null
        ? Books.feesCharged(charge, processor_fee_cents)
        : Books.feesChanged(charge, before, processor_fee_cents)
    // No gift was made of money that came after the end, so the platform takes nothing of it.
    const postings = charge.status === "SUCCEEDED" ? ofPaid : Books.feeChanged(processor_fee_cents - (before ?? 0))
    return {
      ...nothing,
      state: after,
      moved: movedBy("charge", charge.id, postings),
      raised: excess > 0 ? [{ kind: "fee_exceeds_gift", amount_cents: excess, held_cents: 0 }] : []
    }
  })

const withRefund = (state: SettlementState, refund: Refund.Refund): SettlementState => ({
  ...state,
  refunds: [...state.refunds.filter(({ id }) => id !== refund.id), refund]
})

const withDispute = (state: SettlementState, dispute: Dispute.Dispute): SettlementState => ({
  ...state,
  disputes: [...state.disputes.filter(({ id }) => id !== dispute.id), dispute]
})

const refundOf = (state: SettlementState, id: RefundId): Refund.Refund => {
  const refund = state.refunds.find((each) => each.id === id)
  if (refund === undefined) throw new RangeError(`The refund ${id} is none of the charge ${state.charge.id}`)
  return refund
}

const succeedRefund = (state: SettlementState, id: RefundId, processor_reference: string, { at }: Occasion): Ending => {
  const refund = refundOf(state, id)
  return Result.map(decide(Refund.machine, refund, { _tag: "Succeed", at, processor_reference }), (decision) => ({
    ...nothing,
    state: withRefund(state, decision.state),
    moved: movedBy("refund", id, Books.refundPaid(refund))
  }))
}

/** How much a gift can still give back. */
const refundable = (gift: Donation.Donation, rows: ReadonlyArray<Refund.Refund>): number =>
  gift.status === "CONFIRMED" ? gift.amount_cents - Refund.refundedCents(rows) : 0

const mismatch = (state: SettlementState, amount_cents: number): Ending =>
  Result.succeed({
    ...nothing,
    state: { ...state, isMismatched: true },
    raised: state.isMismatched ? [] : [{ kind: "mismatch", amount_cents, held_cents: 0 }]
  })

type Asked = Pick<Refund.Outcome, "refund" | "events"> & { readonly donation: Donation.Donation }

/** A refund as if it had been asked for here; the organisation bears what is more than the gift can give back. */
const askedFor = (
  gift: Donation.Donation,
  rows: ReadonlyArray<Refund.Refund>,
  amount_cents: number,
  { at, refund_id: id }: Occasion
): Result.Result<Asked, Refusal | InvalidInput> =>
  amount_cents <= refundable(gift, rows)
    ? Refund.refund(gift, rows, { amount_cents }, { id, at })
    : Result.succeed({ donation: gift, events: [], refund: Refund.refundBeside(gift, { amount_cents }, { id, at }) })

/** A refund that was made at the processor. */
const recordRefund = (state: SettlementState, snapshot: RefundSnapshot, occasion: Occasion): Ending => {
  const { amount_cents, reference, status } = snapshot
  if (state.gift === null) return mismatch(state, amount_cents)
  return Result.flatMap(askedFor(state.gift, state.refunds, amount_cents, occasion), ({ donation, events, refund }) => {
    const row = { ...refund, processor_reference: reference }
    const asked: StepResult = {
      state: { ...withRefund(state, row), gift: donation },
      events,
      moved: movedBy("refund", row.id, Books.refundRequested(row)),
      raised: row.is_beside_gift ? [{ kind: "unrecovered", amount_cents, held_cents: 0 }] : []
    }
    if (status !== "succeeded") return Result.succeed(asked)
    return Result.map(succeedRefund(asked.state, row.id, reference, occasion), (paid) => ({
      ...asked,
      state: paid.state,
      moved: [...asked.moved, ...paid.moved]
    }))
  })
}

const failRefund = (
  state: SettlementState,
  { reference, refund_id: id }: Extract<Step, { readonly _tag: "FailRefund" }>,
  { at }: Occasion
): Ending => {
  const known = refundOf(state, id)
  const refund = { ...known, processor_reference: known.processor_reference ?? reference ?? null }
  const { amount_cents } = refund
  const isLate = refund.is_beside_gift && state.isLate
  const moved = movedBy("refund", id, Books.refundFailed(refund, isLate))
  const raised: ReadonlyArray<ExceptionFacts> = [
    { kind: "refund_failed", amount_cents, held_cents: isLate ? amount_cents : 0 }
  ]
  if (state.gift === null || refund.is_beside_gift) {
    return Result.map(decide(Refund.machine, refund, { _tag: "Fail", at }), (decision) => ({
      state: withRefund(state, decision.state),
      events: [],
      moved,
      raised
    }))
  }
  return Result.map(Refund.failRefund(state.gift, refund, at), ({ donation, events, refund: failed }) => ({
    state: { ...withRefund(state, failed), gift: donation },
    events,
    moved,
    raised
  }))
}

/** A dispute of a charge that was not heard of before. */
const disputeBorn = (
  state: SettlementState,
  birthOf: (typeof Dispute.births)[keyof typeof Dispute.births],
  { amount_cents, reference }: DisputeSnapshot,
  { at, dispute_id }: Occasion,
  refund_id: RefundId | null
): Dispute.Dispute =>
  birth(Dispute.machine, birthOf, (status) => ({
    id: dispute_id,
    organisation_id: state.charge.organisation_id,
    charge_id: state.charge.id,
    reference,
    amount_cents,
    status,
    fee_cents: null,
    refund_id,
    ended_at: status === "LOST" ? at : null,
    created_at: at,
    updated_at: at
  })).state

const lostDispute = (
  state: SettlementState,
  snapshot: DisputeSnapshot,
  refund_id: RefundId | null,
  occasion: Occasion
): Result.Result<{ readonly dispute: Dispute.Dispute; readonly wasOpen: boolean }, Refusal> => {
  const known = state.disputes.find((each) => each.reference === snapshot.reference)
  if (known !== undefined) {
    return Result.map(decide(Dispute.machine, known, { _tag: "Lose", at: occasion.at, refund_id }), (decision) => ({
      dispute: decision.state,
      wasOpen: known.status === "OPEN"
    }))
  }
  const dispute = disputeBorn(state, Dispute.births.lost, snapshot, occasion, refund_id)
  return Result.succeed({ dispute, wasOpen: false })
}

const loseDispute = (state: SettlementState, snapshot: DisputeSnapshot, occasion: Occasion): Ending => {
  const covered = state.gift === null ? 0 : Math.min(snapshot.amount_cents, refundable(state.gift, state.refunds))
  const { at, refund_id: id } = occasion
  return Result.flatMap(
    lostDispute(state, snapshot, covered > 0 ? id : null, occasion),
    ({ dispute, wasOpen }): Ending => {
      const excess = dispute.amount_cents - covered
      // Of a whole payment to a set the recipients give back what they had: whoever does not is told of.
      const isShared = state.charge.purpose === "payment" && isChargedBack(withDispute(state, dispute))
      const rest: Omit<StepResult, "events" | "state"> = {
        moved: movedBy("dispute", dispute.id, Books.disputeLost(dispute.amount_cents, wasOpen)),
        raised: excess > 0 && !isShared ? [{ kind: "unrecovered", amount_cents: excess, held_cents: 0 }] : []
      }
      const after = withDispute(state, dispute)
      if (after.gift === null || covered === 0) return Result.succeed({ state: after, events: [], ...rest })
      const chargeback = { amount_cents: covered, processor_reference: snapshot.reference }
      return Result.map(
        Refund.loseChargeback(after.gift, after.refunds, chargeback, { id, at }),
        ({ donation, events, refund }) => ({ state: { ...withRefund(after, refund), gift: donation }, events, ...rest })
      )
    }
  )
}

const openDispute = (state: SettlementState, snapshot: DisputeSnapshot, occasion: Occasion): Ending => {
  const dispute = disputeBorn(state, Dispute.births.opened, snapshot, occasion, null)
  const moved = movedBy("dispute", dispute.id, Books.disputeOpened(dispute.amount_cents))
  return Result.succeed({ ...nothing, state: withDispute(state, dispute), moved })
}

const disputeOf = (state: SettlementState, reference: string): Dispute.Dispute => {
  const known = state.disputes.find((each) => each.reference === reference)
  if (known === undefined) throw new RangeError(`The dispute ${reference} is none of the charge ${state.charge.id}`)
  return known
}

const winDispute = (state: SettlementState, { reference }: DisputeSnapshot, { at }: Occasion): Ending => {
  const known = disputeOf(state, reference)
  return Result.flatMap(decide(Dispute.machine, known, { _tag: "Win", at }), ({ state: dispute }): Ending => {
    const moved = movedBy("dispute", dispute.id, Books.disputeWon(dispute.amount_cents, known.status === "LOST"))
    const after = withDispute(state, dispute)
    if (after.gift === null || known.refund_id === null) return Result.succeed({ ...nothing, state: after, moved })
    return Result.map(
      Refund.failRefund(after.gift, refundOf(after, known.refund_id), at),
      ({ donation, events, refund }) => ({
        ...nothing,
        state: { ...withRefund(after, refund), gift: donation },
        events,
        moved
      })
    )
  })
}

const learnDisputeFee = (
  state: SettlementState,
  { dispute: { reference }, fee_cents }: Extract<Step, { readonly _tag: "LearnDisputeFee" }>,
  { at }: Occasion
): Ending => {
  const known = disputeOf(state, reference)
  const more_cents = fee_cents - (known.fee_cents ?? 0)
  return Result.map(decide(Dispute.machine, known, { _tag: "LearnFee", at, fee_cents }), (decision) => ({
    ...nothing,
    state: withDispute(state, decision.state),
    moved: movedBy("dispute", known.id, Books.feeChanged(more_cents))
  }))
}

/** Money that came after the end goes back where the processor can do that; a person is told in any case. */
const takeLate = (state: SettlementState, { at, refund_id: id, refunds }: Occasion): Ending => {
  const { charge, gift } = state
  const late: SettlementState = { ...state, isLate: true }
  const goesBack = refunds && gift !== null
  return Result.succeed({
    state: goesBack
      ? withRefund(
          late,
          Refund.refundBeside(gift, { amount_cents: charge.amount_cents, reason: "late_success" }, { id, at })
        )
      : late,
    events: [],
    moved: movedBy("charge", charge.id, Books.latePayment(charge)),
    raised: [
      { kind: "late_success", amount_cents: charge.amount_cents, held_cents: goesBack ? 0 : charge.amount_cents }
    ]
  })
}

/** Takes one step: what becomes of charge, gift, refunds and disputes, what is told, what moves, and what is raised. */
export const take = (state: SettlementState, step: Step, occasion: Occasion): Ending => {
  const { at } = occasion
  switch (step._tag) {
    case "Refer":
    case "Wait":
    case "End":
      return Result.map(charged(state, { ...step, at }), (after) => ({ ...nothing, state: after }))
    case "Process":
      return enterNetwork(state, occasion)
    case "Succeed":
      return succeed(state, occasion)
    case "Fail":
    case "Cancel":
      return fail(state, { ...step, at }, occasion)
    case "LearnFee":
      return learnFee(state, step.processor_fee_cents, occasion)
    case "SucceedRefund":
      return succeedRefund(state, step.refund_id, step.reference, occasion)
    case "FailRefund":
      return failRefund(state, step, occasion)
    case "RecordRefund":
      return recordRefund(state, step.refund, occasion)
    case "OpenDispute":
      return openDispute(state, step.dispute, occasion)
    case "LoseDispute":
      return loseDispute(state, step.dispute, occasion)
    case "WinDispute":
      return winDispute(state, step.dispute, occasion)
    case "LearnDisputeFee":
      return learnDisputeFee(state, step, occasion)
    case "TakeLate":
      return takeLate(state, occasion)
    case "Mismatch":
      return mismatch(state, state.charge.amount_cents)
  }
}
