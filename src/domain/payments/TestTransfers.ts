import { type DateTime, Result } from "effect"
import type { IntegrationId, TransferAttemptId } from "../kernel/Ids.ts"
import { leftCents, type Refusal } from "./TestBank.ts"
import type { TestAccount, TestCharge, TestTransfer } from "./TestCharge.ts"

/** What the simulated bank is asked to bring to another account. */
export interface AskedTransfer {
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
 * How much of a charge can still go to other accounts, minor units: what is left without the bank's fee and what went already.
 * @example TestTransfers.transferableCents({ ...testCharge, status: "failed" }) // => 0
 */
export const transferableCents = (charge: TestCharge): number =>
  Math.max(
    0,
    leftCents(charge) -
      (charge.fee_cents ?? 0) -
      charge.transfers.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  )

/**
 * Brings a part of a charge's money to another account, once for each attempt.
 *
 * @example
 * ```ts
 * const paid = { ...testCharge, status: "succeeded", amount_cents: 50_00, fee_cents: 1_00 } as const
 * const asked = { transfer_id: transferAttempt.id, destination: integration_id, amount_cents: 49_00 }
 * Result.isSuccess(TestTransfers.transferred(paid, asked, testAccount, at)) // => true
 * Result.isSuccess(TestTransfers.transferred(paid, asked, { ...testAccount, transfers: "CLOSED" }, at)) // => false
 * Result.isSuccess(TestTransfers.transferred(paid, { ...asked, amount_cents: 49_01 }, testAccount, at)) // => false
 * ```
 */
export const transferred = (
  charge: TestCharge,
  asked: AskedTransfer,
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
  return Result.succeed({
    charge: { ...charge, transfers: [...charge.transfers, transfer], updated_at: now },
    transfer
  })
}
