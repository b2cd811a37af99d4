import { Effect, Exit, Option } from "effect"
import type { Actor } from "../../../domain/access/Caller.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { TakesNoPayment } from "../../../domain/kernel/Rejection.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import * as TestCharges from "../../../domain/payments/TestBank.ts"
import * as Checkout from "../../../domain/sharing/Checkout.ts"
import { makeBuckets } from "../../../ports/access/Buckets.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { TestBank } from "../../../ports/payments/TestBank.ts"
import { actingIn, makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { Attributions } from "../../kernel/reaction/Attributions.ts"
import { makeCommitResult } from "../../kernel/store/CommitResult.ts"
import { monotonicMillis } from "../../kernel/time/Monotonic.ts"
import { makePaymentAccounts, takerOf } from "../../payments/account/PaymentAccounts.ts"
import { makeChargeCancellation } from "../../payments/charge/ChargeCancellation.ts"
import { type LoadedCharge, newChargeState } from "../../payments/charge/ChargeLoader.ts"
import { makeChargeSync } from "../../payments/charge/ChargeSync.ts"
import { moveTestCharge } from "../../payments/charge/TestChargeMove.ts"
import { makeCardCodes } from "./CardCodes.ts"
import { makeCardGuards } from "./CardGuards.ts"
import { type CheckoutPage, type LinkPage, makeCheckoutPages } from "./CheckoutPages.ts"
import { makeCheckoutProgress, patience } from "./CheckoutProgress.ts"
import { makeCheckoutWriter } from "./CheckoutWriter.ts"
import { busy, type CheckedSubmission, makeFirstChargeRetry, submissionRefusal } from "./SubmissionCheck.ts"

/** Who gives, as the audit has it: nobody knows yet who that is. */
const visitor: Actor = { type: "SYSTEM", id: "donor" }

/** The most attempts of a submission at its page where another one was faster. */
const attempts = 3

const services = Effect.all({
  charges: ChargeStore,
  accounts: makePaymentAccounts,
  attributions: Attributions,
  pages: makeCheckoutPages,
  committed: makeCommitResult,
  chargeSync: makeChargeSync,
  end: makeChargeCancellation,
  codes: makeCardCodes,
  guards: makeCardGuards,
  progress: makeCheckoutProgress,
  retrying: makeFirstChargeRetry,
  write: makeCheckoutWriter
})

type Services = Effect.Success<typeof services>

const takesNone = ({ id, record, status }: CheckoutPage, closed: Checkout.ClosedReason) =>
  Effect.fail(new TakesNoPayment({ record, id, status, instead: Checkout.instead[closed] }))

/** All that is known of a charge that was just written and saves nothing. */
const loadedOf = (
  charge: Charge,
  { organisation, taking: { integration, processor } }: CheckedSubmission
): LoadedCharge => ({
  organisation,
  integration,
  processor: Option.some(processor),
  mandate: null,
  state: newChargeState(charge)
})

const campaignOf = ({ attributions }: Services, { id }: Organisation, { campaign }: Checkout.Target) =>
  typeof campaign === "string"
    ? Effect.map(attributions.campaignOf(id, campaign), Option.getOrNull)
    : Effect.succeed(null)

/**
 * Lets a step be interrupted. Between the steps nothing is: a card that has its place among those that are tried gives it back,
 * whoever goes away meanwhile.
 */
type Restore = <A, E, R>(step: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A submission with everything that its page and its account say of it. Fails where it is not taken now. */
const validated = Effect.fnUntraced(function* (
  services: Services,
  organisation: Organisation,
  submission: Checkout.Submission
) {
  const { accounts, codes, pages, retrying } = services
  const [read, offerTo, prompts] = yield* Effect.all(
    [
      Effect.result(pages.pageOf(organisation, submission)),
      accounts.offers(organisation),
      pages.promptsOn(organisation, submission)
    ],
    { concurrency: "unbounded" }
  )
  const page = yield* Effect.fromResult(read)
  if (page.closed !== null) return yield* takesNone(page, page.closed)
  const offer = offerTo(page.payable)
  const taking = takerOf(offer, submission.method) ?? offer[0]
  if (taking === undefined) return yield* takesNone(page, "no_processor")
  const found: CheckedSubmission = {
    organisation,
    page,
    offer,
    taking,
    prompts,
    submission,
    linked: yield* pages.linkedDonor(organisation, page, submission),
    campaign_id: yield* campaignOf(services, organisation, submission),
    retried: yield* retrying(organisation, page, submission),
    opened_by: (yield* codes.isOpen(organisation, page, submission)) ? "code" : null,
    begun_at: null
  }
  const refusal = submissionRefusal(found)
  return refusal === null ? found : yield* refusal
})

const syncPatiently = ({ chargeSync }: Services, { id, organisation_id }: Charge) =>
  Effect.timeoutOption(chargeSync.ofId(organisation_id, id), patience)

/** The charge as its processor has it, where that answers while its donor waits; `written` is what it was written for. */
const synced = Effect.fnUntraced(function* (services: Services, charge: Charge, written?: CheckedSubmission) {
  // A charge that saves a means of payment has a mandate, which is read.
  const known = yield* written === undefined || charge.mandate_id !== null
    ? Effect.as(syncPatiently(services, charge), Option.none<Charge>())
    : Effect.timeoutOption(services.chargeSync.ofKnown(loadedOf(charge, written)), patience)
  if (Option.isSome(known)) return known.value
  const after = yield* services.charges.find(charge.organisation_id, charge.id)
  return Option.getOrElse(after, () => charge)
})

/** The pending charge, which somebody submits at this moment or has: its processor knows the outcome. */
const syncPending = Effect.fnUntraced(function* (services: Services, charge: Charge) {
  if (charge.status !== "NEW" || charge.ending !== null) return charge
  // In a host's own transaction no processor is asked.
  const { hasCommitted } = yield* services.committed(Effect.void)
  return hasCommitted ? yield* synced(services, charge) : charge
})

/**
 * Cancels the pending gift of a link where it waits for its donor, and waits for what its processor says. Fails with {@link
 * GuardRefused} where that is not known, or its money may still arrive without the donor. money, section 4: Link with a gift in
 * progress.
 */
const cancelPending = Effect.fnUntraced(function* (services: Services, { link }: LinkPage) {
  const found = yield* services.pages.pendingCharge(link)
  if (Option.isNone(found)) return
  const pending = yield* syncPending(services, found.value)
  const { ended_at, ending, id, organisation_id, status } = pending
  if (ended_at !== null) return
  // It does not wait for its donor: its outcome is unknown.
  if (status === "NEW" && ending === null) return yield* busy("Checkout link")
  const at = yield* organisationNow
  const { hasCommitted } = yield* services.committed(services.end(organisation_id, id, at))
  if (hasCommitted) yield* syncPatiently(services, pending)
  const after = yield* services.charges.find(organisation_id, id)
  if (Option.exists(after, (charge) => charge.ended_at === null)) return yield* busy("Checkout link")
})

/** Writes a submission, or answers the charge that has its id; and whether it was written and has committed. */
const submitOnce = Effect.fnUntraced(function* (
  services: Services,
  organisation: Organisation,
  submission: Checkout.Submission,
  restore: Restore
) {
  const [first, valid] = yield* restore(
    Effect.all(
      [
        services.charges.ofSubmission(organisation.id, submission.submission_id),
        Effect.result(validated(services, organisation, submission))
      ],
      { concurrency: "unbounded" }
    )
  )
  if (Option.isSome(first)) return { value: first.value, hasCommitted: false } as const
  const checked = yield* Effect.fromResult(valid)
  if (checked.page.kind === "link" && checked.page.link.pending_donation_id !== null) {
    yield* restore(cancelPending(services, checked.page))
    return yield* Effect.fail({ _tag: "Overtaken" } as const)
  }
  const found = yield* services.guards.begin(checked)
  const written = Effect.onError(restore(services.committed(services.write(found))), () =>
    services.guards.end(found, null)
  )
  return { ...(yield* written.pipe(actingIn(organisation, visitor, submission.request_id))), found }
})

/** The charge after its processor was asked, with what the guard of cards learns of that. */
const takenUp = (
  services: Services,
  {
    found,
    hasCommitted,
    value
  }: { readonly value: Charge; readonly hasCommitted: boolean; readonly found?: CheckedSubmission },
  restore: Restore
) => {
  if (found === undefined) return restore(syncPending(services, value))
  const after = hasCommitted ? synced(services, value, found) : syncPending(services, value)
  return Effect.onExit(restore(after), (exit) => services.guards.end(found, Exit.isSuccess(exit) ? exit.value : null))
}

const submit = Effect.fnUntraced(function* (
  services: Services,
  organisation: Organisation,
  submission: Checkout.Submission,
  restore: Restore
) {
  const once = yield* submitOnce(services, organisation, submission, restore).pipe(
    // Another submission of this id came at the same moment, and was first.
    Effect.retry({ while: ({ _tag }) => _tag === "AlreadyTaken" }),
    Effect.catchTag("AlreadyTaken", Effect.die),
    // The link has changed, or its pending gift was cancelled.
    Effect.retry({ while: ({ _tag }) => _tag === "Overtaken", times: attempts }),
    Effect.catchTag("Overtaken", () => Effect.fail(busy("Checkout link")))
  )
  // A repetition takes up what was cut off before its donor had an answer.
  return yield* restore(services.progress.submitted(yield* takenUp(services, once, restore)))
})

/** Accepts submissions: validates and writes them, and has the processor take the money while the donor waits. */
export const makeCheckoutSubmission = Effect.map(
  services,
  (services) => (organisation: Organisation, submission: Checkout.Submission) =>
    Effect.uninterruptibleMask((restore) => submit(services, organisation, submission, restore))
)

/** The most payments whose looks are counted: beyond them, the least recently used are dropped. */
const paymentsRemembered = 10_000

/**
 * Shows a submission whose donor comes back from the processor: where it waits, the processor is asked first, some times at most,
 * so that the outcome is on the first page that is shown after it. Fails with {@link NotFound} for a token that opens nothing.
 */
export const makeProgressLook = Effect.gen(function* () {
  const { chargeSync, committed, progress } = yield* services
  const looks = makeBuckets(
    { perSecond: Limits.progressLooksPerSecond, burst: Limits.progressLooksBurst },
    paymentsRemembered
  )

  return Effect.fnUntraced(function* (token: string) {
    const found = yield* progress.chargeOf(token)
    if (Option.isNone(found)) return yield* progress.ofToken(token)
    const { ending, id, organisation_id, status } = found.value
    const isAwaited = status === "WAITING" && ending === null
    // In a host's own transaction no processor is asked.
    const mayLook =
      isAwaited && (yield* committed(Effect.void)).hasCommitted && looks.take(id, yield* monotonicMillis).allowed
    if (!mayLook) return yield* progress.ofCharge(found.value)
    yield* Effect.timeoutOption(chargeSync.glance(organisation_id, id), patience)
    return yield* progress.ofToken(token)
  })
})

/**
 * Approves or refuses a payment that waits at the test processor, and answers how it goes then. Fails with {@link NotFound}
 * where the token opens none of those, and with {@link InvalidInput} where it waits no more.
 */
export const makeTestApproval = Effect.gen(function* () {
  const { chargeSync, progress } = yield* services
  const bank = yield* TestBank
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const timeOf = yield* makeOrganisationTime

  return Effect.fnUntraced(function* ({ is_approved, progress_token }: Checkout.TestApproval) {
    const found = yield* progress.chargeOf(progress_token)
    if (Option.isNone(found)) return yield* progress.ofToken(progress_token)
    const { id, organisation_id } = found.value
    const moved = moveTestCharge(organisation_id, id, is_approved ? TestCharges.approve : TestCharges.decline).pipe(
      Effect.provideService(TestBank, bank),
      Effect.provideService(Tokens, tokens),
      transaction.run
    )
    yield* timeOf(organisation_id)(
      Effect.andThen(moved, Effect.timeoutOption(chargeSync.ofId(organisation_id, id), patience))
    )
    return yield* progress.ofToken(progress_token)
  })
})
