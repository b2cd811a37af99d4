import { Effect, Result } from "effect"
import * as Adapter from "../../src/adapters/processors/bank/StatementMarkup.ts"
import type { BankAccount } from "../../src/domain/access/Integration.ts"
import type { StatementMapping } from "../../src/domain/access/StatementMapping.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import { makeCsvReader } from "../../src/domain/payments/Csv.ts"
import { faultText, type StatementItem, type StatementOf, sortLines } from "../../src/domain/payments/Statement.ts"
import { camtReader } from "../../src/domain/payments/StatementCamt.ts"
import { csvReader } from "../../src/domain/payments/StatementCsv.ts"
import { ofxReader } from "../../src/domain/payments/StatementOfx.ts"
import { makeOverview } from "../../src/domain/payments/StatementOverview.ts"
import { StatementMarkup } from "../../src/ports/payments/StatementMarkup.ts"

/** A line of a statement, for files of any form. */
export interface WrittenLine {
  readonly day: string
  readonly cents: number
  readonly text: string
  readonly id: string
}

export const bankAccount: BankAccount = { account_name: "Trust", bsb: "062-000", account_number: "12345678" }

const decimal = (cents: number): string =>
  `${cents < 0 ? "-" : ""}${Math.trunc(Math.abs(cents) / 100)}.${String(Math.abs(cents % 100)).padStart(2, "0")}`

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

export const csvOf = (lines: ReadonlyArray<WrittenLine>): string =>
  [
    "Date,Amount,Description,Id",
    ...lines.map(({ cents, day, id, text }) => `${day},${decimal(cents)},"${text.replaceAll('"', '""')}",${id}`)
  ].join("\n")

/** An entry of camt.053; `more` stands before its details. */
export const entryOf = ({ cents, day, id, text }: WrittenLine, more = "", status = "<Sts>BOOK</Sts>"): string => `
<Ntry>
  <Amt Ccy="AUD">${decimal(Math.abs(cents))}</Amt>
  <CdtDbtInd>${cents < 0 ? "DBIT" : "CRDT"}</CdtDbtInd>
  ${status}
  <BookgDt><Dt>${day}</Dt></BookgDt>
  <AcctSvcrRef>${escaped(id)}</AcctSvcrRef>${more}
  <NtryDtls><TxDtls><RmtInf><Ustrd>${escaped(text)}</Ustrd></RmtInf></TxDtls></NtryDtls>
</Ntry>`

export const statementWith = (entries: string, account = "06200012345678"): string =>
  `<Stmt><Id>S1</Id><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>${entries}</Stmt>`

export const documentWith = (statements: string, version = "02"): string => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}">
<BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId></GrpHdr>${statements}</BkToCstmrStmt></Document>`

export const camtOf = (lines: ReadonlyArray<WrittenLine>): string =>
  documentWith(statementWith(lines.map((line) => entryOf(line)).join("")))

/** A transaction of OFX; without its closing tags in OFX 1. */
export const transactionOf = ({ cents, day, id, text }: WrittenLine, isXml: boolean, more = ""): string => {
  const tag = (name: string, value: string) => `<${name}>${escaped(value)}${isXml ? `</${name}>` : ""}\n`
  const kind = tag("TRNTYPE", cents < 0 ? "DEBIT" : "CREDIT")
  const parts = [kind, tag("DTPOSTED", `${day.replaceAll("-", "")}120000[+10:EST]`), tag("TRNAMT", decimal(cents))]
  return `<STMTTRN>\n${parts.join("")}${tag("FITID", id)}${more}${tag("MEMO", text)}</STMTTRN>\n`
}

const ofxWith = (transactions: string, tag: (name: string, value: string) => string): string =>
  `<OFX><SIGNONMSGSRSV1><SONRS><STATUS>${tag("CODE", "0")}</STATUS></SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS>${tag("TRNUID", "1")}<STMTRS>${tag("CURDEF", "AUD")}
<BANKACCTFROM>${tag("BANKID", "062000")}${tag("ACCTID", "12345678")}</BANKACCTFROM>
<BANKTRANLIST>${tag("DTSTART", "20260101")}${transactions}</BANKTRANLIST>
<LEDGERBAL>${tag("BALAMT", "7.00")}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`

export const ofxOf = (lines: ReadonlyArray<WrittenLine>, more = ""): string =>
  `OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n${ofxWith(
    lines.map((line) => transactionOf(line, false)).join("") + more,
    (name, value) => `<${name}>${value}\n`
  )}`

export const ofx2Of = (lines: ReadonlyArray<WrittenLine>): string =>
  `<?xml version="1.0"?><?OFX OFXHEADER="200" VERSION="202"?>${ofxWith(
    lines.map((line) => transactionOf(line, true)).join(""),
    (name, value) => `<${name}>${value}</${name}>`
  )}`

const account = {
  ...{ currency: "AUD", timezone: "Australia/Sydney", today: CalendarDate.make("2026-01-20") },
  bank_account: bankAccount,
  format: { decimalMark: ".", minorDigits: 2, currency: "AUD" } as const
}

/** The whole of a file: its lines, or what is wrong about it. */
const statementFrom = (items: ReadonlyArray<StatementItem>, isPassingOver: boolean, today: CalendarDate) => {
  const overview = makeOverview(isPassingOver)
  for (const item of items) overview.take(item)
  const lines = items.filter(Result.isSuccess).map(({ success }) => success)
  return Result.flatMap(overview.end(today), ({ passed, range }) =>
    Result.map(sortLines(lines), (sorted) => ({
      ...sorted,
      days: range,
      passed: passed.map(({ line, says }) => ({ line, says }))
    }))
  )
}

/** A file of values, read as a whole. */
export const statementOf = (content: string, mapping: StatementMapping, of: StatementOf) => {
  const reader = csvReader(mapping, of)
  return statementFrom([...reader.write(content), ...reader.end()], mapping.pass_over === true, of.today)
}

/** Reads a file in pieces of a length; passes over what is no payment where that is said. */
export const readMarked = (
  form: "camt053" | "ofx",
  content: string,
  { isPassingOver = false, length = content.length + 1, of = account as Partial<typeof account> } = {}
) => {
  const { open } = Effect.runSync(Effect.provide(StatementMarkup, Adapter.layer))
  return Effect.runPromise(
    Effect.map(open(form === "ofx" ? "sgml" : "xml"), (parser) => {
      const reader = (form === "ofx" ? ofxReader : camtReader)(parser, { ...account, ...of })
      const pieces = Array.from({ length: Math.ceil(content.length / length) }, (_, index) =>
        content.slice(index * length, (index + 1) * length)
      )
      const items = [...pieces.flatMap((piece) => [...reader.write(piece)]), ...reader.end()]
      return statementFrom(items, isPassingOver, account.today)
    })
  )
}

/** The words by which a file is refused; empty where it is not. */
export const refusalOf = async (...args: Parameters<typeof readMarked>): Promise<string> => {
  const read = await readMarked(...args)
  return Result.isFailure(read) ? faultText(read.failure) : ""
}

/** The records of a whole text. */
export const readCsv = (text: string, delimiter: string, { fields }: { readonly fields: number }) =>
  makeCsvReader(delimiter, { fields, characters: 100_000 })(text, true)
