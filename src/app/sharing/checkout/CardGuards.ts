import { DateTime, Effect, Option, Result } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { Donor } from "../../../domain/giving/Donor.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { GuardRefused } from "../../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import * as CardGuard from "../../../domain/payments/CardGuard.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import { failureOf } from "../../../domain/sharing/Checkout.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { CardGuardStore } from "../../../ports/payments/CardGuardStore.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { makeExceptionReporter } from "../../payments/exception/ExceptionReporter.ts"
import type { CheckoutPage } from "./CheckoutPages.ts"
import type { CheckedSubmission } from "./SubmissionCheck.ts"

/** All who come to an organisation's pages by a code share a guard: whoever tests cards has mailboxes, too. */
const guardOfCodes = (organisation_id: OrganisationId): CardGuard.GuardSubject => ({
  subject: `codes ${organisation_id}`,
  credit: Limits.cardCreditCodes,
  hours: Limits.cardCodesHours
})

/**
 * What is guarded on a page: a form with all others of its organisation; a page that somebody was sent alone, so that it is
 * open where the forms are closed.
 */
const guardedOn = (
  { id }: Organisation,
  page: CheckoutPage,
  linked: Option.Option<Donor>,
  has_pass = false
): ReadonlyArray<CardGuard.GuardSubject> => {
  if (has_pass) return [guardOfCodes(id)]
  if (Option.isSome(linked)) return [{ subject: linked.value.id, credit: Limits.cardCreditPersonal }]
  if (page.kind === "link") return [{ subject: page.id, credit: Limits.cardCreditPersonal }]
  const own: CardGuard.GuardSubject = { subject: page.id, credit: Limits.cardCredit }
  return page.kind === "set" ? [own] : [own, { subject: id, credit: Limits.cardCreditOrganisation }]
}

const closed = () =>
  new InvalidInput({
    param: "method",
    message:
      "Cards are not taken here for some hours, since many were declined. Give by another method, or by a link that the organisation sends to its donor."
  })

const crowded = () =>
  new GuardRefused({
    machine: "Cards",
    command: "Begin",
    rule: "not too many cards are tried at once",
    message: "Many cards are being tried here at this moment. Try again in a moment."
  })

const outcomeOf = (charge: Charge): CardGuard.Outcome => {
  if (charge.status === "SUCCEEDED") return "SUCCEEDED"
  if (failureOf(charge) !== null) return "DECLINED"
  return charge.status === "WAITING" ? "WAITING" : "UNKNOWN"
}

/** A guard before and after something. */
interface Move {
  readonly each: CardGuard.GuardSubject
  readonly before: CardGuard.CardGuard
  readonly after: CardGuard.CardGuard
}

const services = Effect.all({
  charges: ChargeStore,
  exceptions: makeExceptionReporter,
  store: CardGuardStore
})

type Services = Effect.Success<typeof services>

type Held = ReadonlyArray<readonly [CardGuard.CardGuard, CardGuard.GuardSubject]>

/** The guards of a submission's page, held until the transaction ends. */
const hold = Effect.fnUntraced(function* (
  { store }: Services,
  { has_pass, linked, organisation, page }: CheckedSubmission,
  now: DateTime.Utc
) {
  const guarded = guardedOn(organisation, page, linked, has_pass)
  const guards = yield* store.findForUpdate(guarded.map((each) => CardGuard.newGuard(organisation.id, each, now)))
  const held: Held = guarded.flatMap((each, index) =>
    guards[index] === undefined ? [] : [[guards[index], each] as const]
  )
  return held
})

/** Keeps what has changed; whoever looks after the organisation is told where that closes cards. */
const keep = Effect.fnUntraced(function* (
  { exceptions, store }: Services,
  { organisation, page, taking }: CheckedSubmission,
  { after, before, each }: Move,
  now: DateTime.Utc,
  charge_id: Charge["id"] | null
) {
  if (after !== before) yield* store.replace(after)
  const { closed_until } = after
  if (closed_until === null || after.closings <= before.closings || !CardGuard.isClosed(after, now)) return
  const isOfAll = each.subject === organisation.id || (each.subject === page.id && page.kind !== "link")
  if (!isOfAll) return
  const what = each.subject === organisation.id ? "all forms of the organisation" : `the ${page.record} ${page.id}`
  yield* exceptions.raise(organisation, taking.integration, {
    kind: "cards_closed",
    charge_id,
    subject_id: each.subject,
    amount_cents: 0,
    reason: `Cards on ${what} are closed until ${DateTime.formatIso(closed_until)}: so many more were declined than succeeded that somebody seems to try out stolen ones.`
  })
})

/** The guards with what became of the tries that waited for their donors. */
const followed = Effect.fnUntraced(function* (
  { charges }: Services,
  { id }: Organisation,
  held: Held,
  now: DateTime.Utc
) {
  const waiting = new Set(held.flatMap(([guard]) => guard.waiting.map(({ charge_id }) => charge_id)))
  const found = waiting.size === 0 ? [] : yield* charges.ofIds(id, Array.from(waiting))
  const outcomes = new Map(found.map((charge) => [charge.id, outcomeOf(charge)]))
  return held.map(([before, each]): Move => {
    const after = CardGuard.follow(before, each, (charge_id) => outcomes.get(charge_id) ?? "UNKNOWN", now)
    return { before, each, after }
  })
})

/** A card is about to be tried: why it may not be. What refuses it is kept, too. */
const begun = Effect.fnUntraced(function* (services: Services, checked: CheckedSubmission) {
  const now = yield* organisationNow
  const known = yield* followed(services, checked.organisation, yield* hold(services, checked, now), now)
  const begins = Result.all(known.map(({ after, each }) => CardGuard.begin(after, each, now)))
  const next = Result.getOrElse(begins, () => known.map(({ after }) => after))
  yield* Effect.forEach(known, (move, index) =>
    keep(services, checked, { ...move, after: next[index] ?? move.after }, now, null)
  )
  return Result.isFailure(begins) ? begins.failure : null
})

const ended = Effect.fnUntraced(function* (services: Services, checked: CheckedSubmission, charge: Charge | null) {
  const now = yield* organisationNow
  const charge_id = charge?.id ?? null
  const tried = { charge_id, outcome: charge === null ? "UNKNOWN" : outcomeOf(charge) } as const
  for (const [before, each] of yield* hold(services, checked, now)) {
    const after = CardGuard.settle(before, each, tried, now)
    yield* keep(services, checked, { before, each, after }, now, charge_id)
  }
})

const isCard = ({ submission }: CheckedSubmission): boolean => submission.method === "card"

/** Guards pages against whoever tries out stolen cards. pages, section 2: Card testing. */
export const makeCardGuards = Effect.gen(function* () {
  const around = yield* services
  const transaction = yield* Transaction

  /** Whether a page takes no cards now, and whether a code that is mailed to the address that its donor types opens them. */
  const closing = Effect.fnUntraced(function* (
    organisation: Organisation,
    page: CheckoutPage,
    linked: Option.Option<Donor>
  ) {
    const subjects = guardedOn(organisation, page, linked).map(({ subject }) => subject)
    const ofCodes = guardOfCodes(organisation.id).subject
    const now = yield* organisationNow
    const guards = yield* around.store.find(organisation.id, [...subjects, ofCodes])
    const closed = guards.filter((guard) => CardGuard.isClosed(guard, now)).map(({ subject }) => subject)
    const cards_closed = subjects.some((subject) => closed.includes(subject))
    const isTyped = page.kind !== "link" && Option.isNone(linked)
    return { cards_closed, card_codes: cards_closed && isTyped && !closed.includes(ofCodes) } as const
  })

  /** A card is about to be tried. Fails with {@link InvalidInput} where none is taken, and {@link GuardRefused} where it has to wait. */
  const begin = Effect.fnUntraced(function* (checked: CheckedSubmission) {
    const refused = isCard(checked) ? yield* transaction.run(begun(around, checked)) : null
    if (refused !== null) return yield* refused === "CLOSED" ? closed() : crowded()
  })

  /** A try has ended, or waits for its donor. */
  const end = (checked: CheckedSubmission, charge: Charge | null) =>
    isCard(checked) ? transaction.run(ended(around, checked, charge)) : Effect.void

  return { begin, closing, end } as const
})
