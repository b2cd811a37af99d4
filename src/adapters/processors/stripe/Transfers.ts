import { Effect, Option } from "effect"
import type { Stripe } from "stripe"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { ChargeContext, ProcessorFailure, ProcessorRefused } from "../../../ports/payments/PaymentProcessors.ts"
import type {
  MadeTransfer,
  ProcessorTransfers,
  ReversalContext,
  TransferContext
} from "../../../ports/payments/ProcessorTransfers.ts"
import { refusalOf } from "./Failures.ts"
import { type Intents, isAtOneAccount } from "./Intents.ts"
import * as Metadata from "./Metadata.ts"
import { Account, idOf, Transfer, TransferReversal } from "./Objects.ts"
import { firstOf } from "./Pages.ts"
import type { StripeApi } from "./StripeApi.ts"

const isRejected = ({ requirements }: Account): boolean =>
  requirements?.disabled_reason?.startsWith("rejected.") === true

/**
 * How the platform brings money on from the charges of shared payments, and takes it back. What was made is found by the
 * charge's group, and by its transfer, with our id in the metadata: never by an index that may lag.
 */
export const makeTransfers = (api: StripeApi, intents: Intents): ProcessorTransfers => {
  /** The last of its reversals is the one after which nothing is left to take back. */
  const madeOf = ({ id: reference, reversals, reversed }: Transfer): MadeTransfer => ({
    reference,
    reversal: reversed ? { reference: reversals.data[0]?.id ?? reference } : null
  })

  const foundTransfer = ({ charge, id }: TransferContext) =>
    Effect.map(
      firstOf(
        api,
        Transfer,
        ({ transfers }, page) =>
          transfers.list({ transfer_group: charge.id, ...page } satisfies Stripe.TransferListParams),
        ({ metadata }) => metadata?.almoner_transfer_id === id
      ),
      (found) => (found === null ? null : madeOf(found))
    )

  const foundReversal = ({ id, transfer }: ReversalContext) =>
    Effect.map(
      firstOf(
        api,
        TransferReversal,
        ({ transfers }, page) => transfers.listReversals(transfer.reference, page),
        ({ metadata }) => metadata?.almoner_reversal_id === id
      ),
      (found) => (found === null ? null : { reference: found.id })
    )

  /** Why an account that refused will never take money, or give it back; null where it may some day, or nobody knows. */
  const finalCodeOf = ({ processor_connect_account_id: id }: Integration) =>
    api
      .find(Account, ({ accounts }) => accounts.retrieve(id))
      .pipe(
        Effect.map((account) =>
          account === null ? "account_unknown" : isRejected(account) ? "account_rejected" : null
        ),
        // Stripe says the same of an account that was closed, and of one that left the platform.
        Effect.catchTag("ProcessorRefused", ({ code }) =>
          Effect.succeed(code === "account_invalid" ? "account_closed" : null)
        ),
        Effect.catchTag("ProcessorUnreachable", () => Effect.succeed(null))
      )

  /** A refusal says little of the account; the account itself says it. */
  const orFinally =
    (account: Integration) =>
    <A>(asked: Effect.Effect<A, ProcessorFailure>) =>
      Effect.catchTag(asked, "ProcessorRefused", (refusal: ProcessorRefused) =>
        Effect.flatMap(finalCodeOf(account), (code) => Effect.fail(code === null ? refusal : refusalOf(code)))
      )

  /** The charge at Stripe whose money it is: a transfer that is drawn on it waits for that money, and for no other. */
  const sourceOf = Effect.fnUntraced(function* (charging: ChargeContext) {
    const intent = yield* intents.find(charging)
    if (isAtOneAccount(intent)) return yield* refusalOf("charge_is_not_separate")
    return idOf(intent?.latest_charge) ?? (yield* refusalOf("no_such_charge"))
  })

  /** A key is forgotten after a day, so that what was made under it is looked for first. */
  const transfer = Effect.fnUntraced(function* (transferring: TransferContext) {
    const known = yield* foundTransfer(transferring)
    if (known !== null) return { reference: known.reference }
    const { amount_cents: amount, charge, destination, id, integration } = transferring
    const params = {
      amount,
      currency: charge.currency.toLowerCase(),
      destination: destination.processor_connect_account_id,
      source_transaction: yield* sourceOf({ charge, integration }),
      transfer_group: charge.id,
      metadata: Metadata.ofTransfer(transferring)
    } satisfies Stripe.TransferCreateParams
    const { id: reference } = yield* api
      .call(Transfer, ({ transfers }) => transfers.create(params, { idempotencyKey: id }))
      .pipe(orFinally(destination))
    return { reference }
  })

  const reverse = Effect.fnUntraced(function* (reversing: ReversalContext) {
    const known = yield* foundReversal(reversing)
    if (known !== null) return known
    const { amount_cents: amount, destination, id, transfer: made } = reversing
    const params = { amount, metadata: Metadata.ofReversal(reversing) } satisfies Stripe.TransferCreateReversalParams
    const { id: reference } = yield* api
      .call(TransferReversal, ({ transfers }) =>
        transfers.createReversal(made.reference, params, { idempotencyKey: id })
      )
      .pipe(orFinally(destination))
    return { reference }
  })

  return {
    transfer,
    fetchTransfer: (transferring) => Effect.map(foundTransfer(transferring), Option.fromNullOr),
    reverse,
    fetchReversal: (reversing) => Effect.map(foundReversal(reversing), Option.fromNullOr)
  }
}
