import { createHash } from "node:crypto"
import { Schema } from "effect"
import { amountRefusal } from "../../domain/giving/CheckoutAmount.ts"
import { missingDetail, type TypedDonor } from "../../domain/giving/CheckoutDonor.ts"
import type { TypedAnswer } from "../../domain/giving/ConsentPrompt.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { Frequency } from "../../domain/kernel/Schedule.ts"
import { Email, Name, nameOrNull } from "../../domain/kernel/Text.ts"
import type * as Checkout from "../../domain/sharing/Checkout.ts"
import { totalCents } from "../../domain/sharing/RecommendationSetRules.ts"
import { suggestedAddress } from "./AddressHint.ts"
import { type TakenAmounts, takenAmounts } from "./GiftMethods.ts"
import { amountCharacters, amountText, moneyText, typedCents } from "./MoneyText.ts"
import type { Gift } from "./PageToken.ts"
import type { Texts } from "./texts/English.ts"

/** What a donor typed, by the names of the fields. */
export type FieldValues = ReadonlyMap<string, string>

/** A field that is not as it should be, and what to do about it. */
export interface Fault {
  readonly field: string
  readonly text: string
}

/** The names of the fields, but for those of consent prompts and of a set's recipients. */
export const fieldNames = {
  amount: "amount",
  other: "amount_other",
  cadence: "cadence",
  name: "name",
  email: "email",
  hinted: "email_hinted",
  phone: "phone",
  address_line1: "address_line1",
  address_line2: "address_line2",
  suburb: "suburb",
  state: "state",
  postcode: "postcode",
  country: "country",
  code: "email_code"
} as const

/** The value of the amount's radio button for another amount than those that are suggested. */
export const otherAmount = "other"

/** The field of a consent prompt. */
export const consentField = (prompt_id: string): string => `consent.${prompt_id}`

/** The field that says in which words a consent prompt was shown. */
export const askedField = (prompt_id: string): string => `asked.${prompt_id}`

/** What the two fields of a consent prompt say: a digest of its words, since a text comes back from a form with other line breaks. */
export const wordingOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16)

/** The field of a recipient of a set. */
export const partField = (allocation_id: string): string => `part.${allocation_id}`

const typedText = (typed: FieldValues, field: string): string => nameOrNull(typed.get(field)) ?? ""

/**
 * A full name as a record's two names: what comes before the last space is the first one. Joined again they are what was typed.
 * @example
 * namesOf(" Mary  Ann Smith ") // => { first_name: "Mary Ann", last_name: "Smith" }
 * namesOf("王小明") // => { first_name: "王小明", last_name: null }
 */
export const namesOf = (name: string): { readonly first_name: string; readonly last_name: string | null } => {
  const words = name.trim().split(/\s+/u)
  const last = words.length > 1 ? (words.at(-1) ?? null) : null
  return { first_name: words.slice(0, last === null ? undefined : -1).join(" "), last_name: last }
}

interface Reading {
  readonly page: Checkout.Page
  readonly typed: FieldValues
  readonly texts: Texts
  /** What is taken of a gift that is given this often. */
  readonly taken: TakenAmounts
}

const boundFault = ({ page, taken, texts }: Reading, field: string, cents: number): Fault | null => {
  const { currency, form } = page
  const isSuggested = form?.suggested_amounts_cents.includes(cents) === true
  const least = Math.max(taken.least, isSuggested ? 1 : (form?.minimum_amount_cents ?? 1))
  const most = Math.min(taken.most, isSuggested ? taken.most : (form?.maximum_amount_cents ?? taken.most))
  if (cents < least) return { field, text: texts.amountLeast(moneyText(least, currency, texts.lang)) }
  return cents > most ? { field, text: texts.amountMost(moneyText(most, currency, texts.lang)) } : null
}

/** The amount on a form: one that is suggested, or another one. */
const formAmount = (reading: Reading, form: NonNullable<Checkout.Page["form"]>): number | Fault => {
  const { page, texts, typed } = reading
  const chosen = typedText(typed, fieldNames.amount)
  const isOther = form.allow_custom_amount && (chosen === otherAmount || chosen === "")
  const written = typedText(typed, fieldNames.other)
  if (chosen === "" && written === "") return { field: fieldNames.amount, text: texts.chooseAmount }
  const { default_amount_cents } = form
  const isOpenedWith = default_amount_cents !== null && written === amountText(default_amount_cents, page.currency)
  // Without a script, what is typed does not choose itself; nor does what the page opened with go away.
  if (form.allow_custom_amount && !isOther && written !== "" && !isOpenedWith)
    return { field: fieldNames.amount, text: texts.whichAmount(written.slice(0, amountCharacters)) }
  const field = isOther ? fieldNames.other : fieldNames.amount
  const cents = isOther ? typedCents(written, page.currency) : /^\d{1,10}$/.test(chosen) ? Number(chosen) : null
  if (cents === null || cents === 0) return { field, text: texts.enterAmount }
  const outside = boundFault(reading, field, cents)
  if (outside !== null) return outside
  return amountRefusal(cents, form) === null ? cents : { field, text: texts.chooseAmount }
}

type Parts = ReadonlyArray<Checkout.EnteredAmount>

const isFault = (read: unknown): read is Fault => typeof read === "object" && read !== null && "field" in read

/** Whether a set has recipients that the page did not show, shown ones no more, or other amounts where it fixes them. */
const hasChanged = (
  { page, typed }: Reading,
  { allocations, amount_mode }: NonNullable<Checkout.Page["set"]>
): boolean => {
  const shown = Array.from(typed.keys()).filter((field) => field.startsWith(partField("")))
  const differs = allocations.some(({ amount_cents, id }) => {
    const value = typed.get(partField(id))
    return value === undefined || (amount_mode === "FIXED" && value !== amountText(amount_cents, page.currency))
  })
  return differs || shown.length !== allocations.length
}

/** What goes to each recipient of a set. */
const setParts = (reading: Reading, set: NonNullable<Checkout.Page["set"]>): Parts | ReadonlyArray<Fault> => {
  const { page, taken, texts, typed } = reading
  if (hasChanged(reading, set)) return [{ field: "", text: texts.pageChanged }]
  const read = set.allocations.map(({ amount_cents, id, recipient_org_name }): Checkout.EnteredAmount | Fault => {
    if (set.amount_mode === "FIXED") return { id, amount_cents }
    const cents = typedCents(typedText(typed, partField(id)), page.currency)
    return cents === null || cents > taken.most
      ? { field: partField(id), text: texts.enterPart(recipient_org_name) }
      : { id, amount_cents: cents }
  })
  const faults = read.filter(isFault)
  if (faults.length > 0) return faults
  const parts = read.filter((each): each is Checkout.EnteredAmount => !isFault(each))
  const [first] = parts
  const field = partField(first?.id ?? "")
  const total = totalCents(parts)
  const least = Math.max(set.min_total_cents ?? 1, taken.least)
  if (total < least) return [{ field, text: texts.totalLeast(moneyText(least, page.currency, texts.lang)) }]
  const outside = boundFault(reading, field, total)
  return outside === null ? parts : [outside]
}

const cadenceOf = ({ page, texts, typed }: Omit<Reading, "taken">): Frequency | null | Fault => {
  const chosen = typedText(typed, fieldNames.cadence)
  if (page.frequencies.length === 0 && chosen !== "" && chosen !== "ONE_TIME")
    return { field: "", text: texts.pageChanged }
  if (page.frequencies.length === 0 || chosen === "ONE_TIME") return null
  const known = Schema.is(Frequency)(chosen) && page.frequencies.includes(chosen)
  return known ? chosen : { field: fieldNames.cadence, text: texts.chooseOften }
}

const isEmail = Schema.is(Email)
const isName = Schema.is(Name)

const emailFault = ({ texts, typed }: Reading): Fault | null => {
  const field = fieldNames.email
  const email = typedText(typed, field)
  if (email === "") return { field, text: texts.enterEmail }
  if (!isEmail(email)) return { field, text: texts.wrongEmail }
  const better = suggestedAddress(email)
  return better === null || typedText(typed, fieldNames.hinted) === email
    ? null
    : { field, text: texts.didYouMean(better) }
}

const addressFields = ["address_line1", "address_line2", "suburb", "state", "postcode", "country"] as const

/** The fields of an address, in the order in which they are asked. */
export const askedAddress = ({ form }: Checkout.Page): ReadonlyArray<(typeof addressFields)[number]> =>
  form === null || form.address_visibility === "NONE" ? [] : addressFields

const detailText = (texts: Texts, field: string): string => {
  const said: Readonly<Record<string, string>> = {
    phone: texts.enterPhone,
    address_line1: texts.enterAddress,
    suburb: texts.enterSuburb,
    state: texts.enterState,
    postcode: texts.enterPostcode
  }
  return said[field] ?? texts.enterEmail
}

/** Each detail that a form needs and that is missing, in the order of the page. */
const missingFaults = ({ page, texts }: Reading, donor: TypedDonor): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  let filled = donor
  for (let missing = page.form === null ? null : missingDetail(filled, page.form); missing !== null; ) {
    const field = missing.param.replace(/^donor\./u, "")
    faults.push({ field, text: detailText(texts, field) })
    filled = { ...filled, [field]: "?" }
    missing = page.form === null ? null : missingDetail(filled, page.form)
  }
  return faults.filter(({ field }) => field !== fieldNames.email)
}

const donorOf = (reading: Reading): { readonly donor: TypedDonor; readonly faults: ReadonlyArray<Fault> } => {
  const { page, texts, typed } = reading
  const name = typedText(typed, fieldNames.name)
  const asked = [
    ...(page.form === null || page.form.phone_visibility === "NONE" ? [] : (["phone"] as const)),
    ...askedAddress(page)
  ]
  const donor: TypedDonor = {
    ...namesOf(name),
    email: typedText(typed, fieldNames.email),
    ...Object.fromEntries(asked.map((field) => [field, typedText(typed, field) || null]))
  }
  const email = emailFault(reading)
  const long = [fieldNames.name, ...asked].filter((field) => !isName(typedText(typed, field)))
  return {
    donor,
    faults: [
      ...(name === "" ? [{ field: fieldNames.name, text: texts.enterName }] : []),
      ...(email === null ? [] : [email]),
      ...missingFaults(reading, donor),
      ...long.map((field) => ({ field, text: texts.tooLong(Limits.nameCharacters) }))
    ]
  }
}

/** The answers to the prompts that the page asks now: nobody has answered what was not shown, or in other words. */
const answersOf = ({ page, texts, typed }: Omit<Reading, "taken">): ReadonlyArray<TypedAnswer> | Fault => {
  const words = page.prompts.map(({ id, text }) => ({ id, text, wording: wordingOf(text) }))
  return words.every(({ id, wording }) => typed.get(askedField(id)) === wording)
    ? words.map(({ id, text, wording }) => ({ prompt_id: id, text, accepted: typed.get(consentField(id)) === wording }))
    : { field: "", text: texts.pageChanged }
}

/** A gift as it was typed on the first screen, or every field that is not as it should be, in the order of the page. */
export const readGift = (
  page: Checkout.Page,
  typed: FieldValues,
  texts: Texts
): { readonly gift: Gift } | { readonly faults: ReadonlyArray<Fault> } => {
  const cadence = cadenceOf({ page, typed, texts })
  const reading: Reading = { page, typed, texts, taken: takenAmounts(page, isFault(cadence) ? null : cadence) }
  const amount = page.form === null ? (page.link?.amount_cents ?? 0) : formAmount(reading, page.form)
  const parts = page.set === null ? null : setParts(reading, page.set)
  const asksWho = page.link === null && page.donor === null
  const who = asksWho ? donorOf(reading) : { donor: null, faults: [] }
  const answers = answersOf(reading)
  const faults = [...[amount, ...(parts ?? []), cadence, answers].filter(isFault), ...who.faults]
  if (faults.length > 0 || isFault(amount) || isFault(cadence) || isFault(answers)) return { faults }
  const allocations = parts?.filter((each): each is Checkout.EnteredAmount => !isFault(each)) ?? null
  return {
    gift: {
      amount_cents: allocations === null ? amount : totalCents(allocations),
      currency: page.currency,
      frequency: cadence,
      allocations,
      donor: who.donor,
      consent: answers
    }
  }
}

/** The fields of the first screen, filled in with a gift. */
export const typedFrom = (
  page: Checkout.Page,
  { allocations, amount_cents, consent, donor, frequency }: Gift
): FieldValues => {
  const isSuggested = page.form?.suggested_amounts_cents.includes(amount_cents) === true
  const { first_name, last_name, ...details } = donor ?? {}
  return new Map<string, string>([
    [fieldNames.amount, isSuggested ? String(amount_cents) : otherAmount],
    [fieldNames.other, isSuggested ? "" : amountText(amount_cents, page.currency)],
    [fieldNames.cadence, frequency ?? "ONE_TIME"],
    [fieldNames.name, [first_name, last_name].filter((each) => typeof each === "string").join(" ")],
    ...Object.entries(details).map(([field, value]) => [field, String(value ?? "")] as const),
    [fieldNames.hinted, String(details.email ?? "")],
    ...(allocations ?? []).map((part) => [partField(part.id), amountText(part.amount_cents, page.currency)] as const),
    ...(consent ?? []).map((each) => [consentField(each.prompt_id), each.accepted ? wordingOf(each.text) : ""] as const)
  ])
}
