import { assert, describe, it } from "@effect/vitest"
import { Record, Struct } from "effect"
import { Checks } from "../../src/testing.ts"
import {
  macs,
  mailTransport,
  rateLimiter,
  secretBox,
  statementText,
  webhookAddresses,
  webhookTransport
} from "./Adapters.ts"
import { musts } from "./Musts.ts"

type Described = Pick<Checks.Check, "name" | "must">

/** The ports whose checks are of a subject of their own. */
const alone = {
  macs: Checks.macs(macs),
  mailTransport: Checks.mailTransport(mailTransport),
  rateLimiter: Checks.rateLimiter(rateLimiter),
  secretBox: Checks.secretBox(secretBox),
  statementContent: Checks.statementContent(statementText),
  transaction: Checks.transaction({ records: Checks.donorRecords }),
  webhookAddresses: Checks.webhookAddresses(webhookAddresses),
  webhookTransport: Checks.webhookTransport(webhookTransport)
}

const others = Struct.omit({ ...Checks }, [
  ...Struct.keys(alone),
  "donorRecords",
  "ProcessorUnderTest",
  "revenueCodeRecords"
])

const kits: Readonly<Record<string, ReadonlyArray<Described>>> = {
  ...Record.map(others, (checksOf): ReadonlyArray<Described> => checksOf({ serial: false })),
  ...alone
}

/** The sentences that no check of an adapter can prove. */
const unseen: ReadonlyArray<string> = [
  // Values, which the host gives to all its parts alike.
  "OperatorCidrs MUST be the same where endpoints are saved and where deliveries are made",
  "PublicUrlTemplate MUST be the same in all processes that serve one database",
  // A day has to pass, or a row to be damaged: the stores' own tests see to that.
  "MailOutbox.claim MUST hand out the others where some cannot be read, and set those aside until mend. Mails that wait for a budget",
  "MailOutbox.claim MUST become due when it has room, as many as it has room for, the organisations in turn.",
  "IntroductionStore.expirable MUST find them whether or not they can be read.",
  "CheckoutLinkStore.expirable MUST find them whether or not they can be read.",
  "ChargeStore.claim MUST hand out the others where some cannot be read.",
  "NoticeStore.claim MUST hand out the others where some cannot be read.",
  "SubscriptionStore.claim MUST hand out the others where some cannot be read.",
  "TransferAttemptStore.claim MUST hand out the others where some cannot be read.",
  // The port has no way to change or remove an entry: the stores' own tests ask the database for it.
  "LedgerStore MUST never change nor go, whoever asks the database.",
  // Another version of the program has to write: the store's own tests see to that.
  "DonorStore.reindex MUST keep the words of a donor that is changed meanwhile to its change",
  // A key has to be taken away at the processor: the tests of Stripe's double see to that.
  "ProcessorUnreachable.reason MUST be key_not_accepted where the processor does not accept the key",
  // A card has to be approved in a wallet, on somebody's device: the tests of Stripe's double see to that.
  "PaymentProcessor.walletOf MUST be by what the processor knows, not by what the page says. Only where it tells; else no wallet is taken where cards are closed.",
  // Transactions have to go on side by side, which stores may not allow: the store's own tests see to that.
  "EventConsumerStore.take MUST NOT wait for transactions that have not committed.",
  // Only the store's own tests see stored bytes.
  "IdempotencyStore.keep MUST be sealed at rest"
]

const claimed = [...new Set(Object.values(kits).flatMap((checks) => checks.flatMap(({ must }) => must)))]

describe("the conformance kit", () => {
  it("proves every MUST of the ports, but those that cannot be seen from outside", () => {
    const open = musts.filter((must) => ![...claimed, ...unseen].some((each) => must.startsWith(each)))
    assert.deepStrictEqual(open, [])
  })

  it("speaks of sentences that the ports have", () => {
    const unknown = [...claimed, ...unseen].filter((each) => !musts.some((must) => must.startsWith(each)))
    assert.deepStrictEqual(unknown, [])
  })

  it("has checks for each port, each with a name of its own", () => {
    for (const [port, checks] of Object.entries(kits)) {
      assert.isNotEmpty(checks, port)
      assert.strictEqual(new Set(checks.map(({ name }) => name)).size, checks.length, port)
    }
  })
})
