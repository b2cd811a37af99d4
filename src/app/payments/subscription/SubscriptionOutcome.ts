import { DateTime, Effect, Option, type Result, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { InvoiceId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { can, decide } from "../../../domain/kernel/Machine.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import { lostRule } from "../../../domain/payments/Dispute.ts"
import * as Invoice from "../../../domain/payments/Invoice.ts"
import * as Mandate from "../../../domain/payments/Mandate.ts"
import { lapsesAt, nextPollAt } from "../../../domain/payments/Renewal.ts"
import type { SettlementState } from "../../../domain/payments/StepApplication.ts"
import * as Subscription from "../../../domain/payments/Subscription.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { isLookRequested } from "../charge/ChargeLoader.ts"
import { makeExceptionReporter } from "../exception/ExceptionReporter.ts"

/** Why a recurring gift ends; in whose words, where the donor ended it. */
export type EndReason = Omit<Extract<Subscription.Command, { readonly _tag: "Cancel" }>, "_tag" | "at">

/** An end that no donor gave a reason for. */
export const endingFor = (reason: Subscription.Subscription["cancel_reason"]): EndReason => ({
  reason,
  donor_cancel_reason_code: null,
  donor_cancel_reason: null
})

/** Ends recurring gifts, in the surrounding transaction. The caller has locked the subscription. */
export const makeSubscriptionChange = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const invoices = yield* InvoiceStore
  const changeLog = yield* ChangeLog
  const subscriptions = yield* SubscriptionStore

  /** An instant by the clock of the store, by which `look_at` is judged. */
  const storeTime = Effect.fnUntraced(function* (next: DateTime.Utc) {
    const now = yield* organisationNow
    return addTime(yield* charges.now, DateTime.distance(now, next))
  })

  /**
   * A recurring gift whose next poll is at an instant, or never. Where it is due now, somebody has requested a poll
   * since this one began, and gets it.
   */
  const looked = Effect.fnUntraced(function* (held: Subscription.Subscription, next: DateTime.Utc | null) {
    const { look_at: asked } = held
    if (isLookRequested(asked, yield* charges.now)) return held
    const after: Subscription.Subscription = { ...held, look_at: next === null ? null : yield* storeTime(next) }
    return after
  })

  /** Gives up invoices that are not paid yet. One under way settles as it settles, and ends then. */
  const giveUp = Effect.fnUntraced(function* (ended: Subscription.Subscription, at: DateTime.Utc) {
    const { id, mandate_id, organisation_id } = ended
    const unsettled = yield* charges.unsettledOf(organisation_id, mandate_id)
    const underWay = new Set<string>(unsettled.filter(({ ended_at }) => ended_at === null).map((charge) => charge.id))
    for (const invoice of yield* invoices.openOf(organisation_id, id)) {
      if (invoice.charge_id !== null && underWay.has(invoice.charge_id)) continue
      const { state } = yield* Effect.orDie(Effect.fromResult(decide(Invoice.machine, invoice, { _tag: "GiveUp", at })))
      yield* Effect.orDie(invoices.update(state))
    }
  })

  /**
   * Ends a recurring gift: it is charged no more, and the worker has the processor forget the mandate. Fails with {@link
   * IllegalTransition} where it ended before.
   */
  const end = Effect.fnUntraced(function* (
    operation: string,
    before: Subscription.Subscription,
    ending: EndReason,
    at: DateTime.Utc
  ) {
    const { state } = yield* Effect.fromResult(decide(Subscription.machine, before, { ...ending, _tag: "Cancel", at }))
    yield* giveUp(state, at)
    const after: Subscription.Subscription = { ...state, look_at: yield* charges.now }
    yield* subscriptions.update(after)
    const events = [Subscription.cancelledEvent(after)]
    yield* changeLog.write({ operation, subject_id: before.id, at, events })
    return after
  })

  return { end, looked, storeTime } as const
})

const operation = "charges.settle"

const readInvoice = Schema.decodeUnknownOption(InvoiceId)

/** A charge before and after it was settled, locked with its gift. */
interface Settled {
  readonly organisation: Organisation
  readonly before: SettlementState
  readonly after: SettlementState
  /** The mandate that the charge saves or is taken by, as it was before it was requested. */
  readonly mandate: Mandate.Mandate | null
  /** The processor's reference for the donor's means of payment. */
  readonly mandate_reference: string | null
  readonly at: DateTime.Utc
}

/** A charge's effect is legal for its subject: a refusal is an error of the program. */
const legal = <A, E>(decision: Result.Result<A, E>): Effect.Effect<A> => Effect.orDie(Effect.fromResult(decision))

const hasEnded = ({ after, before }: Settled): boolean =>
  before.charge.ended_at === null && after.charge.ended_at !== null

const isLost = ({ after, before }: Settled): boolean => {
  const known = new Set(before.disputes.filter((each) => holds(lostRule, each)).map(({ id }) => id))
  return after.disputes.some((each) => holds(lostRule, each) && !known.has(each.id))
}

const services = Effect.all({
  invoices: InvoiceStore,
  journal: ChangeLog,
  mandates: MandateStore,
  subscriptions: SubscriptionStore,
  change: makeSubscriptionChange,
  raising: makeExceptionReporter
})

type Services = Effect.Success<typeof services>

/** Ends one that lasts, which is never refused. */
const endSubscription = (
  { change }: Services,
  subscription: Subscription.Subscription,
  reason: "payment_failed" | "payment_disputed",
  at: DateTime.Utc
) => Effect.orDie(change.end(operation, subscription, endingFor(reason), at))

const writeInvoice = Effect.fnUntraced(function* (
  { invoices }: Services,
  before: Invoice.Invoice,
  command: Invoice.Command
) {
  const { state } = yield* legal(decide(Invoice.machine, before, command))
  // Its due day does not change, so it cannot be taken.
  yield* Effect.orDie(invoices.update(state))
  return state
})

const activate = Effect.fnUntraced(function* (
  { mandates }: Services,
  mandate: Mandate.Mandate,
  { after, at, mandate_reference }: Settled
) {
  if (mandate.status !== "PENDING" || mandate_reference === null || after.charge.status !== "SUCCEEDED") return mandate
  const command: Mandate.Command = { _tag: "Activate", at, reference: mandate_reference }
  const { state } = yield* legal(decide(Mandate.machine, mandate, command))
  yield* mandates.update(state)
  return state
})

const payInvoice = Effect.fnUntraced(function* (
  services: Services,
  subscription: Subscription.Subscription,
  invoice: Invoice.Invoice,
  { after, at }: Settled
) {
  if (after.gift !== null) yield* writeInvoice(services, invoice, { _tag: "Pay", at, donation_id: after.gift.id })
  const command = Subscription.paidCommand(subscription, { at, invoice_id: invoice.id })
  return can(Subscription.machine, subscription, command)
    ? (yield* legal(decide(Subscription.machine, subscription, command))).state
    : subscription
})

/** Whether one that was due later is paid: then the gift goes on without this one. */
const isOvertaken = Effect.fnUntraced(function* (
  { invoices }: Services,
  subscription: Subscription.Subscription,
  { due_on }: Invoice.Invoice
) {
  const id = readInvoice(subscription.last_paid_invoice_id)
  const last = Option.isSome(id) ? yield* invoices.find(subscription.organisation_id, id.value) : Option.none()
  return Option.exists(last, (found) => found.due_on > due_on)
})

/** Emits the event of an invoice's first failure, while the gift lasts. */
const recordFirstFailure = Effect.fnUntraced(function* (
  { journal }: Services,
  subscription: Subscription.Subscription,
  invoice: Invoice.Invoice,
  { after: { gift }, at }: Settled
) {
  const command: Subscription.Command = { _tag: "FailInvoice", at, invoice_id: invoice.id }
  const isFirst = invoice.failed_donation_id === null
  if (!isFirst || gift === null || !can(Subscription.machine, subscription, command)) return subscription
  const { state } = yield* legal(decide(Subscription.machine, subscription, command))
  const events = [Subscription.paymentFailedEvent(state, gift.id)]
  yield* journal.write({ operation, subject_id: invoice.id, at, events })
  return state
})

const failInvoice = Effect.fnUntraced(function* (
  services: Services,
  before: Subscription.Subscription,
  invoice: Invoice.Invoice,
  mandate: Mandate.Mandate,
  settled: Settled
) {
  const { after, at } = settled
  const lasts = holds(Subscription.lastingRule, before)
  // The donor tries the first one again on the page, and nobody else.
  const next_attempt_at = lasts && mandate.status === "ACTIVE" ? Invoice.retryAt(invoice, at) : null
  const donation_id = after.gift?.id ?? null
  const tried = yield* writeInvoice(services, invoice, { _tag: "FailAttempt", at, donation_id, next_attempt_at })
  const state = yield* recordFirstFailure(services, before, invoice, settled)
  const isOver = !lasts || (mandate.status !== "PENDING" && next_attempt_at === null)
  if (isOver) yield* writeInvoice(services, tried, { _tag: "GiveUp", at })
  const ends = isOver && lasts && !(yield* isOvertaken(services, state, invoice))
  return ends ? yield* endSubscription(services, state, "payment_failed", at) : state
})

const settleInvoice = Effect.fnUntraced(function* (
  services: Services,
  subscription: Subscription.Subscription,
  mandate: Mandate.Mandate,
  settled: Settled
) {
  const { charge }: { readonly charge: Charge } = settled.after
  const open = yield* services.invoices.openOf(subscription.organisation_id, subscription.id)
  const invoice = open.find(({ charge_id }) => charge_id === charge.id)
  if (invoice === undefined) return subscription
  return charge.status === "SUCCEEDED"
    ? yield* payInvoice(services, subscription, invoice, settled)
    : yield* failInvoice(services, subscription, invoice, mandate, settled)
})

/**
 * The worker's next poll: it waits for the donor, or for a day. The mandate is fetched as soon as its reference is
 * known: notices of it before then reached nobody here.
 */
const withNextLook = Effect.fnUntraced(function* (
  { change, invoices }: Services,
  subscription: Subscription.Subscription,
  { isNew, status }: Pick<Mandate.Mandate, "status"> & { readonly isNew: boolean },
  { at, organisation }: Settled
) {
  if (isNew) return yield* change.looked(subscription, at)
  const open = yield* invoices.openOf(subscription.organisation_id, subscription.id)
  const [first] = open
  const next =
    status === "PENDING"
      ? first === undefined
        ? null
        : lapsesAt(first)
      : nextPollAt(subscription, { now: at, timezone: organisation.timezone, open })
  return yield* change.looked(subscription, next)
})

/** The money came, and nothing was kept to take more by: the gift would wait for ever, and nobody would know. */
const openUnkeptException = (
  services: Services,
  { id: subscription_id }: Subscription.Subscription,
  { after: { charge }, at }: Settled
) => {
  const { amount_cents, currency: settlement_currency, organisation_id } = charge
  const reason =
    "The first charge was paid, but the processor kept nothing that later ones can be taken by. Cancel the recurring gift, and ask its donor to set it up again."
  const matter = { kind: "mismatch", charge_id: null, subject_id: subscription_id, amount_cents, reason } as const
  return services.raising.write({ organisation_id, settlement_currency }, matter, at)
}

const settle = Effect.fnUntraced(function* (
  services: Services,
  held: Subscription.Subscription,
  found: Mandate.Mandate,
  settled: Settled
) {
  const { at } = settled
  const mandate = yield* activate(services, found, settled)
  const isPaid = hasEnded(settled) && settled.after.charge.status === "SUCCEEDED"
  if (isPaid && mandate.status === "PENDING" && holds(Subscription.lastingRule, held))
    yield* openUnkeptException(services, held, settled)
  const after = hasEnded(settled) ? yield* settleInvoice(services, held, mandate, settled) : held
  if (!holds(Subscription.lastingRule, after)) {
    if (after !== held && holds(Subscription.lastingRule, held)) return
    // A charge that was under way at the end has settled: the processor may forget the mandate now.
    yield* services.subscriptions.update({ ...after, look_at: yield* services.change.storeTime(at) })
    return
  }
  if (isLost(settled)) {
    yield* endSubscription(services, after, "payment_disputed", at)
    return
  }
  const { status } = mandate
  yield* services.subscriptions.update(
    yield* withNextLook(services, after, { status, isNew: status !== found.status }, settled)
  )
})

const settleCharge = Effect.fnUntraced(function* (services: Services, settled: Settled) {
  const { mandate } = settled
  if (mandate === null) return
  const { id, organisation_id, status, subscription_id } = mandate
  // One that is kept by now is found to be under its lock.
  const isSaved = status === "PENDING" && settled.mandate_reference !== null
  if (!isSaved && !hasEnded(settled) && !isLost(settled)) return
  const held = yield* services.subscriptions.findForUpdate(organisation_id, subscription_id)
  const found = yield* services.mandates.findForUpdate(organisation_id, id)
  if (Option.isSome(held) && Option.isSome(found)) yield* settle(services, held.value, found.value, settled)
})

/** Has a recurring gift, its invoice and its mandate follow the outcome of a charge, in the surrounding transaction. */
export const makeSubscriptionOutcome = Effect.map(
  services,
  (services) => (settled: Settled) => settleCharge(services, settled)
)
