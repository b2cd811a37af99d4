import { DateTime, Order, Schema } from "effect"
import type { SubmittedDonor } from "../giving/DonorFields.ts"
import { joinedNamesOf, nameKey, nameKeysIn, soughtWordsOf } from "../giving/SearchWords.ts"
import { ChargeId, DonorId, IntegrationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import { Cents, Currency } from "../kernel/Money.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { Status } from "./Charge.ts"
import type { Credit } from "./Credit.ts"
import { PaymentExceptionRecord } from "./ExceptionResolution.ts"
import { referencesIn } from "./TransferReference.ts"

const nullableText = Schema.NullOr(Schema.String)

/** A bank transfer that a payment may be, and who was to make it: of a payment to a set, the name that was typed. */
export class AwaitedGift extends Schema.Opaque<AwaitedGift>()(
  Schema.Struct({
    charge_id: ChargeId,
    integration_id: IntegrationId,
    amount_cents: Cents,
    currency: Currency,
    received_cents: Cents,
    status: Status,
    reference: nullableText,
    donor_id: Schema.NullOr(DonorId),
    first_name: nullableText,
    last_name: nullableText,
    organisation_name: nullableText,
    created_at: Instant
  })
) {}

/** Why a gift is offered for a payment, the best first. */
export const Reason = Schema.Literals(["reference", "name", "amount"]).annotate({ identifier: "GiftCandidateReason" })
type Reason = typeof Reason.Type

/** A gift that is offered for a payment which names none. */
export const GiftCandidate = Schema.Struct({
  charge_id: ChargeId,
  amount_cents: Cents,
  received_cents: Cents,
  status: Status,
  donor_id: Schema.NullOr(DonorId),
  donor_name: nullableText,
  reasons: Schema.Array(Reason),
  created_at: Instant
}).annotate({
  identifier: "GiftCandidate",
  meanings: {
    charge_id: "The charge to have the money pay, by `exception resolve --charge`.",
    amount_cents: "What the gift is, in minor units.",
    received_cents: "How much of it has come, in minor units.",
    status: "WAITING, or how it lapsed.",
    donor_id: "Who was to give it; null of a payment to a set, unless it was paid by the donor's own link.",
    donor_name: "The donor's name, or who a payment to a set says that it is from.",
    reasons: "Why it is offered: the payment has its reference, its donor's name, or the amount that it waits for.",
    created_at: "When it was submitted."
  }
})
export type GiftCandidate = typeof GiftCandidate.Type

/** An exception with the gifts that its money may be for. */
export const PaymentExceptionDetail = PaymentExceptionRecord.mapFields((fields) => ({
  ...fields,
  candidates: Schema.Array(GiftCandidate)
})).annotate({
  identifier: "PaymentExceptionDetail",
  meanings: { candidates: "Gifts that a payment may be for which names none, the best first; none of other kinds." }
})

/** The words of a text by which donors are looked up: a letter alone is a word of too many. */
export const donorWordsIn = (text: string): ReadonlyArray<string> =>
  soughtWordsOf(text)
    .filter((word) => !/^[a-z0-9]$/u.test(word))
    .slice(0, Limits.creditFields)

/** What a payer is called. */
export type PayerName = Pick<SubmittedDonor, "first_name" | "last_name" | "organisation_name">

/** The names by which a payer is known in a text: the last name, and that of an organisation. */
export const payerNamesOf = ({ first_name, last_name, organisation_name }: PayerName): ReadonlyArray<string> =>
  [last_name ?? first_name, organisation_name, ...joinedNamesOf(first_name ?? "", last_name ?? "")].flatMap((name) =>
    name === null ? [] : [nameKey(name)]
  )

const best: Order.Order<GiftCandidate> = Order.combineAll([
  ...Reason.literals.map((reason) =>
    Order.mapInput(Order.flip(Order.Boolean), ({ reasons }: GiftCandidate) => reasons.includes(reason))
  ),
  Order.mapInput(Order.flip(DateTime.Order), ({ created_at }) => created_at),
  Order.mapInput(Order.String, ({ charge_id }) => charge_id)
])

/** The gifts that a payment may be for, the best first: by its references, by the donor's name, and by its amount. */
export const candidatesFor = (
  { amount_cents, text }: Pick<Credit, "amount_cents" | "text">,
  gifts: ReadonlyArray<AwaitedGift>
): ReadonlyArray<GiftCandidate> => {
  const [names, references] = [new Set(nameKeysIn(text)), new Set(referencesIn(text))]
  return gifts
    .map((gift): GiftCandidate => {
      const { charge_id, created_at, donor_id, first_name, last_name, organisation_name, received_cents, reference } =
        gift
      const person = [first_name, last_name].filter((name) => name !== null).join(" ")
      const reasons: ReadonlyArray<Reason> = [
        ...(reference !== null && references.has(reference) ? (["reference"] as const) : []),
        ...(payerNamesOf(gift).some((name) => names.has(name)) ? (["name"] as const) : []),
        ...(gift.amount_cents - received_cents === amount_cents ? (["amount"] as const) : [])
      ]
      const donor_name = person === "" ? organisation_name : person
      return {
        charge_id,
        amount_cents: gift.amount_cents,
        received_cents,
        status: gift.status,
        donor_id,
        donor_name,
        reasons,
        created_at
      }
    })
    .filter(({ reasons }) => reasons.length > 0)
    .toSorted(best)
    .slice(0, Limits.giftCandidates)
}
