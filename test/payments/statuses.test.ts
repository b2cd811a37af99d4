import { join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import * as Donation from "../../src/domain/giving/Donation.ts"
import * as Refund from "../../src/domain/giving/Refund.ts"
import * as Charge from "../../src/domain/payments/Charge.ts"
import * as Dispute from "../../src/domain/payments/Dispute.ts"
import * as PaymentException from "../../src/domain/payments/PaymentException.ts"
import { root } from "../architecture/Checkout.ts"
import { memory } from "../support/Stores.ts"
import { startCrashService } from "./CrashService.ts"
import { type Act, lives } from "./Lives.ts"
import { live, makePlace, placeAt, reportOf, statusesOf } from "./Living.ts"
import { makePoints } from "./Points.ts"

/** Every status of what money passes through. */
const statuses: ReadonlyArray<readonly [record: string, statuses: ReadonlyArray<string>]> = [
  ["Donation", Donation.machine.statuses],
  ["Charge", Charge.machine.statuses],
  ["Refund", Refund.machine.statuses],
  ["Dispute", Dispute.machine.statuses],
  ["PaymentException", PaymentException.machine.statuses]
]

const events = Object.keys(Donation.machine.events)

const wordOf = (act: Act): string => (act._tag === "bank" ? `${act.how} at the bank` : act._tag)

const head = `# Statuses

Every status of what the money of a gift passes through, and every event of a gift, with a life in which running code reaches it: its name in \`test/payments/Lives.ts\`, and the act after which it is so. \`test/payments/statuses.test.ts\` lives all of them and holds this page to what it saw; \`npx vitest run test/payments/statuses.test.ts -u\` writes it anew. A process is killed between any two steps of each life ([62](decisions/0062-histories-and-failpoints.md)).`

type Row = readonly [what: string, life: string, act: string]

const table = (title: string, rows: ReadonlyArray<Row>): string =>
  [
    `\n## ${title}\n`,
    "| | The gift that | After |",
    "|---|---|---|",
    ...rows.map(([a, b, c]) => `| ${a} | ${b} | ${c} |`)
  ].join("\n")

describe("every status of what money passes through", () => {
  it("is reached by running code, as the table of them says", async () => {
    const service = await startCrashService(memory, makePoints(), () => undefined)
    const place = await placeAt(service, await makePlace(service))
    const reached = new Map<string, Row>()
    const note = (key: string, row: Row) => {
      if (!reached.has(key)) reached.set(key, row)
    }
    for (const [n, life] of lives.entries()) {
      const living = { service, place, life, n }
      await live(living, async (act) => {
        for (const [record, status] of await statusesOf(living)) {
          note(`${record} ${status}`, [status, life.name, wordOf(act)])
        }
      })
      const { gifts } = await reportOf(service, place, [[n, life]])
      for (const type of gifts[n]?.told ?? []) note(type, [`\`${type}\``, life.name, "the last act"])
    }
    await service.stop()
    const rowsOf = (keys: ReadonlyArray<string>): ReadonlyArray<Row> =>
      keys.map((key) => reached.get(key) ?? assert.fail(`No life reaches ${key}: add one to test/payments/Lives.ts`))
    const tables = statuses.map(([record, all]) => table(record, rowsOf(all.map((status) => `${record} ${status}`))))
    const text = [head, ...tables, table("Events of a gift", rowsOf(events)), ""].join("\n")
    await expect(text).toMatchFileSnapshot(join(root, "docs/statuses.md"))
  })
})
