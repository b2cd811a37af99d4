import { DateTime, Effect, Option, Result } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { Donor } from "../../../domain/giving/Donor.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { GuardRefused } from "../../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import * as CardGuard from "../../../domain/payments/CardGuard.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import { failureOf } from "../../../domain/sharing/Checkout.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { CardGuardStore } from "../../../ports/payments/CardGuardStore.ts"
import { makeExceptionReporter } from "../../payments/exception/ExceptionReporter.ts"
import type { CheckoutPage } from "./CheckoutPages.ts"
import type { CheckedSubmission } from "./SubmissionCheck.ts"

/**
 * What is guarded on a page: a form with all others of its organisation; a page that somebody was sent alone, so that it is
 * open where the forms are closed.
 */
const guardedOn = (
  { id }: Organisation,
  page: CheckoutPage,
  linked: Option.Option<Donor>
): ReadonlyArray<CardGuard.GuardSubject> => {
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
  return failureOf(charge) === null ? "UNKNOWN" : "DECLINED"
}

/** Guards pages against whoever tries out stolen cards. pages, section 2: Card testing. */
export const makeCardGuards = Effect.gen(function* () {
  const store = yield* CardGuardStore
  const transaction = yield* Transaction
  const exceptions = yield* makeExceptionReporter

  /** The guards of a submission's page, held until the transaction ends. */
  const hold = (organisation: Organisation, guarded: ReadonlyArray<CardGuard.GuardSubject>, now: DateTime.Utc) =>
    Effect.map(store.findForUpdate(guarded.map((each) => CardGuard.newGuard(organisation.id, each, now))), (guards) =>
      guarded.flatMap((each, index) => (guards[index] === undefined ? [] : [[guards[index], each] as const]))
    )

  /** Whether a page takes no cards now. */
  const isClosed = Effect.fnUntraced(function* (
    organisation: Organisation,
    page: CheckoutPage,
    linked: Option.Option<Donor>
  ) {
    const subjects = guardedOn(organisation, page, linked).map(({ subject }) => subject)
    const now = yield* organisationNow
    const guards = yield* store.find(organisation.id, subjects)
    return guards.some((guard) => CardGuard.isClosed(guard, now))
  })

  /** A card is about to be tried. Fails with {@link InvalidInput} where none is taken, and {@link GuardRefused} where it has to wait. */
  const begin = Effect.fnUntraced(function* ({ linked, organisation, page, submission }: CheckedSubmission) {
    if (submission.method !== "card") return
    const now = yield* organisationNow
    const begun: Array<CardGuard.CardGuard> = []
    for (const [guard, each] of yield* hold(organisation, guardedOn(organisation, page, linked), now)) {
      const next = CardGuard.begin(guard, each, now)
      if (Result.isFailure(next)) return yield* next.failure === "CLOSED" ? closed() : crowded()
      begun.push(next.success)
    }
    yield* Effect.forEach(begun, store.replace, { discard: true })
  }, transaction.run)

  /** A try has ended; whoever looks after the organisation is told where that closes cards. */
  const end = Effect.fnUntraced(function* (
    { linked, organisation, page, submission, taking }: CheckedSubmission,
    charge: Charge | null
  ) {
    if (submission.method !== "card") return
    const now = yield* organisationNow
    const outcome = charge === null ? "UNKNOWN" : outcomeOf(charge)
    for (const [guard, each] of yield* hold(organisation, guardedOn(organisation, page, linked), now)) {
      const after = CardGuard.settle(guard, each, outcome, now)
      yield* store.replace(after)
      const { closed_until } = after
      if (closed_until === null || after.closings === guard.closings || each.credit === Limits.cardCreditPersonal)
        continue
      const what = each.subject === organisation.id ? "all forms of the organisation" : `the ${page.record} ${page.id}`
      yield* exceptions.raise(organisation, taking.integration, {
        kind: "cards_closed",
        charge_id: charge?.id ?? null,
        subject_id: each.subject,
        amount_cents: 0,
        reason: `Cards on ${what} are closed until ${DateTime.formatIso(closed_until)}: so many more were declined than succeeded that somebody seems to try out stolen ones.`
      })
    }
  }, transaction.run)

  return { begin, end, isClosed } as const
})
