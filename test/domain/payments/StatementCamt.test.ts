import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  documentWith,
  entryOf,
  readMarked,
  refusalOf,
  statementWith,
  type WrittenLine
} from "../../support/StatementFiles.ts"

const gift: WrittenLine = { day: "2026-01-15", cents: 50_00, text: "GIFT NCW3T5D8", id: "a1" }

const own = (entries: string, version?: string) => documentWith(statementWith(entries), version)
const read = async (entries: string) => Result.getOrThrow(await readMarked("camt053", own(entries)))

/** An entry with these details in place of its own, and without the bank's id where it is empty. */
const entryWith = (details: string, line: Partial<WrittenLine> = {}, more = "") =>
  entryOf({ ...gift, ...line }, more).replace(/<NtryDtls>.*<\/NtryDtls>/su, `<NtryDtls>${details}</NtryDtls>`)

const tx = (...parts: ReadonlyArray<string>) => `<TxDtls>${parts.join("")}</TxDtls>`
const amount = (text: string) => `<AmtDtls><TxAmt><Amt Ccy="AUD">${text}</Amt></TxAmt></AmtDtls>`
const parties = "<RltdPties><Dbtr><Nm>KIM LEE</Nm></Dbtr><Cdtr><Nm>SHOP LTD</Nm></Cdtr></RltdPties>"

describe("a statement of ISO 20022", () => {
  it("is of a version from 02 to 13", async () => {
    for (const [version, isRead] of [
      ["01", false],
      ["02", true],
      ["08", true],
      ["13", true],
      ["14", false]
    ] as const) {
      const says = await refusalOf("camt053", own(entryOf(gift), version))
      assert.strictEqual(says === "", isRead, version)
      if (!isRead) assert.match(says, /^content must be of a version .* Import it as CSV\./u)
    }
  })

  it.each([1, 2, 50_00])("counts %i cents that came or went, and passes over what moved nothing", async (cents) => {
    const entries = [cents, -cents, 0].map((each, index) => entryOf({ ...gift, cents: each, id: `a${index}` })).join("")
    const { debits, lines, skipped } = await read(entries)
    assert.deepStrictEqual(
      [lines, debits].map((all) => all.map(({ amount_cents }) => amount_cents)),
      [[cents], [-cents]]
    )
    assert.strictEqual(skipped, 2)
  })

  it.each([1, 50_00])("names who paid %i cents, and whom it paid where they went", async (cents) => {
    const details = tx(parties, "<RmtInf><Ustrd>FOR IT</Ustrd></RmtInf>")
    const { debits, lines } = await read(
      entryWith(details, { cents }) + entryWith(details, { cents: -cents, id: "a2" })
    )
    assert.deepStrictEqual(
      [...lines, ...debits].map(({ text }) => text),
      ["KIM LEE FOR IT", "SHOP LTD FOR IT"]
    )
  })

  it("names in a batch whom each of its payments went to or came from", async () => {
    const details = [
      tx(amount("0.01"), parties, "<RmtInf><Ustrd>ONE</Ustrd></RmtInf>"),
      tx(amount("60.00"), parties, "<RmtInf><Ustrd>TWO</Ustrd></RmtInf>"),
      tx(amount("10.01"), "<CdtDbtInd>DBIT</CdtDbtInd>", parties, "<RmtInf><Ustrd>BACK</Ustrd></RmtInf>")
    ]
    const { debits, lines } = await read(entryWith(details.join("")))
    assert.deepStrictEqual(
      [...lines, ...debits].map(({ amount_cents, bank_id, text }) => [amount_cents, text, bank_id]),
      [
        [1, "KIM LEE ONE", "a1/1"],
        [60_00, "KIM LEE TWO", "a1/2"],
        [-10_01, "SHOP LTD BACK", "a1/3"]
      ]
    )
  })

  it.each([
    ["<AddtlNtryInf>OF ENTRY</AddtlNtryInf>", "", "OF ENTRY"],
    ["<AddtlNtryInf>OF ENTRY</AddtlNtryInf>", "<AddtlTxInf>OF PAYMENT</AddtlTxInf>", "OF PAYMENT OF ENTRY"],
    ["<AddtlNtryInf>OF ENTRY</AddtlNtryInf>", "<Refs><EndToEndId>NCW3T5D8</EndToEndId></Refs>", "NCW3T5D8"],
    ["<AddtlNtryInf>OF ENTRY</AddtlNtryInf>", "<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>", "OF ENTRY"],
    ["", "<Refs><EndToEndId>E2E-1234567</EndToEndId></Refs><RmtInf><Ustrd>SAID</Ustrd></RmtInf>", "SAID"]
  ])("says what its payer wrote, and else what the bank did: %s %s", async (entry, detail, text) => {
    const { lines } = await read(entryWith(tx(detail), {}, entry))
    assert.deepStrictEqual(
      lines.map((line) => line.text),
      [text]
    )
  })

  it("has the day of booking, and else that from which it counts", async () => {
    const days = async (entry: string) => (await read(entry)).lines.map(({ day }) => `${day}`)
    const value = "<ValDt><Dt>2026-01-12</Dt></ValDt>"
    assert.deepStrictEqual(await days(entryOf(gift, value)), ["2026-01-15"])
    assert.deepStrictEqual(await days(entryOf(gift, value).replace(/<BookgDt>.*<\/BookgDt>/u, "")), ["2026-01-12"])
  })

  it("has the entry's own id, that of its only payment where it has none, and none where several share it", async () => {
    const ref = (id: string) => `<Refs><TxId>${id}</TxId></Refs>`
    const idsOf = async (details: string, id: string) =>
      (await read(entryWith(details, { id }))).lines.map(({ bank_id }) => bank_id)
    assert.deepStrictEqual(await idsOf(tx(ref("tx-1"), amount("50.00")), "a1"), ["a1"])
    assert.deepStrictEqual(await idsOf(tx(ref("tx-1"), amount("50.00")), ""), ["tx-1"])
    assert.deepStrictEqual(await idsOf(tx(ref("tx-1")) + tx(ref("tx-2")), ""), [null])
    assert.deepStrictEqual(await idsOf(tx(ref("tx-1"), amount("20.00")) + tx(ref("tx-2"), amount("30.00")), "a1"), [
      "tx-1",
      "tx-2"
    ])
  })

  it("is refused as a whole where it is something else", async () =>
    assert.match(await refusalOf("camt053", "<Other><Stmt/></Other>"), /^content must be a statement/u))
})
