import { DateTime, Duration, Effect, Option, Result } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import type { Refund } from "../../../domain/giving/Refund.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import { arrivalOf } from "../../../domain/payments/BankTransfer.ts"
import { platformFeeOf } from "../../../domain/payments/Books.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { nextPollAt } from "../../../domain/payments/PollPlan.ts"
import { reasonOf } from "../../../domain/payments/Reasons.ts"
import { isChargedBack } from "../../../domain/payments/ReturnedMoney.ts"
import type { ChargeState, Step } from "../../../domain/payments/Settlement.ts"
import {
  type ExceptionFacts,
  type Occasion,
  type SettlementState,
  type StepResult,
  take
} from "../../../domain/payments/StepApplication.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Repeatable, Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { actingIn } from "../../access/caller/CallerContext.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeCheckoutLinkChange } from "../../giving/link/CheckoutLinkChange.ts"
import { type ChargeMove, Reactions } from "../../kernel/reaction/Reactions.ts"
import { makeLedgerWriter } from "../ledger/LedgerWriter.ts"
import { makeSubscriptionOutcome } from "../subscription/SubscriptionOutcome.ts"
import { actionOf, isLookRequested, type LoadedCharge, makeChargeLoader, paysBack } from "./ChargeLoader.ts"
import { makeChargeMails } from "./ChargeMails.ts"
import { makeIsCovered } from "./TransferCover.ts"

/** How long a charge is left to whoever works on it. After a crash it is taken up again then. */
export const leaseDuration = Duration.minutes(1)

/** The longest that one charge may take at its processor. It ends well before the lease. */
export const syncTimeout = Duration.seconds(45)

const operation = "charges.settle"

const confirmation = "charges.confirm"

const settler = { type: "SYSTEM", id: "settler" } as const

/** The changes of a charge as it is found under its lock, and whether its processor was reached. */
interface Changes {
  readonly steps: (state: SettlementState) => ReadonlyArray<Step>
  /** Writes what no step does: the references of refunds. */
  readonly edit?: (state: SettlementState) => SettlementState
  readonly wasReached: boolean
  /** The processor's reference for the donor's means of payment. */
  readonly mandate_reference?: string | null
}

interface AppliedStep extends StepResult {
  readonly step: Step
}

const services = Effect.all({
  charges: ChargeStore,
  credits: CreditStore,
  disputes: DisputeStore,
  donations: DonationStore,
  exceptions: PaymentExceptionStore,
  isCovered: makeIsCovered,
  refunds: RefundStore,
  journal: ChangeLog,
  linkChange: makeCheckoutLinkChange,
  loader: makeChargeLoader,
  reactions: Reactions,
  settleSubscription: makeSubscriptionOutcome,
  tokens: Tokens,
  transaction: Transaction,
  writeLedger: makeLedgerWriter,
  writeMail: makeChargeMails
})

type Services = Effect.Success<typeof services>

const differences = <A extends { readonly id: string }>(before: ReadonlyArray<A>, after: ReadonlyArray<A>) => {
  const former = new Map(before.map((each) => [each.id, each]))
  return {
    added: after.filter(({ id }) => !former.has(id)),
    changed: after.filter((each) => former.has(each.id) && former.get(each.id) !== each)
  }
}

/** One that nobody has given up or begun, and of which only its gift is to know. */
const isUnreferred = ({ ending, purpose, reference, status }: Charge.Charge): boolean =>
  status === "NEW" && reference === null && ending === null && purpose !== "payment"

/** The result of decided disputes for the whole charge. */
const chargebackOf = (before: SettlementState, after: SettlementState): ChargeMove["chargeback"] => {
  const [was, is] = [isChargedBack(before), isChargedBack(after)]
  return was === is ? null : is ? "LOST" : "WON"
}

/** The subject of an exception: the refund or the dispute of the step that caused it, or the charge. */
const subjectOf = (step: Step, { charge, disputes }: SettlementState): string => {
  switch (step._tag) {
    case "FailRefund":
    case "SucceedRefund":
      return step.refund_id
    case "OpenDispute":
    case "LoseDispute":
    case "WinDispute":
    case "LearnDisputeFee":
      return disputes.find(({ reference }) => reference === step.dispute.reference)?.id ?? charge.id
    default:
      return charge.id
  }
}

/** When the money of a transfer arrived, by what is on the statement. The charge is locked. */
const arrivalTime = Effect.fnUntraced(function* (
  { credits }: Services,
  { organisation, state: { charge } }: LoadedCharge
) {
  if (charge.method !== "bank_transfer") return null
  const received = yield* credits.ofCharge(charge.organisation_id, charge.id)
  return arrivalOf(charge.amount_cents, received, organisation.timezone)
})

const occasionOf = Effect.fnUntraced(function* (services: Services, loaded: LoadedCharge, at: DateTime.Utc) {
  const { organisation, processor, state } = loaded
  const isLapsing = state.charge.ending === Charge.lapseCode({ method: "bank_transfer" })
  const occasion: Occasion = {
    at,
    refund_id: yield* services.tokens.id("refund"),
    dispute_id: yield* services.tokens.id("dispute"),
    today: dayOf(at, organisation.timezone),
    arrived: yield* arrivalTime(services, loaded),
    isUncovered: isLapsing && (yield* services.isCovered(loaded, at)) === false,
    refunds: paysBack(state.charge, processor)
  }
  return occasion
})

/** A step that is planned is legal: one that is refused is an error of the program. */
const applySteps = Effect.fnUntraced(function* (
  services: Services,
  loaded: LoadedCharge,
  first: SettlementState,
  steps: ReadonlyArray<Step>,
  at: DateTime.Utc
) {
  const all: Array<AppliedStep> = []
  for (const step of steps) {
    const before = all.at(-1)?.state ?? first
    const occasion = yield* occasionOf(services, loaded, at)
    const outcome = yield* Effect.orDie(Effect.fromResult(take(before, step, occasion)))
    all.push({ ...outcome, step })
  }
  return all
})

const openException = Effect.fnUntraced(function* (
  { exceptions, tokens }: Services,
  { state, step }: AppliedStep,
  cause: ExceptionFacts,
  at: DateTime.Utc
) {
  const id = yield* tokens.id("paymentException")
  const { currency, id: charge_id, organisation_id } = state.charge
  const about = { organisation_id, charge_id, subject_id: subjectOf(step, state), currency }
  const reason = reasonOf(cause, step)
  yield* exceptions.insert(PaymentException.openException({ ...cause, ...about, id, reason }, at))
})

/** Writes what differs of the gift, the refunds and the disputes of a charge. */
const persistAttached = Effect.fnUntraced(function* (
  { disputes, donations, refunds }: Services,
  before: SettlementState,
  after: SettlementState
) {
  if (after.gift !== null && after.gift !== before.gift) {
    yield* before.gift === null ? donations.insert(after.gift) : donations.update(after.gift)
  }
  const refundRows = differences(before.refunds, after.refunds)
  yield* Effect.forEach(refundRows.added, refunds.insert, { discard: true })
  yield* Effect.forEach(refundRows.changed, refunds.update, { discard: true })
  const disputeRows = differences(before.disputes, after.disputes)
  yield* Effect.forEach(disputeRows.added, disputes.insert, { discard: true })
  yield* Effect.forEach(disputeRows.changed, disputes.update, { discard: true })
})

/**
 * The charge with the time of its next look, by the store's clock: soon while there is more to do at once. Where `before`
 * is due now, somebody has requested a look since this one began, and gets it.
 */
const withNextLook = Effect.fnUntraced(function* (
  { charges }: Services,
  loaded: LoadedCharge,
  { look_at: requested }: Charge.Charge,
  state: SettlementState,
  { hasChanged, wasReached }: { readonly hasChanged: boolean; readonly wasReached: boolean }
) {
  const now = yield* organisationNow
  const stored = yield* charges.now
  const charge = { ...state.charge, looks: hasChanged ? 0 : state.charge.looks + 1 }
  const hasMore = hasChanged && actionOf({ ...loaded, state })._tag !== "Fetch"
  if (isLookRequested(requested, stored)) return { ...charge, look_at: requested }
  const next = hasMore
    ? addTime(now, leaseDuration)
    : nextPollAt({ ...state, charge: wasReached ? charge : state.charge }, now, wasReached)
  const look_at = next === null ? null : addTime(stored, DateTime.distance(now, next))
  return { ...charge, look_at }
})

/**
 * Where a gift in progress on a checkout link was confirmed, the link is COMPLETED; where it failed, the link is free again.
 * The gift's charge and the gift are locked.
 */
const settleLink = Effect.fnUntraced(function* (
  { linkChange }: Services,
  organisation: Organisation,
  before: Donation | null,
  { checkout_link_id, donor_id, id: donation_id, status }: Donation,
  at: DateTime.Utc
) {
  if (checkout_link_id === null || before?.status !== "PENDING" || status === "PENDING") return
  // The link that a gift names is there: links are archived, not deleted.
  const locked = yield* Effect.orDie(linkChange.take(organisation, checkout_link_id))
  if (locked.before.pending_donation_id !== donation_id) return
  const command: CheckoutLink.Command =
    status === "FAILED"
      ? CheckoutLink.release(at, donation_id)
      : CheckoutLink.completion(locked.before, { at, donation_id, donor_id })
  yield* Effect.orDie(linkChange.settle(operation, { ...locked, at }, [command]))
})

/** Notifies the contexts that know what a charge pays where that is no gift. */
const notifyReactions = Effect.fnUntraced(function* (
  { reactions }: Services,
  charge: Charge.Charge,
  chargeback: ChargeMove["chargeback"],
  at: DateTime.Utc
) {
  if (charge.purpose !== "payment") return
  const { failure_code, id: charge_id, organisation_id, processor_fee_cents, status, subject_id } = charge
  const fees =
    processor_fee_cents === null
      ? null
      : { processor_fee_cents, platform_fee_cents: platformFeeOf(charge, processor_fee_cents) }
  const { request_id } = yield* CurrentCaller
  const move = { organisation_id, charge_id, subject_id, status, failure_code, chargeback }
  yield* reactions.chargeMoved({ ...move, fees, request_id, at })
})

const persistCharge = ({ charges }: Services, charge: Charge.Charge) =>
  // A reference that another charge has would be an error of the processor.
  Effect.orDie(charges.update(charge))

/** Writes a charge's movements of money: the ledger, and the exceptions for people. */
const persistMovements = Effect.fnUntraced(function* (
  services: Services,
  charge: Charge.Charge,
  all: ReadonlyArray<AppliedStep>,
  at: DateTime.Utc
) {
  const moved = all.flatMap((each) => each.moved)
  yield* services.writeLedger({ ...charge, charge_id: charge.id }, moved, at)
  for (const each of all) {
    yield* Effect.forEach(each.raised, (cause) => openException(services, each, cause, at), { discard: true })
  }
})

/** The charge as it is now, and whether anything of it changed; as it was loaded where there is no such charge. */
const applyLocked = Effect.fnUntraced(function* (services: Services, loaded: LoadedCharge, changes: Changes) {
  const { edit = (state) => state, mandate_reference = null, steps, wasReached } = changes
  const { mandate, organisation } = loaded
  const { id } = loaded.state.charge
  const locked = yield* services.loader.lock(organisation, id)
  if (Option.isNone(locked)) return { ...loaded, hasChanged: false }
  const before = locked.value
  const at = yield* organisationNow
  const edited = edit(before)
  const all = yield* applySteps(services, loaded, edited, steps(edited), at)
  const after = all.at(-1)?.state ?? edited
  const hasChanged = after !== before
  yield* persistAttached(services, before, after)
  const charge = yield* withNextLook(services, loaded, before.charge, after, { hasChanged, wasReached })
  yield* persistCharge(services, charge)
  yield* services.writeMail(before.charge, charge)
  yield* persistMovements(services, charge, all, at)
  const events = all.flatMap((each) => each.events)
  const subject_id = events.length > 0 && after.gift !== null ? after.gift.id : id
  if (hasChanged) yield* services.journal.write({ operation, subject_id, at, events })
  if (after.gift !== null) yield* settleLink(services, organisation, before.gift, after.gift, at)
  const state = { ...after, charge }
  yield* services.settleSubscription({ organisation, before, after: state, mandate, mandate_reference, at })
  if (hasChanged) yield* notifyReactions(services, charge, chargebackOf(before, after), at)
  return { ...loaded, state, hasChanged }
})

/** Writes that the charge is confirmed now; false where that was written before. */
const confirmLocked = Effect.fnUntraced(function* (
  services: Services,
  { id, organisation_id }: Pick<Charge.Charge, "id" | "organisation_id">
) {
  const locked = yield* services.charges.findForUpdate(organisation_id, id)
  if (Option.isNone(locked)) return false
  const at = yield* organisationNow
  const decision = decide(Charge.machine, locked.value, { _tag: "Confirm", at })
  if (Result.isFailure(decision)) return false
  const look_at = addTime(yield* services.charges.now, leaseDuration)
  yield* persistCharge(services, { ...decision.success.state, look_at })
  yield* services.journal.write({ operation: confirmation, subject_id: id, at, events: [] })
  return true
})

/** A charge that got its reference and is confirmed at once; none where more is to be thought of. */
const referredAndConfirmed = (charge: Option.Option<Charge.Charge>, reference: string, at: DateTime.Utc) =>
  Option.flatMap(Option.filter(charge, isUnreferred), (unreferred) =>
    Option.getSuccess(
      Result.flatMap(decide(Charge.machine, unreferred, { _tag: "Refer", at, reference }), ({ state }) =>
        decide(Charge.machine, state, { _tag: "Confirm", at })
      )
    )
  )

const beginLocked = Effect.fnUntraced(function* (
  services: Services,
  loaded: LoadedCharge,
  reference: string,
  changes: Changes
) {
  const { id, organisation_id } = loaded.state.charge
  const locked = yield* services.charges.findForUpdate(organisation_id, id)
  const at = yield* organisationNow
  const confirmed = referredAndConfirmed(locked, reference, at)
  if (Option.isNone(confirmed)) {
    return { loaded: yield* applyLocked(services, loaded, changes), isConfirmed: false }
  }
  const look_at = addTime(yield* services.charges.now, leaseDuration)
  const charge = { ...confirmed.value.state, look_at, looks: 0 }
  yield* persistCharge(services, charge)
  yield* services.journal.write({ operation, subject_id: id, at, events: [] })
  yield* services.journal.write({ operation: confirmation, subject_id: id, at, events: [] })
  return { loaded: { ...loaded, state: { ...loaded.state, charge } }, isConfirmed: true }
})

/** Runs an effect in a transaction, as the worker who settles charges. */
const asSettler = Effect.fnUntraced(function* <A, E, R>(
  { tokens, transaction }: Services,
  { organisation }: LoadedCharge,
  effect: Effect.Effect<A, E, R>
) {
  const request_id = yield* tokens.id("request")
  return yield* transaction.run(effect).pipe(actingIn(organisation, settler, request_id))
})

/**
 * The one writer of charges' outcomes: under the lock of the charge it applies steps, and writes the differences, the
 * ledger, the exceptions, the events, and the next poll. All of it may run twice at the same moment.
 */
export const makeChargeWriter = Effect.map(services, (services) => ({
  /** Applies the steps that are planned under the lock. */
  apply: (loaded: LoadedCharge, changes: Changes) =>
    asSettler(services, loaded, applyLocked(services, loaded, changes)),

  /** Writes that the charge is confirmed now; false where that was written before. */
  confirm: (loaded: LoadedCharge) => asSettler(services, loaded, confirmLocked(services, loaded.state.charge)),

  /**
   * Writes a charge's reference and, at once, that it is confirmed now; whether that was written. Where more is to be
   * thought of, only the changes are applied.
   */
  begin: (loaded: LoadedCharge, reference: string, changes: Changes) =>
    Effect.provideService(
      asSettler(services, loaded, beginLocked(services, loaded, reference, changes)),
      Repeatable,
      true
    )
}))

/** The state with a refund's own identifier at the processor, where it is not known yet. */
export const withRefundReference =
  (refund_id: Refund["id"], processor_reference: string, updated_at: DateTime.Utc) =>
  <S extends ChargeState>(state: S): S => {
    const isIt = ({ id, processor_reference: known, status }: Refund) =>
      id === refund_id && known === null && status === "PENDING"
    return state.refunds.some(isIt)
      ? {
          ...state,
          refunds: state.refunds.map((each) => (isIt(each) ? { ...each, processor_reference, updated_at } : each))
        }
      : state
  }
