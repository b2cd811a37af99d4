import { limitsOf as of } from "./LimitSection.ts"
import type { LimitFact, Limits } from "./Limits.ts"
import { pageLimits } from "./PageLimits.ts"

export type { LimitFact } from "./Limits.ts"

/** The facts of each limit: one that is forgotten does not compile. */
export const limitFacts: { readonly [Name in keyof typeof Limits]: LimitFact } = {
  ...of("service-spec, Delivery shape", {
    webhookToleranceSeconds: "Age past which a receiver refuses a delivery's timestamp"
  }),
  ...of("service-spec, Delivery shape: Retries", {
    deliveryAttempts: ["Attempts of one delivery", "attempts"],
    deliveryDelaysSeconds: "Wait before each attempt, counted from the one before it"
  }),
  ...of("service-spec, Limits", {
    idempotencyKeyCharacters: "Longest Idempotency-Key",
    idempotencyRecordHours: "Life of a stored answer from the key's first use"
  }),
  ...of("service-spec, Limits: Bank transfer lapse", {
    bankTransferLapseDays: "Wait for a bank transfer's funds, after which its gift lapses"
  }),
  ...of("service-spec, Limits: Cached response size", {
    storedAnswerBytes: "Largest answer that is stored for replay"
  }),
  ...of("service-spec, Limits: Donation amount", {
    donationMaximumCents: "Largest donation"
  }),
  ...of("service-spec, Limits: Failed passphrase exchanges", {
    passphraseFailures: ["Failed passphrase exchanges of an organisation within the window", "exchanges"]
  }),
  ...of("service-spec, Limits: Field sizes", {
    inKindDescriptionCharacters: "`in_kind_description`",
    revenueCodeCharacters: "A revenue code's text",
    revenueCodeIdCharacters: "A revenue code's id in a donation body",
    recommendationSetNameCharacters: "A recommendation set's name",
    donorCancelReasonCharacters: "A donor's own words on ending a recurring gift"
  }),
  ...of("service-spec, Limits: Introduction TTL", {
    introductionTtlDays: "Longest life of an introduction",
    introductionTtlDefaultDays: "Life of an introduction when none is asked for"
  }),
  ...of("service-spec, Limits: Introductions per inviter", {
    introductionsPending: [
      "Introductions of an inviter that were sent within the window by the real time, and are neither viewed nor revoked",
      "introductions"
    ],
    introductionWindowHours: "Rolling window in which introductions count"
  }),
  ...of("service-spec, Limits: Personalised link life", {
    personalisedLinkDays: "Life of a personalised link"
  }),
  ...of("service-spec, Limits: Request body size", {
    bodyBytes: "Largest request body"
  }),
  ...of("service-spec, Limits: Request rate", {
    requestsPerSecond: ["Requests that an organisation's bucket regains each second", "requests a second"],
    requestBurst: ["Requests that a full bucket holds", "requests"]
  }),
  ...of("service-spec, Limits: Resends", {
    introductionResends: ["Resends of one introduction", "resends"]
  }),
  ...of("service-spec, Limits: Webhook response time", {
    webhookTimeoutMillis: "One deadline over a whole delivery exchange"
  }),
  ...of("decisions, section 10", {
    intelligenceStaleHours: "Age at which computed scores are stale"
  }),
  ...of("decisions, section 1: Lists", {
    pageDefault: ["Page size when none is asked for", "records"],
    pageMaximum: ["Largest page", "records"],
    worklistRows: ["Rows of the worklist, after which it is truncated", "rows"]
  }),
  ...of("decisions, section 1: Text", {
    nameCharacters: "Names and labels",
    emailCharacters: "E-mail addresses",
    urlCharacters: "URLs",
    textCharacters: "Long texts"
  }),
  ...of("decisions, section 2", {
    requestIdCharacters: "Longest caller-supplied request id that is echoed"
  }),
  ...of("decisions, section 4: Forms", {
    formSuggestedAmounts: ["Suggested amounts of a form", "amounts"]
  }),
  ...of("decisions, section 4: Introductions", {
    mailsPerOrganisation: ["Mails of an organisation that are begun within the window; more wait", "mails"],
    mailsPerAddress: ["Mails to one address, of all organisations, begun within the window; more wait", "mails"]
  }),
  ...of("decisions, section 4: Recipient accounts", {
    passphraseWindowSeconds: "Rolling window in which failed passphrase exchanges count",
    passphraseWords: ["Words of a distribution passphrase", "words"]
  }),
  ...of("decisions, section 4: Recommendation sets", {
    setAllocations: ["Allocations of one recommendation set", "allocations"]
  }),
  ...of("decisions, section 4: Webhook endpoints", {
    webhookEndpoints: ["Webhook endpoints of an organisation that are not deleted", "endpoints"],
    attemptExcerptBytes: "Bytes of a receiver's answer that an attempt keeps",
    endpointDisableHours: "Unbroken failure after which the service disables an endpoint",
    secretOverlapHours: "Longest overlap of two signing secrets",
    secretOverlapDefaultHours: "Overlap of two signing secrets when none is asked for"
  }),
  ...of("decisions, section 5: Webhook delivery", {
    deliveryInterruptions: [
      "Attempts of one delivery that may have been sent when their worker went away; they count apart",
      "attempts"
    ]
  }),
  ...of("docs/decisions/0004", {
    deliveryLeaseSeconds: "How long a claimed delivery belongs to its worker"
  }),
  ...of("docs/decisions/0007", {
    apiKeyCacheSeconds: "How long a looked-up API key may be trusted by a process that did not revoke it",
    apiKeyCacheEntries: ["API keys that a process remembers", "keys"]
  }),
  ...of("docs/decisions/0077", {
    regimesInFile: ["Disclosure regimes in an operator's file", "regimes"],
    regimesFileBytes: "Size of that file",
    regimeTextCharacters: "Length of a name or a source in it",
    regimeTermDays: "Length of a term in it",
    disclosureGiftsShown: ["Gifts that a disclosure names, the latest ones", "gifts"],
    disclosureDutiesShown: ["Duties that a disclosure shows, open ones first", "duties"],
    exportedDisclosures: ["Disclosures that an export reads at once", "disclosures"],
    uncodedPeriods: [
      "Periods of a law in which gifts without an assigned code are looked for, the latest ones",
      "periods"
    ],
    uncodedGiftsShown: ["Gifts that are named of those without an assigned code, the largest ones", "gifts"],
    dutyReminderDays: "Before a duty is due, the admins are reminded of it; of a late one daily",
    dutiesInReminder: ["Duties that one reminder names, the most urgent ones", "duties"],
    elections: ["Elections in that file", "elections"],
    electionDays: "Longest time from the writ of an election to polling day"
  }),
  ...of("docs/decisions/0076", {
    deathsUntilSetAside: ["How often a process may die while it works on something before that is set aside", "deaths"],
    setAsideHours: "How long it is set aside, and how long a death is remembered",
    deathsRecorded: ["Pieces of work that may be remembered so", "records"]
  }),
  ...of("docs/decisions/0015", {
    startLookSeconds: "How long a start waits for processors and the mail server to tell whether they take its keys",
    checkLookSeconds: "The same of `almoner check`",
    clockDifferenceSeconds: "How far the clocks of a process and of its database may be apart before it is warned of"
  }),
  ...of("docs/decisions/0025", {
    bodyDepth: ["Levels of lists and objects in a request body; deeper ones are `invalid_request`", "levels"],
    bodyValues: ["Fields and items in a request body, at every level; more are `invalid_request`", "values"],
    identifierCharacters: "An identifier in a body",
    queryParameters: ["Query parameters of one request; more are `invalid_request`", "parameters"],
    filterValues: ["Values of one `in` or `not_in` filter; more are `validation_failed` with its `param`", "values"],
    searchCharacters: "`search`; more are `validation_failed`",
    searchWords: ["Different words of a `search`, all of which are matched; more are `validation_failed`", "words"]
  }),
  ...of("docs/decisions/0026", {
    apiKeyKnownSeconds:
      "How long a key that was valid may be looked up although strangers have emptied its address's bucket",
    processorNameCharacters: "The name of a payment processor of a host's own",
    processorAnswerBytes: "An answer of a payment processor; one that is longer is not read",
    bodiesInFlightBytes: "Request bodies that a process holds at once, over all requests",
    bodiesInFlightShareBytes: "The part of it that one organisation's requests may have",
    connections: [
      "Connections that the server has open at once, where `MAX_CONNECTIONS` does not say otherwise",
      "connections"
    ],
    idleTimeoutSeconds: "How long a connection without a request is kept",
    connectionsPerAddress: [
      "Connections of one client address, where `MAX_CONNECTIONS_PER_ADDRESS` does not say otherwise",
      "connections"
    ],
    hostHeaderLines: ["Header lines at which a request is refused in a host's own server, which drops more", "lines"]
  }),
  ...of("docs/decisions/0027", {
    mailBudgetHours: "Rolling window in which mails count toward their budgets"
  }),
  ...of("docs/decisions/0080", {
    mailsAtOnce: ["Mails of a lane that a process sends at once, and its connections to the mail server", "mails"]
  }),
  ...of("docs/decisions/0083", {
    summaryWaitDays: "Wait after the end of a financial year until its summaries are written",
    summaryDonors: ["Donors that one step of a year's summaries looks at", "donors"],
    summaryGifts: ["Gifts that a summary lists; the sums are of all", "gifts"]
  }),
  ...of("docs/decisions/0029", {
    webhookLookups: [
      "Look-ups of receivers' names that are under way for one organisation; further ones wait",
      "look-ups"
    ],
    webhookLookupsTotal: ["Look-ups of receivers' names that are under way in a process", "look-ups"],
    webhookLookupMillis: "Time that one look-up of a receiver's name may take",
    webhookNameSeconds:
      "Longest time for which a receiver's addresses are remembered; less where their time to live is less",
    webhookNoNameSeconds: "Time for which it is remembered that a receiver's name does not resolve",
    webhookNames: ["Receivers' names that are remembered at once", "names"],
    webhookAddresses: ["Addresses of a receiver's name, above which it is refused", "addresses"]
  }),
  ...of("docs/decisions/0030", {
    lockWaitSeconds:
      "How long a change on a PostgreSQL server waits for a record that another one holds, before it is refused",
    changeWaitSeconds:
      "How long a request waits for a connection to the PostgreSQL server, or for its organisation's share of them",
    statementSeconds: "After how long a PostgreSQL server ends a statement of a request"
  }),
  ...of("docs/decisions/0034", {
    searchWordCharacters: "Letters and digits of a word that a search compares; what follows makes no difference"
  }),
  ...of("docs/decisions/0035", {
    outageRetrySeconds: "What `Retry-After` asks for when the database does not answer"
  }),
  ...of("docs/decisions/0036", {
    replayedTogether: ["Deliveries that are looked at and replayed in one transaction", "deliveries"],
    replayedAtOnce: [
      "Deliveries that one replay of all since a time looks at; the next begins where it ended",
      "deliveries"
    ]
  }),
  ...of("docs/decisions/0037", {
    requestHeadBytes: "Request line and headers together; more is `invalid_request`, too long"
  }),
  ...of("docs/decisions/0040", {
    connectSeconds: "Longest `connect_timeout` of a database's URL",
    schemaNameCharacters: "Name of the database schema that a host keeps Almoner in; PostgreSQL cuts longer ones"
  }),
  ...of("docs/decisions/0048", {
    sweepIntervalMinutes: "Longest time between sweeps",
    deliveryRetentionDays: "Longest keeping of deliveries",
    poolConnections: ["Most connections to a server", "connections"],
    startWaitMillis: "Longest wait for a server"
  }),
  ...of("docs/decisions/0052", {
    consumers: ["Consumers of events of an installation", "consumers"],
    consumerNameCharacters: "Name of an event consumer",
    consumerInFlight: ["Events that one process may have under way for one consumer", "events"],
    consumerInFlightDefault: ["The same when the consumer does not say", "events"],
    consumerWaiting: [
      "Events that a consumer holds unhandled, the parked ones among them; while there are so many it takes no more",
      "events"
    ],
    consumerErrorCharacters: "What is kept of the reason why a handler failed"
  }),
  ...of("docs/decisions/0054", {
    hostEventTypes: ["Event types that a host declares", "types"],
    hostEventTypeCharacters: "Name of an event type that a host declares",
    hostEventBytes: "Data of a host's own event, as JSON",
    hostEventDepth: ["Lists and objects within each other in the data of a host's own event", "levels"]
  }),
  ...of("docs/decisions/0057", {
    noticeToleranceSeconds: "How far the time that the test processor signs may be from this clock's",
    noticesUnverifiedPerSecond: [
      "Processors' webhooks without a good signature that a client's address may send again each second; more are 429",
      "webhooks a second"
    ],
    noticesOwnPerSecond: [
      "Webhooks that the address of an organisation's own account regains each second",
      "webhooks a second"
    ],
    noticesOwnBurst: ["Webhooks that such an address takes at once; more are answered with 429", "webhooks"],
    noticesUnverifiedBurst: [
      "Processors' webhooks without a good signature that a client's address may send at once",
      "webhooks"
    ],
    noticeDelaysSeconds:
      "Delays until a processor's webhook is tried again that could not be applied; it has failed after the last"
  }),
  ...of("docs/decisions/0061", {
    reconcileRequestsPerSecond: [
      "Requests that one reconciliation sends to a processor, beside those of checkouts and the settler",
      "requests a second"
    ],
    reconcileSilentCharges: [
      "Charges of one account that a reconciliation looks for after their 30 days' silence; the rest are next day's",
      "charges"
    ],
    reconcileAgainDays: "Days of a statement that are compared again each night after they were compared"
  }),
  ...of("docs/decisions/0066", {
    sandboxAdvanceDays: "How far one request moves the clock of a sandbox at most",
    sandboxAheadDays: "How far the clock of a sandbox may be ahead of the real time",
    sandboxAdvanceSeconds: "How long one request moves a sandbox's clock before it answers how far it came"
  }),
  ...of("money, section 2", {
    cardWaitHours: "A card or direct-debit charge that waits for its donor; then the gift fails with `abandoned`",
    paytoWaitDays: "A PayTo charge that waits for its donor's approval; then the gift fails with `abandoned`"
  }),
  ...of("money, section 2: Notice", {
    noticeBytes: "Largest webhook of a payment processor; larger ones are answered with 413",
    noticeWaitHours: "How long a processor's webhook waits for the charge that it names as ours",
    noticeKeptDays: "How long a processor's webhook is kept"
  }),
  ...of("money, section 4", {
    progressTokenHours: "A page may ask how its payment goes",
    consentPromptCharacters: "Text of a consent prompt"
  }),
  ...pageLimits,
  ...of("money, section 7", {
    invoiceRetryDays:
      "Delays until an invoice of a recurring gift is tried again that could not be paid; it is given up after the last",
    invoiceLateDays: "How long after its due day an invoice is made that an outage kept from it, beside the latest one",
    firstInvoiceHours:
      "The donor may try the first charge of a recurring gift again after it failed; then the gift is cancelled"
  }),
  ...of("money, section 11: A bank transfer lapses", {
    bankTransferUncoveredDays:
      "Wait for a statement that covers a bank transfer's last day, after which its gift lapses all the same"
  }),
  ...of("own rule", {
    paymentTokenCharacters: "What a processor's page gives",
    consentPrompts: ["Consent prompts that a page asks", "prompts"],
    consentPromptPosition: ["Place of a consent prompt on the page", "places"],
    bankAccountNameCharacters: "The name of a bank account",
    credentialCharacters: "A key or secret of an integration's own account at its processor",
    noticeSecrets: ["Webhook secrets of an own account that are valid at once", "secrets"],
    creditFileCharacters: "A bank statement that a program gives as text; files may be of any size",
    creditLines: ["Lines of a bank statement that are imported at once; a longer one is imported day by day", "lines"],
    creditRecordCharacters: "A line of a bank statement as CSV",
    creditDaysLines: ["Lines of a day of a long bank statement, or of days whose lines stand amid each other", "lines"],
    creditFields: ["Fields of a line of a bank statement", "fields"],
    creditTextCharacters: "The text of a line of a bank statement",
    creditFaults: ["Bad lines that the refusal of a bank statement names; it counts the others", "lines"],
    creditPassed: ["Lines of a bank statement that were passed over and are listed; the others are counted", "lines"],
    creditCharges: ["Gifts that one payment to a bank account is for", "gifts"],
    giftCandidates: [
      "Gifts that are offered for a payment to a bank account which names none, the best first",
      "gifts"
    ],
    giftCandidatesPartPaid: [
      "Gifts that have a part of their money and are looked through for a payment of the rest",
      "gifts"
    ],
    giftCandidateLapsedDays: "How long after its lapse a gift is offered for a payment",
    bankTransferSimulatedDays: "Wait after the lapse of a transfer to a simulated bank, which has no statements",
    statementQuietDays:
      "Days before the first line of a bank statement on which nothing came, where no other statement covers them",
    creditIdCharacters: "A bank's own id of a line of a statement",
    markupDepth: ["Elements in one another in a bank statement as XML or OFX", "elements"],
    markupElements: ["Elements in one entry of a bank statement as XML or OFX", "elements"],
    markupTextCharacters: "A text in a bank statement as XML or OFX",
    markupTagCharacters: "What stands between two tags of a bank statement as XML or OFX, with the first"
  }),
  ...of("docs/decisions/0093", {
    secretsSigning: [
      "Secrets of an endpoint that sign at once, the present one and former ones that overlap",
      "secrets"
    ]
  }),
  ...of("docs/decisions/0094", {
    pendingReplays: [
      "Replays of an event to an endpoint that are under way at once; one more is refused",
      "deliveries"
    ],
    drainMillis:
      "What a stop of workers, and `close` of an embedded Almoner, wait for what is under way: deliveries, handlers and calls; then it is interrupted",
    cutOffMillis: "What `close` waits longer for what cannot be interrupted, before it closes the store"
  }),
  ...of("docs/decisions/0072", {
    recordsUnderWay: ["Records that lists ask for at the same moment, over all callers; further lists wait", "records"],
    recordsUnderWayShare: ["The same of one organisation", "records"],
    bytesPerToken: ["Bytes of a request's body, and of its answer, that cost a token each beside its own", "bytes"],
    answersUnreadBytes:
      "Bytes of answers that callers have not read, over all connections, before requests are refused",
    answersUnreadShareBytes: "The same of one organisation",
    answerReadSeconds: "How long an answer may take to be read",
    pageCharacters: "Records of a page, as JSON; a page that would have more ends earlier, with `has_more`"
  })
}
