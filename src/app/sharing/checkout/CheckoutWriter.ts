import { type DateTime, Effect, Option } from "effect"
import { submittedOf, type TypedDonor } from "../../../domain/giving/CheckoutDonor.ts"
import type { CheckoutLink } from "../../../domain/giving/CheckoutLink.ts"
import { consentOf } from "../../../domain/giving/ConsentPrompt.ts"
import type { Donor } from "../../../domain/giving/Donor.ts"
import * as PersonalisedLink from "../../../domain/giving/PersonalisedLink.ts"
import { enteredOf } from "../../../domain/sharing/SetAmounts.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { makeCheckoutLinkChange } from "../../giving/link/CheckoutLinkChange.ts"
import { Reactions } from "../../kernel/reaction/Reactions.ts"
import {
  bookedUnder,
  type GiftInput,
  makeCheckoutDonors,
  makeGiftCreation
} from "../../payments/charge/ChargeCreation.ts"
import { makeSubscriptionSetup } from "../../payments/subscription/SubscriptionSetup.ts"
import { makePaymentCreation } from "../payment/PaymentCreation.ts"
import type { FormPage, LinkPage, SetPage } from "./CheckoutPages.ts"
import type { CheckedSubmission } from "./SubmissionCheck.ts"
import { makeRetryTarget, retriesOver } from "./SubmissionCheck.ts"

const operation = "checkouts.submit"

/** The page has changed since it was read: it is read again. */
const overtaken = { _tag: "Overtaken" } as const

/** The payment, with the claims of the donor's own link where that was accepted. */
const payingOf = ({ linked, submission }: Pick<CheckedSubmission, "linked" | "submission">) => {
  const dt = Option.isSome(linked) ? submission.dt : null
  return { ...submission, link_claims: typeof dt === "string" ? PersonalisedLink.claimsTextOf(dt) : null }
}

const detailsOf = (link: CheckoutLink): TypedDonor => ({
  email: link.donor_email,
  first_name: link.donor_first_name,
  last_name: link.donor_last_name,
  phone: link.donor_phone
})

/** Writes submissions, in the surrounding transaction: the processor is not asked yet. */
export const makeCheckoutWriter = Effect.gen(function* () {
  const changeLink = yield* makeCheckoutLinkChange
  const donors = yield* makeCheckoutDonors
  const donorStore = yield* DonorStore
  const newGift = yield* makeGiftCreation
  const newPayment = yield* makePaymentCreation
  const retryable = yield* makeRetryTarget
  const settingUp = yield* makeSubscriptionSetup
  const tokens = yield* Tokens
  const reactions = yield* Reactions

  /** The donor of the own link that was accepted, locked; none without one. Who was archived since is looked for anew. */
  const ownOf = Effect.fnUntraced(function* ({
    linked,
    organisation
  }: Pick<CheckedSubmission, "linked" | "organisation">) {
    const own = Option.isSome(linked) ? yield* donors.held(organisation.id, linked.value) : linked
    return Option.isSome(linked) && Option.isNone(own) ? yield* Effect.fail(overtaken) : own
  })

  /** Fails with {@link InvalidInput} where what the donor may give does not permit the gift. */
  const allowed = (
    { amount_cents, currency }: CheckedSubmission["submission"],
    { id, organisation_id }: Donor,
    { revenue_code_id }: GiftInput["booked"],
    source: "CHECKOUT_LINK" | "PAYMENT_PROCESSOR",
    at: DateTime.Utc
  ) =>
    reactions.giftAsked({
      organisation_id,
      donor: { id },
      amount_cents,
      currency,
      source,
      revenue_code_id: bookedUnder(revenue_code_id),
      recipient_account_link_id: null,
      at
    })

  const onForm = Effect.fnUntraced(function* (
    { page: { form }, ...sound }: CheckedSubmission<FormPage>,
    at: DateTime.Utc
  ) {
    const { campaign_id, organisation, prompts, submission, taking } = sound
    const typed = submission.donor ?? {}
    const donor = yield* donors.resolve(organisation.id, yield* ownOf(sound), typed, { at, operation })
    const gift = {
      id: yield* tokens.id("donation"),
      source: "PAYMENT_PROCESSOR" as const,
      donation_form_id: form.id,
      checkout_link_id: null,
      campaign_id,
      submitted_donor: submittedOf(typed),
      language: submission.language ?? null,
      ...consentOf(prompts, submission.consent ?? [], at)
    }
    yield* allowed(submission, donor, form, gift.source, at)
    const given = { operation, organisation, taking, paying: payingOf(sound), donor, gift, booked: form, at }
    const { frequency = null } = submission
    if (frequency === null) return yield* newGift(given)
    if (sound.retried === null) {
      return yield* settingUp.setUp({ given, frequency, donation_form_id: form.id, campaign_id })
    }
    const retried = yield* retryable(submission, taking.integration, sound.retried)
    return yield* Option.match(retried, {
      onNone: () => Effect.fail(retriesOver()),
      onSome: (found) => settingUp.tryAgain(given, { ...found, campaign_id })
    })
  })

  /** The donor is locked before the link, as by a merge of donors. */
  const onLink = Effect.fnUntraced(function* (
    { page: { link }, ...sound }: CheckedSubmission<LinkPage>,
    at: DateTime.Utc
  ) {
    const { campaign_id, organisation, submission, taking } = sound
    const known = link.donor_id === null ? Option.none() : yield* donorStore.find(organisation.id, link.donor_id)
    const donor = yield* donors.resolve(organisation.id, known, detailsOf(link), { at, operation })
    const donation_id = yield* tokens.id("donation")
    // The link was just found, and links are not deleted.
    const held = yield* Effect.orDie(changeLink.take(organisation, link.id))
    const { amount_cents, donor_id, payment_methods } = held.before
    const isSame = donor_id === link.donor_id && amount_cents === link.amount_cents
    if (!isSame || !payment_methods.includes(submission.method)) return yield* Effect.fail(overtaken)
    const is_bank_transfer = submission.method === "bank_transfer"
    yield* changeLink
      .settle(operation, { ...held, at }, [{ _tag: "Begin", at, donation_id, is_bank_transfer }])
      .pipe(Effect.mapError(() => overtaken))
    const gift = {
      id: donation_id,
      source: "CHECKOUT_LINK" as const,
      donation_form_id: null,
      checkout_link_id: link.id,
      campaign_id,
      submitted_donor: null,
      language: submission.language ?? null,
      ...consentOf([], [], at)
    }
    const booked = held.before
    yield* allowed(submission, donor, booked, gift.source, at)
    return yield* newGift({ operation, organisation, taking, paying: submission, donor, gift, booked, at })
  })

  const onSet = Effect.fnUntraced(function* (
    { page: { set }, ...sound }: CheckedSubmission<SetPage>,
    at: DateTime.Utc
  ) {
    const { campaign_id, organisation, prompts, submission, taking } = sound
    const { amounts_cents } = enteredOf(set, submission.allocations, submission.amount_cents)
    const own = yield* ownOf(sound)
    const giver = {
      link_donor_id: Option.getOrNull(Option.map(own, ({ id }) => id)),
      submitted_donor: submittedOf(submission.donor ?? {}),
      language: submission.language ?? null,
      campaign_id,
      ...consentOf(prompts, submission.consent ?? [], at)
    }
    const email = Option.isSome(own) ? own.value.email : (giver.submitted_donor?.email ?? null)
    return yield* newPayment({
      email,
      operation,
      organisation,
      taking,
      paying: payingOf(sound),
      set,
      amounts_cents,
      giver,
      at
    })
  })

  return Effect.fnUntraced(function* ({ page, ...sound }: CheckedSubmission) {
    const at = yield* organisationNow
    switch (page.kind) {
      case "form":
        return yield* onForm({ ...sound, page }, at)
      case "link":
        return yield* onLink({ ...sound, page }, at)
      case "set":
        return yield* onSet({ ...sound, page }, at)
    }
  })
})
