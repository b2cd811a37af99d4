import type { LimitFact, Limits } from "./Limits.ts"

type Waits =
  | "cardWaitHours"
  | "paytoWaitDays"
  | "invoiceRetryDays"
  | "invoiceLateDays"
  | "firstInvoiceHours"
  | "progressTokenHours"
  | "paymentTokenCharacters"
  | "bankAccountNameCharacters"
  | "credentialCharacters"
  | "noticeSecrets"
  | "creditFileCharacters"
  | "creditLines"
  | "creditFields"
  | "creditTextCharacters"
  | "creditFaults"
  | "sandboxAdvanceDays"
  | "sandboxAheadDays"
  | "sandboxAdvanceSeconds"
  | "reconcileRequestsPerSecond"
  | "reconcileSilentCharges"
  | Extract<keyof typeof Limits, `notice${string}`>
type Prompts = "consentPrompts" | "consentPromptCharacters" | "consentPromptPosition"

/** The facts of the limits of charges and of the pages that make them. */
export const moneyLimitFacts: { readonly [Name in Waits | Prompts]: LimitFact } = {
  cardWaitHours: {
    meaning: "A card or direct-debit charge that waits for its donor; then the gift fails with `abandoned`",
    unit: "hours",
    source: "money, section 2"
  },
  paytoWaitDays: {
    meaning: "A PayTo charge that waits for its donor's approval; then the gift fails with `abandoned`",
    unit: "days",
    source: "money, section 2"
  },
  invoiceRetryDays: {
    meaning:
      "Delays until an invoice of a recurring gift is tried again that could not be paid; it is given up after the last",
    unit: "days",
    source: "money, section 7"
  },
  invoiceLateDays: {
    meaning: "How long after its due day an invoice is made that an outage kept from it, beside the latest one",
    unit: "days",
    source: "money, section 7"
  },
  firstInvoiceHours: {
    meaning: "The donor may try the first charge of a recurring gift again after it failed; then the gift is cancelled",
    unit: "hours",
    source: "money, section 7"
  },
  progressTokenHours: { meaning: "A page may ask how its payment goes", unit: "hours", source: "money, section 4" },
  paymentTokenCharacters: { meaning: "What a processor's page gives", unit: "characters", source: "own rule" },
  consentPrompts: { meaning: "Consent prompts that a page asks", unit: "prompts", source: "own rule" },
  consentPromptCharacters: { meaning: "Text of a consent prompt", unit: "characters", source: "money, section 4" },
  consentPromptPosition: { meaning: "Place of a consent prompt on the page", unit: "places", source: "own rule" },
  noticeBytes: {
    meaning: "Largest webhook of a payment processor; larger ones are answered with 413",
    unit: "bytes",
    source: "money, section 2: Notice"
  },
  noticeToleranceSeconds: {
    meaning: "How far the time that the test processor signs may be from this clock's",
    unit: "seconds",
    source: "docs/decisions/0057"
  },
  noticesUnverifiedPerSecond: {
    meaning:
      "Processors' webhooks without a good signature that a client's address may send again each second; more are 429",
    unit: "webhooks a second",
    source: "docs/decisions/0057"
  },
  noticesUnverifiedBurst: {
    meaning: "Processors' webhooks without a good signature that a client's address may send at once",
    unit: "webhooks",
    source: "docs/decisions/0057"
  },
  noticeWaitHours: {
    meaning: "How long a processor's webhook waits for the charge that it names as ours",
    unit: "hours",
    source: "money, section 2: Notice"
  },
  noticeDelaysSeconds: {
    meaning:
      "Delays until a processor's webhook is tried again that could not be applied; it has failed after the last",
    unit: "seconds",
    source: "docs/decisions/0057"
  },
  noticeKeptDays: {
    meaning: "How long a processor's webhook is kept",
    unit: "days",
    source: "money, section 2: Notice"
  },
  sandboxAdvanceDays: {
    meaning: "How far one request moves the clock of a sandbox at most",
    unit: "days",
    source: "docs/decisions/0066"
  },
  sandboxAheadDays: {
    meaning: "How far the clock of a sandbox may be ahead of the real time",
    unit: "days",
    source: "docs/decisions/0066"
  },
  sandboxAdvanceSeconds: {
    meaning: "How long one request moves a sandbox's clock before it answers how far it came",
    unit: "seconds",
    source: "docs/decisions/0066"
  },
  reconcileRequestsPerSecond: {
    meaning: "Requests that one reconciliation sends to a processor, beside those of checkouts and the settler",
    unit: "requests a second",
    source: "docs/decisions/0061"
  },
  reconcileSilentCharges: {
    meaning:
      "Charges of one account that a reconciliation looks for after their 30 days' silence; the rest are next day's",
    unit: "charges",
    source: "docs/decisions/0061"
  },
  bankAccountNameCharacters: { meaning: "The name of a bank account", unit: "characters", source: "own rule" },
  credentialCharacters: {
    meaning: "A key or secret of an integration's own account at its processor",
    unit: "characters",
    source: "own rule"
  },
  noticeSecrets: {
    meaning: "Webhook secrets of an own account that are valid at once",
    unit: "secrets",
    source: "own rule"
  },
  creditFileCharacters: {
    meaning: "A file of a bank statement's lines; a longer one is imported in parts",
    unit: "characters",
    source: "own rule"
  },
  creditLines: { meaning: "Lines of a bank statement in one file", unit: "lines", source: "own rule" },
  creditFields: { meaning: "Fields of a line of a bank statement", unit: "fields", source: "own rule" },
  creditTextCharacters: { meaning: "The text of a line of a bank statement", unit: "characters", source: "own rule" },
  creditFaults: {
    meaning: "Bad lines that the refusal of a bank statement names; it counts the others",
    unit: "lines",
    source: "own rule"
  }
}
