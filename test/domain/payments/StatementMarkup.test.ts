import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { mappingOf } from "../../../src/domain/access/StatementMapping.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { kindOf } from "../../../src/domain/payments/StatementKind.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEveryAsync, forEveryAsyncWith } from "../../support/Property.ts"
import {
  camtOf,
  csvOf,
  documentWith,
  entryOf,
  ofx2Of,
  ofxOf,
  readMarked,
  refusalOf,
  statementOf,
  statementWith,
  transactionOf,
  type WrittenLine
} from "../../support/StatementFiles.ts"

const gift: WrittenLine = { day: "2026-01-15", cents: 50_00, text: "GIFT NCW3T5D8", id: "a1" }
const fee: WrittenLine = { day: "2026-01-16", cents: -4_50, text: "FEE", id: "a2" }
const read = async (...args: Parameters<typeof readMarked>) => Result.getOrThrow(await readMarked(...args))
const seen = async (...args: Parameters<typeof readMarked>) =>
  (await read(...args)).lines.map(({ amount_cents, bank_id, text }) => [amount_cents, text, bank_id])
const own = (entries: string, version = "02") => documentWith(statementWith(entries), version)

/** Where a text is changed: how much of it goes, and what takes its place. */
const changesOf = (whole: string) =>
  fc.record({ at: fc.nat(whole.length), length: fc.nat(40), text: fc.string({ unit: character, maxLength: 5 }) })

describe("a line that is booked", () => {
  it.each(["PENDING", "Pending: a gift", "Opening balance", "CLOSING BALANCE"])(
    "is a payment whatever whoever paid wrote to it: %s",
    async (text) => {
      const line = { ...gift, text }
      for (const [form, content] of [
        ["camt053", camtOf([line])],
        ["ofx", ofxOf([line])],
        ["ofx", ofx2Of([line])]
      ] as const) {
        assert.deepStrictEqual(await seen(form, content), [[50_00, text, "a1"]])
        assert.deepStrictEqual(await seen(form, content, { isPassingOver: true }), [[50_00, text, "a1"]])
      }
    }
  )
})

describe("the same lines in another form", () => {
  it("are the same, in pieces of any length", async () => {
    const text = fc.string({
      unit: fc.constantFrom("A", "z", "&", "<", ">", '"', "é", "名", " ", ";", "#"),
      maxLength: 12
    })
    const line = fc.record({
      day: fc.constantFrom("2026-01-13", "2026-01-14", "2026-01-20"),
      cents: fc.integer({ min: -1_000_000, max: 1_000_000 }),
      text: text.map((each) => `G${each}.`)
    })
    await forEveryAsyncWith(
      { numRuns: 40 },
      fc.array(line, { maxLength: 6 }),
      fc.integer({ min: 1, max: 400 }),
      async (given, length) => {
        const lines = given.map((each, index) => ({ ...each, id: `id${index}` }))
        const of = { currency: "AUD", timezone: "Australia/Sydney", today: CalendarDate.make("2026-01-20") }
        const csv = Result.getOrThrow(statementOf(csvOf(lines), mappingOf({ id_column: "Id" }, null), of))
        const plain = ({ lines, ...rest }: typeof csv) => ({
          ...rest,
          debits: rest.debits.map(({ line: _, bank_id: __, ...each }) => each),
          lines: lines.map(({ line: _, ...each }) => each)
        })
        for (const [form, content] of [
          ["camt053", camtOf(lines)],
          ["ofx", ofxOf(lines)],
          ["ofx", ofx2Of(lines)]
        ] as const) {
          assert.deepStrictEqual(plain(await read(form, content, { length })), plain(csv), content)
          assert.deepStrictEqual(kindOf(content), { format: form })
        }
      }
    )
  })
})

describe("files as banks write them", () => {
  it.each([
    ["two-statements.xml", null, 1],
    ["version-08.xml", "BANK-FP-CN_98765/01", 0],
    ["open-tags.ofx", "6f1d2b3c-4747-8883", 1],
    ["counted.qfx", null, 1]
  ])("are read: %s", async (name, bank_id, skipped) => {
    const content = readFileSync(new URL(`statements/${name}`, import.meta.url), "utf8")
    const kind = kindOf(content)
    const form = "format" in kind && kind.format !== "csv" ? kind.format : assert.fail("no markup")
    const { days, lines, ...rest } = await read(form, content)
    assert.lengthOf(lines, 1)
    assert.deepInclude(lines[0], { day: days.first, amount_cents: 8_85, text: "KIM LEE NCW3T5D8", bank_id })
    assert.deepInclude(rest, { skipped, passed: [] })
    assert.strictEqual(days.first, "2026-01-15")
  })
})

describe("a statement of ISO 20022", () => {
  it("has its names with a prefix, and its status and parties in the way of later versions", async () => {
    const details = `<NtryDtls><TxDtls><Refs><TxId>tx9</TxId></Refs><RltdPties><Dbtr><Pty><Nm>KIM  LEE</Nm></Pty></Dbtr></RltdPties>
      <RmtInf><Strd><CdtrRefInf><Ref>NCW3T5D8</Ref></CdtrRefInf></Strd></RmtInf></TxDtls></NtryDtls>`
    const entry = `<Ntry><Amt Ccy="AUD">8.85000</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><DtTm>2026-01-15T13:15:00+11:00</DtTm></BookgDt>${details}</Ntry>`
    const content = own(entry, "08")
      .replaceAll(/<(\/?)(?=[A-Z])/gu, "<$1n:")
      .replace("xmlns=", "xmlns:n=")
    assert.deepStrictEqual(await seen("camt053", content), [[8_85, "KIM LEE NCW3T5D8", "tx9"]])
  })

  it("has a line of each payment of an entry that they are the whole of, and else one of the entry", async () => {
    const batch = (amounts: ReadonlyArray<string>, ref: (index: number) => string) =>
      own(
        entryOf(gift).replace(
          /<NtryDtls>.*<\/NtryDtls>/su,
          `<NtryDtls>${amounts
            .map(
              (amount, index) =>
                `<TxDtls><Refs>${ref(index)}</Refs><AmtDtls><TxAmt><Amt Ccy="AUD">${amount}</Amt></TxAmt></AmtDtls>
                <RmtInf><Ustrd>T${index}</Ustrd></RmtInf></TxDtls>`
            )
            .join("")}</NtryDtls>`
        )
      )
    const same = () => "<AcctSvcrRef>a1</AcctSvcrRef>"
    const parts = [
      [20_00, "T0"],
      [30_00, "T1"]
    ]
    assert.deepStrictEqual(
      await seen("camt053", batch(["20", "30.00"], same)),
      parts.map((part, index) => [...part, `a1/${index + 1}`])
    )
    assert.deepStrictEqual(
      await seen(
        "camt053",
        batch(["20", "30.00"], (index) => `<TxId>t${index}</TxId>`)
      ),
      parts.map((part, index) => [...part, `t${index}`])
    )
    assert.deepStrictEqual(await seen("camt053", batch(["20", "29.00"], same)), [[50_00, "T0 T1", "a1"]])
  })

  it("has no identity in words that say that there is none, nor in a number that each statement has", async () => {
    const [line] = (await read("camt053", own(entryOf({ ...gift, id: "NOTPROVIDED" })))).lines
    assert.isNull(line?.bank_id)
    const [counted] = await seen("camt053", own(entryOf({ ...gift, id: "NONREF" }, "<NtryRef>1</NtryRef>")))
    assert.isNull(counted?.[2])
    const [referred] = await seen("camt053", own(entryOf({ ...gift, id: "" }, "<NtryRef>20260115-1</NtryRef>")))
    assert.strictEqual(referred?.[2], "20260115-1")
  })

  it("goes the way that its entry says where it is reversed, and passes over what is not booked", async () => {
    const reversed = { ...gift, cents: -50_00 }
    const entries = [
      entryOf(reversed, "<RvslInd>true</RvslInd>"),
      entryOf({ ...gift, id: "a3" }, "", "<Sts>PDNG</Sts>"),
      entryOf({ ...gift, id: "a4" }, "", "<Sts><Cd>INFO</Cd></Sts>")
    ].join("")
    assert.match(await refusalOf("camt053", own(entries)), /is pending.*Line \d+ is for information.*pass_over/u)
    const { debits, lines, passed } = await read("camt053", own(entries), { isPassingOver: true })
    assert.deepStrictEqual([lines.length, debits.length, passed.length], [0, 1, 2])
  })

  it("is of the account: statements of others are passed over, or the file is refused", async () => {
    const [other, mine] = ["99", "062-000 1234 5678"].map((account) => statementWith(entryOf(gift), account))
    assert.lengthOf(await seen("camt053", documentWith(`${other}${mine}`), { isPassingOver: true }), 1)
    assert.match(await refusalOf("camt053", documentWith(`${other}${mine}`)), /another account/u)
    assert.match(
      await refusalOf("camt053", documentWith(other ?? ""), { isPassingOver: true }),
      /other accounts alone/u
    )
    assert.lengthOf(await seen("camt053", documentWith(other ?? ""), { of: { bank_account: null as never } }), 1)
    assert.lengthOf(await seen("camt053", documentWith(statementWith(entryOf(gift), "XXXX5678"))), 1)
    for (const masked of ["XXXX5679", "****999", "XXXX78", "XXXX05678"]) {
      const file = documentWith(statementWith(entryOf(gift), masked))
      assert.match(
        await refusalOf("camt053", file, { isPassingOver: true }),
        /^content must be of the account/u,
        masked
      )
    }
  })

  it.each([
    [own(entryOf(gift)).replace("camt.053", "camt.052"), /camt\.052/u],
    [own(entryOf(gift)).replace("camt.053", "camt.054"), /camt\.054/u],
    [own(entryOf(gift), "99"), /it is of 99/u],
    [own(entryOf(gift)).replace("Document", "Dokument").replace("/Document", "/Dokument"), /as XML of ISO 20022/u],
    [own(entryOf(gift)).replaceAll('"AUD"', '"EUR"'), /is not in AUD/u],
    [own(entryOf(gift)).replace("CRDT", "BOTH"), /^Line 4 has no amount of AUD/u],
    [own(entryOf(gift)).replace("50.00", "-50.00"), /has no amount of AUD/u],
    [own(entryOf(gift)).replace("2026-01-15", "soon"), /has no day/u],
    [own(entryOf(gift) + entryOf({ ...gift, cents: 1 })), /has the id of line 4/u],
    [own(entryOf({ ...gift, day: "2026-01-21" })), /in the future/u],
    [own(entryOf(gift)).slice(0, -40), /unclosed root|too early|unexpected end/u],
    [`${own(entryOf(gift))}${own("").replace(/^.*\n/u, "")}`, /goes on behind the end/u],
    ["<Document>", /must be a statement/u],
    [`<!DOCTYPE a [<!ENTITY b "c">]>${own(entryOf({ ...gift, text: "&b;" }))}`, /document type/u],
    ["<a>".repeat(10_000), /must be a statement/u],
    [own(entryOf(gift, "<a>".repeat(1_000))), /more than 64 elements/u],
    [own(entryOf(gift, "<a/>".repeat(Limits.markupElements))), /elements in one of its lines/u],
    [own(entryOf({ ...gift, text: "x".repeat(Limits.markupTextCharacters + 1) })), /a text of more than/u],
    [own(entryOf({ ...gift, id: "x".repeat(201) })), /an id of more than 200/u],
    [own(entryOf(gift)).replace("</Amt>", "&nix;</Amt>"), /not sound: invalid character entity/u],
    [own(entryOf(gift)).replace("GIFT", "\u0000"), /cannot be kept|not sound/u],
    [`${own(entryOf(gift))}<!--${"x".repeat(Limits.markupTagCharacters)}`, /not sound|has no tag/u],
    ["\u0000\u0001", /not sound|must be whole/u],
    ["", /too early/u]
  ])("is refused where it is none, or unsound: %#", async (content, says) => {
    assert.match(await refusalOf("camt053", content), says)
  })

  it("may be followed by white space alone, and is refused where something else follows, or it is something else", async () => {
    const whole = own(entryOf(gift))
    const more = `${whole}\n\n`
    assert.lengthOf(await seen("camt053", more), 1)
    const line = more.split("\n").length
    const behind = `${more}<a/>\n<b>c</b><d/>`
    assert.strictEqual(
      await refusalOf("camt053", behind),
      `Line ${line} goes on behind the end of the statement. Nothing was imported.`
    )
    const report = whole.replace("camt.053", "camt.052").replace('"AUD"', '"EUR"')
    assert.match(
      await refusalOf("camt053", report),
      /^content must be[^:]*: [^:]*\(camt\.052\)\. Nothing was imported\.$/u
    )
  })

  it("is read or refused, and nothing is thrown, wherever it is cut off or changed", async () => {
    const whole = camtOf([gift, fee])
    await forEveryAsyncWith({ numRuns: 20 }, changesOf(whole), async ({ at, length, text }) => {
      await readMarked("camt053", whole.slice(0, at) + text + whole.slice(at + length))
      assert.notStrictEqual(await refusalOf("camt053", whole.slice(0, at - 1)), "")
    })
  })
})

describe("a statement of OFX", () => {
  it("takes the name and the memo, ampersands as they are, and amounts with a comma", async () => {
    const named = transactionOf(gift, false, "<NAME>LEE & CO<REFNUM>7\n").replace("50.00", "50,00")
    const content = ofxOf([], named)
    for (const length of [1, 7, 1_000]) {
      assert.deepStrictEqual(await seen("ofx", content, { length }), [[50_00, "LEE & CO GIFT NCW3T5D8", "a1"]])
    }
  })

  it("is passed over where it is pending or corrects another", async () => {
    const pending = transactionOf({ ...gift, id: "p" }, false).replaceAll("STMTTRN", "STMTTRNP")
    const corrected = transactionOf({ ...gift, id: "c" }, false, "<CORRECTFITID>a1\n")
    const { lines, passed } = await read("ofx", ofxOf([gift], pending + corrected), { isPassingOver: true })
    assert.deepStrictEqual([lines.length, passed.length], [1, 2])
  })

  it.each([
    [ofxOf([gift]).replace("ACCTID>12345678", "ACCTID>99"), /other accounts alone/u],
    [ofxOf([gift]).replace("CURDEF>AUD", "CURDEF>USD"), /is not in AUD/u],
    [ofxOf([], transactionOf(gift, false, "<CURRENCY><CURRATE>1<CURSYM>USD</CURRENCY>")), /is not in AUD/u],
    [ofxOf([gift]).replace("TRNAMT>50.00", "TRNAMT>1,234"), /has no amount/u],
    [ofxOf([gift]).replace("POSTED>2026", "POSTED>x"), /has no day/u],
    [ofxOf([gift, gift]), /has the id of line/u],
    [ofxOf([gift]).replace("</OFX>", ""), /too early/u],
    [ofxOf([]).replace(/<STMTRS>.*<\/STMTRS>/su, ""), /it has no account/u],
    [ofxOf([gift]).replace(/<BANKACCTFROM>.*<\/BANKACCTFROM>/su, ""), /stands before the account/u],
    ["OFXHEADER:100\n", /too early/u]
  ])("is refused where it is none, or unsound: %#", async (content, says) => {
    assert.match(await refusalOf("ofx", content), says)
  })

  it("is read or refused, and nothing is thrown, wherever it is changed", async () => {
    const whole = ofxOf([gift, fee])
    await forEveryAsync(changesOf(whole), async ({ at, length, text }) => {
      await readMarked("ofx", whole.slice(0, at) + text + whole.slice(at + length))
    })
  })
})

describe("a file that is no statement", () => {
  it.each([
    ["PK\u0003\u0004\u0014", /xlsx/u],
    ["\u001F\u2039\u0008", /gzip/u],
    ["%PDF-1.7", /PDF/u],
    ["<!DOCTYPE html><html>", /web page/u],
    ["{1:F01BANK", /MT940/u],
    ["!Type:Bank\nD1/7/26", /QIF/u],
    ["!Account\nNOurs", /QIF/u],
    ["!option:MDY", /QIF/u],
    ["!Clear:AutoSwitch", /QIF/u]
  ])("is told for what it is: %s", (content, says) => {
    const kind = kindOf(content)
    assert.match("mistake" in kind ? kind.mistake : "", says)
  })

  it("is OFX where that is said within its first 4,096 characters", () => {
    const behind = (length: number) => kindOf(`<!--${" ".repeat(length - 4)}<OFX>`)
    assert.deepStrictEqual([behind(4_091), behind(4_092)], [{ format: "ofx" }, { format: "camt053" }])
  })
})
