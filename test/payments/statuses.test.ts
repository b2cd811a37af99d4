import { join } from "node:path"
import { assert, expect, it } from "@effect/vitest"
import * as CheckoutLink from "../../src/domain/giving/CheckoutLink.ts"
import * as Donation from "../../src/domain/giving/Donation.ts"
import * as Refund from "../../src/domain/giving/Refund.ts"
import * as Charge from "../../src/domain/payments/Charge.ts"
import * as Dispute from "../../src/domain/payments/Dispute.ts"
import * as Invoice from "../../src/domain/payments/Invoice.ts"
import * as Mandate from "../../src/domain/payments/Mandate.ts"
import * as Notice from "../../src/domain/payments/Notice.ts"
import * as PaymentException from "../../src/domain/payments/PaymentException.ts"
import * as Subscription from "../../src/domain/payments/Subscription.ts"
import * as Payment from "../../src/domain/sharing/Payment.ts"
import * as Transfer from "../../src/domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../src/domain/sharing/TransferAttempt.ts"
import { root } from "../architecture/Checkout.ts"
import { memory } from "../support/Stores.ts"
import { startCrashService } from "./CrashService.ts"
import { makePlace, siteAt } from "./GivingSite.ts"
import type { Act } from "./Life.ts"
import { faultsOfLife } from "./LifeFaults.ts"
import { reportOf, statusesOf } from "./LifeReport.ts"
import { live } from "./LifeRun.ts"
import { lives, toMany } from "./Lives.ts"
import { makePoints } from "./Points.ts"

type Row = readonly [what: string, life: string, act: string]

/** What the lives have reached, by record and status. */
const reached = new Map<string, Row>()

const note = (key: string, row: Row) => {
  if (!reached.has(key)) reached.set(key, row)
}

const noteStatuses = async (living: Parameters<typeof statusesOf>[0], act: Act) => {
  for (const [record, status] of await statusesOf(living)) {
    note(`${record} ${status}`, [status, living.life.name, wordOf(act)])
  }
}

/** Every status of what money passes through. */
const statuses: ReadonlyArray<readonly [record: string, statuses: ReadonlyArray<string>]> = [
  ["Donation", Donation.machine.statuses],
  ["Charge", Charge.machine.statuses],
  ["Refund", Refund.machine.statuses],
  ["Dispute", Dispute.machine.statuses],
  ["PaymentException", PaymentException.machine.statuses],
  ["CheckoutLink", CheckoutLink.machine.statuses],
  ["RecommendationSetPayment", Payment.machine.statuses],
  ["Transfer", Transfer.machine.statuses],
  ["Transfer attempt", TransferAttempt.machine.statuses],
  ["Reversal of a transfer", TransferAttempt.machine.statuses],
  ["Distribution", Transfer.DistributionStatus.literals],
  ["Subscription", Subscription.machine.statuses],
  ["Invoice", Invoice.machine.statuses],
  ["Mandate", Mandate.machine.statuses],
  ["Notice", Notice.machine.statuses],
  // A credit has no status: it counts towards the charge that it names, or is set aside for a person.
  ["Credit", ["counts", "aside"]]
]

/** What people do about what they are told to look at. */
const doing: Readonly<Record<PaymentException.Kind, string>> = {
  late_success: "Nothing where the money goes back by itself; else pay it back and resolve as `returned`, or keep it",
  unmatched_credit:
    "Find whose it is: have it pay its gift with `--charge`, book it as a gift of a donor, or resolve as `returned` or `kept`",
  underpaid: "Ask the donor: book what came as a gift, or resolve as `returned` or `kept`",
  overpaid: "Ask the donor: book what is too much as a gift, or resolve as `returned` or `kept`",
  transfer_given_up: "`transfer retry`, `payment refund`, or resolve as `returned` or `kept`",
  transfer_reversed: "See at the processor why; `transfer retry`, `payment refund`, or resolve as `returned` or `kept`",
  fee_exceeds_gift: "See whether the processor errs; the organisation has borne the rest",
  refund_failed: "Pay the donor in another way, or give the refund up",
  unrecovered: "See why the money was not there; the organisation has borne it",
  account_disabled: "See at the processor what it asks for; it resolves by itself once the account takes charges again",
  mismatch: "Compare with the processor's own pages, and correct what is wrong there",
  skipped_invoice: "Ask the donor whether the gift of that day is wanted; nothing was taken for it",
  statement_missing:
    "Import the statements of its days: what came for it is held as `late_success`, and `exception resolve --charge` has it pay the gift",
  disclosure_differs: "The disclosure was recounted: lodge what it asks for, and report the fault",
  cards_closed:
    "Send donors who wait links of their own, which take cards all the while; cards are taken again by themselves after the time that it says"
}

/** The life of a kind that none reaches. */
const untold: Partial<Record<PaymentException.Kind, Row>> = {
  skipped_invoice: ["skipped_invoice", "is to be repeated, during an outage of more than a week", "renew"],
  statement_missing: ["statement_missing", "waits for a transfer to a bank whose statements nobody imports", "work"],
  disclosure_differs: ["disclosure_differs", "counts toward a disclosure that was changed beside the service", "work"],
  cards_closed: ["cards_closed", "is the last of many that are declined on a form", "submit"]
}

/** The tables of events: of a gift, of its link, of a recurring gift, and of a payment to a set. */
const eventTables: ReadonlyArray<readonly [title: string, events: ReadonlyArray<string>]> = [
  ["Events of a gift", Object.keys(Donation.machine.events)],
  ["Events of a link", Object.keys(CheckoutLink.machine.events)],
  ["Events of a recurring gift", Object.keys(Subscription.machine.events)],
  ["Events of a payment to a set", Object.keys(Payment.machine.events)]
]

const wordOf = (act: Act): string => {
  if (act._tag === "bank") return `${act.how} at the bank`
  return act._tag === "link" ? `${act.how} its link` : act._tag
}

const head = `# Statuses

Every status of what the money of a gift passes through, with the kinds of what people must look at, and every event of a gift, a link, a recurring gift and a payment to a set, with a life in which running code reaches it: its name in \`test/payments/FormLives.ts\`, \`RecurringLives.ts\` or \`Lives.ts\`, and the act after which it is so. \`test/payments/statuses.test.ts\` lives all of them and holds this page to what it saw; \`npx vitest run test/payments/statuses.test.ts -u\` writes it anew. A process is killed between any two steps of each life ([62](decisions/0062-histories-and-failpoints.md)).`

const table = (title: string, rows: ReadonlyArray<ReadonlyArray<string>>, more: ReadonlyArray<string> = []): string =>
  [
    `\n## ${title}\n`,
    `| | ${["The gift that", "After", ...more].join(" | ")} |`,
    `|${"---|".repeat(3 + more.length)}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`)
  ].join("\n")

const open = async (recipients: number) => {
  const service = await startCrashService(memory, makePoints(), () => undefined)
  return { service, place: await siteAt(service, await makePlace(service, recipients)) }
}

it("a payment reaches each of twenty recipients once, but the one whose account is closed", async () => {
  const living = { ...(await open(toMany.recipients)), life: toMany, n: 0 }
  await live(living, (act) => noteStatuses(living, act))
  const { faults, gifts } = await reportOf(living.service, living.place, [[0, toMany]])
  await living.service.stop()
  assert.deepStrictEqual([...faults, ...faultsOfLife(toMany, gifts[0], "alone")], [])
})

it("the lives of gifts end as they say, and every status of what money passes through is reached, as the table of them says", async () => {
  const { place, service } = await open(1)
  for (const [n, life] of lives.entries()) {
    const living = { service, place, life, n }
    await live(living, (act) => noteStatuses(living, act))
    const { faults, gifts } = await reportOf(service, place, [[n, life]])
    // What is reconciled are the gifts of all lives before, too.
    assert.deepStrictEqual([...faults, ...faultsOfLife(life, gifts[n], "alone")], [], life.name)
    const { link = [], recurring = null, told = [] } = gifts[n] ?? {}
    for (const type of [...told, ...link.slice(1), ...(recurring?.told ?? [])])
      note(type, [`\`${type}\``, life.name, "the last act"])
  }
  await service.stop()
  const rowsOf = (keys: ReadonlyArray<string>): ReadonlyArray<Row> =>
    keys.map((key) => reached.get(key) ?? assert.fail(`No life reaches ${key}: add one to test/payments/Lives.ts`))
  const tables = statuses.map(([record, all]) => table(record, rowsOf(all.map((status) => `${record} ${status}`))))
  const kinds = PaymentException.Kind.literals.map((kind) => {
    const row = untold[kind] ?? rowsOf([`Kind of exception ${kind}`])[0] ?? []
    return [...row, doing[kind]]
  })
  const raised = table("Kinds of payment exceptions", kinds, ["What a person does"])
  const told = eventTables.map(([title, events]) => table(title, rowsOf(events)))
  const text = [head, ...tables, raised, ...told, ""].join("\n")
  await expect(text).toMatchFileSnapshot(join(root, "docs/statuses.md"))
})
