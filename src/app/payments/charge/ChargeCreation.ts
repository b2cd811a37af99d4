import { type DateTime, Effect } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { ChargeId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { birth } from "../../../domain/kernel/Machine.ts"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import { noRate } from "../../../domain/payments/Fees.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { type PaymentAccount, takesToken } from "../account/PaymentAccounts.ts"
import { makePlatformFeeLookup } from "../ledger/LedgerWriter.ts"
import { leaseDuration } from "./ChargeWriter.ts"

/** A donor's payment: amount, method and means. */
export interface PaymentMeans {
  readonly submission_id: string
  readonly amount_cents: number
  readonly currency: string
  readonly method: PaymentMethod
  readonly payment_token?: string | null
}

interface Asked extends Pick<Charge.Charge, "purpose" | "subject_id"> {
  /** The mandate that it saves or is taken by; null where the money is taken once. */
  readonly mandate_id?: Charge.Charge["mandate_id"]
  readonly id: ChargeId
  readonly organisation: Organisation
  readonly taking: PaymentAccount
  readonly paying: PaymentMeans
  readonly at: DateTime.Utc
}

/** Writes new charges, in the surrounding transaction. The processor is not asked yet. */
export const makeChargeCreation = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const box = yield* SecretBox
  const rates = yield* makePlatformFeeLookup

  return Effect.fnUntraced(function* (asked: Asked) {
    const { at, id, mandate_id = null, organisation, paying, purpose, subject_id, taking } = asked
    const { amount_cents, currency, method, submission_id } = paying
    const token = takesToken(taking, method) ? (paying.payment_token ?? null) : null
    const sealed_token = token === null ? null : yield* box.seal(token, id)
    // Whoever writes it asks the processor next: the worker leaves it alone for as long.
    const look_at = addTime(yield* charges.now, leaseDuration)
    // The money of an own account never passes the platform.
    const platform_rate = taking.integration.is_own ? noRate : yield* rates.of(organisation, at)
    const charge = birth(
      Charge.machine,
      Charge.births.submitted,
      (status): Charge.Charge => ({
        id,
        organisation_id: organisation.id,
        integration_id: taking.integration.id,
        purpose,
        subject_id,
        mandate_id,
        method,
        amount_cents,
        currency,
        status,
        reference: null,
        submission_id,
        failure_code: null,
        processor_fee_cents: null,
        platform_rate,
        sealed_token,
        confirmed_at: null,
        ending: null,
        look_at,
        looks: 0,
        waiting_since: null,
        ended_at: null,
        created_at: at,
        updated_at: at
      })
    )
    yield* charges.insert(charge.state)
    return charge.state
  })
})
