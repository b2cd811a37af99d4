import { Duration, Effect, Option } from "effect"
import type { Stripe } from "stripe"
import { addTime, instantAt } from "../../../domain/kernel/InstantRange.ts"
import type { CreatedCharge, Movement, ProcessorStatements } from "../../../ports/payments/ProcessorStatements.ts"
import { isAtOneAccount, secondsOf } from "./Intents.ts"
import * as Metadata from "./Metadata.ts"
import type { On } from "./Mode.ts"
import { BalanceTransaction, Intent, idOf, pageOf, Transfer } from "./Objects.ts"
import { nextOf, pageAfter } from "./Pages.ts"
import { knownIn } from "./Snapshots.ts"
import type { StripeApi } from "./StripeApi.ts"

/** By Stripe's types of balance transactions; any other of a charge of ours moves its money in a way that is not known here. */
const kinds: Readonly<Record<string, Movement["kind"]>> = {
  charge: "charge",
  payment: "charge",
  refund: "refund",
  payment_refund: "refund",
  refund_failure: "refund",
  payment_failure_refund: "refund",
  adjustment: "dispute",
  transfer: "transfer",
  transfer_refund: "transfer",
  transfer_failure: "transfer",
  transfer_cancel: "transfer"
}

/** What Stripe sets aside on the account, where it stays. */
const holds: ReadonlySet<string> = new Set([
  "payment_network_reserve_hold",
  "payment_network_reserve_release",
  "reserve_hold",
  "reserve_release",
  "reserve_transaction",
  "reserved_funds"
])

const createdOf = ({ created, id, metadata }: Intent): CreatedCharge => ({
  reference: id,
  charge_id: Option.getOrNull(Metadata.chargeOf(metadata)),
  created_at: instantAt(created * 1_000)
})

/** A movement, and what its source says of whose it is. */
const movedOf = ({ amount, created, currency, fee, id, source, type }: BalanceTransaction) => {
  if (holds.has(type) || typeof source !== "object" || source === null) return []
  const known = Option.getOrElse(knownIn(kinds, type), () => "other" as const)
  const kind = known === "dispute" && source.object !== "dispute" ? "other" : known
  const movement: Movement = {
    reference: id,
    kind,
    charge_reference: idOf(source.payment_intent) ?? Metadata.intentOf(source.metadata),
    amount_cents: amount,
    // The platform pays for what went on to one account.
    fee_cents: isAtOneAccount(source) ? 0 : fee,
    currency: currency.toUpperCase(),
    at: instantAt(created * 1_000)
  }
  return [{ movement, integration_id: Metadata.integrationOf(source.metadata), transfer: idOf(source.transfer) }]
}

/** Stripe's statements of an account. All accounts of a platform are on the same books. */
export const makeStatements = (on: On): ProcessorStatements => {
  /** Disputes and refunds that were made at Stripe say nothing of whose they are: their intent does. */
  const ofIntent = Effect.fnUntraced(function* (api: StripeApi, movement: Movement) {
    const { charge_reference: id } = movement
    if (id === null) return undefined
    const found = yield* api.find(Intent, ({ paymentIntents }) => paymentIntents.retrieve(id))
    return { movement, integration_id: Metadata.integrationOf(found?.metadata) }
  })

  /** A reversal that was made at Stripe says nothing of whose it is: its transfer does, where that is one of a payment. */
  const ofTransfer = Effect.fnUntraced(function* (api: StripeApi, movement: Movement, id: string) {
    const found = yield* api.find(Transfer, ({ transfers }) => transfers.retrieve(id))
    return {
      movement: { ...movement, charge_reference: Metadata.intentOf(found?.metadata) },
      integration_id: Metadata.integrationOf(found?.metadata)
    }
  })

  return {
    listCreated: (integration, since, page) =>
      on(integration, ({ api }) =>
        Effect.map(
          api.call(pageOf(Intent), ({ paymentIntents }) =>
            paymentIntents.list({
              created: { gte: secondsOf(since) },
              ...pageAfter(page)
            } satisfies Stripe.PaymentIntentListParams)
          ),
          (found) => ({
            data: found.data
              .filter(({ metadata }) => Metadata.integrationOf(metadata) === integration.id)
              .map(createdOf),
            next: nextOf(found)
          })
        )
      ),

    movements: (integration, day, page) =>
      on(integration, ({ api }) =>
        Effect.gen(function* () {
          const start = instantAt(`${day}T00:00:00.000Z`)
          const created = { gte: secondsOf(start), lt: secondsOf(addTime(start, Duration.days(1))) }
          const found = yield* api.call(pageOf(BalanceTransaction), ({ balanceTransactions }) =>
            balanceTransactions.list({
              created,
              expand: ["data.source"],
              ...pageAfter(page)
            } satisfies Stripe.BalanceTransactionListParams)
          )
          const data: Array<Movement> = []
          for (const each of found.data.flatMap(movedOf)) {
            const { movement, transfer } = each
            const known =
              each.integration_id !== undefined
                ? each
                : movement.kind === "transfer" && transfer !== null
                  ? yield* ofTransfer(api, movement, transfer)
                  : yield* ofIntent(api, movement)
            if (known?.integration_id === integration.id) data.push(known.movement)
          }
          return { data, next: nextOf(found) }
        })
      )
  }
}
