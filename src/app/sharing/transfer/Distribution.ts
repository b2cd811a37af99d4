import { type DateTime, Effect } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Transfer from "../../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { makeRecipientGifts, type Occasion, type Recipient } from "../payment/RecipientGifts.ts"
import type { ChargedPayment } from "./UnsentShares.ts"

/** An attempt of a transfer that is sent at `look_at`. */
type Planned = Pick<TransferAttempt.TransferAttempt, "number"> & { readonly look_at: DateTime.Utc }

/** Shares a payment out, in the surrounding transaction that locks it. money, section 6. */
export const makeDistribution = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const gifts = yield* makeRecipientGifts
  const tokens = yield* Tokens

  /** A transfer that is as it must be: a refusal is an error of the program. */
  const taken = (transfer: Transfer.Transfer, command: Transfer.Command) =>
    Effect.map(Effect.orDie(Effect.fromResult(decide(Transfer.machine, transfer, command))), ({ state }) => state)

  const plan = Effect.fnUntraced(function* (
    { charge_id, payment }: ChargedPayment,
    transfer: Transfer.Transfer,
    { look_at, number }: Planned,
    at: DateTime.Utc
  ) {
    const { id: allocation_id, net_amount_cents: amount_cents, recipient_org_account_link_id, series } = transfer
    const { currency, id: payment_id, organisation_id } = payment
    const id = yield* tokens.id("transferAttempt")
    const whose = { organisation_id, payment_id, allocation_id, charge_id, recipient_org_account_link_id }
    const onward = { reversed_id: null, cause: null }
    yield* attempts.insert(
      TransferAttempt.newAttempt({ ...whose, ...onward, id, amount_cents, currency, series, number, look_at }, at)
    )
  })

  /** The payment with the gifts of its recipients, who were found already; to whom nothing was given nothing goes. */
  const give = Effect.fnUntraced(function* (
    { charge_id, payment }: ChargedPayment,
    recipients: ReadonlyMap<OrganisationId, Recipient>,
    occasion: Occasion
  ) {
    const given = Effect.fnUntraced(function* (transfer: Transfer.Transfer) {
      if (!Transfer.isGiven(transfer)) return yield* taken(transfer, { _tag: "Skip", at: occasion.at })
      const recipient = recipients.get(transfer.recipient_organisation_id)
      if (recipient === undefined) return yield* Effect.die(new Error(`nobody gave to ${transfer.id}`))
      const donation_id = yield* gifts.write({ charge_id, payment }, transfer, recipient, occasion)
      return Transfer.withDonation(transfer, donation_id)
    })
    return { ...payment, allocations: yield* Effect.forEach(payment.allocations, given) }
  })

  /** The payment with its transfers begun. Of which the fees leave nothing, the recipient's gift is confirmed without one. */
  const begin = Effect.fnUntraced(function* ({ charge_id, payment }: ChargedPayment, occasion: Occasion) {
    const { at } = occasion
    const look_at = yield* attempts.now
    const begun = Effect.fnUntraced(function* (transfer: Transfer.Transfer) {
      if (transfer.transfer_status !== "pending") return transfer
      if (Transfer.isDue(transfer)) {
        yield* plan({ charge_id, payment }, transfer, { number: 1, look_at }, at)
        return transfer
      }
      yield* gifts.confirm(transfer, occasion)
      return yield* taken(transfer, { _tag: "Skip", at })
    })
    const allocations = yield* Effect.forEach(payment.allocations, begun)
    return { ...payment, allocations, transfers_begun_at: at, updated_at: at }
  })

  return { plan, give, begin, donorAt: gifts.donorAt } as const
})
