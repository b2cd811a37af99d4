import { Result } from "effect"
import { type Element, elementsAt, type MarkupFinding, type MarkupParser, makeFinder, textAt } from "./Markup.ts"
import {
  bad,
  itemAt,
  type LineRead,
  odd,
  otherCurrency,
  type StatementItem,
  type StatementReader
} from "./Statement.ts"
import { centsIn, dayIn } from "./StatementFormats.ts"
import { type AccountOf, idIn, lineFrom, makeAccountCheck, markupReader } from "./StatementMarkup.ts"

/** The versions of camt.053 in which what is read stands where it is read. */
const versions = { first: 2, last: 13 }

const others: Readonly<Record<string, string>> = {
  "052": "content must be a statement, camt.053: it is a report of a day that is not over (camt.052).",
  "054": "content must be a statement, camt.053: it is a notification of single payments (camt.054)."
}

/** Why the outermost element begins no statement; undefined where it does. */
const rootFault = ({ attributes, name }: MarkupFinding & { readonly _tag: "Open" }): string | undefined => {
  const [, kind = "", version = ""] =
    Object.values(attributes)
      .map((each) => /:camt\.(\d{3})\.001\.(\d{2})$/u.exec(each.trim()))
      .find((each) => each !== null) ?? []
  if (name !== "Document" || kind === "") return "content must be a statement as XML of ISO 20022, camt.053, or as OFX."
  if (kind !== "053") return others[kind] ?? `content must be a statement, camt.053: it is a message camt.${kind}.`
  return Number(version) >= versions.first && Number(version) <= versions.last
    ? undefined
    : `content must be of a version of camt.053 from 02 to ${versions.last}: it is of ${version}. Import it as CSV.`
}

const idAt = (element: Element | undefined, ...path: ReadonlyArray<string>): string | null =>
  element === undefined ? null : idIn(textAt(element, ...path))

const oddStatuses: Readonly<Record<string, string>> = {
  PDNG: "is pending: the bank may change it yet",
  INFO: "is for information, and not booked",
  FUTR: "is to come, and not booked yet"
}

/** How much a part of an entry moved, by its own words or the entry's: below 0 where money went. */
const movedBy = (
  amount: Element | undefined,
  direction: string,
  currency: string,
  { format }: AccountOf
): number | null => {
  const cents = amount === undefined || amount.attributes["Ccy"] !== currency ? null : centsIn(amount.text, format)
  if (cents === null || cents < 0 || !/^(?:CRDT|DBIT)$/u.test(direction)) return null
  return direction === "CRDT" || cents === 0 ? cents : -cents
}

/** What the payments of an entry say: who paid, and what for. */
const textOf = (entry: Element, details: ReadonlyArray<Element>, direction: string): string => {
  const texts = (...path: ReadonlyArray<string>) =>
    details.flatMap((each) => elementsAt(each, ...path).map(({ text }) => text.trim()))
  const party = direction === "CRDT" ? "Dbtr" : "Cdtr"
  const names = [...texts("RltdPties", party, "Nm"), ...texts("RltdPties", party, "Pty", "Nm")]
  const told = [...texts("RmtInf", "Strd", "CdtrRefInf", "Ref"), ...texts("RmtInf", "Ustrd")]
  const sent = details.map((each) => idAt(each, "Refs", "EndToEndId") ?? "")
  const more = [...texts("AddtlTxInf"), textAt(entry, "AddtlNtryInf")]
  const about = [told, sent, more].find((each) => each.some((text) => text !== "")) ?? []
  return [...names, ...about].join(" ")
}

/** The single payments of an entry with what each moved; none where they are not the whole of it. */
const partsOf = (
  details: ReadonlyArray<Element>,
  direction: string,
  moved: number,
  currency: string,
  of: AccountOf
) => {
  const parts = details.map((detail) => {
    const [amount] = [...elementsAt(detail, "Amt"), ...elementsAt(detail, "AmtDtls", "TxAmt", "Amt")]
    const own = textAt(detail, "CdtDbtInd") || direction
    return { detail, direction: own, moved: movedBy(amount, own, currency, of) ?? Number.NaN }
  })
  const sum = parts.reduce((whole, part) => whole + part.moved, 0)
  return parts.length > 1 && sum === moved ? parts : []
}

/** The ids of the payments of an entry: their own where each has another, else the entry's with their numbers. */
const partIds = (entryId: string | null, details: ReadonlyArray<Element>): ReadonlyArray<string | null> => {
  const own = details.map((each) => idAt(each, "Refs", "AcctSvcrRef") ?? idAt(each, "Refs", "TxId"))
  const isEach = !own.includes(null) && new Set(own).size === own.length
  return isEach ? own : own.map((_, index) => (entryId === null ? null : `${entryId}/${index + 1}`))
}

/** The payments of an entry, or why it has none. */
const entryItems = (entry: Element, of: AccountOf): ReadonlyArray<StatementItem> => {
  const only = (read: LineRead) => [itemAt(entry.line, read)]
  const status = textAt(entry, "Sts", "Cd") || textAt(entry, "Sts")
  const why = oddStatuses[status]
  if (why !== undefined) return only(odd(why))
  if (status !== "BOOK") return only(odd("is not said to be booked"))
  const date = ["BookgDt", "ValDt"].flatMap((name) => [textAt(entry, name, "Dt"), textAt(entry, name, "DtTm")])
  const written = (date.find((text) => text !== "") ?? "").replace(/^(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})$/u, "$1")
  const day = dayIn(written, "YYYY-MM-DD", of.timezone)
  if (day === null) return only(bad("has no day on which it was booked"))
  const [amount] = elementsAt(entry, "Amt")
  if (amount?.attributes["Ccy"] !== of.currency) return only(otherCurrency(of.currency))
  const direction = textAt(entry, "CdtDbtInd")
  const moved = movedBy(amount, direction, of.currency, of)
  if (moved === null) return only(bad(`has no amount of ${of.currency} that came or went`))
  const details = elementsAt(entry, "NtryDtls", "TxDtls")
  const [detail, ...more] = details
  const single = more.length > 0 ? null : (idAt(detail, "Refs", "AcctSvcrRef") ?? idAt(detail, "Refs", "TxId"))
  const id = idAt(entry, "AcctSvcrRef") ?? single ?? idAt(entry, "NtryRef")
  const line = (line: number, cents: number, text: string, bank_id: string | null) =>
    itemAt(line, lineFrom({ day, amount_cents: cents, text, bank_id, balance_cents: null }, of.today))
  const parts = partsOf(details, direction, moved, of.currency, of)
  if (parts.length === 0) return [line(entry.line, moved, textOf(entry, details, direction), id)]
  const ids = partIds(id, details)
  return parts.map((part, index) =>
    line(part.detail.line, part.moved, textOf(entry, [part.detail], part.direction), ids[index] ?? null)
  )
}

/**
 * Reads statements of ISO 20022, camt.053. Of entries with several payments that are the whole of them each payment is a line;
 * what is reversed goes the way that its entry says.
 */
export const camtReader = (parser: MarkupParser, of: AccountOf): StatementReader => {
  const find = makeFinder(new Set(["Acct", "Ntry"]))
  const accounts = makeAccountCheck(of)
  let isBegun = false
  return markupReader(parser, find, accounts, (found) => {
    if (found._tag === "Open") {
      if (found.name === "Stmt") accounts.begin()
      const fault = isBegun ? undefined : rootFault(found)
      isBegun = true
      return fault === undefined ? [] : [Result.fail({ line: 0, says: fault })]
    }
    if (found._tag !== "Whole") return []
    const { element } = found
    if (element.name === "Ntry") return accounts.isOwn(element.line, () => entryItems(element, of))
    return accounts.name(element.line, [textAt(element, "Id", "IBAN"), textAt(element, "Id", "Othr", "Id")])
  })
}
