import type { LimitFact, Limits } from "./Limits.ts"
import { moneyLimitFacts } from "./MoneyLimitFacts.ts"

export type { LimitFact } from "./Limits.ts"

/** The facts of each limit: one that is forgotten does not compile. */
export const limitFacts: { readonly [Name in keyof typeof Limits]: LimitFact } = {
  requestsPerSecond: {
    meaning: "Requests that an organisation's bucket regains each second",
    unit: "requests a second",
    source: "service-spec, Limits: Request rate"
  },
  requestBurst: {
    meaning: "Requests that a full bucket holds",
    unit: "requests",
    source: "service-spec, Limits: Request rate"
  },
  bodyBytes: { meaning: "Largest request body", unit: "bytes", source: "service-spec, Limits: Request body size" },
  bodyDepth: {
    meaning: "Levels of lists and objects in a request body; deeper ones are `invalid_request`",
    unit: "levels",
    source: "docs/decisions/0025"
  },
  idempotencyKeyCharacters: { meaning: "Longest Idempotency-Key", unit: "characters", source: "service-spec, Limits" },
  idempotencyRecordHours: {
    meaning: "Life of a stored answer from the key's first use",
    unit: "hours",
    source: "service-spec, Limits"
  },
  storedAnswerBytes: {
    meaning: "Largest answer that is stored for replay",
    unit: "bytes",
    source: "service-spec, Limits: Cached response size"
  },
  requestIdCharacters: {
    meaning: "Longest caller-supplied request id that is echoed",
    unit: "characters",
    source: "decisions, section 2"
  },
  pageDefault: { meaning: "Page size when none is asked for", unit: "records", source: "decisions, section 1: Lists" },
  pageMaximum: { meaning: "Largest page", unit: "records", source: "decisions, section 1: Lists" },
  donationMaximumCents: {
    meaning: "Largest donation",
    unit: "minor units",
    source: "service-spec, Limits: Donation amount"
  },
  inKindDescriptionCharacters: {
    meaning: "`in_kind_description`",
    unit: "characters",
    source: "service-spec, Limits: Field sizes"
  },
  revenueCodeCharacters: {
    meaning: "A revenue code's text",
    unit: "characters",
    source: "service-spec, Limits: Field sizes"
  },
  revenueCodeIdCharacters: {
    meaning: "A revenue code's id in a donation body",
    unit: "characters",
    source: "service-spec, Limits: Field sizes"
  },
  nameCharacters: { meaning: "Names and labels", unit: "characters", source: "decisions, section 1: Text" },
  emailCharacters: { meaning: "E-mail addresses", unit: "characters", source: "decisions, section 1: Text" },
  urlCharacters: { meaning: "URLs", unit: "characters", source: "decisions, section 1: Text" },
  textCharacters: { meaning: "Long texts", unit: "characters", source: "decisions, section 1: Text" },
  identifierCharacters: { meaning: "An identifier in a body", unit: "characters", source: "docs/decisions/0025" },
  queryParameters: {
    meaning: "Query parameters of one request; more are `invalid_request`",
    unit: "parameters",
    source: "docs/decisions/0025"
  },
  filterValues: {
    meaning: "Values of one `in` or `not_in` filter; more are `validation_failed` with its `param`",
    unit: "values",
    source: "docs/decisions/0025"
  },
  searchCharacters: {
    meaning: "`search`; more are `validation_failed`",
    unit: "characters",
    source: "docs/decisions/0025"
  },
  searchWords: {
    meaning: "Different words of a `search`, all of which are matched; more are `validation_failed`",
    unit: "words",
    source: "docs/decisions/0025"
  },
  searchWordCharacters: {
    meaning: "Letters and digits of a word that a search compares; what follows makes no difference",
    unit: "characters",
    source: "docs/decisions/0034"
  },
  webhookEndpoints: {
    meaning: "Webhook endpoints of an organisation that are not deleted",
    unit: "endpoints",
    source: "decisions, section 4: Webhook endpoints"
  },
  webhookTimeoutMillis: {
    meaning: "One deadline over a whole delivery exchange",
    unit: "milliseconds",
    source: "service-spec, Limits: Webhook response time"
  },
  webhookToleranceSeconds: {
    meaning: "Age past which a receiver refuses a delivery's timestamp",
    unit: "seconds",
    source: "service-spec, Delivery shape"
  },
  webhookLookups: {
    meaning: "Look-ups of receivers' names that are under way for one organisation; further ones wait",
    unit: "look-ups",
    source: "docs/decisions/0029"
  },
  webhookLookupsTotal: {
    meaning: "Look-ups of receivers' names that are under way in a process",
    unit: "look-ups",
    source: "docs/decisions/0029"
  },
  webhookLookupMillis: {
    meaning: "Time that one look-up of a receiver's name may take",
    unit: "milliseconds",
    source: "docs/decisions/0029"
  },
  webhookNameSeconds: {
    meaning: "Longest time for which a receiver's addresses are remembered; less where their time to live is less",
    unit: "seconds",
    source: "docs/decisions/0029"
  },
  webhookNoNameSeconds: {
    meaning: "Time for which it is remembered that a receiver's name does not resolve",
    unit: "seconds",
    source: "docs/decisions/0029"
  },
  webhookNames: {
    meaning: "Receivers' names that are remembered at once",
    unit: "names",
    source: "docs/decisions/0029"
  },
  webhookAddresses: {
    meaning: "Addresses of a receiver's name, above which it is refused",
    unit: "addresses",
    source: "docs/decisions/0029"
  },
  deliveryAttempts: {
    meaning: "Attempts of one delivery",
    unit: "attempts",
    source: "service-spec, Delivery shape: Retries"
  },
  deliveryInterruptions: {
    meaning: "Attempts of one delivery that may have been sent when their worker went away; they count apart",
    unit: "attempts",
    source: "decisions, section 5: Webhook delivery"
  },
  deliveryDelaysSeconds: {
    meaning: "Wait before each attempt, counted from the one before it",
    unit: "seconds",
    source: "service-spec, Delivery shape: Retries"
  },
  deliveryLeaseSeconds: {
    meaning: "How long a claimed delivery belongs to its worker",
    unit: "seconds",
    source: "docs/decisions/0004"
  },
  attemptExcerptBytes: {
    meaning: "Bytes of a receiver's answer that an attempt keeps",
    unit: "bytes",
    source: "decisions, section 4: Webhook endpoints"
  },
  replayedTogether: {
    meaning: "Deliveries that are looked at and replayed in one transaction",
    unit: "deliveries",
    source: "docs/decisions/0036"
  },
  replayedAtOnce: {
    meaning: "Deliveries that one replay of all since a time looks at; the next begins where it ended",
    unit: "deliveries",
    source: "docs/decisions/0036"
  },
  endpointDisableHours: {
    meaning: "Unbroken failure after which the service disables an endpoint",
    unit: "hours",
    source: "decisions, section 4: Webhook endpoints"
  },
  secretOverlapHours: {
    meaning: "Longest overlap of two signing secrets",
    unit: "hours",
    source: "decisions, section 4: Webhook endpoints"
  },
  secretOverlapDefaultHours: {
    meaning: "Overlap of two signing secrets when none is asked for",
    unit: "hours",
    source: "decisions, section 4: Webhook endpoints"
  },
  apiKeyCacheSeconds: {
    meaning: "How long a looked-up API key may be trusted by a process that did not revoke it",
    unit: "seconds",
    source: "docs/decisions/0007"
  },
  apiKeyCacheEntries: { meaning: "API keys that a process remembers", unit: "keys", source: "docs/decisions/0007" },
  apiKeyKnownSeconds: {
    meaning: "How long a key that was valid may be looked up although strangers have emptied its address's bucket",
    unit: "seconds",
    source: "docs/decisions/0026"
  },
  outageRetrySeconds: {
    meaning: "What `Retry-After` asks for when the database does not answer",
    unit: "seconds",
    source: "docs/decisions/0035"
  },
  bodiesInFlightBytes: {
    meaning: "Request bodies that a process holds at once, over all requests",
    unit: "bytes",
    source: "docs/decisions/0026"
  },
  bodiesInFlightShareBytes: {
    meaning: "The part of it that one organisation's requests may have",
    unit: "bytes",
    source: "docs/decisions/0026"
  },
  connections: {
    meaning: "Connections that the server has open at once, where `MAX_CONNECTIONS` does not say otherwise",
    unit: "connections",
    source: "docs/decisions/0026"
  },
  connectionsPerAddress: {
    meaning: "Connections of one client address, where `MAX_CONNECTIONS_PER_ADDRESS` does not say otherwise",
    unit: "connections",
    source: "docs/decisions/0026"
  },
  hostHeaderLines: {
    meaning: "Header lines at which a request is refused in a host's own server, which drops those that follow",
    unit: "lines",
    source: "docs/decisions/0026"
  },
  requestHeadBytes: {
    meaning: "Request line and headers together; more is `invalid_request`, too long",
    unit: "bytes",
    source: "docs/decisions/0037"
  },
  recommendationSetNameCharacters: {
    meaning: "A recommendation set's name",
    unit: "characters",
    source: "service-spec, Limits: Field sizes"
  },
  setAllocations: {
    meaning: "Allocations of one recommendation set",
    unit: "allocations",
    source: "decisions, section 4: Recommendation sets"
  },
  introductionTtlDays: {
    meaning: "Longest life of an introduction",
    unit: "days",
    source: "service-spec, Limits: Introduction TTL"
  },
  introductionTtlDefaultDays: {
    meaning: "Life of an introduction when none is asked for",
    unit: "days",
    source: "service-spec, Limits: Introduction TTL"
  },
  introductionsPending: {
    meaning: "Introductions of an inviter that were created within the window and are pending",
    unit: "introductions",
    source: "service-spec, Limits: Introductions per inviter"
  },
  introductionWindowHours: {
    meaning: "Rolling window in which introductions count",
    unit: "hours",
    source: "service-spec, Limits: Introductions per inviter"
  },
  introductionResends: {
    meaning: "Resends of one introduction",
    unit: "resends",
    source: "service-spec, Limits: Resends"
  },
  mailsPerOrganisation: {
    meaning: "Mails of an organisation that are begun within the window; more wait",
    unit: "mails",
    source: "decisions, section 4: Introductions"
  },
  mailsPerAddress: {
    meaning: "Mails to one address, of all organisations, that are begun within the window; more wait",
    unit: "mails",
    source: "decisions, section 4: Introductions"
  },
  mailBudgetHours: {
    meaning: "Rolling window in which mails count toward their budgets",
    unit: "hours",
    source: "docs/decisions/0027"
  },
  passphraseFailures: {
    meaning: "Failed passphrase exchanges of an organisation within the window",
    unit: "exchanges",
    source: "service-spec, Limits: Failed passphrase exchanges"
  },
  passphraseWindowSeconds: {
    meaning: "Rolling window in which failed passphrase exchanges count",
    unit: "seconds",
    source: "decisions, section 4: Recipient accounts"
  },
  passphraseWords: {
    meaning: "Words of a distribution passphrase",
    unit: "words",
    source: "decisions, section 4: Recipient accounts"
  },
  personalisedLinkDays: {
    meaning: "Life of a personalised link",
    unit: "days",
    source: "service-spec, Limits: Personalised link life"
  },
  ...moneyLimitFacts,
  bankTransferLapseDays: {
    meaning: "Wait for a bank transfer's funds, after which its gift lapses",
    unit: "days",
    source: "service-spec, Limits: Bank transfer lapse"
  },
  formSuggestedAmounts: {
    meaning: "Suggested amounts of a form",
    unit: "amounts",
    source: "decisions, section 4: Forms"
  },
  donorCancelReasonCharacters: {
    meaning: "A donor's own words on ending a recurring gift",
    unit: "characters",
    source: "service-spec, Limits: Field sizes"
  },
  intelligenceStaleHours: {
    meaning: "Age at which computed scores are stale",
    unit: "hours",
    source: "decisions, section 10"
  },
  worklistRows: {
    meaning: "Rows of the worklist, after which it is truncated",
    unit: "rows",
    source: "decisions, section 1: Lists"
  },
  lockWaitSeconds: {
    meaning: "How long a change on a PostgreSQL server waits for a record that another one holds, before it is refused",
    unit: "seconds",
    source: "docs/decisions/0030"
  },
  changeWaitSeconds: {
    meaning:
      "How long a request waits for a connection to the PostgreSQL server, or for its organisation's share of them",
    unit: "seconds",
    source: "docs/decisions/0030"
  },
  consumers: { meaning: "Consumers of events of an installation", unit: "consumers", source: "docs/decisions/0052" },
  consumerNameCharacters: { meaning: "Name of an event consumer", unit: "characters", source: "docs/decisions/0052" },
  consumerInFlight: {
    meaning: "Events that one process may have under way for one consumer",
    unit: "events",
    source: "docs/decisions/0052"
  },
  consumerInFlightDefault: {
    meaning: "The same when the consumer does not say",
    unit: "events",
    source: "docs/decisions/0052"
  },
  consumerWaiting: {
    meaning:
      "Events that a consumer holds unhandled, the parked ones among them; while there are so many it takes no more",
    unit: "events",
    source: "docs/decisions/0052"
  },
  consumerErrorCharacters: {
    meaning: "What is kept of the reason why a handler failed",
    unit: "characters",
    source: "docs/decisions/0052"
  },
  hostEventTypes: { meaning: "Event types that a host declares", unit: "types", source: "docs/decisions/0054" },
  hostEventTypeCharacters: {
    meaning: "Name of an event type that a host declares",
    unit: "characters",
    source: "docs/decisions/0054"
  },
  hostEventBytes: { meaning: "Data of a host's own event, as JSON", unit: "bytes", source: "docs/decisions/0054" },
  hostEventDepth: {
    meaning: "Lists and objects within each other in the data of a host's own event",
    unit: "levels",
    source: "docs/decisions/0054"
  },
  schemaNameCharacters: {
    meaning: "Name of the database schema that a host keeps Almoner in; PostgreSQL cuts longer ones",
    unit: "characters",
    source: "docs/decisions/0040"
  },
  statementSeconds: {
    meaning: "After how long a PostgreSQL server ends a statement of a request",
    unit: "seconds",
    source: "docs/decisions/0030"
  },
  startLookSeconds: {
    meaning: "How long a start waits for processors and the mail server to tell whether they take its keys",
    unit: "seconds",
    source: "docs/decisions/0015"
  },
  checkLookSeconds: {
    meaning: "The same of `almoner check`",
    unit: "seconds",
    source: "docs/decisions/0015"
  },
  clockDifferenceSeconds: {
    meaning: "How far the clocks of a process and of its database may be apart before it is warned of",
    unit: "seconds",
    source: "docs/decisions/0015"
  },
  sweepIntervalMinutes: { meaning: "Longest time between sweeps", unit: "minutes", source: "docs/decisions/0048" },
  deliveryRetentionDays: { meaning: "Longest keeping of deliveries", unit: "days", source: "docs/decisions/0048" },
  poolConnections: { meaning: "Most connections to a server", unit: "connections", source: "docs/decisions/0048" },
  startWaitMillis: { meaning: "Longest wait for a server", unit: "milliseconds", source: "docs/decisions/0048" }
}
