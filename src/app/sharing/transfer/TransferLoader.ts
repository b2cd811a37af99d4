import { Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { TransferAttemptId } from "../../../domain/kernel/Ids.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import type { TransferAttempt } from "../../../domain/sharing/TransferAttempt.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import {
  type PaymentProcessor,
  PaymentProcessors,
  type ProcessorFailure
} from "../../../ports/payments/PaymentProcessors.ts"
import type { ProcessorTransfers, TransferContext } from "../../../ports/payments/ProcessorTransfers.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"
import { type DueTransfer, TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"

const isTransferId = Schema.is(TransferAttemptId)

type Made = { readonly reference: string }

/** How the processor is asked for an attempt, and whether it was made. */
export interface TransferCall {
  readonly make: Effect.Effect<Made, ProcessorFailure>
  readonly find: Effect.Effect<Option.Option<Made>, ProcessorFailure>
  /** What took the transfer back whole, for us or not: the one that it is, or that it is to take back. */
  readonly findReversal: Effect.Effect<Option.Option<Made>, ProcessorFailure>
}

/** An attempt, and how the processor is asked for it. */
export interface LoadedTransfer {
  readonly organisation: Organisation
  readonly attempt: TransferAttempt
  /** Null where no processor of this installation moves its money: people do, by hand. */
  readonly ask: TransferCall | null
}

/**
 * How a processor brings the money of a charge to other accounts; null where it cannot: what donors transfer to a bank account
 * is not with the processor.
 */
const transfersOf = (
  { method }: Pick<Charge, "method">,
  processor: Option.Option<PaymentProcessor>
): ProcessorTransfers | null =>
  method === "bank_transfer" ? null : (Option.getOrUndefined(processor)?.transfers ?? null)

/** How the processor is asked: for a transfer, or to take back the one that was made before. */
const askOf = (
  transfers: ProcessorTransfers,
  { id }: Pick<TransferAttempt, "id">,
  moving: Omit<TransferContext, "id">,
  before: Option.Option<TransferAttempt>
): TransferCall | null => {
  const reversalOf = (transferring: TransferContext) =>
    Effect.map(
      transfers.fetchTransfer(transferring),
      Option.flatMap(({ reversal }) => Option.fromNullOr(reversal))
    )
  if (isTransferId(id)) {
    const transferring = { ...moving, id }
    return {
      make: transfers.transfer(transferring),
      find: transfers.fetchTransfer(transferring),
      findReversal: reversalOf(transferring)
    }
  }
  const made = Option.getOrNull(before)
  // A transfer that was made by hand was never sent.
  if (made === null || made.sent_at === null || made.reference === null || !isTransferId(made.id)) return null
  const reversing = { ...moving, id, transfer: { id: made.id, reference: made.reference } }
  return {
    make: transfers.reverse(reversing),
    find: transfers.fetchReversal(reversing),
    findReversal: reversalOf({ ...moving, id: made.id })
  }
}

/** Reads an attempt with the accounts between which its money moves; none where there is no such attempt. */
export const makeTransferLoader = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const charges = yield* ChargeStore
  const integrations = yield* IntegrationStore
  const links = yield* RecipientAccountStore
  const organisations = yield* OrganisationStore
  const processors = yield* PaymentProcessors

  return Effect.fnUntraced(function* ({ id, organisation_id }: DueTransfer) {
    const attempt = yield* attempts.find(organisation_id, id)
    if (Option.isNone(attempt)) return Option.none()
    const { amount_cents, charge_id, recipient_org_account_link_id, reversed_id } = attempt.value
    const before = reversed_id === null ? Option.none() : yield* attempts.find(organisation_id, reversed_id)
    const organisation = yield* organisations.find(organisation_id)
    const charge = yield* charges.find(organisation_id, charge_id)
    const link = yield* links.find(organisation_id, recipient_org_account_link_id)
    if (Option.isNone(charge) || Option.isNone(link)) return Option.none()
    const integration = yield* integrations.find(organisation_id, charge.value.integration_id)
    const { recipient_integration_id, recipient_organisation_id } = link.value
    const destination = yield* integrations.find(recipient_organisation_id, recipient_integration_id)
    return Option.map(
      Option.all({ organisation, integration, destination }),
      ({ organisation, ...accounts }): LoadedTransfer => {
        const processor = processors.find(accounts.integration.processor)
        const isOne = accounts.destination.processor === accounts.integration.processor
        const transfers = isOne ? transfersOf(charge.value, processor) : null
        const moving = { charge: charge.value, amount_cents, ...accounts }
        return {
          organisation,
          attempt: attempt.value,
          ask: transfers === null ? null : askOf(transfers, { id: attempt.value.id }, moving, before)
        }
      }
    )
  })
})
