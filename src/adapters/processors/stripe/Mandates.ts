import { Effect } from "effect"
import type { Stripe } from "stripe"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import {
  type ChargeContext,
  type MandateState,
  mandateMissing,
  type ProcessorFailure
} from "../../../ports/payments/PaymentProcessors.ts"
import { refusalOf, unreachable } from "./Failures.ts"
import type { Intents } from "./Intents.ts"
import * as Metadata from "./Metadata.ts"
import { Customer, DebitMandate, idOf, PaymentMethod } from "./Objects.ts"
import type { StripeApi } from "./StripeApi.ts"

interface Kept {
  /** The means of payment. */
  readonly id: string
  /** Whom it is kept for; null once it was taken off. */
  readonly customer: string | null
  readonly state: MandateState
}

/** Debits are kept by the authority that the donor gave, which the donor's bank may end; cards have none. */
const isDebit = (reference: string): boolean => reference.startsWith("mandate_")

const keptAs = ({ customer, id }: typeof PaymentMethod.Type, isActive = true): Kept => ({
  id,
  customer: idOf(customer),
  state: isActive && customer !== null ? "active" : "revoked"
})

/** A PayTo agreement is of the gift's amount as often as it is asked for, so that there is room for tries again. */
const agreementOn = ({ amount_cents: amount }: ChargeContext["charge"]) =>
  ({
    amount,
    amount_type: "maximum",
    payment_schedule: "adhoc"
  }) satisfies Stripe.PaymentIntentCreateParams.PaymentMethodOptions.Payto.MandateOptions

/** The requests to Stripe about the means of payment that it keeps for recurring gifts. money, section 7. */
export const makeMandates = (api: StripeApi, intents: Intents) => {
  const expanded = { expand: ["payment_method"] } satisfies Stripe.MandateRetrieveParams

  const debited = (reference: string) =>
    Effect.map(
      api.find(DebitMandate, ({ mandates }) => mandates.retrieve(reference, expanded)),
      (found) => found && keptAs(found.payment_method, found.status !== "inactive")
    )

  const saved = (reference: string) =>
    Effect.map(
      api.find(PaymentMethod, ({ paymentMethods }) => paymentMethods.retrieve(reference)),
      (found) => found && keptAs(found)
    )

  /** Stripe's objects for a mandate. It deletes none: one that it has not is another account's, or a key is. */
  const keptOf = Effect.fnUntraced(function* ({ reference }: Mandate): Effect.fn.Return<Kept, ProcessorFailure> {
    const kept = reference === null ? null : yield* isDebit(reference) ? debited(reference) : saved(reference)
    return kept ?? (yield* unreachable(mandateMissing))
  })

  /** A customer for each mandate: what a donor allowed for one gift is nothing to another. */
  const newCustomer = (mandate: Mandate) =>
    Effect.map(
      api.call(Customer, ({ customers }) =>
        customers.create({ metadata: Metadata.ofMandate(mandate) } satisfies Stripe.CustomerCreateParams, {
          idempotencyKey: `${mandate.id}-customer`
        })
      ),
      ({ id }) => id
    )

  /**
   * The parameters of a charge's intent about its mandate: a first charge saves its means of payment, and a later one
   * is taken from the saved one.
   */
  const paramsOf = Effect.fnUntraced(function* ({ charge, mandate }: ChargeContext) {
    type Params = Partial<Stripe.PaymentIntentCreateParams>
    if (mandate === null || mandate === undefined) return {}
    if (charge.purpose === "invoice") {
      const { customer } = yield* keptOf(mandate)
      return (customer === null ? {} : { customer }) satisfies Params
    }
    const saved = { customer: yield* newCustomer(mandate), setup_future_usage: "off_session" } satisfies Params
    const agreed = { payment_method_options: { payto: { mandate_options: agreementOn(charge) } } } satisfies Params
    return charge.method === "payto" ? { ...saved, ...agreed } : saved
  })

  const chargeMandate = Effect.fnUntraced(function* (charging: ChargeContext, mandate: Mandate) {
    const kept = yield* keptOf(mandate)
    if (kept.state !== "active") return yield* refusalOf("mandate_revoked")
    yield* intents.confirm(charging, { payment_method: kept.id, off_session: true })
  })

  const fetchMandate = (mandate: Mandate) => Effect.map(keptOf(mandate), ({ state }) => state)

  const revokeMandate = Effect.fnUntraced(function* (mandate: Mandate) {
    const kept = yield* keptOf(mandate)
    if (kept.customer === null) return
    const taken = api.find(PaymentMethod, ({ paymentMethods }) => paymentMethods.detach(kept.id))
    // One that somebody took off meanwhile is refused, and is as it was to be.
    yield* Effect.catchTag(taken, "ProcessorRefused", (refusal) =>
      Effect.flatMap(keptOf(mandate), (after) => (after.customer === null ? Effect.void : Effect.fail(refusal)))
    )
  })

  return { paramsOf, chargeMandate, fetchMandate, revokeMandate } as const
}

export type Mandates = ReturnType<typeof makeMandates>
