import { Effect } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import {
  ChargeId,
  DisputeId,
  DonationId,
  LedgerEntryId,
  type OrganisationId,
  PaymentExceptionId
} from "../../domain/kernel/Ids.ts"
import { Charge } from "../../domain/payments/Charge.ts"
import { Dispute } from "../../domain/payments/Dispute.ts"
import type { LedgerEntry } from "../../domain/payments/Ledger.ts"
import { PaymentException } from "../../domain/payments/PaymentException.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { at, freshId, integrationOf, recordOf } from "./Records.ts"

export const freshChargeId = Effect.map(freshId("charge"), (id) => ChargeId.make(id))
export const freshDisputeId = Effect.map(freshId("dispute"), (id) => DisputeId.make(id))
export const freshEntryId = Effect.map(freshId("ledgerEntry"), (id) => LedgerEntryId.make(id))
export const freshExceptionId = Effect.map(freshId("paymentException"), (id) => PaymentExceptionId.make(id))

/** A stored integration of the organisation. */
export const newIntegration = (organisation_id: OrganisationId) =>
  Effect.flatMap(IntegrationStore, (store) => Effect.tap(integrationOf(organisation_id), store.insert))

/** A charge of a new gift that is not stored yet, and that nobody looks at. */
export const chargeOf = Effect.fnUntraced(function* (
  { id, organisation_id }: Pick<Integration, "id" | "organisation_id">,
  given: Partial<Charge> = {}
) {
  return recordOf(Charge, given, {
    id: yield* freshChargeId,
    organisation_id,
    integration_id: id,
    purpose: "donation",
    subject_id: DonationId.make(yield* freshId("donation")),
    method: "card",
    amount_cents: 5_000,
    currency: "AUD",
    status: "NEW",
    submission_id: yield* freshId("request"),
    platform_rate: { basis_points: 100, fixed_cents: 30 },
    looks: 0
  })
})

/** A stored charge of a new integration. */
export const newCharge = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<Charge> = {}) {
  const charge = yield* chargeOf(yield* newIntegration(organisation_id), given)
  yield* Effect.orDie((yield* ChargeStore).insert(charge))
  return charge
})

export const disputeOf = Effect.fnUntraced(function* (
  { id, organisation_id }: Pick<Charge, "id" | "organisation_id">,
  given: Partial<Dispute> = {}
) {
  return recordOf(Dispute, given, {
    id: yield* freshDisputeId,
    organisation_id,
    charge_id: id,
    reference: "dp_1",
    amount_cents: 5_000,
    status: "OPEN"
  })
})

export const exceptionOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  given: Partial<PaymentException> = {}
) {
  const id = yield* freshExceptionId
  return recordOf(PaymentException, given, {
    id,
    organisation_id,
    kind: "mismatch",
    status: "OPEN",
    subject_id: id,
    amount_cents: 100,
    held_cents: 0,
    currency: "AUD",
    reason: "The processor has 4900, and we have 5000."
  })
})

export const entryOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<LedgerEntry> = {}) {
  const entry: LedgerEntry = {
    id: yield* freshEntryId,
    organisation_id,
    charge_id: null,
    cause: "charge",
    cause_id: "chg_1",
    from_account: "donor",
    to_account: "organisation",
    amount_cents: 5_000,
    currency: "AUD",
    at: at(0),
    ...given
  }
  return entry
})
