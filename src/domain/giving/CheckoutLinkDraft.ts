import { DateTime, Schema } from "effect"
import { clearable, type Forms, type InForms, inForms } from "../kernel/Fields.ts"
import { Limits } from "../kernel/Limits.ts"
import { CurrencyInUse, DonationCents } from "../kernel/Money.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { EmailOrBlank, GivenId, LongText, Name, nameOrNull, TextUpTo } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { meanings, PaymentMethod } from "./CheckoutLink.ts"
import { CodeText } from "./RevenueCode.ts"

const PaymentMethods = Schema.Array(PaymentMethod).check(
  Schema.isMaxLength(PaymentMethod.literals.length),
  Schema.isMinLength(1),
  Schema.isUnique()
)

const clearableInputs = {
  description: clearable(LongText),
  revenue_code: clearable(CodeText),
  revenue_code_id: clearable(TextUpTo(Limits.revenueCodeIdCharacters)),
  expires_at: clearable(Timestamp)
}

const newFields = Schema.Struct({
  donor_id: clearable(GivenId),
  donor_email: clearable(EmailOrBlank),
  donor_first_name: clearable(Name),
  donor_last_name: clearable(Name),
  donor_phone: clearable(Name),
  amount_cents: DonationCents,
  currency: clearable(CurrencyInUse),
  ...clearableInputs,
  payment_methods: clearable(PaymentMethods),
  processor_integration_id: clearable(GivenId)
}).annotate({ identifier: "NewCheckoutLink", meanings })

/** A blank text is as good as none, so that both may be given. */
const forms = [{ donor_id: "given" }, { donor_email: "given" }] as const satisfies Forms

/**
 * The body of POST /checkout-links: `donor_id`, or `donor_email` with optional names and phone ({@link donorRule}).
 * decisions, section 4: Checkout links.
 */
export const NewCheckoutLink = inForms(newFields, forms)
export type NewCheckoutLink = InForms<typeof newFields.Type, typeof forms>

/** The body of PATCH /checkout-links/{id}. decisions, section 4: Checkout links. */
export const CheckoutLinkPatch = Schema.Struct({
  amount_cents: Schema.optionalKey(DonationCents),
  ...clearableInputs,
  payment_methods: Schema.optionalKey(PaymentMethods)
}).annotate({ identifier: "CheckoutLinkPatch", meanings })
export type CheckoutLinkPatch = typeof CheckoutLinkPatch.Type

/** The payment methods of a link when none are given. decisions, section 4: Checkout links. */
export const defaultPaymentMethods = ["card"] as const

const isGiven = (value: string | null | undefined): boolean => nameOrNull(value) !== null

/**
 * The refusal of a new link's donor, or null: a donor is named by `donor_id` or by `donor_email`, not by both.
 * @example
 * CheckoutLinkDraft.donorRule({ amount_cents: 5_00, currency: "AUD" })?.param // => "donor_id"
 * CheckoutLinkDraft.donorRule({ amount_cents: 5_00, currency: "AUD", donor_email: "kim@example.org" }) // => null
 */
export const donorRule = (input: typeof newFields.Type): InvalidInput | null => {
  if (!isGiven(input.donor_id)) {
    return isGiven(input.donor_email)
      ? null
      : new InvalidInput({ param: "donor_id", message: "A checkout link needs donor_id or donor_email." })
  }
  const details = ["donor_email", "donor_first_name", "donor_last_name", "donor_phone"] as const
  const extra = details.find((field) => isGiven(input[field]))
  return extra === undefined
    ? null
    : new InvalidInput({ param: extra, message: `${extra} cannot be given beside donor_id. Leave one of them out.` })
}

/**
 * The refusal of an expiry, or null: it must lie in the future. decisions, section 4: Checkout links.
 * @example
 * CheckoutLinkDraft.expiryRule(at, at)?.param // => "expires_at"
 * CheckoutLinkDraft.expiryRule(null, at) // => null
 */
export const expiryRule = (expires_at: DateTime.Utc | null | undefined, now: DateTime.Utc): InvalidInput | null =>
  expires_at === null || expires_at === undefined || DateTime.isGreaterThan(expires_at, now)
    ? null
    : new InvalidInput({ param: "expires_at", message: "expires_at must lie in the future." })
