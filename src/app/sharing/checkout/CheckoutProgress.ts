import { Duration, Effect, Option, Schema } from "effect"
import { DonationId, PaymentId } from "../../../domain/kernel/Ids.ts"
import { NotFound } from "../../../domain/kernel/Rejection.ts"
import type * as Charge from "../../../domain/payments/Charge.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import * as ProgressToken from "../../../domain/payments/ProgressToken.ts"
import * as Checkout from "../../../domain/sharing/Checkout.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { makeChargeLoader } from "../../payments/charge/ChargeLoader.ts"

const purpose = "checkout_progress"

/** How long a donor is kept waiting for the processor. What it says later the page finds by asking for the progress. */
export const patience = Duration.seconds(20)

const isDonationId = Schema.is(DonationId)
const isPaymentId = Schema.is(PaymentId)

/** The message repeats nothing of the token: whoever has it sees a donor's payment. */
const unknownToken = () => new NotFound({ record: "checkout", id: "of this token" })

const progressAt = (
  charge: Charge.Charge,
  mandate: Option.Option<Pick<Mandate, "subscription_id">>,
  step: Option.Option<NonNullable<Checkout.Progress["next_step"]>>
): Checkout.Progress => ({
  donation_id: isDonationId(charge.subject_id) ? charge.subject_id : null,
  recommendation_set_payment_id: isPaymentId(charge.subject_id) ? charge.subject_id : null,
  subscription_id: Option.getOrNull(Option.map(mandate, ({ subscription_id }) => subscription_id)),
  status: charge.status,
  amount_cents: charge.amount_cents,
  currency: charge.currency,
  method: charge.method,
  failure_code: Checkout.failureOf(charge),
  next_step: Option.getOrNull(step)
})

/** The progress of submissions. */
export const makeCheckoutProgress = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const loader = yield* makeChargeLoader
  const macs = yield* Macs
  const mandates = yield* MandateStore
  const timeOf = yield* makeOrganisationTime

  const nextStepOf = Effect.fnUntraced(function* (charge: Charge.Charge) {
    const isAsked = (charge.status === "NEW" || charge.status === "WAITING") && charge.reference !== null
    const place = isAsked && charge.ending === null ? yield* loader.placeOf(charge) : Option.none()
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
    const { mandate_id, organisation_id } = charge
    const mandate = mandate_id === null ? Option.none() : yield* mandates.find(organisation_id, mandate_id)
    return progressAt(charge, mandate, step)
  })

  const tokenOf = Effect.fnUntraced(function* ({ id: charge_id, organisation_id }: Charge.Charge) {
    const [key_id] = macs.keyIds
    const subject: ProgressToken.Subject = { key_id, organisation_id, charge_id }
    const mac = yield* macs.make(key_id, purpose, ProgressToken.canonicalText(subject))
    return ProgressToken.write({ ...subject, mac: Option.getOrThrow(mac) })
  })

  const submitted = Effect.fnUntraced(function* (charge: Charge.Charge) {
    const answer: Checkout.SubmittedCheckout = {
      progress_token: yield* tokenOf(charge),
      ...(yield* progressOf(charge))
    }
    return answer
  })

  /** The charge of a token, for a day; none for any other token. */
  const chargeOf = Effect.fnUntraced(function* (token: string) {
    const presented = ProgressToken.read(token)
    if (Option.isNone(presented)) return Option.none()
    const { charge_id, key_id, mac, organisation_id } = presented.value
    const isOurs = yield* macs.verify(key_id, purpose, ProgressToken.canonicalText(presented.value), mac)
    const charge = isOurs ? yield* charges.find(organisation_id, charge_id) : Option.none()
    const now = yield* timeOf(organisation_id)(organisationNow)
    return Option.filter(charge, (found) => ProgressToken.isOpenAt(found, now))
  })

  /** How the submission of a token is going, for a day. Fails with {@link NotFound} for any other token. */
  const ofToken = Effect.fnUntraced(function* (token: string) {
    const charge = yield* chargeOf(token)
    return Option.isSome(charge) ? yield* progressOf(charge.value) : yield* unknownToken()
  })

  return { chargeOf, ofToken, submitted } as const
})
