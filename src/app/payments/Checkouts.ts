import { Context, DateTime, Duration, Effect, Layer, Option, Schema, Struct } from "effect"
import type { Actor } from "../../domain/access/Caller.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { amountRefusal } from "../../domain/giving/CheckoutAmount.ts"
import { differsFromRecord, missingDetail, submittedOf } from "../../domain/giving/CheckoutDonor.ts"
import * as Donation from "../../domain/giving/Donation.ts"
import type { DonationForm } from "../../domain/giving/DonationForm.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import { dayOf } from "../../domain/kernel/CalendarDate.ts"
import { DonationId, RevenueCodeId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { InvalidInput, NotFound, TakesNoPayment } from "../../domain/kernel/Rejection.ts"
import * as Charge from "../../domain/payments/Charge.ts"
import * as Checkout from "../../domain/payments/Checkout.ts"
import * as ProgressToken from "../../domain/payments/ProgressToken.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { Macs } from "../../ports/kernel/Macs.ts"
import { SecretBox } from "../../ports/kernel/SecretBox.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { actingIn } from "../access/steps/Acting.ts"
import { checked } from "../access/steps/Checked.ts"
import { Journal } from "../access/steps/Journal.ts"
import { body, value } from "../access/steps/Operation.ts"
import { makeDonorTokens } from "../giving/steps/DonorTokens.ts"
import { makeAccounts, type Taking } from "./steps/Accounts.ts"
import { makeCheckoutDonors } from "./steps/CheckoutDonors.ts"
import { makeCheckoutPages } from "./steps/CheckoutPages.ts"
import { makeConverge } from "./steps/Converge.ts"
import { makeKnown } from "./steps/Known.ts"
import { makeRates } from "./steps/Rates.ts"
import { lease } from "./steps/Recording.ts"

/** The purpose of the MACs of progress tokens. */
const purpose = "checkout_progress"

const operation = "checkouts.submit"

/** Who gives, as the audit has it: nobody knows yet who that is. */
const visitor: Actor = { type: "SYSTEM", id: "donor" }

/** How long a donor is kept waiting for the processor. What it says later the page finds by asking for the progress. */
const patience = Duration.seconds(20)

/** What each use case takes: the service refuses anything else. */
export const takes = {
  open: [body(Checkout.Target)],
  submit: [body(Checkout.Submission)],
  progress: [value("token", Schema.String)]
} as const

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const isDonationId = Schema.is(DonationId)
const readRevenueCode = Schema.decodeUnknownOption(RevenueCodeId)

/** The message repeats nothing of the token: whoever has it sees a donor's payment. */
const unknownToken = () => new NotFound({ record: "checkout", id: "of this token" })

const closedBy: { readonly [S in DonationForm["status"]]: Checkout.Closed | null } = {
  ACTIVE: null,
  ARCHIVED: "archived",
  DRAFT: "draft",
  PAUSED: "paused"
}

const instead: { readonly [C in Checkout.Closed]: string } = {
  draft: "It is not open yet.",
  paused: "It may be open again later.",
  archived: "Use another form.",
  no_processor:
    "Its organisation has no account that takes gifts in its currency now: make one the default, or see why its processor takes no charges."
}

/** What a donor submits, with everything that was found out about it before anything is written. */
interface Sound {
  readonly organisation: Organisation
  readonly form: DonationForm
  readonly taking: Taking
  readonly submission: Checkout.Submission
  /** The donor of the link. */
  readonly linked: Option.Option<Donor>
}

/**
 * Takes gifts from donors through forms. Everything here is for whoever is on the page: no key is asked for. money, section 4.
 *
 * @example
 * ```ts
 * const program = Checkouts.Checkouts.use((checkouts) => checkouts.progress(given))
 * ```
 */
export class Checkouts extends Context.Service<Checkouts>()("almoner/app/Checkouts", {
  make: Effect.gen(function* () {
    const charges = yield* ChargeStore
    const donations = yield* DonationStore
    const accounts = yield* makeAccounts
    const pages = yield* makeCheckoutPages
    const donors = yield* makeCheckoutDonors
    const donorOf = yield* makeDonorTokens
    const converge = yield* makeConverge
    const known = yield* makeKnown
    const rates = yield* makeRates
    const box = yield* SecretBox
    const journal = yield* Journal
    const macs = yield* Macs
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const linkedOf = (organisation: Organisation, form: DonationForm, { dt }: Checkout.Target) =>
      typeof dt === "string"
        ? donorOf({ organisation_id: organisation.id, target: { kind: "donation_form", id: form.id } }, dt)
        : Effect.succeedNone

    /** What the page of a form shows, and why it takes no gift where it takes none. Fails with {@link NotFound}. */
    const open = Effect.fn("Checkouts.open")(function* (target: Checkout.Target) {
      const organisation = yield* pages.organisationOf(target)
      const form = yield* pages.formOf(organisation, target)
      const linked = yield* linkedOf(organisation, form, target)
      const taking = yield* accounts.taking(organisation)
      const closed = closedBy[form.status] ?? (Option.isNone(taking) ? "no_processor" : null)
      const processor_key =
        closed === null && Option.isSome(taking)
          ? yield* taking.value.processor.pageKey(taking.value.integration)
          : Option.none()
      const page: Checkout.Page = {
        organisation: Struct.pick(organisation, ["slug", "name"]),
        form,
        currency: organisation.default_currency,
        maximum_gift_cents: Limits.donationMaximumCents,
        methods: closed === null && Option.isSome(taking) ? taking.value.methods : [],
        processor: closed === null && Option.isSome(taking) ? taking.value.integration.processor : null,
        processor_key: Option.getOrNull(processor_key),
        donor: Option.getOrNull(Option.map(linked, ({ first_name }) => ({ first_name }))),
        closed
      }
      return page
    })

    const takesNone = ({ id, status }: DonationForm, closed: Checkout.Closed) =>
      Effect.fail(new TakesNoPayment({ record: "donation form", id, status, instead: instead[closed] }))

    const refusalOf = ({ form, linked, submission, taking }: Sound): InvalidInput | null => {
      const { currency, donor, method, payment_token } = submission
      const expected = taking.integration.settlement_currency
      if (currency !== expected)
        return invalid("currency", `currency must be ${expected}, in which this form takes gifts.`)
      if (!taking.methods.includes(method)) {
        return invalid("method", `method must be one that this form offers now: ${taking.methods.join(", ")}.`)
      }
      const isTokenMissing = taking.processor.capabilities.confirms && (payment_token ?? "") === ""
      return (
        amountRefusal(submission.amount_cents, form) ??
        (Option.isSome(linked) ? null : missingDetail(donor ?? {}, form)) ??
        (isTokenMissing ? invalid("payment_token", "payment_token must be what the processor's page gave.") : null)
      )
    }

    const sound = Effect.fnUntraced(function* (organisation: Organisation, submission: Checkout.Submission) {
      const form = yield* pages.formOf(organisation, submission)
      const closed = closedBy[form.status]
      if (closed !== null) return yield* takesNone(form, closed)
      const taking = yield* accounts.taking(organisation)
      if (Option.isNone(taking)) return yield* takesNone(form, "no_processor")
      const linked = yield* linkedOf(organisation, form, submission)
      const found: Sound = { organisation, form, taking: taking.value, submission, linked }
      const refusal = refusalOf(found)
      return refusal === null ? found : yield* refusal
    })

    /** The gift and its charge, written with the events of the donor and the gift: nothing is asked of the processor yet. */
    const write = Effect.fnUntraced(function* ({ form, linked, organisation, submission, taking }: Sound) {
      const at = yield* DateTime.now
      const { amount_cents, currency, method, submission_id } = submission
      const typed = submission.donor ?? {}
      const donor = yield* donors.resolve(organisation.id, linked, typed, at)
      const submitted_donor = submittedOf(typed)
      const charge_id = yield* tokens.id("charge")
      const donation_id = yield* tokens.id("donation")
      const gift = birth(
        Donation.machine,
        Donation.births.submitted,
        (status): Donation.Donation => ({
          id: donation_id,
          organisation_id: organisation.id,
          donor_id: donor.id,
          external_id: null,
          source: "PAYMENT_PROCESSOR",
          status,
          amount_cents,
          refunded_amount_cents: 0,
          currency,
          donation_type: "MONETARY",
          in_kind_category: null,
          in_kind_description: null,
          donation_date: at,
          donation_day: dayOf(at, organisation.timezone),
          received_date: null,
          received_day: null,
          payment_method: method,
          revenue_code: form.revenue_code,
          revenue_code_id: Option.getOrNull(readRevenueCode(form.revenue_code_id)),
          recommendation_set_id: null,
          allocation_id: null,
          subscription_id: null,
          is_recurring: false,
          donation_form_id: form.id,
          campaign_id: null,
          consent_given: null,
          consent_responses: [],
          differs_from_record: differsFromRecord(submitted_donor, donor),
          submitted_donor,
          failure_code: null,
          charge_id,
          checkout_link_id: null,
          created_at: at,
          updated_at: at,
          deleted_at: null
        })
      )
      const token = submission.payment_token ?? null
      const sealed_token = token === null ? null : yield* box.seal(token, charge_id)
      // Whoever writes it asks the processor next: the worker leaves it alone for as long.
      const look_at = DateTime.addDuration(yield* charges.now, lease)
      const platform_rate = yield* rates.of(organisation, at)
      const charge = birth(
        Charge.machine,
        Charge.births.submitted,
        (status): Charge.Charge => ({
          id: charge_id,
          organisation_id: organisation.id,
          integration_id: taking.integration.id,
          purpose: "donation",
          subject_id: donation_id,
          method,
          amount_cents,
          currency,
          status,
          reference: null,
          submission_id,
          failure_code: null,
          processor_fee_cents: null,
          platform_rate,
          sealed_token,
          confirmed_at: null,
          ending: null,
          look_at,
          looks: 0,
          waiting_since: null,
          ended_at: null,
          created_at: at,
          updated_at: at
        })
      )
      yield* charges.insert(charge.state)
      yield* donations.insert(gift.state)
      yield* journal.write({ operation, subject_id: donation_id, at, events: gift.events })
      return charge.state
    })

    /** What the donor has to do now, while the processor waits for that. */
    const nextStepOf = Effect.fnUntraced(function* (charge: Charge.Charge) {
      const isAsked = (charge.status === "NEW" || charge.status === "WAITING") && charge.reference !== null
      const place = isAsked && charge.ending === null ? yield* known.placeOf(charge) : Option.none()
      const next = Option.flatMap(place, ({ integration, processor }) =>
        Option.map(processor, ({ nextStep }) => nextStep({ charge, integration }))
      )
      // Where the processor is not reached the page asks again.
      return Option.isNone(next)
        ? Option.none()
        : Option.flatten(Option.flatten(yield* Effect.timeoutOption(Effect.option(next.value), patience)))
    })

    const progressOf = Effect.fnUntraced(function* (charge: Charge.Charge) {
      const step = yield* nextStepOf(charge)
      const progress: Checkout.Progress = {
        donation_id: isDonationId(charge.subject_id) ? charge.subject_id : null,
        status: charge.status,
        amount_cents: charge.amount_cents,
        currency: charge.currency,
        method: charge.method,
        failure_code: Checkout.failureOf(charge),
        next_step: Option.getOrNull(step)
      }
      return progress
    })

    const tokenOf = Effect.fnUntraced(function* ({ id: charge_id, organisation_id }: Charge.Charge) {
      const [key_id] = macs.keyIds
      const subject: ProgressToken.Subject = { key_id, organisation_id, charge_id }
      const mac = yield* macs.make(key_id, purpose, ProgressToken.canonicalText(subject))
      return ProgressToken.write({ ...subject, mac: Option.getOrThrow(mac) })
    })

    const answerOf = Effect.fnUntraced(function* (charge: Charge.Charge) {
      const answer: Checkout.Submitted = { progress_token: yield* tokenOf(charge), ...(yield* progressOf(charge)) }
      return answer
    })

    /** Writes a submission, or answers the charge that has its id; and whether it was written and has committed. */
    const submitOnce = Effect.fnUntraced(function* (organisation: Organisation, submission: Checkout.Submission) {
      const { request_id, submission_id } = submission
      const first = yield* charges.ofSubmission(organisation.id, submission_id)
      if (Option.isSome(first)) return { charge: first.value, isNew: false }
      const checkedSubmission = yield* sound(organisation, submission)
      let isNew = false
      const writing = Effect.tap(write(checkedSubmission), () =>
        // In a host's own transaction nothing has committed when this ends, and the worker does the rest.
        transaction.afterCommit(
          Effect.sync(() => {
            isNew = true
          })
        )
      )
      const charge = yield* transaction.run(writing).pipe(actingIn(organisation, visitor, request_id))
      return { charge, isNew }
    })

    /**
     * Submits a gift and asks the processor for its money: the donor's next step, or what came of it. The same `submission_id`
     * gets the first gift, whatever else it says. Fails with {@link NotFound}, with {@link TakesNoPayment} where the form takes
     * no gift, and with {@link InvalidInput} for an amount, currency or method that the form does not take now, and for details
     * that it needs.
     */
    const submit = Effect.fn("Checkouts.submit")(function* (submission: Checkout.Submission) {
      const organisation = yield* pages.organisationOf(submission)
      const { charge, isNew } = yield* submitOnce(organisation, submission).pipe(
        // Another submission of this id came at the same moment, and was first.
        Effect.retry({ while: ({ _tag }) => _tag === "AlreadyTaken" }),
        Effect.catchTag("AlreadyTaken", Effect.die)
      )
      if (isNew) yield* Effect.timeoutOption(converge(organisation.id, charge.id), patience)
      const after = isNew ? yield* charges.find(organisation.id, charge.id) : Option.none()
      return yield* answerOf(Option.getOrElse(after, () => charge))
    })

    /** How a submission is going, for a day. Fails with {@link NotFound} for any other token. */
    const progress = Effect.fn("Checkouts.progress")(function* (token: string) {
      const presented = ProgressToken.read(token)
      if (Option.isNone(presented)) return yield* unknownToken()
      const { charge_id, key_id, mac, organisation_id } = presented.value
      const isOurs = yield* macs.verify(key_id, purpose, ProgressToken.canonicalText(presented.value), mac)
      const charge = isOurs ? yield* charges.find(organisation_id, charge_id) : Option.none()
      const now = yield* DateTime.now
      return Option.isSome(charge) && ProgressToken.isOpenAt(charge.value, now)
        ? yield* progressOf(charge.value)
        : yield* unknownToken()
    })

    return checked({}, takes, { open, submit, progress })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
