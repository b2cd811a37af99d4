import { DateTime } from "effect"
import { ChargeId, IntegrationId, OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import type { TestCharge } from "../../../src/domain/payments/TestCharge.ts"

const digits = "01jqz6x8h4e5vb9m2k7ncw3t5d"

/** When the simulated bank hears of the charges of these tests. */
export const heardAt = DateTime.makeUnsafe("2026-07-01T00:00:00Z")

/** So many seconds after that. */
export const later = (seconds: number): DateTime.Utc => DateTime.add(heardAt, { seconds })

/** A charge at the simulated bank, of which it has just heard. */
export const chargeAtBank = (given: Partial<TestCharge> = {}): TestCharge => ({
  id: "test_1",
  organisation_id: OrganisationId.make(`org_${digits}`),
  integration_id: IntegrationId.make(`intg_${digits}`),
  charge_id: ChargeId.make(`chg_${digits}`),
  idempotency_key: null,
  method: "card",
  amount_cents: 10_000,
  currency: "AUD",
  status: "created",
  failure_code: null,
  fee_cents: null,
  payment_token: null,
  mandate: null,
  refunds: [],
  disputes: [],
  transfers: [],
  movements: [],
  scheduled: [],
  created_at: heardAt,
  updated_at: heardAt,
  ...given
})
