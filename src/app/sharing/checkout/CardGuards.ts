import { DateTime, Duration, Effect, Option, Result } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { Donor } from "../../../domain/giving/Donor.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { GuardRefused } from "../../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import * as CardGuard from "../../../domain/payments/CardGuard.ts"
import { type Charge, failureOf } from "../../../domain/payments/Charge.ts"
import { makeBuckets } from "../../../ports/access/Buckets.ts"
import { organisationNow, realNow } from "../../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { CardGuardStore } from "../../../ports/payments/CardGuardStore.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { makeAdminMails } from "../../access/mail/AdminMails.ts"
import { makeCommitResult } from "../../kernel/store/CommitResult.ts"
import { monotonicMillis } from "../../kernel/time/Monotonic.ts"
import { makeExceptionReporter } from "../../payments/exception/ExceptionReporter.ts"
import type { CheckoutPage } from "./CheckoutPages.ts"
import { patience } from "./CheckoutProgress.ts"
import type { CheckedSubmission } from "./SubmissionCheck.ts"
import { makeBatches } from "./TryBatches.ts"

/**
 * All who come to an organisation's closed pages by a code share a guard, and all who do by a wallet another one: whoever tests
 * cards has mailboxes, and can put a card into a wallet of some kinds.
 */
const guardOf = (organisation_id: OrganisationId, opener: CardGuard.Opener): CardGuard.GuardSubject => ({
  subject: `${opener}s ${organisation_id}`,
  credit: opener === "code" ? Limits.cardCreditCodes : Limits.cardCreditWallets,
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
  opened_by: CardGuard.Opener | null = null
): ReadonlyArray<CardGuard.GuardSubject> => {
  if (opened_by !== null) return [guardOf(id, opened_by)]
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
  mails: makeAdminMails,
  store: CardGuardStore
})

type Services = Effect.Success<typeof services>

type Held = ReadonlyArray<readonly [CardGuard.CardGuard, CardGuard.GuardSubject]>

/** A try of a card that begins, or has ended with a charge where there is one. */
type Try = { readonly checked: CheckedSubmission; readonly charge: Charge | null } & (
  | { readonly _tag: "Begin" }
  | { readonly _tag: "End"; readonly begun_at: DateTime.Utc }
)

/** Why a card may not be tried. */
type Refusal = "BUSY" | "CLOSED" | "CROWDED"

/** The guards of a submission's page, held until the transaction ends. */
const hold = Effect.fnUntraced(function* (
  { store }: Services,
  { linked, opened_by, organisation, page }: CheckedSubmission,
  now: DateTime.Utc
) {
  const guarded = guardedOn(organisation, page, linked, opened_by)
  const guards = yield* store.findForUpdate(guarded.map((each) => CardGuard.newGuard(organisation.id, each, now)))
  const held: Held = guarded.flatMap((each, index) =>
    guards[index] === undefined ? [] : [[guards[index], each] as const]
  )
  return held
})

/**
 * Where a guard that was just kept closes cards, whoever looks after the organisation is told by an exception, and its admins by
 * mail: once for each closing, as the guard is held.
 */
const reportClosing = Effect.fnUntraced(function* (
  { exceptions, mails }: Services,
  { organisation, page, taking }: CheckedSubmission,
  { after, before, each }: Move,
  now: DateTime.Utc,
  charge_id: Charge["id"] | null
) {
  const { closed_until } = after
  if (closed_until === null || !CardGuard.hasClosed(before, after) || !CardGuard.isClosed(after, now)) return
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
  const about = { organisation_id: organisation.id, template: "cards_closed", subject_id: each.subject } as const
  yield* mails.write(yield* mails.adminsOf(organisation.id), about, yield* realNow)
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

/** The guards after a try, and what refuses it. */
const tried = (guards: Held, attempt: Try, now: DateTime.Utc) => {
  const movesTo = (next: ReadonlyArray<CardGuard.CardGuard>) =>
    guards.map(([before, each], index): Move => ({ before, each, after: next[index] ?? before }))
  if (attempt._tag === "End") {
    const { begun_at, charge } = attempt
    const outcome = charge === null ? "UNKNOWN" : outcomeOf(charge)
    const ended: CardGuard.Try = { begun_at, charge_id: charge?.id ?? null, outcome }
    return { refusal: null, moves: movesTo(guards.map(([guard, each]) => CardGuard.settle(guard, each, ended, now))) }
  }
  const begins = Result.all(guards.map(([guard, each]) => CardGuard.begin(guard, each, now)))
  return Result.isSuccess(begins)
    ? { refusal: null, moves: movesTo(begins.success) }
    : { refusal: begins.failure, moves: movesTo([]) }
}

/**
 * Does tries at the same guards, one after the other, and keeps what they come to by one statement: all who try a card on a page
 * wait for whoever holds its guards. Gives when each was begun, or what refused it.
 */
const tryAll = Effect.fnUntraced(function* (services: Services, all: ReadonlyArray<Try>) {
  const refusals = new Map<Try, Refusal>()
  const now = yield* organisationNow
  const answerOf = (each: Try): DateTime.Utc | Refusal => refusals.get(each) ?? now
  const [first] = all
  if (first === undefined) return answerOf
  const held = yield* hold(services, first.checked, now)
  const beginning = all.find(({ _tag }) => _tag === "Begin")
  const moves: Array<readonly [Try, Move]> = []
  let guards = held
  if (beginning !== undefined) {
    const known = yield* followed(services, first.checked.organisation, held, now)
    moves.push(...known.map((move) => [beginning, move] as const))
    guards = known.map(({ after, each }) => [after, each])
  }
  for (const each of all) {
    const step = tried(guards, each, now)
    if (step.refusal !== null) refusals.set(each, step.refusal)
    moves.push(...step.moves.map((move) => [each, move] as const))
    guards = step.moves.map((move) => [move.after, move.each])
  }
  const changed = guards.flatMap(([guard], index) => (guard === held[index]?.[0] ? [] : [guard]))
  if (changed.length > 0) yield* services.store.replace(changed)
  for (const [{ charge, checked }, move] of moves) {
    yield* reportClosing(services, checked, move, now, charge?.id ?? null)
  }
  return answerOf
})

/** The most organisations whose looks at wallets are counted: beyond them, the least recently used are dropped. */
const organisationsRemembered = 10_000

/** How long a card waits for those that are tried before it, each time that there is no place for it. */
const placeDelays = [Duration.millis(500), Duration.seconds(1), Duration.seconds(2)]

/** Guards pages against whoever tries out stolen cards. pages, section 2: Card testing. */
export const makeCardGuards = Effect.gen(function* () {
  const around = yield* services
  const transaction = yield* Transaction
  const committed = yield* makeCommitResult
  const looks = makeBuckets(
    { perSecond: Limits.walletLooksPerSecond, burst: Limits.walletLooksBurst },
    organisationsRemembered
  )

  const perform = (all: ReadonlyArray<Try>) => transaction.run(tryAll(around, all))
  const inBatches = makeBatches(perform)

  /** Does a try with whoever tries a card at the same guards at this moment; a host's own transaction is nobody else's. */
  const attempt = Effect.fnUntraced(function* (each: Try) {
    if (!(yield* committed(Effect.void)).hasCommitted) return (yield* perform([each]))(each)
    const { linked, opened_by, organisation, page } = each.checked
    const subjects = guardedOn(organisation, page, linked, opened_by).map(({ subject }) => subject)
    return yield* inBatches([organisation.id, ...subjects].join(" "), each)
  })

  /** Whether a page takes no cards now, and whether a code that is mailed to the address that its donor types, or a wallet, opens them. */
  const closing = Effect.fnUntraced(function* (
    organisation: Organisation,
    page: CheckoutPage,
    linked: Option.Option<Donor>
  ) {
    const subjects = guardedOn(organisation, page, linked).map(({ subject }) => subject)
    const [ofCodes, ofWallets] = [guardOf(organisation.id, "code").subject, guardOf(organisation.id, "wallet").subject]
    const now = yield* organisationNow
    const guards = yield* around.store.find(organisation.id, [...subjects, ofCodes, ofWallets])
    const closed = guards.filter((guard) => CardGuard.isClosed(guard, now)).map(({ subject }) => subject)
    const cards_closed = subjects.some((subject) => closed.includes(subject))
    const isTyped = page.kind !== "link" && Option.isNone(linked)
    return {
      cards_closed,
      card_codes: cards_closed && isTyped && !closed.includes(ofCodes),
      card_wallets: cards_closed && !closed.includes(ofWallets)
    } as const
  })

  /** Whether the guard of wallets is closed: then nobody is asked which wallet a card is in. */
  const areWalletsClosed = Effect.fnUntraced(function* ({ organisation: { id } }: CheckedSubmission) {
    const now = yield* organisationNow
    const guards = yield* around.store.find(id, [guardOf(id, "wallet").subject])
    return guards.some((guard) => CardGuard.isClosed(guard, now))
  })

  /**
   * Whether the card of a submission is in a wallet that opens closed cards, by its processor alone. Fails with {@link
   * GuardRefused} where it does not answer, or is asked too often.
   */
  const isInWallet = Effect.fnUntraced(function* (checked: CheckedSubmission) {
    const { integration, processor } = checked.taking
    const { payment_token } = checked.submission
    if (processor.walletOf === undefined || payment_token == null || (yield* areWalletsClosed(checked))) return false
    // In a host's own transaction no processor is asked.
    if (!(yield* committed(Effect.void)).hasCommitted) return false
    if (!looks.take(integration.organisation_id, yield* monotonicMillis).allowed) return yield* crowded()
    const asked = Effect.option(processor.walletOf(integration, payment_token))
    const wallet = Option.flatten(yield* Effect.timeoutOption(asked, patience))
    return Option.isNone(wallet) ? yield* crowded() : CardGuard.isOpenedBy(Option.getOrNull(wallet.value))
  })

  let awaiting = 0

  /**
   * Takes a place among the cards that are tried, waiting for one where others will soon have an outcome. What is taken cannot be
   * interrupted: whoever took it gives it back. Nobody waits within a host's own transaction, which holds what others need.
   */
  const placed = Effect.fnUntraced(function* (checked: CheckedSubmission) {
    const taking = Effect.uninterruptible(attempt({ _tag: "Begin", checked, charge: null }))
    let answer = yield* taking
    const isFull = awaiting >= Limits.cardsAwaited
    if (answer !== "BUSY" || isFull || !(yield* committed(Effect.void)).hasCommitted) return answer
    awaiting += 1
    return yield* Effect.gen(function* () {
      for (const delay of placeDelays) {
        if (answer !== "BUSY") break
        yield* Effect.interruptible(Effect.sleep(delay))
        answer = yield* taking
      }
      return answer
    }).pipe(Effect.ensuring(Effect.sync(() => (awaiting -= 1))))
  })

  /**
   * A card is about to be tried: the submission, with what opened cards for it. Fails with {@link InvalidInput} where none is
   * taken, and {@link GuardRefused} where it would have to wait for long. It MUST be uninterruptible up to where `end` is sure to
   * follow.
   */
  const begin = Effect.fnUntraced(function* (checked: CheckedSubmission) {
    if (checked.submission.method !== "card") return checked
    let found = checked
    let answer = yield* placed(checked)
    if (answer === "CLOSED" && checked.opened_by === null && (yield* Effect.interruptible(isInWallet(checked)))) {
      found = { ...checked, opened_by: "wallet" }
      answer = yield* placed(found)
    }
    if (typeof answer === "string") return yield* answer === "CLOSED" ? closed() : crowded()
    return { ...found, begun_at: answer }
  })

  /** A try has ended, or waits for its donor. */
  const end = (checked: CheckedSubmission, charge: Charge | null) => {
    const { begun_at } = checked
    return begun_at === null ? Effect.void : Effect.asVoid(attempt({ _tag: "End", begun_at, checked, charge }))
  }

  return { begin, closing, end } as const
})
