import { Schema, Struct } from "effect"
import { RequestId } from "../access/Caller.ts"
import { TypedDonor } from "../giving/CheckoutDonor.ts"
import { settingsFields } from "../giving/FormSettings.ts"
import { clearable } from "../kernel/Fields.ts"
import { DonationFormId, DonationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import { Cents, CurrencyInUse, DonationCents } from "../kernel/Money.ts"
import { PaymentMethod } from "../kernel/PaymentMethod.ts"
import { GivenId, TextUpTo } from "../kernel/Text.ts"
import * as Charge from "./Charge.ts"
import { NextStep } from "./NextStep.ts"

const meanings = {
  organisation: "The slug of the organisation whose page it is.",
  slug: "The form's slug.",
  embed_token: "The form's embed_token, where another site embeds it; one of the two names the form.",
  dt: "The token of the donor's own link, which says who gives.",
  amount_cents: "The gift in minor units of the currency.",
  currency: "The currency that the page showed.",
  method: "How the donor pays.",
  submission_id: "A UUID that the page made: the same one is the same gift, however often it comes.",
  donor: "The details that the donor typed.",
  payment_token: "What the processor's page made of the donor's means of payment.",
  request_id: "The id of the request, as the audit records it.",
  methods: "How donors may pay; none where the form takes no gift.",
  processor: "The processor whose field the page shows; null where the form takes no gift.",
  processor_key: "The public key that the processor's field on the page needs; null where it needs none.",
  maximum_gift_cents: "The greatest gift, whatever the form says, in minor units.",
  closed: "Why the form takes no gift now; null where it does.",
  first_name: "The name by which the page greets the donor of the link; null when none is known.",
  progress_token: "Opens the progress of this submission for a day. Whoever has it sees how the payment goes.",
  status: "How far the payment is.",
  failure_code: "Why no money came; null otherwise.",
  next_step: "What the donor has to do now; null where nothing."
}

const target = {
  organisation: GivenId,
  slug: clearable(GivenId),
  embed_token: clearable(GivenId),
  dt: clearable(TextUpTo(Limits.textCharacters))
}

/** The page of a form. */
export const Target = Schema.Struct(target).annotate({ identifier: "CheckoutTarget", meanings })
export type Target = typeof Target.Type

/** Why a form takes no gift. money, section 4. */
export const Closed = Schema.Literals(["draft", "paused", "archived", "no_processor"]).annotate({
  identifier: "CheckoutClosed"
})
export type Closed = typeof Closed.Type

/** What the page of a form shows. */
export const Page = Schema.Struct({
  organisation: Schema.Struct({ slug: Schema.String, name: Schema.String }),
  form: Schema.Struct({
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
  }),
  currency: Schema.String,
  maximum_gift_cents: DonationCents,
  methods: Schema.Array(PaymentMethod),
  processor: Schema.NullOr(Schema.String),
  processor_key: Schema.NullOr(Schema.String),
  /** The donor whose own link it is; null where it is nobody's. */
  donor: Schema.NullOr(Schema.Struct({ first_name: Schema.NullOr(Schema.String) })),
  closed: Schema.NullOr(Closed)
}).annotate({ identifier: "CheckoutPage", meanings })
export type Page = typeof Page.Type

/** A UUID, which the page made. */
const SubmissionId = TextUpTo(Limits.identifierCharacters).check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u, {
    expected: "a UUID in lower case",
    description: "a UUID in lower case"
  })
)

/** A donor submits a gift. */
export const Submission = Schema.Struct({
  ...target,
  submission_id: SubmissionId,
  amount_cents: DonationCents,
  currency: CurrencyInUse,
  method: PaymentMethod,
  donor: clearable(TypedDonor),
  payment_token: clearable(TextUpTo(Limits.paymentTokenCharacters)),
  request_id: RequestId
}).annotate({ identifier: "CheckoutSubmission", meanings })
export type Submission = typeof Submission.Type

const progress = {
  donation_id: Schema.NullOr(DonationId),
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

/** The answer to a submission. */
export const Submitted = Schema.Struct({ progress_token: Schema.String, ...progress }).annotate({
  identifier: "SubmittedCheckout",
  meanings
})
export type Submitted = typeof Submitted.Type

/**
 * The code with which a charge failed, or will: a decline shows at once, while the processor is still told that nothing more
 * comes of it. money, section 2: Charge.
 */
export const failureOf = ({
  ending,
  failure_code,
  status
}: Pick<Charge.Charge, "ending" | "failure_code" | "status">): string | null =>
  status === "SUCCEEDED" ? null : (failure_code ?? ending)
