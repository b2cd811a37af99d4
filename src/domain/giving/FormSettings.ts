import { Schema } from "effect"
import { clearable } from "../kernel/Fields.ts"
import { Limits } from "../kernel/Limits.ts"
import { DonationCents } from "../kernel/Money.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { Frequency } from "../kernel/Schedule.ts"
import { isBlank, LongText, Name, nameOrNull, TextUpTo, textOrNull } from "../kernel/Text.ts"
import { CodeText } from "./RevenueCode.ts"

/** The meanings of a form's fields, in its record and its inputs. */
export const meanings = {
  name: "Name of the form, for the organisation itself.",
  status: "Where the form stands.",
  title: "Heading of the page; the name when not given.",
  description: "What donors are told of the appeal.",
  thank_you_message: "What donors are told once they gave.",
  disclaimer_text: "Small print of the page.",
  default_amount_cents:
    "The amount that is chosen at first, in minor units; not below the minimum nor above the maximum. One that is not suggested is chosen only where donors may enter another amount.",
  minimum_amount_cents: "The least that donors may give, in minor units; null for no limit.",
  maximum_amount_cents: "The most that donors may give, in minor units; null for no limit.",
  revenue_code:
    "Text of the revenue code that gifts are booked under; a new one is made. Ignored beside `revenue_code_id`.",
  revenue_code_id: "Revenue code that gifts are booked under; wins over `revenue_code`.",
  allow_custom_amount: "Whether donors may enter another amount than the suggested ones.",
  allow_recurring: "Whether donors may give regularly.",
  recurring_frequencies: "How often a regular gift may be made; at least one where regular gifts are allowed.",
  default_cadence: "Which side opens first where regular gifts are allowed.",
  address_visibility: "Whether the page asks for the donor's address.",
  phone_visibility: "Whether the page asks for the donor's telephone number.",
  embed_token: "Names the form where another site embeds it; null for none.",
  suggested_amounts_cents: `1 to ${Limits.formSuggestedAmounts} amounts to choose from, ascending, in minor units.`
}

/** The states of a donation form. */
export const Status = Schema.Literals(["DRAFT", "ACTIVE", "PAUSED", "ARCHIVED"]).annotate({
  identifier: "DonationFormStatus"
})
export type Status = typeof Status.Type

/** Which side of the toggle opens first; applied only where recurring gifts are allowed. service-spec, Donation form. */
export const Cadence = Schema.Literals(["ONE_TIME", "RECURRING"]).annotate({ identifier: "Cadence" })

/** Whether a form asks for a detail. service-spec, Donation form. */
export const Visibility = Schema.Literals(["NONE", "OPTIONAL", "REQUIRED"]).annotate({ identifier: "FieldVisibility" })

const nullableText = Schema.NullOr(Schema.String)
const nullableAmount = Schema.NullOr(DonationCents)

/** The fields of a form that its owner writes; amounts in minor units. service-spec, Donation form. */
export const settingsFields = {
  name: Schema.String,
  title: Schema.String,
  description: nullableText,
  thank_you_message: nullableText,
  disclaimer_text: nullableText,
  suggested_amounts_cents: Schema.Array(DonationCents),
  allow_custom_amount: Schema.Boolean,
  default_amount_cents: nullableAmount,
  minimum_amount_cents: nullableAmount,
  maximum_amount_cents: nullableAmount,
  allow_recurring: Schema.Boolean,
  recurring_frequencies: Schema.Array(Frequency),
  default_cadence: Cadence,
  address_visibility: Visibility,
  phone_visibility: Visibility,
  revenue_code: nullableText,
  revenue_code_id: nullableText
}

/** The settings of a form, which its owner decides on. */
export const Settings = Schema.Struct(settingsFields)
export type Settings = typeof Settings.Type

/** The index of the first amount that is not larger than the one before it, or -1; every amount is larger than 0. */
const firstDisorder = (amounts: ReadonlyArray<number>): number =>
  amounts.findIndex((amount, index) => amount <= (amounts[index - 1] ?? 0))

const ascendingMessage = "Suggested amounts must ascend, each larger than the one before it."

// Their order is checked by brokenRule, which names the very amount that breaks it.
const SuggestedAmounts = Schema.Array(DonationCents)
  .check(Schema.isMaxLength(Limits.formSuggestedAmounts), Schema.isMinLength(1))
  .annotate({ description: "Ascending and distinct, minor units" })

const Frequencies = Schema.Array(Frequency).check(Schema.isMaxLength(Frequency.literals.length), Schema.isUnique())

const clearableInputs = {
  description: clearable(LongText),
  thank_you_message: clearable(LongText),
  disclaimer_text: clearable(LongText),
  default_amount_cents: clearable(DonationCents),
  minimum_amount_cents: clearable(DonationCents),
  maximum_amount_cents: clearable(DonationCents),
  revenue_code: clearable(CodeText),
  revenue_code_id: clearable(TextUpTo(Limits.revenueCodeIdCharacters))
}

/**
 * The body of POST /forms; `null` for an optional field equals absence. A form is made as a DRAFT, and activated in the
 * same step where `status` is ACTIVE. decisions, section 4: Forms.
 */
export const NewDonationForm = Schema.Struct({
  name: Name,
  status: clearable(Schema.Literals(["DRAFT", "ACTIVE"]).annotate({ identifier: "NewDonationFormStatus" })),
  title: clearable(Name),
  ...clearableInputs,
  suggested_amounts_cents: clearable(SuggestedAmounts),
  allow_custom_amount: clearable(Schema.Boolean),
  allow_recurring: clearable(Schema.Boolean),
  recurring_frequencies: clearable(Frequencies),
  default_cadence: clearable(Cadence),
  address_visibility: clearable(Visibility),
  phone_visibility: clearable(Visibility)
}).annotate({ identifier: "NewDonationForm", meanings })
export type NewDonationForm = typeof NewDonationForm.Type

/** The body of PATCH /forms/{id}; an absent field stays, `null` clears a nullable one. decisions, section 4: Forms. */
export const DonationFormPatch = Schema.Struct({
  name: Schema.optionalKey(Name),
  status: Schema.optionalKey(Status),
  title: Schema.optionalKey(Name),
  ...clearableInputs,
  suggested_amounts_cents: Schema.optionalKey(SuggestedAmounts),
  allow_custom_amount: Schema.optionalKey(Schema.Boolean),
  allow_recurring: Schema.optionalKey(Schema.Boolean),
  recurring_frequencies: Schema.optionalKey(Frequencies),
  default_cadence: Schema.optionalKey(Cadence),
  address_visibility: Schema.optionalKey(Visibility),
  phone_visibility: Schema.optionalKey(Visibility)
}).annotate({ identifier: "DonationFormPatch", meanings })
export type DonationFormPatch = typeof DonationFormPatch.Type

/** Amounts that a form suggests when none are given, minor units. */
const usualAmounts = [2_500, 5_000, 10_000, 25_000] as const

const suggestedWithin = (minimum: number | null, maximum: number | null): ReadonlyArray<number> => {
  const within = usualAmounts.filter((amount) => amount >= (minimum ?? amount) && amount <= (maximum ?? amount))
  return within.length > 0 ? within : [minimum ?? maximum ?? usualAmounts[0]]
}

/**
 * A new form's settings, with the defaults of decisions, section 4: Forms. The title is the name when none is given.
 * @example
 * const settings = FormSettings.settingsOf({ name: " Appeal " })
 * settings.title // => "Appeal"
 * settings.recurring_frequencies // => ["MONTHLY"]
 */
export const settingsOf = (input: NewDonationForm): Settings => {
  const name = input.name.trim()
  const minimum = input.minimum_amount_cents ?? null
  const maximum = input.maximum_amount_cents ?? null
  return {
    name,
    title: nameOrNull(input.title) ?? name,
    description: textOrNull(input.description),
    thank_you_message: textOrNull(input.thank_you_message),
    disclaimer_text: textOrNull(input.disclaimer_text),
    suggested_amounts_cents: input.suggested_amounts_cents ?? suggestedWithin(minimum, maximum),
    allow_custom_amount: input.allow_custom_amount ?? true,
    default_amount_cents: input.default_amount_cents ?? null,
    minimum_amount_cents: minimum,
    maximum_amount_cents: maximum,
    allow_recurring: input.allow_recurring ?? true,
    recurring_frequencies: input.recurring_frequencies ?? ["MONTHLY"],
    default_cadence: input.default_cadence ?? "ONE_TIME",
    address_visibility: input.address_visibility ?? "NONE",
    phone_visibility: input.phone_visibility ?? "OPTIONAL",
    revenue_code: input.revenue_code ?? null,
    revenue_code_id: input.revenue_code_id ?? null
  }
}

const exceeds = (low: number | null, high: number | null): boolean => low !== null && high !== null && low > high

/** The first rule that settings break: the fields that the rule is about, the likeliest culprit first, and a sentence. */
const broken = (
  settings: Settings
): { readonly fields: readonly [string, ...string[]]; readonly why: string } | null => {
  const { default_amount_cents, maximum_amount_cents, minimum_amount_cents, suggested_amounts_cents } = settings
  if (isBlank(settings.name)) return { fields: ["name"], why: "A form needs a name." }
  if (isBlank(settings.title)) return { fields: ["title"], why: "A form needs a title." }
  if (exceeds(minimum_amount_cents, maximum_amount_cents)) {
    return {
      fields: ["minimum_amount_cents", "maximum_amount_cents"],
      why: "minimum_amount_cents must not be more than maximum_amount_cents."
    }
  }
  if (exceeds(minimum_amount_cents, default_amount_cents)) {
    return {
      fields: ["default_amount_cents", "minimum_amount_cents"],
      why: "default_amount_cents must not be less than minimum_amount_cents."
    }
  }
  if (exceeds(default_amount_cents, maximum_amount_cents)) {
    return {
      fields: ["default_amount_cents", "maximum_amount_cents"],
      why: "default_amount_cents must not be more than maximum_amount_cents."
    }
  }
  const count = suggested_amounts_cents.length
  if (count < 1 || count > Limits.formSuggestedAmounts) {
    return {
      fields: ["suggested_amounts_cents"],
      why: `suggested_amounts_cents must have from 1 to ${Limits.formSuggestedAmounts} amounts.`
    }
  }
  const disorder = firstDisorder(suggested_amounts_cents)
  if (disorder !== -1) return { fields: [`suggested_amounts_cents[${disorder}]`], why: ascendingMessage }
  if (settings.allow_recurring && settings.recurring_frequencies.length === 0) {
    return {
      fields: ["recurring_frequencies", "allow_recurring"],
      why: "A form with recurring gifts offers at least one frequency."
    }
  }
  return null
}

/**
 * The refusal of settings that break a rule, or null: a name and a title, minimum ≤ default ≤ maximum, 1 to 8 suggested
 * amounts that ascend, and a frequency where recurring gifts are allowed. decisions, section 4: Forms.
 *
 * @param given names of the fields that the request wrote: the refusal's `param` is the first of the rule's fields
 * among them
 * @example
 * const settings = FormSettings.settingsOf({ name: "Appeal" })
 * FormSettings.brokenRule(settings) // => null
 * FormSettings.brokenRule({ ...settings, title: "" })?.param // => "title"
 */
export const brokenRule = (settings: Settings, given: ReadonlyArray<string> = []): InvalidInput | null => {
  const found = broken(settings)
  if (found === null) return null
  const param = found.fields.find((field) => given.includes(field)) ?? found.fields[0]
  return new InvalidInput({ param, message: found.why })
}

/** Longest slug: it is one segment of a path that is read aloud and typed. */
const slugCharacters = 63

/**
 * A slug from a name: lower-case ASCII letters and digits, with a single hyphen for everything else; `otherwise` when
 * nothing is left.
 * @example
 * FormSettings.slugOf("Été & Co.") // => "ete-co"
 * FormSettings.slugOf("冬") // => "form"
 */
export const slugOf = (name: string, otherwise = "form"): string => {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "")
  const slug = words.join("-").slice(0, slugCharacters).replace(/-$/u, "")
  return slug === "" ? otherwise : slug
}

/**
 * The slug to try when the first `number - 1` are taken: `appeal`, `appeal-2`, `appeal-3`, …
 * @example
 * FormSettings.numberedSlug("appeal", 1) // => "appeal"
 * FormSettings.numberedSlug("appeal", 2) // => "appeal-2"
 */
export const numberedSlug = (slug: string, number: number): string => {
  if (number <= 1) return slug
  const suffix = `-${number}`
  return `${slug.slice(0, slugCharacters - suffix.length).replace(/-$/u, "")}${suffix}`
}
