import { DateTime, Duration, Effect, Option, Result } from "effect"
import type { Refund } from "../../../domain/giving/Refund.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import { type Occasion, type Raised, type Settling, type Taken, take } from "../../../domain/payments/Applying.ts"
import { arrivalOf } from "../../../domain/payments/BankTransfer.ts"
import { platformFeeOf } from "../../../domain/payments/Books.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import { isChargedBack } from "../../../domain/payments/GivenBack.ts"
import { nextLookAt } from "../../../domain/payments/Looking.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { reasonOf } from "../../../domain/payments/Reasons.ts"
import type { Ours, Step } from "../../../domain/payments/Settlement.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { actingIn } from "../../access/steps/Acting.ts"
import { Journal } from "../../access/steps/Journal.ts"
import { type ChargeMove, Reactions } from "../../kernel/steps/Reactions.ts"
import { isAsked } from "../steps/Asked.ts"
import { actionOf, type Known, makeKnown, paysBack } from "../steps/Known.ts"
import { makeLedgerWriting } from "../steps/LedgerWriting.ts"
import { makeLinkSettling } from "../steps/LinkSettling.ts"
import { makeSubscriptionSettling } from "../steps/SubscriptionSettling.ts"

/** How long a charge is left to whoever works on it. After a crash it is taken up again then. */
export const lease = Duration.minutes(1)

/** The longest that one charge may take at its processor. It ends well before the lease. */
export const within = Duration.seconds(45)

const operation = "charges.settle"

const settler = { type: "SYSTEM", id: "settler" } as const

/** What shall be taken of a charge as it is found under its lock, and whether its processor was reached. */
interface Planned {
  readonly steps: (state: Settling) => ReadonlyArray<Step>
  /** Writes what no step does: the references of refunds. */
  readonly edit?: (state: Settling) => Settling
  readonly wasReached: boolean
  /** What the processor says that it keeps of the donor's means of payment. */
  readonly mandate_reference?: string | null
}

/** A step that was taken, with what came of it. */
interface Took extends Taken {
  readonly step: Step
}

const differing = <A extends { readonly id: string }>(before: ReadonlyArray<A>, after: ReadonlyArray<A>) => {
  const known = new Map(before.map((each) => [each.id, each]))
  return {
    added: after.filter(({ id }) => !known.has(id)),
    changed: after.filter((each) => known.has(each.id) && known.get(each.id) !== each)
  }
}

/** One that nobody has given up or begun, and of which only its gift is to know. */
const isUnreferred = ({ ending, purpose, reference, status }: Charge.Charge): boolean =>
  status === "NEW" && reference === null && ending === null && purpose !== "payment"

/** What became of the whole charge by disputes that were decided. */
const chargebackOf = (before: Settling, after: Settling): ChargeMove["chargeback"] => {
  const [was, is] = [isChargedBack(before), isChargedBack(after)]
  return was === is ? null : is ? "LOST" : "WON"
}

/** What an exception is about: the refund or the dispute of the step that raised it, or the charge. */
const subjectOf = (step: Step, { charge, disputes }: Settling): string => {
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

/**
 * Makes the one writer of what becomes of charges: under the lock of the charge it plans, takes the steps, and writes what
 * differs, the ledger, the exceptions, the events, and when is looked next. All of it may run twice at the same moment.
 */
export const makeRecording = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const credits = yield* CreditStore
  const disputes = yield* DisputeStore
  const donations = yield* DonationStore
  const exceptions = yield* PaymentExceptionStore
  const refunds = yield* RefundStore
  const journal = yield* Journal
  const known = yield* makeKnown
  const reactions = yield* Reactions
  const settleLink = yield* makeLinkSettling
  const settleSubscription = yield* makeSubscriptionSettling
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const writeLedger = yield* makeLedgerWriting

  /** When the money of a transfer arrived, by what is on the statement. The charge is held. */
  const arrived = Effect.fnUntraced(function* ({ organisation, state: { charge } }: Known) {
    if (charge.method !== "bank_transfer") return null
    const found = yield* credits.ofCharge(charge.organisation_id, charge.id)
    return arrivalOf(charge.amount_cents, found, organisation.timezone)
  })

  const occasionOf = Effect.fnUntraced(function* (found: Known, at: DateTime.Utc) {
    const { organisation, processor, state } = found
    const occasion: Occasion = {
      at,
      refund_id: yield* tokens.id("refund"),
      dispute_id: yield* tokens.id("dispute"),
      today: dayOf(at, organisation.timezone),
      arrived: yield* arrived(found),
      refunds: paysBack(state.charge, processor)
    }
    return occasion
  })

  /** A step that is planned is legal: one that is refused is an error of the program. */
  const follow = Effect.fnUntraced(function* (
    found: Known,
    first: Settling,
    steps: ReadonlyArray<Step>,
    at: DateTime.Utc
  ) {
    const all: Array<Took> = []
    for (const step of steps) {
      const before = all.at(-1)?.state ?? first
      const taken = yield* Effect.orDie(Effect.fromResult(take(before, step, yield* occasionOf(found, at))))
      all.push({ ...taken, step })
    }
    return all
  })

  const raise = Effect.fnUntraced(function* ({ state, step }: Took, raised: Raised, at: DateTime.Utc) {
    const id = yield* tokens.id("paymentException")
    const { charge } = state
    const { currency, id: charge_id, organisation_id } = charge
    const about = { organisation_id, charge_id, subject_id: subjectOf(step, state), currency }
    const reason = reasonOf(raised, step)
    yield* exceptions.insert(PaymentException.raised({ ...raised, ...about, id, reason }, at))
  })

  const writeBeside = Effect.fnUntraced(function* (before: Settling, after: Settling) {
    if (after.gift !== null && after.gift !== before.gift) {
      yield* before.gift === null ? donations.insert(after.gift) : donations.update(after.gift)
    }
    const rows = differing(before.refunds, after.refunds)
    yield* Effect.forEach(rows.added, refunds.insert, { discard: true })
    yield* Effect.forEach(rows.changed, refunds.update, { discard: true })
    const asked = differing(before.disputes, after.disputes)
    yield* Effect.forEach(asked.added, disputes.insert, { discard: true })
    yield* Effect.forEach(asked.changed, disputes.update, { discard: true })
  })

  /**
   * The charge with the time of its next look, by the store's clock: soon while there is more to do at once. Where `before`
   * is due now, somebody has asked for a look since this one began, and gets it.
   */
  const looked = Effect.fnUntraced(function* (
    found: Known,
    { look_at: asked }: Charge.Charge,
    state: Settling,
    { hasChanged, wasReached }: { readonly hasChanged: boolean; readonly wasReached: boolean }
  ) {
    const now = yield* DateTime.now
    const stored = yield* charges.now
    const charge = { ...state.charge, looks: hasChanged ? 0 : state.charge.looks + 1 }
    const hasMore = hasChanged && actionOf({ ...found, state })._tag !== "Fetch"
    if (isAsked(asked, stored)) return { ...charge, look_at: asked }
    const next = hasMore
      ? DateTime.addDuration(now, lease)
      : nextLookAt({ ...state, charge: wasReached ? charge : state.charge }, now, wasReached)
    const look_at = next === null ? null : DateTime.addDuration(stored, DateTime.distance(now, next))
    return { ...charge, look_at }
  })

  /** Tells the contexts that know what a charge pays where that is no gift. */
  const tell = Effect.fnUntraced(function* (
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

  const writeCharge = (charge: Charge.Charge) =>
    // A reference that another charge has would be an error of the processor.
    Effect.orDie(charges.update(charge))

  /** The charge as it is now, and whether anything of it changed; none where there is no such charge. */
  const record = Effect.fnUntraced(function* (found: Known, planned: Planned) {
    const { edit = (state) => state, mandate_reference = null, steps, wasReached } = planned
    const { id } = found.state.charge
    const held = yield* known.hold(found.organisation, id)
    if (Option.isNone(held)) return { ...found, hasChanged: false }
    const before = held.value
    const at = yield* DateTime.now
    const edited = edit(before)
    const all = yield* follow(found, edited, steps(edited), at)
    const after = all.at(-1)?.state ?? edited
    const hasChanged = after !== before
    yield* writeBeside(before, after)
    const charge = yield* looked(found, before.charge, after, { hasChanged, wasReached })
    yield* writeCharge(charge)
    yield* writeLedger(
      { ...charge, charge_id: id },
      all.flatMap(({ moved }) => moved),
      at
    )
    for (const each of all) {
      yield* Effect.forEach(each.raised, (raised) => raise(each, raised, at), { discard: true })
    }
    const events = all.flatMap((each) => each.events)
    const subject_id = events.length > 0 && after.gift !== null ? after.gift.id : id
    if (hasChanged) yield* journal.write({ operation, subject_id, at, events })
    if (after.gift !== null) yield* settleLink(found.organisation, before.gift, after.gift, at)
    const { mandate, organisation } = found
    yield* settleSubscription({ organisation, before, after: { ...after, charge }, mandate, mandate_reference, at })
    if (hasChanged) yield* tell(charge, chargebackOf(before, after), at)
    return { ...found, state: { ...after, charge }, hasChanged }
  })

  const acting = Effect.fnUntraced(function* <A, E, R>(found: Known, effect: Effect.Effect<A, E, R>) {
    const request_id = yield* tokens.id("request")
    return yield* transaction.run(effect).pipe(actingIn(found.organisation, settler, request_id))
  })

  /** Takes the steps that are planned under the lock. */
  const settle = (found: Known, planned: Planned) => acting(found, record(found, planned))

  /** Writes that the processor is told to take the money now; false where that was written before. */
  const confirm = (found: Known): Effect.Effect<boolean> => {
    const { id, organisation_id } = found.state.charge
    return acting(
      found,
      Effect.gen(function* () {
        const held = yield* charges.findForUpdate(organisation_id, id)
        if (Option.isNone(held)) return false
        const at = yield* DateTime.now
        const decision = decide(Charge.machine, held.value, { _tag: "Confirm", at })
        if (Result.isFailure(decision)) return false
        const look_at = DateTime.addDuration(yield* charges.now, lease)
        yield* writeCharge({ ...decision.success.state, look_at })
        yield* journal.write({ operation: "charges.confirm", subject_id: id, at, events: [] })
        return true
      })
    )
  }

  /**
   * Writes a charge's reference and, at once, that the processor is told to take the money now; whether that was written. Where
   * more is to be thought of, only the steps are taken that are planned under the lock.
   */
  const begin = (found: Known, reference: string, planned: Planned) => {
    const { id, organisation_id } = found.state.charge
    return acting(
      found,
      Effect.gen(function* () {
        const held = yield* charges.findForUpdate(organisation_id, id)
        const at = yield* DateTime.now
        const confirmed = Option.match(Option.filter(held, isUnreferred), {
          onNone: () => Option.none(),
          onSome: (charge) =>
            Option.getSuccess(
              Result.flatMap(decide(Charge.machine, charge, { _tag: "Refer", at, reference }), ({ state }) =>
                decide(Charge.machine, state, { _tag: "Confirm", at })
              )
            )
        })
        if (Option.isNone(confirmed)) return { found: yield* record(found, planned), isConfirmed: false }
        const look_at = DateTime.addDuration(yield* charges.now, lease)
        const charge = { ...confirmed.value.state, look_at, looks: 0 }
        yield* writeCharge(charge)
        yield* journal.write({ operation, subject_id: id, at, events: [] })
        yield* journal.write({ operation: "charges.confirm", subject_id: id, at, events: [] })
        return { found: { ...found, state: { ...found.state, charge } }, isConfirmed: true }
      })
    )
  }

  return { settle, confirm, begin } as const
})

/** The state with a refund's own identifier at the processor, where it is not known yet. */
export const referred =
  (refund_id: Refund["id"], processor_reference: string, updated_at: DateTime.Utc) =>
  <S extends Ours>(state: S): S => {
    const isIt = ({ id, processor_reference: known, status }: Refund) =>
      id === refund_id && known === null && status === "PENDING"
    return state.refunds.some(isIt)
      ? {
          ...state,
          refunds: state.refunds.map((each) => (isIt(each) ? { ...each, processor_reference, updated_at } : each))
        }
      : state
  }
