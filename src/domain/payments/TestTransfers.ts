import { type DateTime, Result } from "effect"
import type { IntegrationId, ReversalId, TransferAttemptId } from "../kernel/Ids.ts"
import { leftCents, type Refusal, withMovement } from "./TestBank.ts"
import type { TestAccount, TestCharge, TestTransfer } from "./TestCharge.ts"

/** A transfer that the simulated bank is asked for. */
export interface TransferRequest {
  readonly transfer_id: TransferAttemptId
  readonly destination: IntegrationId
  readonly amount_cents: number
}

const refuse = (code: string, message: string): Result.Result<never, Refusal> => Result.fail({ code, message })

/** The account's refusal of any transfer now. */
const refusal = ({
  charges_enabled,
  transfers
}: Pick<TestAccount, "charges_enabled" | "transfers">): Refusal | null => {
  if (transfers === "CLOSED") return { code: "account_closed", message: "The account is closed." }
  if (!charges_enabled) return { code: "account_disabled", message: "The account is disabled." }
  return transfers === "REFUSED" ? { code: "transfer_refused", message: "The account takes no transfer now." } : null
}

/**
 * How much of a charge can still go to other accounts, minor units: what is left without the bank's fee and what is
 * with others already.
 */
export const transferableCents = (charge: TestCharge): number =>
  Math.max(
    0,
    leftCents(charge) -
      (charge.fee_cents ?? 0) -
      charge.transfers.reduce(
        (sum, { amount_cents, reversal }) => (reversal === undefined ? sum + amount_cents : sum),
        0
      )
  )

/** Brings a part of a charge's money to another account, once for each attempt. */
export const transferMoney = (
  charge: TestCharge,
  asked: TransferRequest,
  account: Pick<TestAccount, "charges_enabled" | "transfers">,
  now: DateTime.Utc
): Result.Result<{ readonly charge: TestCharge; readonly transfer: TestTransfer }, Refusal> => {
  const known = charge.transfers.find(({ transfer_id }) => transfer_id === asked.transfer_id)
  if (known !== undefined) return Result.succeed({ charge, transfer: known })
  const refused = refusal(account)
  if (refused !== null) return Result.fail(refused)
  if (transferableCents(charge) < asked.amount_cents) {
    return refuse("balance_insufficient", `The charge has ${transferableCents(charge)} left to transfer.`)
  }
  const transfer = { ...asked, reference: `${charge.id}_t${charge.transfers.length + 1}`, created_at: now }
  const after = { ...charge, transfers: [...charge.transfers, transfer], updated_at: now }
  const moved = { amount_cents: -asked.amount_cents, at: now }
  return Result.succeed({ charge: withMovement(after, "transfer", moved), transfer })
}

/** The charge with a transfer of it taken back whole. */
const takenBack = (
  charge: TestCharge,
  transfer: TestTransfer,
  reversal_id: ReversalId | null,
  now: DateTime.Utc
): { readonly charge: TestCharge; readonly reference: string } => {
  const reference = `${transfer.reference}_b`
  const transfers = charge.transfers.map((each) =>
    each === transfer ? { ...each, reversal: { reference, reversal_id, created_at: now } } : each
  )
  const moved = { amount_cents: transfer.amount_cents, at: now }
  return { charge: withMovement({ ...charge, transfers, updated_at: now }, "transfer", moved), reference }
}

/** Takes a transfer back, whole and once; the account that has its money must give it. */
export const reverseTransfer = (
  charge: TestCharge,
  { reversal_id, transfer_id }: { readonly reversal_id: ReversalId; readonly transfer_id: TransferAttemptId },
  account: Pick<TestAccount, "charges_enabled" | "transfers">,
  now: DateTime.Utc
): Result.Result<{ readonly charge: TestCharge; readonly reference: string }, Refusal> => {
  const transfer = charge.transfers.find((each) => each.transfer_id === transfer_id)
  if (transfer === undefined) return refuse("transfer_unknown", "The charge has no such transfer.")
  if (transfer.reversal !== undefined) {
    return transfer.reversal.reversal_id === reversal_id
      ? Result.succeed({ charge, reference: transfer.reversal.reference })
      : refuse("transfer_reversed", "The transfer was reversed already.")
  }
  const refused = refusal(account)
  return refused === null ? Result.succeed(takenBack(charge, transfer, reversal_id, now)) : Result.fail(refused)
}

/** Takes the newest transfer of a charge back that is with its account, as somebody at the bank would. */
export const reverseNewest = (charge: TestCharge, now: DateTime.Utc): Result.Result<TestCharge, Refusal> => {
  const transfer = charge.transfers.findLast(({ reversal }) => reversal === undefined)
  return transfer === undefined
    ? refuse("transfer_unknown", "The charge has no transfer that could be reversed.")
    : Result.succeed(takenBack(charge, transfer, null, now).charge)
}
