import { Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import type { Actor } from "../../domain/access/Caller.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import * as CheckoutLink from "../../domain/giving/CheckoutLink.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { can, decide, GuardRefused } from "../../domain/kernel/Machine.ts"
import { TakesNoPayment } from "../../domain/kernel/Rejection.ts"
import type * as Charge from "../../domain/payments/Charge.ts"
import * as Checkout from "../../domain/sharing/Checkout.ts"
import { CheckoutLinkStore } from "../../ports/giving/CheckoutLinkStore.ts"
import { ConsentPromptStore } from "../../ports/giving/ConsentPromptStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { actingIn } from "../access/steps/Acting.ts"
import { checked } from "../access/steps/Checked.ts"
import { body, value } from "../access/steps/Operation.ts"
import { makeOrganisationTime } from "../access/steps/OrganisationTime.ts"
import { makeDonorTokens } from "../giving/steps/DonorTokens.ts"
import { Attributions } from "../kernel/steps/Attributions.ts"
import { makeCommitted } from "../kernel/steps/Committed.ts"
import { makeChargeSync } from "../payments/charge/ChargeSync.ts"
import { makeAccounts, type Taking } from "../payments/steps/Accounts.ts"
import { makeEnding } from "../payments/steps/Ending.ts"
import { type Known, untouched } from "../payments/steps/Known.ts"
import { type CheckoutPage, type LinkPage, makeCheckoutPages } from "./steps/CheckoutPages.ts"
import { makeCheckoutProgress, patience } from "./steps/CheckoutProgress.ts"
import { frequenciesOn, type Sound, submissionRefusal } from "./steps/CheckoutSound.ts"
import { makeCheckoutWriting } from "./steps/CheckoutWriting.ts"
import { makeRetrying } from "./steps/Retrying.ts"

/** Who gives, as the audit has it: nobody knows yet who that is. */
const visitor: Actor = { type: "SYSTEM", id: "donor" }

/** How often a submission looks at its page again where another one was faster. */
const attempts = 3

/** What each use case takes: the service refuses anything else. */
export const takes = {
  open: [body(Checkout.Target)],
  submit: [body(Checkout.Submission)],
  progress: [value("token", Schema.String)]
} as const

const takesNone = ({ id, record, status }: CheckoutPage, closed: Checkout.Closed) =>
  Effect.fail(new TakesNoPayment({ record, id, status, instead: Checkout.instead[closed] }))

/** Another gift is in progress, or the page changes all the time. */
const busy = () =>
  new GuardRefused({
    machine: "Checkout link",
    command: "Begin",
    rule: "no gift is in progress",
    message:
      "Another payment here is being made, or is being cancelled and its processor has not answered yet. Try again in a moment."
  })

const donorOn = (page: CheckoutPage, linked: Option.Option<Donor>): Checkout.Page["donor"] => {
  if (page.kind === "link") return { first_name: page.link.donor_first_name }
  return Option.getOrNull(Option.map(linked, ({ first_name }) => ({ first_name })))
}

const shownOn = (page: CheckoutPage): Pick<Checkout.Page, "form" | "link" | "set"> => {
  const nothing = { form: null, link: null, set: null }
  switch (page.kind) {
    case "form":
      return { ...nothing, form: page.form }
    case "link":
      return { ...nothing, link: page.link }
    case "set": {
      const { recipients, set } = page
      const unnamed = { link_label: "", recipient_org_name: "" }
      const allocations = set.allocations.map((each) => ({
        ...each,
        ...(recipients.get(each.recipient_org_account_link_id) ?? unnamed)
      }))
      return { ...nothing, set: { ...set, allocations } }
    }
  }
}

/** How often gifts may be repeated on a page, and what it opens with. service-spec, Donation form. */
const offeredOn = (
  page: CheckoutPage,
  open: Option.Option<Taking>
): Pick<Checkout.Page, "default_cadence" | "frequencies"> => {
  const frequencies = Option.match(open, { onNone: () => [], onSome: (taking) => frequenciesOn(page, taking) })
  const isRecurring = page.kind === "form" && frequencies.length > 0
  return { frequencies, default_cadence: isRecurring ? page.form.default_cadence : "ONE_TIME" }
}

/** All that is known of a charge that was just written and saves nothing. */
const knownOf = (charge: Charge.Charge, { organisation, taking: { integration, processor } }: Sound): Known => ({
  organisation,
  integration,
  processor: Option.some(processor),
  mandate: null,
  state: untouched(charge)
})

/**
 * Takes gifts from donors through forms and checkout links, and payments to the recipients of recommendation sets. Everything
 * here is for whoever is on the page: no key is asked for. money, section 4.
 */
export class Checkouts extends Context.Service<Checkouts>()("almoner/app/Checkouts", {
  make: Effect.gen(function* () {
    const charges = yield* ChargeStore
    const links = yield* CheckoutLinkStore
    const prompts = yield* ConsentPromptStore
    const accounts = yield* makeAccounts
    const attributions = yield* Attributions
    const pages = yield* makeCheckoutPages
    const donorOf = yield* makeDonorTokens
    const committed = yield* makeCommitted
    const chargeSync = yield* makeChargeSync
    const end = yield* makeEnding
    const progressing = yield* makeCheckoutProgress
    const retrying = yield* makeRetrying
    const writing = yield* makeCheckoutWriting
    const timeOf = yield* makeOrganisationTime
    const transaction = yield* Transaction

    const linkedOf = ({ id: organisation_id }: Organisation, { target }: CheckoutPage, { dt }: Checkout.Target) =>
      typeof dt === "string" && target !== null ? donorOf({ organisation_id, target }, dt) : Effect.succeedNone

    /** What the donor is asked; a checkout link asks nothing. money, section 4: Consent. */
    const asked = ({ id }: Organisation, { kind }: CheckoutPage) =>
      kind === "link" ? Effect.succeed([]) : prompts.asked(id)

    const campaignOf = ({ id }: Organisation, { campaign }: Checkout.Target) =>
      typeof campaign === "string"
        ? Effect.map(attributions.campaignOf(id, campaign), Option.getOrNull)
        : Effect.succeed(null)

    /** Counts that the page was opened, as long as the link is there to be paid. Visits are counted, not audited. */
    const visit = Effect.fnUntraced(function* ({ link: { id, organisation_id } }: LinkPage) {
      const held = yield* links.findForUpdate(organisation_id, id)
      const command: CheckoutLink.Command = { _tag: "Visit", at: yield* DateTime.now }
      if (Option.isNone(held) || !can(CheckoutLink.machine, held.value, command)) return
      const decision = decide(CheckoutLink.machine, held.value, command)
      const { state } = yield* Effect.orDie(Effect.fromResult(decision))
      yield* links.update(state)
    }, transaction.run)

    const opened = Effect.fnUntraced(function* (organisation: Organisation, target: Checkout.Target) {
      const found = yield* pages.pageOf(organisation, target)
      const linked = yield* linkedOf(organisation, found, target)
      const taking = yield* accounts.taking(organisation, found.payable)
      const closed = found.closed ?? (Option.isNone(taking) ? "no_processor" : null)
      const open: Option.Option<Taking> = closed === null ? taking : Option.none()
      const key = Option.map(open, ({ integration, processor }) => processor.pageKey(integration))
      if (found.kind === "link") yield* visit(found)
      const page: Checkout.Page = {
        organisation: Struct.pick(organisation, ["slug", "name"]),
        ...shownOn(found),
        currency: found.payable.currency,
        maximum_gift_cents: Limits.donationMaximumCents,
        methods: Option.match(open, { onNone: () => [], onSome: ({ methods }) => methods }),
        ...offeredOn(found, open),
        processor: Option.match(open, { onNone: () => null, onSome: ({ integration }) => integration.processor }),
        processor_key: Option.isNone(key) ? null : Option.getOrNull(yield* key.value),
        prompts: (yield* asked(organisation, found)).map(Struct.pick(["id", "text"])),
        donor: donorOn(found, linked),
        closed
      }
      return page
    })

    /** What a page shows, and why it takes no gift where it takes none. Fails with {@link NotFound}. */
    const open = Effect.fn("Checkouts.open")(function* (target: Checkout.Target) {
      const organisation = yield* pages.organisationOf(target)
      return yield* timeOf(organisation.id)(opened(organisation, target))
    })

    const sound = Effect.fnUntraced(function* (organisation: Organisation, submission: Checkout.Submission) {
      const page = yield* pages.pageOf(organisation, submission)
      if (page.closed !== null) return yield* takesNone(page, page.closed)
      const taking = yield* accounts.taking(organisation, page.payable)
      if (Option.isNone(taking)) return yield* takesNone(page, "no_processor")
      const found: Sound = {
        organisation,
        page,
        taking: taking.value,
        prompts: yield* asked(organisation, page),
        submission,
        linked: yield* linkedOf(organisation, page, submission),
        campaign_id: yield* campaignOf(organisation, submission),
        retried: yield* retrying(organisation, page, submission)
      }
      const refusal = submissionRefusal(found)
      return refusal === null ? found : yield* refusal
    })

    const convergePatiently = ({ id, organisation_id }: Charge.Charge) =>
      Effect.timeoutOption(chargeSync.ofId(organisation_id, id), patience)

    /** The charge as its processor has it, where that answers while its donor waits; `written` is what it was written for. */
    const agreed = Effect.fnUntraced(function* (charge: Charge.Charge, written?: Sound) {
      // What saves a means of payment has a mandate, which is read.
      yield* written === undefined || charge.mandate_id !== null
        ? convergePatiently(charge)
        : Effect.timeoutOption(chargeSync.ofKnown(knownOf(charge, written)), patience)
      const after = yield* charges.find(charge.organisation_id, charge.id)
      return Option.getOrElse(after, () => charge)
    })

    /** The charge in progress, which somebody submits at this moment or has: it is asked what came of it. */
    const settled = Effect.fnUntraced(function* (charge: Charge.Charge) {
      if (charge.status !== "NEW" || charge.ending !== null) return charge
      // In a host's own transaction no processor is asked.
      const { hasCommitted } = yield* committed(Effect.void)
      return hasCommitted ? yield* agreed(charge) : charge
    })

    /**
     * Has the gift in progress on a link give way where it waits for its donor, and waits for what its processor says. Fails
     * with {@link GuardRefused} where that is not known, or its money may still arrive without the donor. money, section 4:
     * Link with a gift in progress.
     */
    const clear = Effect.fnUntraced(function* ({ link }: LinkPage) {
      const found = yield* pages.inProgress(link)
      if (Option.isNone(found)) return
      const pending = yield* settled(found.value)
      const { ended_at, ending, id, organisation_id, status } = pending
      if (ended_at !== null) return
      // It does not wait for its donor: nobody knows yet what came of it.
      if (status === "NEW" && ending === null) return yield* busy()
      const at = yield* DateTime.now
      const { hasCommitted } = yield* committed(end(organisation_id, id, at))
      if (hasCommitted) yield* convergePatiently(pending)
      const after = yield* charges.find(organisation_id, id)
      if (Option.exists(after, ({ ended_at }) => ended_at === null)) return yield* busy()
    })

    /** Writes a submission, or answers the charge that has its id; and whether it was written and has committed. */
    const submitOnce = Effect.fnUntraced(function* (organisation: Organisation, submission: Checkout.Submission) {
      const first = yield* charges.ofSubmission(organisation.id, submission.submission_id)
      if (Option.isSome(first)) return { value: first.value, hasCommitted: false } as const
      const found = yield* sound(organisation, submission)
      if (found.page.kind === "link" && found.page.link.pending_donation_id !== null) {
        yield* clear(found.page)
        return yield* Effect.fail({ _tag: "Overtaken" } as const)
      }
      const done = yield* committed(writing(found)).pipe(actingIn(organisation, visitor, submission.request_id))
      return { ...done, found }
    })

    const submitted = Effect.fnUntraced(function* (organisation: Organisation, submission: Checkout.Submission) {
      const once = yield* submitOnce(organisation, submission).pipe(
        // Another submission of this id came at the same moment, and was first.
        Effect.retry({ while: ({ _tag }) => _tag === "AlreadyTaken" }),
        Effect.catchTag("AlreadyTaken", Effect.die),
        // The link has changed, or its gift in progress has given way.
        Effect.retry({ while: ({ _tag }) => _tag === "Overtaken", times: attempts }),
        Effect.catchTag("Overtaken", () => Effect.fail(busy()))
      )
      // A repetition takes up what was cut off before its donor had an answer.
      return yield* progressing.submitted(
        yield* once.hasCommitted ? agreed(once.value, once.found) : settled(once.value)
      )
    })

    /**
     * Submits a gift, or a payment to a set's recipients, and asks the processor for its money: the donor's next step, or what
     * came of it. The same `submission_id` gets the first one, whatever else it says. Fails with {@link NotFound}, with
     * {@link TakesNoPayment} where the page takes no gift, with {@link GuardRefused} where another payment on a checkout link is
     * under way, and with {@link InvalidInput} for an amount, currency or method that the page does not take now, for details
     * that it needs, and for answers to other consent prompts than it asks.
     */
    const submit = Effect.fn("Checkouts.submit")(function* (submission: Checkout.Submission) {
      const organisation = yield* pages.organisationOf(submission)
      return yield* timeOf(organisation.id)(submitted(organisation, submission))
    })

    /** How a submission is going, for a day. Fails with {@link NotFound} for any other token. */
    const progress = Effect.fn("Checkouts.progress")(function* (token: string) {
      return yield* progressing.ofToken(token)
    })

    return checked({}, takes, { open, submit, progress })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
