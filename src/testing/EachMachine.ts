import type { DateTime } from "effect"
import * as ApiKey from "../domain/access/ApiKey.ts"
import * as Disclosure from "../domain/compliance/Disclosure.ts"
import * as CheckoutLink from "../domain/giving/CheckoutLink.ts"
import * as ConsentPrompt from "../domain/giving/ConsentPrompt.ts"
import * as ContactLog from "../domain/giving/ContactLog.ts"
import * as Donation from "../domain/giving/Donation.ts"
import * as DonationForm from "../domain/giving/DonationForm.ts"
import * as Donor from "../domain/giving/Donor.ts"
import * as Refund from "../domain/giving/Refund.ts"
import * as RevenueCode from "../domain/giving/RevenueCode.ts"
import * as Campaign from "../domain/insight/Campaign.ts"
import type { AnyData, Machine } from "../domain/kernel/Machine.ts"
import * as ConsumedEvent from "../domain/outbox/ConsumedEvent.ts"
import * as Delivery from "../domain/outbox/Delivery.ts"
import * as WebhookEndpoint from "../domain/outbox/WebhookEndpoint.ts"
import * as Charge from "../domain/payments/Charge.ts"
import * as Dispute from "../domain/payments/Dispute.ts"
import * as Invoice from "../domain/payments/Invoice.ts"
import * as Mandate from "../domain/payments/Mandate.ts"
import * as Notice from "../domain/payments/Notice.ts"
import * as PaymentException from "../domain/payments/PaymentException.ts"
import * as Subscription from "../domain/payments/Subscription.ts"
import * as Introduction from "../domain/sharing/Introduction.ts"
import * as Payment from "../domain/sharing/Payment.ts"
import * as RecipientAccount from "../domain/sharing/RecipientAccount.ts"
import * as RecommendationSet from "../domain/sharing/RecommendationSet.ts"
import * as Transfer from "../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../domain/sharing/TransferAttempt.ts"
import type { Subject } from "./Laws.ts"
import * as Subjects from "./Subjects.ts"

/** A question to a machine and its subject. */
export type MachineVisit<A> = <
  State,
  Status extends string,
  Command extends { readonly _tag: string; readonly at: DateTime.Utc },
  Event extends string,
  Data extends AnyData<Event>
>(
  machine: Machine<State, Status, Command, Event, Data>,
  subject: Subject<State, Command>
) => A

/** Asks something of each machine of the domain, in the order in which they are printed. */
export const eachMachine = <A>(visit: MachineVisit<A>): ReadonlyArray<A> => [
  visit(Introduction.machine, Subjects.introductions),
  visit(Donation.machine, Subjects.donations),
  visit(Refund.machine, Subjects.refunds),
  visit(Charge.machine, Subjects.charges),
  visit(Dispute.machine, Subjects.disputes),
  visit(Invoice.machine, Subjects.invoices),
  visit(Mandate.machine, Subjects.mandates),
  visit(PaymentException.machine, Subjects.paymentExceptions),
  visit(Notice.machine, Subjects.notices),
  visit(Payment.machine, Subjects.payments),
  visit(Transfer.machine, Subjects.transfers),
  visit(TransferAttempt.machine, Subjects.transferAttempts),
  visit(RecommendationSet.machine, Subjects.recommendationSets),
  visit(CheckoutLink.machine, Subjects.checkoutLinks),
  visit(DonationForm.machine, Subjects.donationForms),
  visit(Subscription.machine, Subjects.subscriptions),
  visit(Campaign.machine, Subjects.campaigns),
  visit(Disclosure.machine, Subjects.disclosures),
  visit(WebhookEndpoint.machine, Subjects.webhookEndpoints),
  visit(Delivery.machine, Subjects.deliveries),
  visit(ConsumedEvent.machine, Subjects.consumedEvents),
  visit(RecipientAccount.machine, Subjects.recipientAccounts),
  visit(ApiKey.machine, Subjects.apiKeys),
  visit(Donor.machine, Subjects.donors),
  visit(ContactLog.machine, Subjects.contactLogs),
  visit(ConsentPrompt.machine, Subjects.consentPrompts),
  visit(RevenueCode.machine, Subjects.revenueCodes)
]
