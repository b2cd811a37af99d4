import { type DateTime, HashMap, Option } from "effect"
import type { ApiKey } from "../../domain/access/ApiKey.ts"
import type { AuditEntry } from "../../domain/access/Audit.ts"
import type { EmailCode } from "../../domain/access/EmailCode.ts"
import type { Integration } from "../../domain/access/Integration.ts"
import type { Membership, User } from "../../domain/access/Membership.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { DefaultCode } from "../../domain/compliance/DefaultCode.ts"
import type { Disclosure } from "../../domain/compliance/Disclosure.ts"
import type { Election } from "../../domain/compliance/Election.ts"
import type { DonorKind } from "../../domain/compliance/Regime.ts"
import type { CheckoutLink } from "../../domain/giving/CheckoutLink.ts"
import type { ConsentPrompt } from "../../domain/giving/ConsentPrompt.ts"
import type { ContactLog } from "../../domain/giving/ContactLog.ts"
import type { Donation } from "../../domain/giving/Donation.ts"
import type { DonationForm } from "../../domain/giving/DonationForm.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import type { GivingSettings, Logo } from "../../domain/giving/GivingSettings.ts"
import type { Refund } from "../../domain/giving/Refund.ts"
import type { RevenueCode } from "../../domain/giving/RevenueCode.ts"
import type { Campaign } from "../../domain/insight/Campaign.ts"
import type { Computation, DonorScore } from "../../domain/insight/Intelligence.ts"
import type { Segment } from "../../domain/insight/Segment.ts"
import type { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { DeliveryId, MailId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { Mail } from "../../domain/kernel/Mail.ts"
import type { ConsumedEvent } from "../../domain/outbox/ConsumedEvent.ts"
import type { Attempt, Delivery } from "../../domain/outbox/Delivery.ts"
import type { Event } from "../../domain/outbox/Event.ts"
import type { EventConsumer } from "../../domain/outbox/EventConsumer.ts"
import type { WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import type { YearlySummary } from "../../domain/outbox/YearlySummary.ts"
import type { CardGuard } from "../../domain/payments/CardGuard.ts"
import type { Charge } from "../../domain/payments/Charge.ts"
import type { Credit } from "../../domain/payments/Credit.ts"
import type { Dispute } from "../../domain/payments/Dispute.ts"
import type { ImportedStatement } from "../../domain/payments/ImportedStatement.ts"
import type { Invoice } from "../../domain/payments/Invoice.ts"
import type { LedgerEntry } from "../../domain/payments/Ledger.ts"
import type { Mandate } from "../../domain/payments/Mandate.ts"
import type { Notice } from "../../domain/payments/Notice.ts"
import type { PaymentException } from "../../domain/payments/PaymentException.ts"
import type { Reconciliation } from "../../domain/payments/Reconciliation.ts"
import type { Subscription } from "../../domain/payments/Subscription.ts"
import type { Tariff } from "../../domain/payments/Tariff.ts"
import type { TestAccount, TestCharge } from "../../domain/payments/TestCharge.ts"
import type { TestNotice } from "../../domain/payments/TestNotice.ts"
import type { Introduction } from "../../domain/sharing/Introduction.ts"
import type { Failures } from "../../domain/sharing/Passphrase.ts"
import type { Payment } from "../../domain/sharing/Payment.ts"
import type { RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import type { RecommendationSet } from "../../domain/sharing/RecommendationSet.ts"
import type { TransferAttempt } from "../../domain/sharing/TransferAttempt.ts"
import type { Recount } from "../../ports/compliance/DisclosureStore.ts"
import type { Movement } from "../../ports/payments/ProcessorStatements.ts"

/** Records by organisation and id: a reader of one organisation cannot find another's. */
export type Table<A> = HashMap.HashMap<string, HashMap.HashMap<string, A>>

/** A delivery that has not ended, with the lease under which a worker holds it, if any. */
export interface UnfinishedDelivery {
  readonly organisation_id: OrganisationId
  readonly id: DeliveryId
  readonly lease: { readonly id: string; readonly until: DateTime.Utc } | null
}

/** An idempotency record at rest: the body of a `secret` answer is sealed. */
export interface KeptAnswer {
  readonly body_hash: string
  readonly created_at: DateTime.Utc
  readonly answer: {
    readonly status: number
    readonly content_type: string
    readonly body: { readonly plain: Uint8Array } | { readonly sealed: string }
  } | null
}

export interface KeptSegment {
  readonly segment: Segment
  readonly members: ReadonlySet<string>
}

/** An organisation's scores, and when they were computed. */
export interface KeptScores {
  readonly computation: Computation
  readonly scores: ReadonlyArray<DonorScore>
}

/**
 * A mail, the lease of its present attempt, and the time and address hashes by which it counts toward budgets; its
 * address counts under the first hash.
 */
export interface KeptMail {
  readonly organisation_id: OrganisationId
  readonly id: MailId
  readonly mail: Mail
  readonly lease_id: string | null
  readonly begun_at: DateTime.Utc | null
  readonly address_hashes: ReadonlyArray<string>
}

/** An event that a consumer has taken, with the lease under which a worker holds it, if any. */
export interface KeptConsumedEvent {
  readonly item: ConsumedEvent
  readonly lease: { readonly id: string; readonly until: DateTime.Utc } | null
}

/** How far an account was reconciled, with the lease under which somebody does it, if any. */
export interface KeptReconciliation {
  readonly reconciliation: Reconciliation
  readonly lease: { readonly holder: string; readonly until: DateTime.Utc } | null
}

/** How far the clock of a sandbox is ahead, with the lease under which somebody moves it, if any. */
export interface KeptClock {
  readonly organisation_id: OrganisationId
  readonly ahead_millis: number
  readonly lease: { readonly holder: string; readonly until: DateTime.Utc } | null
}

const noRecords = <A>(): Table<A> => HashMap.empty()

/** The state with nothing stored yet. */
export const empty = {
  organisations: HashMap.empty<string, Organisation>(),
  /** Ids of the organisations by their slugs. */
  slugs: HashMap.empty<string, OrganisationId>(),
  /** The clocks of sandboxes that were moved, by organisation. */
  sandboxClocks: HashMap.empty<string, KeptClock>(),
  apiKeys: noRecords<ApiKey>(),
  donors: noRecords<Donor>(),
  segments: noRecords<KeptSegment>(),
  /** The last scoring of an organisation's donors. */
  scores: HashMap.empty<string, KeptScores>(),
  campaigns: noRecords<Campaign>(),
  consentPrompts: noRecords<ConsentPrompt>(),
  contactLogs: noRecords<ContactLog>(),
  disclosures: noRecords<Disclosure>(),
  /** The day on which an organisation's admins were last reminded of duties. */
  dutyReminders: HashMap.empty<string, CalendarDate>(),
  recounts: HashMap.empty<string, Recount>(),
  /** How far the summaries of years are, by organisation and the last day of the year. */
  yearlySummaries: noRecords<YearlySummary>(),
  donations: noRecords<Donation>(),
  givingSettings: HashMap.empty<string, GivingSettings>(),
  logos: HashMap.empty<string, Logo>(),
  refunds: noRecords<Refund>(),
  revenueCodes: noRecords<RevenueCode>(),
  donationForms: noRecords<DonationForm>(),
  checkoutLinks: noRecords<CheckoutLink>(),
  integrations: noRecords<Integration>(),
  charges: noRecords<Charge>(),
  emailCodes: noRecords<EmailCode>(),
  cardGuards: noRecords<CardGuard>(),
  credits: noRecords<Credit>(),
  statements: noRecords<ImportedStatement>(),
  disputes: noRecords<Dispute>(),
  invoices: noRecords<Invoice>(),
  mandates: noRecords<Mandate>(),
  subscriptions: noRecords<Subscription>(),
  ledgerEntries: noRecords<LedgerEntry>(),
  paymentExceptions: noRecords<PaymentException>(),
  /** Notices of processors; those of no organisation under the empty text. */
  notices: noRecords<Notice>(),
  /** Organisations whose checkouts refuse gifts over a cap. */
  capBlocks: HashMap.empty<string, true>(),
  /** Kinds of donors that were set, by organisation and donor. */
  donorKinds: HashMap.empty<string, DonorKind>(),
  /** Elections that operators added, by jurisdiction and writ. */
  elections: HashMap.empty<string, Election>(),
  /** The platform's fees, by plan and the milliseconds of their beginning. */
  tariffs: HashMap.empty<string, Tariff>(),
  /** Default codes by their links; the organisation's own by no name. */
  defaultCodes: noRecords<DefaultCode>(),
  recipientAccounts: noRecords<RecipientAccount>(),
  recommendationSets: noRecords<RecommendationSet>(),
  payments: noRecords<Payment>(),
  passphraseFailures: HashMap.empty<string, Failures>(),
  introductions: noRecords<Introduction>(),
  users: HashMap.empty<string, User>(),
  /** Members of an organisation by the user's id. */
  memberships: noRecords<Membership>(),
  mails: noRecords<KeptMail>(),
  webhookEndpoints: noRecords<WebhookEndpoint>(),
  events: noRecords<Event>(),
  /** The events by their places, from 1, in the order of their commits. */
  eventLog: HashMap.empty<number, Pick<Event, "organisation_id" | "id">>(),
  eventConsumers: HashMap.empty<string, EventConsumer>(),
  /** Events that consumers have claimed and not handled, by consumer and place. */
  consumedEvents: HashMap.empty<string, HashMap.HashMap<number, KeptConsumedEvent>>(),
  /** Ids of the events with a dedupe key, by type and key: these are not written twice. */
  dedupe: noRecords<string>(),
  deliveries: noRecords<Delivery>(),
  /** Attempts of a delivery by its id, oldest first. */
  attempts: noRecords<ReadonlyArray<Attempt>>(),
  pending: HashMap.empty<string, UnfinishedDelivery>(),
  answers: HashMap.empty<string, KeptAnswer>(),
  audit: noRecords<AuditEntry>(),
  testCharges: noRecords<TestCharge>(),
  transferAttempts: noRecords<TransferAttempt>(),
  /** How far accounts were reconciled, by integration. */
  reconciliations: noRecords<KeptReconciliation>(),
  /** Lines of processors' statements by the integration's id and the line's reference. */
  movements: HashMap.empty<string, HashMap.HashMap<string, Movement & { readonly reading: string }>>(),
  /** How accounts of the simulated bank are set, by integration. */
  testAccounts: noRecords<TestAccount>(),
  testNotices: noRecords<TestNotice>()
}

/** Everything that is stored, immutably: a write makes another value, and undoing goes back to the previous one. */
export type State = Readonly<typeof empty>

const ofOrganisation = <A>(table: Table<A>, organisation_id: string): HashMap.HashMap<string, A> =>
  Option.getOrElse(HashMap.get(table, organisation_id), () => HashMap.empty<string, A>())

export const get = <A>(table: Table<A>, organisation_id: string, id: string): Option.Option<A> =>
  Option.flatMap(HashMap.get(table, organisation_id), HashMap.get(id))

/** The organisation's records, in no order. */
export const records = <A>(table: Table<A>, organisation_id: string): Iterable<A> =>
  HashMap.values(ofOrganisation(table, organisation_id))

/** The organisation's records that a condition holds for, in no order. */
export const where = <A>(table: Table<A>, organisation_id: string, isMeant: (record: A) => boolean): ReadonlyArray<A> =>
  Array.from(records(table, organisation_id)).filter(isMeant)

/** The records of all organisations, in no order. */
export const every = <A>(table: Table<A>): ReadonlyArray<A> =>
  HashMap.toValues(table).flatMap((ofOne) => HashMap.toValues(ofOne))

/** How far an organisation's clock is ahead, milliseconds. */
export const aheadMillis = (state: State, organisation_id: string): number =>
  Option.match(HashMap.get(state.sandboxClocks, organisation_id), {
    onNone: () => 0,
    onSome: ({ ahead_millis }) => ahead_millis
  })

/** A delivery's attempts, oldest first. */
export const attemptsOf = (state: State, organisation_id: string, id: string): ReadonlyArray<Attempt> =>
  Option.getOrElse(get(state.attempts, organisation_id, id), () => [])

/** The table with this record, in place of one of the same id if there is one. */
export const put = <A>(table: Table<A>, organisation_id: string, id: string, record: A): Table<A> =>
  HashMap.set(table, organisation_id, HashMap.set(ofOrganisation(table, organisation_id), id, record))

/** The table without the record of that id. */
export const remove = <A>(table: Table<A>, organisation_id: string, id: string): Table<A> =>
  HashMap.modify(table, organisation_id, HashMap.remove(id))

/** The key of a delivery among the pending ones. */
export const pendingKey = ({ id, organisation_id }: Pick<UnfinishedDelivery, "id" | "organisation_id">): string =>
  `${organisation_id} ${id}`

/** The pending deliveries with these added, held by nobody. */
export const withPending = (
  pending: State["pending"],
  deliveries: ReadonlyArray<Pick<UnfinishedDelivery, "id" | "organisation_id">>
): State["pending"] =>
  HashMap.setMany(
    pending,
    deliveries.map(({ id, organisation_id }) => [
      pendingKey({ id, organisation_id }),
      { id, organisation_id, lease: null }
    ])
  )

export interface OrganisationRecord {
  readonly id: string
  readonly organisation_id: string
}

/** The table with one more record. An id that exists already is an error of the program. */
export const add = <A extends OrganisationRecord>(table: Table<A>, record: A): Table<A> => {
  const { id, organisation_id } = record
  if (Option.isSome(get(table, organisation_id, id))) throw new Error(`There is a record ${id} already`)
  return put(table, organisation_id, id, record)
}

/** The table with this record in place of the one of the same id; unchanged where the organisation has none. */
export const replace = <A extends OrganisationRecord>(table: Table<A>, record: A): Table<A> =>
  Option.isSome(get(table, record.organisation_id, record.id))
    ? put(table, record.organisation_id, record.id, record)
    : table
