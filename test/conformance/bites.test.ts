import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Exit, type Layer } from "effect"
import { Checks } from "../../src/testing.ts"
import { live } from "../support/Steps.ts"
import { mailTransport } from "./Adapters.ts"
import * as Broken from "./Broken.ts"
import * as Processors from "./BrokenProcessors.ts"
import * as Services from "./BrokenServices.ts"

/** Most inputs draw nothing that shows a fault; the first one that does ends the check. */
const runs = 250
const donors = { serial: true, runs }

const provided = <R>(layer: Layer.Layer<R>, checks: ReadonlyArray<Checks.Check<R>>): ReadonlyArray<Checks.Check> =>
  checks.map((each) => ({ ...each, check: Effect.provide(each.check, layer) }))

/**
 * An adapter that breaks a promise in a way that no member that is wrong by itself does (docs/conformance.md), and the beginning
 * of the name of the check that says so.
 */
const broken: ReadonlyArray<readonly [adapter: string, checks: ReadonlyArray<Checks.Check>, caughtBy: string]> = [
  [
    "a transaction that does not roll back",
    provided(Broken.noRollback, Checks.transaction({ records: Checks.donorRecords, runs })),
    "what stays is exactly"
  ],
  [
    "a transaction without savepoints",
    provided(Broken.noSavepoints, Checks.transaction({ records: Checks.revenueCodeRecords })),
    "what failed inside"
  ],
  [
    "a transaction that does not wait for its commit",
    provided(Broken.earlyEffects, Checks.transaction({ records: Checks.revenueCodeRecords, runs })),
    "an effect after the commit"
  ],
  ["organisations that share a slug", provided(Broken.slugTwice, Checks.organisationStore()), "a slug is used once"],
  [
    "replays that are forgotten",
    provided(Broken.endedReplaysForgotten, Checks.deliveryStore()),
    "the replays of events"
  ],
  ["outcomes that are all failures", provided(Broken.allFailed, Checks.deliveryStore()), "outcomes are recorded as"],
  ["an abandonment of what is free", provided(Broken.heldKept, Checks.deliveryStore()), "abandoning is the machine's"],
  ["a lease that counts", provided(Broken.leaseCounts, Checks.deliveryStore()), "a claim hands out what some row"],
  [
    "consumers that begin anew",
    provided(Broken.consumersBeginAnew, Checks.eventConsumerStore({ runs })),
    "a consumer begins"
  ],
  [
    "outcomes of anybody",
    provided(Broken.anybodySettles, Checks.eventConsumerStore({ runs })),
    "an outcome is recorded by"
  ],
  [
    "a claim without subjects",
    provided(Broken.subjectsForgotten, Checks.eventConsumerStore({ runs })),
    "what is handed out is"
  ],
  ["ended mails that are sent", provided(Broken.endedMailsSent, Checks.mailOutbox()), "a mail that has ended"],
  ["addresses in lower case", provided(Broken.addressesFolded, Checks.userStore()), "a user is read back"],
  ["forms that share a slug", provided(Broken.formSlugTwice, Checks.donationFormStore()), "donation forms: slug is"],
  ["links that are swept again", provided(Broken.sweptAgain, Checks.checkoutLinkStore()), "links whose time has run"],
  [
    "a key that is found when it was revoked",
    provided(Broken.revokedKeyFound, Checks.apiKeyStore()),
    "the keys that open"
  ],
  ["a list in another order", provided(Broken.unsortedList, Checks.donorStore(donors)), "donors: a walk yields"],
  ["deleted entries left behind", provided(Broken.deletedLeftBehind, Checks.contactLogStore()), "contact logs: all"],
  ["gifts that everybody loses", provided(Broken.everybodyMoved, Checks.donationStore()), "donations: all records"],
  ["notes that are cut", provided(Broken.narrowColumns, Checks.contactLogStore({ runs })), "contact logs are read"],
  [
    "texts in another form",
    provided(Broken.textsNormalised, Checks.revenueCodeStore({ runs })),
    "revenue codes are read"
  ],
  ["amounts of floats", provided(Broken.amountsOfFloats, Checks.disputeStore()), "disputes are read"],
  ["times of whole seconds", provided(Broken.wholeSeconds, Checks.tariffStore()), "tariffs are read"],
  ["the last condition of a column", provided(Broken.lastConditions, Checks.chargeStore()), "charges: each filter"],
  ["bounds that are included", provided(Broken.boundsIncluded, Checks.chargeStore()), "charges: each filter"],
  ["cursors that are filtered", provided(Broken.cursorsFiltered, Checks.chargeStore()), "charges: each filter"],
  ["references that are shared", provided(Broken.referencesShared, Checks.chargeStore()), "charges: reference is used"],
  [
    "references of a whole organisation",
    provided(Broken.referencesOfOrganisations, Checks.chargeStore()),
    "charges: reference is used"
  ],
  [
    "external ids whose case does not matter",
    provided(Broken.externalIdsFolded, Checks.introductionStore()),
    "an external id that differs"
  ],
  ["charges that have ended left out", provided(Broken.endedLeftOut, Checks.chargeStore()), "a charge is handed out"],
  ["lines that are kept twice", provided(Broken.linesTwice, Checks.creditStore()), "a line is kept once"],
  ["events that are kept again", provided(Broken.noticesAgain, Checks.noticeStore()), "an event is kept once for"],
  ["notices concluded anyway", provided(Broken.noticesConcludedAnyway, Checks.noticeStore()), "what became of notices"],
  ["balances of doubles", provided(Broken.balancesOfDoubles, Checks.ledgerStore({ runs })), "balances are what came"],
  ["links that are left behind", provided(Broken.linkLeftBehind, Checks.paymentStore()), "payments through a donor"],
  ["prompts that are archived", provided(Broken.archivedAsked, Checks.consentPromptStore()), "what a page asks"],
  [
    "prompts in the order of their making",
    provided(Broken.oldestAsked, Checks.consentPromptStore()),
    "what a page asks"
  ],
  ["codes whose case matters", provided(Broken.caseMatters, Checks.revenueCodeStore()), "revenue codes are read"],
  ["a code that two requests make", provided(Broken.lateInsert, Checks.revenueCodeStore()), "requests at the same"],
  ["sums with failed payments", provided(Broken.failuresCounted, Checks.paymentStore()), "a set's payments are summed"],
  [
    "an endpoint found deleted",
    provided(Broken.deletedFound, Checks.webhookEndpointStore()),
    "webhook endpoints are read"
  ],
  ["sums of 32 bits", provided(Broken.narrowSums, Checks.campaignStore()), "what came of a campaign"],
  ["payments that nobody sums up", provided(Broken.donationsOnly, Checks.campaignStore()), "what came of a campaign"],
  ["scores that outlive a computation", provided(Broken.scoresAdded, Checks.scoreStore()), "a computation takes"],
  ["a segment that keeps its members", provided(Broken.membersKept, Checks.segmentStore()), "a segment is put in"],
  ["secrets that are replaced anyway", provided(Broken.replacedAnyway, Checks.sealedStore()), "a secret is replaced"],
  ["secrets that a walk skips", provided(Broken.pagesSkipped, Checks.sealedStore()), "a walk comes to each"],
  ["a signal that counts", provided(Services.countingSignal, Checks.deliverySignal()), "a signal before the wait"],
  ["events that are written twice", provided(Broken.eventsTwice, Checks.outbox()), "each event has one delivery"],
  ["outcomes under any lease", provided(Broken.anyLease, Checks.deliveryStore()), "an outcome under a lease"],
  ["keys whose case does not matter", provided(Broken.keysFolded, Checks.idempotencyStore()), "two keys are one"],
  ["mails without budgets", provided(Broken.budgetsForgotten, Checks.mailOutbox()), "of the mails to one address"],
  ["budgets of one key", provided(Broken.olderKeysForgotten, Checks.mailOutbox()), "a budget is the same"],
  ["an audit from its beginning", provided(Broken.oldestEntriesFirst, Checks.auditStore()), "the newest entries"],
  ["charges under no key", provided(Broken.keysUnknown, Checks.testBank()), "charges under one key"],
  ["a begin that takes", provided(Processors.takesAtOnce, Checks.paymentProcessor()), "a charge that begins"],
  ["refunds under new keys", provided(Processors.refundsAgain, Checks.paymentProcessor()), "a refund is paid once"],
  ["silence that refuses", provided(Processors.silenceRefuses, Checks.paymentProcessor()), "a processor that is not"],
  ["tokens that throw", provided(Processors.throwsAtTokens, Checks.paymentProcessor()), "whatever is handed over"],
  [
    "transfers that are made again",
    provided(Processors.transfersAgain, Checks.paymentProcessor()),
    "a part of a payment goes on once for each attempt"
  ],
  [
    "reversals that are forgotten",
    provided(Processors.reversesNothing, Checks.paymentProcessor()),
    "a transfer is taken back whole and once"
  ],
  [
    "accounts that are opened again",
    provided(Processors.accountsAgain, Checks.paymentProcessor()),
    "an integration gets one account"
  ],
  ["buckets by the wall clock", Checks.rateLimiter(Services.wallBuckets), "tokens come back as"],
  ["identifiers that come again", provided(Services.repeatingTokens, Checks.tokens()), "no two identifiers"],
  ["characters drawn unevenly", provided(Services.biasedTokens, Checks.tokens()), "every character is drawn"],
  ["secrets without their context", Checks.secretBox(Services.unboundBox), "what was sealed does not open for"],
  ["codes good for any purpose", Checks.macs(Services.purposeIgnored), "codes of other keys"],
  ["a secret that was cut", provided(Services.cutSecret, Checks.webhookSigner()), "the published example"],
  [
    "a server that is away for good",
    Checks.mailTransport({ layer: mailTransport.layer, unable: Services.awayForGood }),
    "what cannot be sent at present"
  ],
  ["faults that are told twice", provided(Services.faultsTwice, Checks.statementMarkup()), "a file that is not sound"],
  ["a content that is gone once it was read", Checks.statementContent(Services.readOnce), "a content is read whole"],
  ["the first address judged alone", Checks.webhookAddresses(Services.firstAnswerOnly), "one refused address"],
  ["a name that is resolved once", Checks.webhookTransport(Services.resolvedOnce), "a host is resolved and judged"],
  ["answers of names that are told", Checks.webhookAddresses(Services.resolvedTold), "the refusal of a name"],
  ["requests that are sent again", Checks.webhookTransport(Services.sentTwice), "a request whose connection broke"],
  [
    "requests that are sent too late",
    Checks.webhookTransport(Services.begunAnew),
    "a request that is handed over past"
  ],
  ["redirects that are followed", Checks.webhookTransport(Services.fetchTransport), "a redirect is an answer"]
]

describe("a broken adapter is caught:", () => {
  for (const [adapter, checks, caughtBy] of broken) {
    live(`${adapter}, by “${caughtBy} …”`, function* () {
      const [found, ...more] = checks.filter(({ name }) => name.startsWith(caughtBy))
      if (found === undefined || more.length > 0) return assert.fail(`${caughtBy} names no one check`)
      const exit = yield* Effect.exit(found.check)
      if (Exit.isSuccess(exit)) return assert.fail("the check was passed")
      assert.notMatch(Cause.pretty(exit.cause), /Service not found/)
    })
  }
})
