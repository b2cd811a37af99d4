import { describe, it } from "@effect/vitest"
import * as ApiKey from "../../src/domain/access/ApiKey.ts"
import * as Disclosure from "../../src/domain/compliance/Disclosure.ts"
import * as CheckoutLink from "../../src/domain/giving/CheckoutLink.ts"
import * as ConsentPrompt from "../../src/domain/giving/ConsentPrompt.ts"
import * as ContactLog from "../../src/domain/giving/ContactLog.ts"
import * as Donation from "../../src/domain/giving/Donation.ts"
import * as DonationForm from "../../src/domain/giving/DonationForm.ts"
import * as Donor from "../../src/domain/giving/Donor.ts"
import * as Refund from "../../src/domain/giving/Refund.ts"
import * as RevenueCode from "../../src/domain/giving/RevenueCode.ts"
import * as Campaign from "../../src/domain/insight/Campaign.ts"
import type { Machine } from "../../src/domain/kernel/Machine.ts"
import * as ConsumedEvent from "../../src/domain/outbox/ConsumedEvent.ts"
import * as Delivery from "../../src/domain/outbox/Delivery.ts"
import * as WebhookEndpoint from "../../src/domain/outbox/WebhookEndpoint.ts"
import * as Charge from "../../src/domain/payments/Charge.ts"
import * as Dispute from "../../src/domain/payments/Dispute.ts"
import * as Invoice from "../../src/domain/payments/Invoice.ts"
import * as Mandate from "../../src/domain/payments/Mandate.ts"
import * as Notice from "../../src/domain/payments/Notice.ts"
import * as PaymentException from "../../src/domain/payments/PaymentException.ts"
import * as Subscription from "../../src/domain/payments/Subscription.ts"
import * as Introduction from "../../src/domain/sharing/Introduction.ts"
import * as Payment from "../../src/domain/sharing/Payment.ts"
import * as RecipientAccount from "../../src/domain/sharing/RecipientAccount.ts"
import * as RecommendationSet from "../../src/domain/sharing/RecommendationSet.ts"
import * as Transfer from "../../src/domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../src/domain/sharing/TransferAttempt.ts"
import type { Subject } from "../../src/testing/Laws.ts"
import * as Subjects from "../../src/testing/Subjects.ts"
import { type Change, changesLaw } from "./Changes.ts"
import { suites } from "./Suites.ts"

/** Holds every row of a machine against what its command changes, in the words of {@link Change}. */
const change = <
  State extends object,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>,
  subject: Subject<State, Command>,
  rows: { readonly [Tag in Command["_tag"]]: Change }
): void => {
  describe(machine.name, () => {
    const tags = Object.keys(machine.table).filter((tag): tag is Command["_tag"] => tag in rows)
    for (const tag of tags) it(tag, () => changesLaw(machine, subject, tag, rows[tag]))
  })
}

/** The contract's changes, written a second time. service-spec, Resources and their fields; decisions, sections 4 and 5. */
describe(suites.changes, () => {
  change(Introduction.machine, Subjects.introductions, {
    Open: "viewed_at = at",
    Accept: "accepted_at = at, accepted_organisation_id = organisation_id, accepted_by_user_id = user_id",
    Link: "linked_at = at, accepted_recipient_org_account_link_id = recipient_account_link_id, linked_by_user_id = user_id",
    Expire: "",
    Revoke: "revoked_at = at",
    Resend: "resend_count + 1, last_resent_at = at"
  })
  change(Donation.machine, Subjects.donations, {
    EnterNetwork: "",
    Settle: "received_date = at, received_day = received_on",
    SettleTransfer:
      "received_date = arrived_at, received_day = arrived_on, donation_date = arrived_at, donation_day = arrived_on",
    Fail: "failure_code",
    Lapse: 'failure_code = "bank_transfer_lapsed"',
    RefundPart: "refunded_amount_cents + amount_cents",
    RefundRest: "refunded_amount_cents = its amount_cents",
    ReverseRefund: "refunded_amount_cents - amount_cents",
    LoseChargeback: "refunded_amount_cents = its amount_cents",
    LoseChargebackPart: "refunded_amount_cents + amount_cents"
  })
  change(Refund.machine, Subjects.refunds, {
    Succeed: "refunded_at = at, processor_reference",
    Fail: ""
  })
  change(Charge.machine, Subjects.charges, {
    Refer: "reference",
    Confirm: "confirmed_at = at",
    Wait: "waiting_since = at, sealed_token = *",
    Process: "ending = null, sealed_token = null",
    Succeed: "ending = null, sealed_token = null, ended_at = at",
    Fail: "failure_code, sealed_token = null, ended_at = at",
    End: "ending = failure_code, sealed_token = null, look_at = at, looks = 0",
    Cancel: "failure_code, sealed_token = null, ended_at = at",
    LearnFee: "processor_fee_cents"
  })
  change(Dispute.machine, Subjects.disputes, {
    Win: "ended_at = at",
    Lose: "refund_id, ended_at = at",
    LearnFee: "fee_cents"
  })
  change(PaymentException.machine, Subjects.paymentExceptions, {
    Resolve: "note, resolved_by = by, resolved_at = at"
  })
  change(Notice.machine, Subjects.notices, {
    Apply: "error = null, apply_at = null, ended_at = at",
    Ignore: "error = null, apply_at = null, ended_at = at",
    Wait: "error = null, apply_at",
    Delay: "attempts + 1, error, apply_at",
    Fail: "error, apply_at = null, ended_at = at",
    Retry: "error = null, attempts = 0, apply_at = at, ended_at = null"
  })
  change(Payment.machine, Subjects.payments, {
    AwaitFunds: "",
    Succeed: "succeeded_at = at",
    Fail: "failed_at = at, failure_code",
    Lapse: 'failed_at = at, failure_code = "bank_transfer_lapsed"'
  })
  change(Transfer.machine, Subjects.transfers, {
    Retry: "retry_count + 1, failure_code",
    Succeed: "succeeded_at = at, processor_reference, failure_code = null",
    Fail: "failed_at = at, failure_code",
    Skip: "succeeded_at = at",
    Restart: "series + 1, retry_count = 0, donation_id, failure_code = null",
    Reverse: "reversed_at = at"
  })
  change(TransferAttempt.machine, Subjects.transferAttempts, {
    Send: "sent_at = at",
    Succeed: "reference, look_at = null, ended_at = at",
    Refuse: "failure_code, look_at = null, ended_at = at"
  })
  change(RecommendationSet.machine, Subjects.recommendationSets, {
    Change: "...changes",
    Deactivate: "",
    Reactivate: "...changes",
    Archive: "archived_at = at"
  })
  change(CheckoutLink.machine, Subjects.checkoutLinks, {
    Visit: "visit_count + 1, last_visited_at = at, undated",
    Begin: "pending_donation_id = donation_id, pending_bank_transfer = is_bank_transfer, undated",
    Release: "pending_donation_id = null, pending_bank_transfer = false, undated",
    Complete: "donation_id, donor_id, pending_donation_id = null, pending_bank_transfer = false",
    CompleteArchived:
      'status = "COMPLETED", donation_id, donor_id, pending_donation_id = null, pending_bank_transfer = false',
    Change: "...changes",
    Expire: "",
    ExpireArchived: 'status = "EXPIRED"',
    Cancel: "",
    Archive: "archived_at = at"
  })
  change(DonationForm.machine, Subjects.donationForms, {
    Activate: "activated_at = at",
    Pause: "",
    Resume: "activated_at = at",
    Change: "...changes",
    Archive: "archived_at = at"
  })
  change(Subscription.machine, Subjects.subscriptions, {
    Activate: "last_paid_invoice_id = invoice_id",
    Renew: "last_paid_invoice_id = invoice_id",
    MakeInvoice: "next_charge_on = *",
    FailInvoice: "",
    Cancel:
      "cancel_reason = reason, donor_cancel_reason_code, donor_cancel_reason, next_charge_on = null, cancelled_at = at"
  })
  change(Invoice.machine, Subjects.invoices, {
    Attempt: "charge_id, next_attempt_at = null",
    FailAttempt: "failures = *, failed_at = at, failed_donation_id = *, next_attempt_at",
    Pay: "donation_id, next_attempt_at = null, ended_at = at",
    GiveUp: "next_attempt_at = null, ended_at = at"
  })
  change(Mandate.machine, Subjects.mandates, { Activate: "reference", Revoke: "revoked_at = at" })
  change(Campaign.machine, Subjects.campaigns, {
    Change: "...changes",
    Generate: "ask_total_cents, generated_count, public_ref, without_email, generated_at = at"
  })
  change(Disclosure.machine, Subjects.disclosures, {
    Review: "",
    Return: "",
    Recount: "total_cents, in_kind_cents, donation_ids",
    Complete: "lodgement_reference, completed_at = at",
    Cancel: "total_cents, in_kind_cents, donation_ids",
    Supersede: ""
  })
  change(WebhookEndpoint.machine, Subjects.webhookEndpoints, {
    Disable: 'disabled_reason = "disabled_by_owner"',
    DisableFailing: 'disabled_reason = "delivery_failures"',
    Enable: "disabled_reason = null, failing_since = null, exhausted_at = null",
    Delete: "deleted_at = at"
  })
  change(Delivery.machine, Subjects.deliveries, {
    Deliver: "attempt_count + 1, next_attempt_at = null, completed_at = at",
    Retry: "attempt_count + 1, next_attempt_at = *",
    Exhaust: "attempt_count + 1, next_attempt_at = null, completed_at = at",
    Interrupt: "interruption_count + 1, next_attempt_at = *",
    GiveUp: "interruption_count + 1, next_attempt_at = null, completed_at = at",
    Abandon: "next_attempt_at = null, completed_at = at"
  })
  change(ConsumedEvent.machine, Subjects.consumedEvents, {
    Handle: "attempt_count + 1, next_attempt_at = null, parked_at = null, error = null",
    Retry: "attempt_count + 1, next_attempt_at = *, error",
    Park: "attempt_count + 1, next_attempt_at = null, parked_at = at, error",
    Interrupt: "interruption_count + 1, next_attempt_at = *",
    GiveUp: "interruption_count + 1, next_attempt_at = null, parked_at = at",
    Resume: "attempt_count = 0, interruption_count = 0, next_attempt_at = at, parked_at = null",
    Skip: "next_attempt_at = null, parked_at = null"
  })
  change(RecipientAccount.machine, Subjects.recipientAccounts, {
    Deactivate: "deactivated_at = at",
    Reactivate: "",
    Introduce: "introduction_id",
    Rename: "label"
  })
  change(ApiKey.machine, Subjects.apiKeys, { Revoke: "revoked_at = at" })
  change(Donor.machine, Subjects.donors, {
    Change: "...changes, profile_revision + 1",
    Merge:
      "first_name = *, last_name = *, organisation_name = *, email = *, phone = *, address_line1 = *, address_line2 = *, suburb = *, state = *, postcode = *, employer_name = *, occupation = *, do_not_contact = *, marketing_consent_at = *, profile_revision + 1",
    MergeInto: "archived_at = at, profile_revision + 1",
    Archive: "archived_at = at, profile_revision + 1"
  })
  change(ConsentPrompt.machine, Subjects.consentPrompts, { Change: "...changes", Archive: "archived_at = at" })
  change(ContactLog.machine, Subjects.contactLogs, { Change: "...changes", Delete: "deleted_at = at" })
  change(RevenueCode.machine, Subjects.revenueCodes, { Change: "...changes", Archive: "archived_at = at" })
})
