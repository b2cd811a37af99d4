import { DateTime, Duration, Effect } from "effect"
import { feeOf } from "../../../domain/payments/Fees.ts"
import type { Charging, ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import { unreachable } from "./Failures.ts"
import * as Metadata from "./Metadata.ts"
import { Dispute, Intent, pageOf, Refund } from "./Objects.ts"
import type { StripeApi } from "./StripeApi.ts"

/** Objects on a page of a list, the most that Stripe answers. */
export const pageSize = 100

/** Pages that are looked through for one intent. */
const pagesAtMost = 100

/** How far Stripe's clock may be from ours, and how long after a charge was made its intent may be: it is tried for a quarter of an hour. */
const before = Duration.minutes(10)
const after = Duration.hours(1)

/** Seconds, as Stripe counts time. */
export const secondsOf = (at: DateTime.Utc): number => Math.floor(at.epochMilliseconds / 1_000)

/**
 * The platform takes the charge on behalf of the organisation's account, which gets all of it but the platform's fee. An own
 * account takes its charges itself, and the platform has no part in them.
 */
const sharesOf = ({ charge, integration }: Charging) => {
  if (integration.is_own) return {}
  const application_fee_amount = feeOf(charge.amount_cents, charge.platform_rate)
  const account = integration.processor_connect_account_id
  return {
    on_behalf_of: account,
    transfer_data: { destination: account },
    ...(application_fee_amount === 0 ? {} : { application_fee_amount })
  }
}

/** What an intent is made with. */
export const paramsOf = (charging: Charging) => {
  const { charge } = charging
  return {
    amount: charge.amount_cents,
    currency: charge.currency.toLowerCase(),
    payment_method_types: [charge.method],
    capture_method: "automatic" as const,
    ...sharesOf(charging),
    metadata: Metadata.ofCharge(charging)
  }
}

/** With the charge's own balance transaction, which has the fee. */
const expand = ["latest_charge.balance_transaction"]

/** Makes what finds the intents of charges. */
export const makeIntents = (api: StripeApi) => {
  /** By its id in the metadata: the intent of a charge whose reference never came. An index of theirs may lag, a list does not. */
  const listed = Effect.fnUntraced(function* ({ charge }: Charging) {
    const created = {
      gte: secondsOf(DateTime.subtractDuration(charge.created_at, before)),
      lte: secondsOf(DateTime.addDuration(charge.created_at, after))
    }
    let starting_after: string | undefined
    for (let count = 0; count < pagesAtMost; count += 1) {
      const page = yield* api.call(pageOf(Intent), ({ paymentIntents }) =>
        paymentIntents.list({ created, limit: pageSize, ...(starting_after === undefined ? {} : { starting_after }) })
      )
      const found = page.data.find(({ metadata }) => metadata.almoner_charge_id === charge.id)
      if (found !== undefined) return found.id
      if (!page.has_more) return null
      starting_after = page.data.at(-1)?.id
    }
    return yield* unreachable("too_many_intents")
  })

  const idOf = (charging: Charging): Effect.Effect<string | null, ProcessorFailure> =>
    charging.charge.reference === null ? listed(charging) : Effect.succeed(charging.charge.reference)

  /** The intent of a charge as it stands now; null where there is none. */
  const find = Effect.fnUntraced(function* (charging: Charging) {
    const id = yield* idOf(charging)
    if (id === null) return null
    const found = yield* api.find(Intent, ({ paymentIntents }) => paymentIntents.retrieve(id, { expand }))
    if (found !== null && found.metadata.almoner_charge_id !== charging.charge.id) return yield* unreachable("not_ours")
    return found
  })

  /** All refunds of an intent, the oldest first. */
  const refundsOf = Effect.fnUntraced(function* (payment_intent: string) {
    const all: Array<Refund> = []
    for (let count = 0; count < pagesAtMost; count += 1) {
      const starting_after = all.at(-1)?.id
      const page = yield* api.call(pageOf(Refund), ({ refunds }) =>
        refunds.list({ payment_intent, limit: pageSize, ...(starting_after === undefined ? {} : { starting_after }) })
      )
      all.push(...page.data)
      if (!page.has_more) return all.toReversed()
    }
    return yield* unreachable("too_many_refunds")
  })

  /** The disputes of an intent: of one charge there are few. */
  const disputesOf = (payment_intent: string) =>
    Effect.map(
      api.call(pageOf(Dispute), ({ disputes }) => disputes.list({ payment_intent, limit: pageSize })),
      ({ data }) => data.toReversed()
    )

  return { find, idOf, refundsOf, disputesOf } as const
}

/** Intents of one mode. */
export type Intents = ReturnType<typeof makeIntents>
