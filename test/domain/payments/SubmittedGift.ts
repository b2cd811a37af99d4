import type { DateTime } from "effect"
import fc from "fast-check"
import type { Donation } from "../../../src/domain/giving/Donation.ts"
import { ChargeId } from "../../../src/domain/kernel/Ids.ts"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import type { SettlementState } from "../../../src/domain/payments/StepApplication.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Subjects from "../../../src/testing/subjects/Donations.ts"

export const methods = ["card", "au_becs_debit", "payto", "bank_transfer"] as const

/** How much every gift is, minor units. */
export const amount = 10_000

/** A gift that was just submitted at this instant, and its charge. */
export const submittedAt = (created_at: DateTime.Utc): fc.Arbitrary<SettlementState> =>
  fc
    .record({ gift: Subjects.donations.states, charge_id: arbitraryOf(ChargeId), method: fc.constantFrom(...methods) })
    .map(({ charge_id, gift, method }): SettlementState => {
      const donation: Donation = {
        ...gift,
        status: "PENDING",
        amount_cents: amount,
        refunded_amount_cents: 0,
        currency: "AUD",
        donation_type: "MONETARY",
        payment_method: method,
        charge_id,
        created_at,
        failure_code: null
      }
      const charge: Charge = {
        id: charge_id,
        organisation_id: gift.organisation_id,
        integration_id: "intg_00000000000000000000000000" as Charge["integration_id"],
        purpose: "donation",
        mandate_id: null,
        subject_id: gift.id,
        method,
        amount_cents: amount,
        currency: "AUD",
        status: "NEW",
        reference: null,
        submission_id: "018f6e7a-0000-7000-8000-000000000000",
        failure_code: null,
        processor_fee_cents: null,
        platform_rate: { basis_points: 100, fixed_cents: 30 },
        sealed_token: method === "bank_transfer" ? null : "sealed",
        link_claims: null,
        confirmed_at: null,
        ending: null,
        look_at: created_at,
        looks: 0,
        waiting_since: null,
        ended_at: null,
        created_at,
        updated_at: created_at
      }
      return { charge, gift: donation, refunds: [], disputes: [], isLate: false, isMismatched: false }
    })
