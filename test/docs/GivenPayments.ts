import { DateTime } from "effect"
import type {
  Applying,
  Charge,
  Credit,
  Disagreement,
  Dispute,
  Donation,
  Integration,
  Ledger,
  Notice,
  PaymentException,
  Reconciliation,
  Snapshot,
  Subscription,
  Tariff,
  TestCharge,
  TestNotice
} from "../../src/domain.ts"
import { CalendarDate, Ids, Invoice, Mandate, TestCharge as TestCharges, TransferAttempt } from "../../src/domain.ts"

const digits = "01jqz6x8h4e5vb9m2k7ncw3t5d"
const at = DateTime.makeUnsafe("2026-04-02T00:00:00Z")
const day = CalendarDate.CalendarDate.make("2026-04-02")
const made = { created_at: at, updated_at: at }

const charge_id = Ids.ChargeId.make(`chg_${digits}`)
const refund_id = Ids.RefundId.make(`rfd_${digits}`)
const dispute_id = Ids.DisputeId.make(`dsp_${digits}`)

const entry: Ledger.LedgerEntry = {
  id: Ids.LedgerEntryId.make(`led_${digits}`),
  organisation_id: Ids.OrganisationId.make(`org_${digits}`),
  charge_id,
  cause: "charge",
  cause_id: charge_id,
  from_account: "donor",
  to_account: "organisation",
  amount_cents: 5_000,
  currency: "AUD",
  at
}

const exception: PaymentException.PaymentException = {
  id: Ids.PaymentExceptionId.make(`exc_${digits}`),
  organisation_id: entry.organisation_id,
  kind: "late_success",
  status: "OPEN",
  charge_id,
  subject_id: charge_id,
  amount_cents: 5_000,
  held_cents: 0,
  currency: "AUD",
  reason: "Money came after the charge had ended. It goes back to the donor.",
  note: null,
  resolved_by: null,
  resolved_at: null,
  ...made
}

const dispute: Dispute.Dispute = {
  id: dispute_id,
  organisation_id: entry.organisation_id,
  charge_id,
  reference: "dp_1",
  amount_cents: 5_000,
  status: "OPEN",
  fee_cents: null,
  refund_id: null,
  ended_at: null,
  ...made
}

const subscription: Subscription.Subscription = {
  id: Ids.SubscriptionId.make(`sub_${digits}`),
  organisation_id: entry.organisation_id,
  donor_id: Ids.DonorId.make(`dnr_${digits}`),
  status: "ACTIVE",
  amount_cents: 5_000,
  currency: "AUD",
  frequency: "MONTHLY",
  donation_form_id: null,
  campaign_id: null,
  cancel_reason: null,
  donor_cancel_reason_code: null,
  donor_cancel_reason: null,
  anchor_day: day,
  next_charge_on: CalendarDate.CalendarDate.make("2026-05-02"),
  integration_id: Ids.IntegrationId.make(`intg_${digits}`),
  mandate_id: Ids.MandateId.make(`mdt_${digits}`),
  method: "card",
  revenue_code: null,
  revenue_code_id: null,
  consent_given: null,
  consent_responses: [],
  last_paid_invoice_id: null,
  last_charged_on: null,
  look_at: null,
  cancelled_at: null,
  ...made
}

const mandate: Mandate.Mandate = Mandate.begun(
  {
    id: subscription.mandate_id,
    organisation_id: subscription.organisation_id,
    subscription_id: subscription.id,
    integration_id: subscription.integration_id,
    method: "card"
  },
  at
)

const invoice: Invoice.Invoice = Invoice.made(
  {
    id: Ids.InvoiceId.make(`inv_${digits}`),
    organisation_id: subscription.organisation_id,
    subscription_id: subscription.id,
    due_on: day,
    amount_cents: 5_000,
    currency: "AUD",
    next_attempt_at: at
  },
  at
)

const tariff: Tariff.Tariff = {
  plan: "FREE",
  effective_from: at,
  basis_points: 100,
  fixed_cents: 0,
  created_at: at
}

const snapshot: Snapshot.ChargeSnapshot = {
  status: "created",
  reference: null,
  amount_cents: 5_000,
  currency: "AUD",
  fee_cents: null,
  failure_code: null,
  refunds: [],
  disputes: []
}

const position: Reconciliation.Position = {
  reference: "pi_1",
  charge_id,
  theirs: { taken_cents: 0, refunded_cents: 0, disputed_cents: 0, other_cents: 0, fee_cents: 0, foreign: 0 },
  booked: { taken_cents: 0, refunded_cents: 0, refunding_cents: 0, disputed_cents: 0, fee_cents: 0 }
}

const occasion: Applying.Occasion = { at, refund_id, dispute_id, today: day, arrived: null, refunds: true }

const chargeOf = (gift: Donation.Donation, { id: integration_id }: Integration.Integration): Charge.Charge => ({
  id: charge_id,
  organisation_id: entry.organisation_id,
  integration_id,
  purpose: "donation",
  subject_id: gift.id,
  mandate_id: null,
  method: "card",
  amount_cents: gift.amount_cents,
  currency: gift.currency,
  status: "NEW",
  reference: null,
  submission_id: "1",
  failure_code: null,
  processor_fee_cents: null,
  platform_rate: { basis_points: 0, fixed_cents: 0 },
  sealed_token: null,
  confirmed_at: null,
  ending: null,
  look_at: at,
  looks: 0,
  waiting_since: null,
  ended_at: null,
  ...made
})

const creditOf = ({ integration_id }: Charge.Charge): Credit.Credit => ({
  id: Ids.CreditId.make(`crd_${digits}`),
  organisation_id: entry.organisation_id,
  integration_id,
  account: "062-000 12345678",
  day,
  amount_cents: 5_000,
  currency: "AUD",
  text: "GIFT KIM",
  reference: null,
  digest: "",
  number: 1,
  charge_id: null,
  created_at: at
})

const noticeOf = ({ integration_id }: Charge.Charge): Notice.Notice => ({
  id: Ids.NoticeId.make(`ntc_${digits}`),
  organisation_id: entry.organisation_id,
  integration_id,
  processor: "test",
  event_id: "ev_1",
  type: "charge.succeeded",
  object: "charge",
  reference: "tch_1",
  charge_id,
  account: null,
  status: "RECEIVED",
  error: null,
  attempts: 0,
  apply_at: at,
  sent_at: at,
  ended_at: null,
  ...made
})

const transferAttempt = TransferAttempt.planned(
  {
    id: Ids.TransferAttemptId.make(`trf_${digits}`),
    reversed_id: null,
    cause: null,
    organisation_id: entry.organisation_id,
    payment_id: Ids.PaymentId.make(`rsp_${digits}`),
    allocation_id: Ids.PaymentAllocationId.make(`pal_${digits}`),
    charge_id,
    recipient_org_account_link_id: Ids.RecipientAccountLinkId.make(`roal_${digits}`),
    amount_cents: 1_980,
    currency: "AUD",
    series: 1,
    number: 1,
    look_at: at
  },
  at
)

const testChargeOf = ({ integration_id }: Charge.Charge): TestCharge.TestCharge => ({
  id: "tch_1",
  organisation_id: entry.organisation_id,
  integration_id,
  charge_id,
  idempotency_key: null,
  method: "card",
  amount_cents: 5_000,
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
  ...made
})

const testNoticeOf = ({ integration_id }: Charge.Charge): TestNotice.TestNotice => ({
  id: "ev_1",
  organisation_id: entry.organisation_id,
  integration_id,
  type: "charge.succeeded",
  object: "charge",
  reference: "tch_1",
  charge_id,
  send_at: at,
  sends: 1,
  created_at: at
})

/** What the examples of payments speak of: about a gift and the account that takes it. */
export const givenPayments = (
  donation: Donation.Donation,
  integration: Integration.Integration
): Readonly<Record<string, unknown>> => {
  const gift: Donation.Donation = { ...donation, status: "PENDING", charge_id }
  const charge = chargeOf(gift, integration)
  const ours = { charge, gift, refunds: [], disputes: [], isLate: false }
  const settling: Applying.Settling = { ...ours, isMismatched: false }
  const recorded: Disagreement.Recorded = { ...ours, transferred_cents: 0, entries: [] }
  return {
    charge,
    charge_id,
    credit: creditOf(charge),
    dispute,
    transferAttempt,
    entry,
    exception,
    invoice,
    mandate,
    notice: noticeOf(charge),
    occasion,
    position,
    recorded,
    settling,
    snapshot,
    subscription,
    tariff,
    testAccount: TestCharges.standardAccount(charge.organisation_id, charge.integration_id),
    testCharge: testChargeOf(charge),
    testNotice: testNoticeOf(charge)
  }
}
