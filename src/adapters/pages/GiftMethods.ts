import type { PaymentMethod } from "../../domain/kernel/PaymentMethod.ts"
import type { Frequency } from "../../domain/kernel/Schedule.ts"
import { isWithinBounds, widestOf } from "../../domain/payments/MethodBounds.ts"
import type * as Checkout from "../../domain/sharing/Checkout.ts"
import type { Gift } from "./PageToken.ts"
import type { Texts } from "./texts/English.ts"

/** Whether the donor pays at the bank, and nothing on the page. */
export const isTransfer = (method: PaymentMethod): boolean => method === "bank_transfer"

/** A transfer cannot be repeated by itself. */
const repeatsAs = (method: PaymentMethod, frequency: Frequency | null): boolean =>
  frequency === null || !isTransfer(method)

/** The least and the greatest gift that any method takes, minor units. */
export interface TakenAmounts {
  readonly least: number
  readonly most: number
}

/** What a page takes of a gift that is given this often. */
export const takenAmounts = (
  { maximum_gift_cents, method_bounds, minimum_gift_cents }: Checkout.Page,
  frequency: Frequency | null
): TakenAmounts => {
  const whole = { minimum_cents: minimum_gift_cents, maximum_cents: maximum_gift_cents }
  const bounds = widestOf(method_bounds.filter(({ method }) => repeatsAs(method, frequency))) ?? whole
  return { least: bounds.minimum_cents ?? 1, most: bounds.maximum_cents }
}

/** The methods of a page that take a gift, and those that do not take its amount. */
export const methodsFor = (
  { method_bounds, methods }: Checkout.Page,
  { amount_cents, frequency = null }: Gift,
  isCardOpen: boolean
): { readonly offered: ReadonlyArray<PaymentMethod>; readonly outside: ReadonlyArray<PaymentMethod> } => {
  const all = (isCardOpen ? (["card", ...methods] as const) : methods).filter((each) => repeatsAs(each, frequency))
  const isOutside = (each: PaymentMethod): boolean =>
    method_bounds.some((bounds) => bounds.method === each && !isWithinBounds(amount_cents, bounds))
  return { offered: all.filter((each) => !isOutside(each)), outside: all.filter(isOutside) }
}

/** Several things of which one is meant, in a sentence. */
export const oneOf = (words: ReadonlyArray<string>, { lang }: Texts): string =>
  new Intl.ListFormat(lang, { type: "disjunction" }).format(words)

/** By one of several methods, in a sentence. */
export const byOneOf = (methods: ReadonlyArray<PaymentMethod>, texts: Texts): string =>
  oneOf(
    methods.map((method) => texts.by[method]),
    texts
  )
