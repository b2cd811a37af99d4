import { DateTime } from "effect"
import type {
  ApiKey,
  Caller,
  Campaign,
  CheckoutLink,
  ConsentPrompt,
  ConsumedEvent,
  ContactLog,
  Delivery,
  Disclosure,
  Donation,
  DonationForm,
  Donor,
  Integration,
  Intelligence,
  Introduction,
  Listing,
  Mail,
  Payment,
  RecipientAccount,
  RecommendationSet,
  Refund,
  RevenueCode,
  Segment,
  Sweep,
  Transfer,
  WebhookEndpoint
} from "../../src/domain.ts"
import { AustralianRegimes, CalendarDate, DonationFields, FormSettings, Ids } from "../../src/domain.ts"
import { givenFacts } from "./GivenFacts.ts"
import { givenPayments } from "./GivenPayments.ts"

const digits = "01jqz6x8h4e5vb9m2k7ncw3t5d"
const at = DateTime.makeUnsafe("2026-04-02T00:00:00Z")
const later = DateTime.makeUnsafe("2026-05-02T00:00:00Z")
const day = CalendarDate.CalendarDate.make("2026-04-02")
const made = { created_at: at, updated_at: at }

const organisation_id = Ids.OrganisationId.make(`org_${digits}`)
const donor_id = Ids.DonorId.make(`dnr_${digits}`)
const donation_id = Ids.DonationId.make(`don_${digits}`)
const refund_id = Ids.RefundId.make(`rfd_${digits}`)
const link_id = Ids.CheckoutLinkId.make(`chk_${digits}`)
const log_id = Ids.ContactLogId.make(`log_${digits}`)
const endpoint_id = Ids.WebhookEndpointId.make(`whe_${digits}`)
const delivery_id = Ids.DeliveryId.make(`dlv_${digits}`)
const event_id = Ids.EventId.make(`evt_${digits}`)
const set_id = Ids.RecommendationSetId.make(`rset_${digits}`)
const integration_id = Ids.IntegrationId.make(`intg_${digits}`)
const account_id = Ids.RecipientAccountLinkId.make(`roal_${digits}`)

const regime = AustralianRegimes.australianRegimes[0]

const caller: Caller.Caller = {
  organisation: {
    id: organisation_id,
    slug: "sea",
    name: "Sea Rescue",
    is_sandbox: false,
    timezone: "Australia/Sydney",
    default_currency: "AUD",
    abn: null,
    website_url: null,
    plan: "ENTERPRISE",
    webhook_allowed_cidrs: [],
    ...made
  },
  actor: { type: "USER", id: `usr_${digits}` },
  scope: "WRITE",
  request_id: "req_1"
}

const query: Listing.ListQuery = {
  limit: 25,
  starting_after: null,
  archived: false,
  conditions: [],
  words: [],
  segment: null,
  sort: { column: "created_at", descending: true },
  flags: {},
  sent: { search: null, segment: null, sort: null, filters: {} }
}

const swept: Sweep.Swept = {
  introductions_expired: 0,
  checkout_links_expired: 0,
  webhook_endpoints_disabled: 0,
  idempotency_records_forgotten: 0,
  deliveries_trimmed: 0,
  mails_trimmed: 0,
  notices_trimmed: 0,
  passphrase_failures_trimmed: 0,
  donors_reindexed: 0,
  records_unreadable: 0
}

const donor: Donor.Donor = {
  id: donor_id,
  organisation_id,
  donor_type: "INDIVIDUAL",
  first_name: "Kim",
  last_name: "Lee",
  organisation_name: null,
  email: "kim@example.org",
  phone: null,
  address_line1: null,
  address_line2: null,
  suburb: null,
  state: null,
  postcode: null,
  country: "AU",
  employer_name: null,
  occupation: null,
  do_not_contact: false,
  marketing_consent_at: null,
  profile_revision: 0,
  ...made,
  archived_at: null
}

const donation: Donation.Donation = DonationFields.bare({
  id: donation_id,
  organisation_id,
  donor_id,
  source: "MANUAL",
  status: "CONFIRMED",
  amount_cents: 5_000,
  currency: "AUD",
  donation_date: at,
  donation_day: day,
  received_date: at,
  received_day: day,
  payment_method: "cash",
  ...made
})

const refund: Refund.Refund = {
  id: refund_id,
  organisation_id,
  donation_id,
  allocation_id: null,
  charge_id: null,
  is_beside_gift: false,
  amount_cents: 2_000,
  reason: null,
  status: "SUCCEEDED",
  refunded_at: at,
  processor_reference: null,
  ...made
}

const form: DonationForm.DonationForm = {
  id: Ids.DonationFormId.make(`frm_${digits}`),
  organisation_id,
  slug: "appeal",
  status: "DRAFT",
  ...FormSettings.settingsOf({ name: "Appeal" }),
  embed_token: null,
  activated_at: null,
  ...made,
  archived_at: null
}

const code: RevenueCode.RevenueCode = {
  id: Ids.RevenueCodeId.make(`rev_${digits}`),
  organisation_id,
  code: "APPEAL",
  namespace: "INTERNAL",
  description: null,
  is_fca: false,
  archived_at: null,
  ...made
}

const log: ContactLog.ContactLog = {
  id: log_id,
  organisation_id,
  donor_id,
  contact_method: "PHONE",
  notes: null,
  occurred_at: at,
  recorded_by_id: null,
  follow_up_at: null,
  follow_up_completed_at: null,
  ...made,
  deleted_at: null
}

const checkout: CheckoutLink.CheckoutLink = {
  id: link_id,
  organisation_id,
  code: "abc",
  donor_email: "kim@example.org",
  donor_first_name: null,
  donor_last_name: null,
  donor_phone: null,
  amount_cents: 5_000,
  currency: "AUD",
  description: null,
  status: "ACTIVE",
  source: "API",
  revenue_code: null,
  revenue_code_id: null,
  payment_methods: ["card"],
  processor_integration_id: null,
  donor_id: null,
  donation_id: null,
  pending_donation_id: null,
  pending_bank_transfer: false,
  visit_count: 0,
  last_visited_at: null,
  expires_at: null,
  ...made,
  archived_at: null
}

const consentPrompt: ConsentPrompt.ConsentPrompt = {
  id: Ids.ConsentPromptId.make(`cpr_${digits}`),
  organisation_id,
  text: "May we write to you?",
  position: 1,
  ...made,
  archived_at: null
}

const key: ApiKey.ApiKey = {
  id: Ids.ApiKeyId.make(`key_${digits}`),
  organisation_id,
  name: "Website",
  scope: "READ",
  generation: 1,
  secret_hash: "",
  last4: "abcd",
  created_at: at,
  rotated_at: null,
  revoked_at: null
}

const integration: Integration.Integration = {
  id: integration_id,
  organisation_id,
  label: "Main",
  processor: "test",
  processor_connect_account_id: "acct_1",
  charges_enabled: true,
  methods: ["card"],
  settlement_currency: "AUD",
  is_default: true,
  is_active: true,
  bank_account: null,
  passphrase_hash: null,
  passphrase_key_id: null,
  passphrase_rotated_at: null,
  is_own: false,
  sealed_credentials: null,
  previous_sealed_notice_secrets: null,
  previous_notice_secrets_expire_at: null,
  credentials_rotated_at: null,
  ...made
}

const mail: Mail.Mail = {
  id: Ids.MailId.make(`mail_${digits}`),
  organisation_id,
  template: "introduction",
  subject_id: `intr_${digits}`,
  recipient_id: null,
  status: "PENDING",
  attempt_count: 1,
  delayed_by: null,
  next_attempt_at: at,
  created_at: at,
  completed_at: null
}

const endpoint: WebhookEndpoint.WebhookEndpoint = {
  id: endpoint_id,
  organisation_id,
  url: "https://hooks.example.org/almoner",
  description: null,
  event_types: ["donor.created"],
  is_active: true,
  disabled_reason: null,
  secret_last4: "abcd",
  sealed_secret: "sealed",
  previous_sealed_secret: null,
  previous_secret_expires_at: null,
  failing_since: null,
  exhausted_at: null,
  ...made,
  deleted_at: null
}

const delivery: Delivery.Delivery = {
  id: delivery_id,
  organisation_id,
  endpoint_id,
  event_id,
  event_type: "donor.created",
  status: "PENDING",
  attempt_count: 0,
  interruption_count: 0,
  next_attempt_at: at,
  replay_of: null,
  ...made,
  completed_at: null
}

const attempt: Delivery.Attempt = {
  number: 1,
  attempted_at: at,
  response_status: 204,
  response_excerpt: null,
  retry_after: null,
  error: null,
  duration_ms: 12
}

const consumed: ConsumedEvent.ConsumedEvent = {
  consumer: "ledger",
  position: 1,
  organisation_id,
  event_id,
  event_type: "donor.created",
  subject_id: donor_id,
  status: "PENDING",
  attempt_count: 0,
  interruption_count: 0,
  next_attempt_at: at,
  error: null,
  ...made,
  parked_at: null
}

const disclosure: Disclosure.Disclosure = {
  id: Ids.DisclosureId.make(`dsc_${digits}`),
  organisation_id,
  donor_id,
  jurisdiction: "AU",
  period: "2025-26",
  starts_on: CalendarDate.CalendarDate.make("2025-07-01"),
  ends_on: CalendarDate.CalendarDate.make("2026-06-30"),
  status: "PENDING",
  threshold_cents: 1_730_000,
  comparison: "OVER",
  total_cents: 2_000_000,
  in_kind_cents: 0,
  crossed_at: at,
  due_at: null,
  donation_ids: [donation_id],
  completed_at: null,
  lodgement_reference: null,
  ...made
}

const campaign: Campaign.Campaign = {
  id: Ids.CampaignId.make(`cmp_${digits}`),
  organisation_id,
  status: "DRAFT",
  name: "Winter",
  audience_type: "revenue_code",
  audience_id: code.id,
  audience_name: "APPEAL",
  destination_type: "donation_form",
  destination_id: form.id,
  destination_name: "Appeal",
  delivery_method: "CSV",
  public_ref: null,
  generated_count: null,
  without_email: null,
  ask_total_cents: null,
  generated_at: null,
  ...made
}

const score: Intelligence.DonorScore = {
  organisation_id,
  donor_id,
  currency: "AUD",
  band: null,
  play: "upgrade",
  suggested_ask_cents: 7_500,
  opportunity_cents: 2_500,
  reason: "Gave twice this year.",
  basis: null,
  last_gift_cents: 5_000,
  average_gift_cents: 5_000,
  segment_median_cents: null,
  last_gift_at: at,
  factors: { upgrade: [], lapse: [], reactivation: [] },
  scoring_version: 1,
  computed_at: at
}

const segment: Segment.Segment = {
  id: Ids.SegmentId.make(`seg_${digits}`),
  organisation_id,
  slug: "lapsed",
  name: "Lapsed",
  description: null,
  segment_type: "lapsed",
  revenue_code_id: null,
  member_count: 3,
  last_computed_at: at,
  ...made
}

const account: RecipientAccount.RecipientAccount = {
  id: account_id,
  organisation_id,
  label: "Sea Rescue",
  recipient_organisation_id: organisation_id,
  recipient_org_name: "Sea Rescue",
  recipient_org_slug: "sea",
  recipient_account_label: "Main",
  recipient_integration_id: integration_id,
  processor_connect_account_id: "acct_1",
  charges_enabled: true,
  is_active: true,
  introduction_id: null,
  ...made,
  deactivated_at: null
}

const introduction: Introduction.Introduction = {
  id: Ids.IntroductionId.make(`intr_${digits}`),
  organisation_id,
  status: "PENDING",
  invitee_email: "kim@example.org",
  invitee_org_name_hint: null,
  invitee_message: null,
  external_id: null,
  token_key_id: "2026a",
  expires_at: later,
  viewed_at: null,
  accepted_at: null,
  linked_at: null,
  revoked_at: null,
  accepted_organisation_id: null,
  accepted_by_user_id: null,
  accepted_recipient_org_account_link_id: null,
  linked_by_user_id: null,
  resend_count: 0,
  last_resent_at: null,
  created_at: at
}

const transfer: Transfer.Transfer = {
  id: Ids.PaymentAllocationId.make(`pal_${digits}`),
  recipient_org_account_link_id: account_id,
  recipient_organisation_id: organisation_id,
  gross_amount_cents: 5_000,
  net_amount_cents: 5_000,
  transfer_status: "pending",
  donation_id: null,
  failure_code: null,
  processor_reference: null,
  series: 1,
  retry_count: 0,
  succeeded_at: null,
  failed_at: null,
  reversed_at: null
}

const payment: Payment.Payment = {
  id: Ids.PaymentId.make(`rsp_${digits}`),
  organisation_id,
  recommendation_set_id: set_id,
  donor_id: null,
  link_donor_id: null,
  submitted_donor: null,
  consent_given: null,
  consent_responses: [],
  campaign_id: null,
  payment_status: "PENDING",
  currency: "AUD",
  total_amount_cents: 5_000,
  ask_total_cents: null,
  payment_method_type: "card",
  platform_fee_cents: 0,
  processor_fee_cents: 0,
  allocations: [transfer],
  processor_reference: null,
  failure_code: null,
  succeeded_at: null,
  failed_at: null,
  transfers_begun_at: null,
  ...made
}

const set: RecommendationSet.RecommendationSet = {
  id: set_id,
  organisation_id,
  name: "Sea",
  slug: "sea",
  url_key: "k3y",
  description: null,
  is_active: true,
  amount_mode: "OPEN",
  min_total_cents: null,
  allocations: [
    {
      id: Ids.AllocationId.make(`all_${digits}`),
      recipient_org_account_link_id: account_id,
      amount_cents: 0
    }
  ],
  expires_at: null,
  archived_at: null,
  ...made
}

/** What runnable examples speak of without making it: the values of the names that test/docs/around.txt declares. */
export const givenValues: Readonly<Record<string, unknown>> = {
  ...givenPayments(donation, integration),
  ...givenFacts,
  account,
  at,
  attempt,
  caller,
  campaign,
  checkout,
  code,
  consentPrompt,
  consumed,
  delivery,
  delivery_id,
  disclosure,
  donation,
  donation_id,
  donor,
  donor_id,
  endpoint,
  endpoint_id,
  event_id,
  form,
  integration,
  integration_id,
  introduction,
  key,
  link_id,
  log,
  log_id,
  mail,
  payment,
  query,
  refund,
  refund_id,
  regime,
  score,
  segment,
  set,
  set_id,
  swept,
  transfer
}
