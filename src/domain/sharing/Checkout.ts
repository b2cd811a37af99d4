import { Schema, Struct } from "effect"
import { RequestId } from "../access/Caller.ts"
import type { Organisation } from "../access/Organisation.ts"
import { TypedDonor } from "../giving/CheckoutDonor.ts"
import { CheckoutLink } from "../giving/CheckoutLink.ts"
import { ShownPrompt, TypedAnswer } from "../giving/ConsentPrompt.ts"
import { SubmittedDonor } from "../giving/DonorFields.ts"
import { settingsFields } from "../giving/FormSettings.ts"
import type { GivingSettings } from "../giving/GivingSettings.ts"
import { clearable, type InForms, inForms } from "../kernel/Fields.ts"
import {
  AllocationId,
  CheckoutLinkId,
  DonationFormId,
  DonationId,
  PaymentId,
  RecommendationSetId,
  SubscriptionId
} from "../kernel/Ids.ts"
import { languages } from "../kernel/Language.ts"
import { Limits } from "../kernel/Limits.ts"
import { Cents, CurrencyInUse, DonationCents } from "../kernel/Money.ts"
import { PaymentMethod } from "../kernel/PaymentMethod.ts"
import { Frequency } from "../kernel/Schedule.ts"
import { Email, GivenId, TextUpTo } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import * as Charge from "../payments/Charge.ts"
import { MethodBounds } from "../payments/MethodBounds.ts"
import { NextStep } from "../payments/NextStep.ts"
import { pageForms } from "./PageName.ts"
import { AllocationRecord, RecommendationSet } from "./RecommendationSet.ts"

const meanings = {
  organisation: "The slug of the organisation whose page it is.",
  slug: "The form's slug.",
  embed_token: "The form's embed_token, where another site embeds it.",
  code: "The checkout link's code.",
  url_key: "The recommendation set's url_key. One of the four names the page.",
  dt: "The token of the donor's own link, which says who gives. A checkout link knows its donor without one.",
  campaign: "The campaign's public_ref, by which the gift is attributed; one that is not known attributes nothing.",
  amount_cents: "The gift in minor units of the currency, in total.",
  currency: "The currency that the page showed.",
  method: "How the donor pays.",
  allocations:
    "What goes to each recipient of a recommendation set, as the page showed or the donor entered it: all of them.",
  submission_id: "A UUID that the page made: the same one is the same gift, however often it comes.",
  frequency: "How often the gift is repeated, one that the form offers; a gift that is given once has none.",
  retries:
    "The progress_token of the first charge of a recurring gift that failed, where the donor tries it again: the same recurring gift.",
  frequencies: "How often gifts may be repeated; none where the page takes gifts that are given once only.",
  default_cadence: "Which side of the page's toggle opens first.",
  subscription_id: "The recurring gift that is set up; null for a gift that is given once.",
  language: "The language of the page, in which the mails about the gift are; English where none is given.",
  donor: "The details that the donor typed; a checkout link takes none.",
  consent: "The donor's answers to the consent prompts that the page showed: all of them.",
  payment_token: "What the processor's page made of the donor's means of payment.",
  request_id: "The id of the request, as the audit records it.",
  processor_account:
    "The account that the gift is for at the processor whose field the page shows; null where it shows none, or the account's own key is used.",
  cards_closed: "Whether the page takes no cards for some hours, since many were declined.",
  methods:
    "How donors may pay; none where the page takes no gift. A bank transfer may be to another account than the processor's.",
  processor: "The processor whose field the page shows; null where the page takes no gift.",
  takes_token:
    "Whether the processor is told what a donor pays with by a payment token, which its own field on the page makes; a bank transfer needs none.",
  processor_key: "The public key that the processor's field on the page needs; null where it needs none.",
  maximum_gift_cents: "The greatest gift that any of the methods takes, whatever the page says, in minor units.",
  minimum_gift_cents: "The least gift that any of the methods takes, minor units; null where any is enough.",
  method_bounds: "The least and the greatest gift by each method, and by cards where a code or a wallet opens them.",
  is_counted: "Whether the visit was counted: only a checkout link that takes its gift now counts its visits.",
  timezone: "The organisation's time zone, in which the page says days.",
  closed: "Why the page takes no gift now; null where it does.",
  form: "What the page of a form shows; null for another page.",
  link: "What the page of a checkout link shows; null for another page.",
  set: "What the page of a recommendation set shows; null for another page.",
  prompts: "The consent prompts that the page shows, in their order; none on a checkout link.",
  first_name: "The name by which the page greets the donor of the link; null when none is known.",
  as_of: "When the page was looked at, by the organisation's clock.",
  email: "The address that the donor typed, to which the code is mailed.",
  email_code: "The six digits that were mailed.",
  card_pass:
    "What the entered code was answered with: it opens cards for the submission of this id, page and address where they are closed, for half an hour.",
  card_codes: "Whether cards, which are closed, are opened for a gift by a code mailed to the address that is typed.",
  card_wallets: "Whether cards, which are closed, are taken from a wallet such as Apple Pay, as the processor says.",
  is_sandbox: "Whether it is a sandbox, in which no money moves.",
  receipt_email: "Where a receipt goes once the money is there, masked; null where none is sent.",
  lapses_at: "Until when a bank transfer is expected; null for any other payment.",
  progress_token: "Opens the progress of this submission for a day. Whoever has it sees how the payment goes.",
  donation_id: "The gift; null where a recommendation set is paid.",
  recommendation_set_payment_id: "The payment to a recommendation set; null where a gift is made.",
  status: "How far the payment is.",
  path: "The path of the page that was given through.",
  failure_code: "Why no money came; null otherwise.",
  next_step: "What the donor has to do now; null where nothing."
}

const Language = Schema.Literals(languages)

const target = {
  organisation: GivenId,
  slug: clearable(GivenId),
  embed_token: clearable(GivenId),
  code: clearable(GivenId),
  url_key: clearable(GivenId),
  dt: clearable(TextUpTo(Limits.textCharacters)),
  campaign: clearable(GivenId)
}

const targetFields = Schema.Struct(target).annotate({ identifier: "CheckoutTarget", meanings })

/** The page of a form, a checkout link or a recommendation set. */
export const Target = inForms(targetFields, pageForms)
export type Target = InForms<typeof targetFields.Type, typeof pageForms>

/** Why a page takes no gift. money, section 4. */
export const ClosedReason = Schema.Literals([
  "draft",
  "paused",
  "archived",
  "expired",
  "completed",
  "cancelled",
  "deactivated",
  "in_progress",
  "no_processor",
  "cards_closed"
]).annotate({ identifier: "CheckoutClosed" })
export type ClosedReason = typeof ClosedReason.Type

/** The advice for each reason, a sentence. */
export const instead: { readonly [C in ClosedReason]: string } = {
  draft: "It is not open yet.",
  paused: "It may be open again later.",
  archived: "Use another one.",
  expired: "Its time has run out: ask the organisation for another one.",
  completed: "It was paid already.",
  cancelled: "Ask the organisation for another one.",
  deactivated: "It may be open again later.",
  in_progress: "A payment on it is under way, and its money may still arrive: wait until that is settled.",
  no_processor:
    "Its organisation has no account that takes such a gift in its currency now: make one the default, or see why its processor takes no charges, or none of its amount.",
  cards_closed:
    "It takes no cards for some hours, since many were declined, and there is no other method: use a link that the organisation sends to its donor."
}

const formPage = Schema.Struct({
  id: DonationFormId,
  slug: Schema.String,
  ...Struct.pick(settingsFields, [
    "title",
    "description",
    "thank_you_message",
    "disclaimer_text",
    "suggested_amounts_cents",
    "allow_custom_amount",
    "default_amount_cents",
    "minimum_amount_cents",
    "maximum_amount_cents",
    "address_visibility",
    "phone_visibility"
  ])
}).annotate({ identifier: "CheckoutForm" })

const linkPage = Schema.Struct({
  id: CheckoutLinkId,
  ...Struct.pick(CheckoutLink.fields, ["amount_cents", "description", "expires_at"])
}).annotate({ identifier: "CheckoutOfLink" })

const setPage = Schema.Struct({
  id: RecommendationSetId,
  ...Struct.pick(RecommendationSet.fields, ["name", "description", "amount_mode", "min_total_cents", "expires_at"]),
  /** In the order in which donors see them. */
  allocations: Schema.Array(AllocationRecord)
}).annotate({ identifier: "CheckoutOfSet" })

/** An organisation as its pages name it. */
const OrganisationShown = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  is_sandbox: Schema.Boolean,
  timezone: Schema.String,
  abn: Schema.NullOr(Schema.String),
  logo: Schema.NullOr(Schema.String),
  accent_color: Schema.NullOr(Schema.String),
  embed_origins: Schema.Array(Schema.String)
}).annotate({
  identifier: "CheckoutOrganisation",
  meanings: {
    ...meanings,
    slug: "The organisation's slug.",
    abn: "The ABN of the fund that receipts name, or else the organisation's own.",
    logo: "The name of its logo; `null` without one.",
    accent_color: "The colour of links and buttons; `null` for the one of all pages.",
    embed_origins: "Origins of the sites that may embed its forms."
  }
})

/** An organisation as its pages show it. */
export const organisationShown = (
  { abn, is_sandbox, name, slug, timezone }: Organisation,
  { accent_color, embed_origins, fund_abn, logo }: GivingSettings
): Page["organisation"] => ({
  slug,
  name,
  is_sandbox,
  timezone,
  abn: fund_abn ?? abn,
  logo,
  accent_color,
  embed_origins
})

/** The content of a page. */
export const Page = Schema.Struct({
  organisation: OrganisationShown,
  form: Schema.NullOr(formPage),
  link: Schema.NullOr(linkPage),
  set: Schema.NullOr(setPage),
  currency: Schema.String,
  minimum_gift_cents: Schema.NullOr(DonationCents),
  maximum_gift_cents: DonationCents,
  method_bounds: Schema.Array(MethodBounds),
  methods: Schema.Array(PaymentMethod),
  cards_closed: Schema.Boolean,
  card_codes: Schema.Boolean,
  card_wallets: Schema.Boolean,
  frequencies: Schema.Array(Frequency),
  default_cadence: settingsFields.default_cadence,
  processor: Schema.NullOr(Schema.String),
  processor_key: Schema.NullOr(Schema.String),
  processor_account: Schema.NullOr(Schema.String),
  takes_token: Schema.Boolean,
  prompts: Schema.Array(ShownPrompt),
  /** The donor whose own link it is; null where it is nobody's. */
  donor: Schema.NullOr(Schema.Struct({ first_name: Schema.NullOr(Schema.String) })),
  closed: Schema.NullOr(ClosedReason),
  as_of: Instant
}).annotate({ identifier: "CheckoutPage", meanings })
export type Page = typeof Page.Type

/** Whether a visit of a page was counted. */
export const CountedVisit = Schema.Struct({ is_counted: Schema.Boolean }).annotate({
  identifier: "CountedVisit",
  meanings
})

/** The amount for a recipient of a set, minor units; 0 passes the recipient over. */
export const EnteredAmount = Schema.Struct({
  id: AllocationId,
  amount_cents: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.donationMaximumCents }))
}).annotate({
  identifier: "EnteredAmount",
  meanings: { amount_cents: "The amount for this recipient, in minor units." }
})
export type EnteredAmount = typeof EnteredAmount.Type

/** A UUID, which the page made. */
const SubmissionId = TextUpTo(Limits.identifierCharacters).check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u, {
    expected: "a UUID in lower case",
    description: "a UUID in lower case"
  })
)

const submissionFields = Schema.Struct({
  ...target,
  submission_id: SubmissionId,
  amount_cents: DonationCents,
  currency: CurrencyInUse,
  method: PaymentMethod,
  frequency: clearable(Frequency),
  retries: clearable(TextUpTo(Limits.textCharacters)),
  allocations: clearable(Schema.Array(EnteredAmount).check(Schema.isMaxLength(Limits.setAllocations))),
  donor: clearable(TypedDonor),
  consent: clearable(Schema.Array(TypedAnswer).check(Schema.isMaxLength(Limits.consentPrompts))),
  language: clearable(Language),
  payment_token: clearable(TextUpTo(Limits.paymentTokenCharacters)),
  card_pass: clearable(TextUpTo(Limits.textCharacters)),
  request_id: RequestId
}).annotate({ identifier: "CheckoutSubmission", meanings })

/** A donor submits a gift, or a payment to the recipients of a recommendation set. */
export const Submission = inForms(submissionFields, pageForms)
export type Submission = InForms<typeof submissionFields.Type, typeof pageForms>

const asking = { ...target, submission_id: SubmissionId, email: Email }

const codeRequestFields = Schema.Struct({ ...asking, language: clearable(Language) }).annotate({
  identifier: "CheckoutCodeRequest",
  meanings
})

/** A donor asks for the code that opens cards for a submission. */
export const CodeRequest = inForms(codeRequestFields, pageForms)
export type CodeRequest = InForms<typeof codeRequestFields.Type, typeof pageForms>

/** The answer to whoever asks for a code: the same for every address. */
export const CodeRequested = Schema.Struct({ expires_at: Instant }).annotate({
  identifier: "CheckoutCodeRequested",
  meanings: { expires_at: "When a code that is mailed now opens nothing any more." }
})
export type CodeRequested = typeof CodeRequested.Type

const enteredCodeFields = Schema.Struct({ ...asking, email_code: TextUpTo(Limits.identifierCharacters) }).annotate({
  identifier: "CheckoutEnteredCode",
  meanings
})

/** A donor enters the code that opens cards for a submission. */
export const EnteredCode = inForms(enteredCodeFields, pageForms)
export type EnteredCode = InForms<typeof enteredCodeFields.Type, typeof pageForms>

/** The answer to the right code. */
export const OpenedCards = Schema.Struct({ card_pass: Schema.String, expires_at: Instant }).annotate({
  identifier: "CheckoutOpenedCards",
  meanings: { ...meanings, expires_at: "When the pass opens nothing any more." }
})
export type OpenedCards = typeof OpenedCards.Type

const progress = {
  donation_id: Schema.NullOr(DonationId),
  recommendation_set_payment_id: Schema.NullOr(PaymentId),
  subscription_id: Schema.NullOr(SubscriptionId),
  status: Charge.Status,
  amount_cents: Cents,
  currency: Schema.String,
  method: PaymentMethod,
  failure_code: Schema.NullOr(Schema.String),
  next_step: Schema.NullOr(NextStep)
}

/** How a submission is going. */
export const Progress = Schema.Struct(progress).annotate({ identifier: "CheckoutProgress", meanings })
export type Progress = typeof Progress.Type

/** What the page of a submission shows while its donor waits, and after. */
export const ProgressPage = Schema.Struct({
  ...progress,
  organisation: OrganisationShown,
  path: Schema.String,
  frequency: Schema.NullOr(Frequency),
  thank_you_message: settingsFields.thank_you_message,
  processor: Schema.NullOr(Schema.String),
  processor_key: Schema.NullOr(Schema.String),
  receipt_email: Schema.NullOr(Schema.String),
  lapses_at: Schema.NullOr(Instant),
  expires_at: Instant
}).annotate({
  identifier: "CheckoutProgressPage",
  meanings: {
    ...meanings,
    processor: "The processor that takes the money; null where its account is gone.",
    expires_at: "When the progress token opens nothing any more."
  }
})
export type ProgressPage = typeof ProgressPage.Type

/** A submission that brought no money, as its page takes it again: all of it but the means of payment. */
export const Resumption = Schema.Struct({
  organisation: Schema.String,
  path: Schema.String,
  slug: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String),
  url_key: Schema.NullOr(Schema.String),
  dt: Schema.NullOr(Schema.String),
  campaign: Schema.NullOr(Schema.String),
  amount_cents: Cents,
  currency: Schema.String,
  frequency: Schema.NullOr(Frequency),
  retries: Schema.NullOr(Schema.String),
  allocations: Schema.NullOr(Schema.Array(EnteredAmount)),
  donor: Schema.NullOr(SubmittedDonor),
  consent: Schema.Array(TypedAnswer)
}).annotate({ identifier: "CheckoutResumption", meanings })
export type Resumption = typeof Resumption.Type

/** The answer of a donor to the test processor, which stands for their bank's own page. */
export const TestApproval = Schema.Struct({
  progress_token: TextUpTo(Limits.textCharacters),
  is_approved: Schema.Boolean
}).annotate({
  identifier: "CheckoutTestApproval",
  meanings: { ...meanings, is_approved: "Whether the donor approves the payment." }
})
export type TestApproval = typeof TestApproval.Type

/** The answer to a submission. */
export const SubmittedCheckout = Schema.Struct({ progress_token: Schema.String, ...progress }).annotate({
  identifier: "SubmittedCheckout",
  meanings
})
export type SubmittedCheckout = typeof SubmittedCheckout.Type
