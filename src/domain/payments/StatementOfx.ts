import { type Element, elementIn, type MarkupParser, makeFinder } from "./Markup.ts"
import { bad, itemAt, type LineRead, odd, otherCurrency, type StatementReader } from "./Statement.ts"
import { centsIn, dayIn } from "./StatementFormats.ts"
import { type AccountOf, idIn, lineFrom, makeAccountCheck, markupReader } from "./StatementMarkup.ts"

const textIn = (element: Element, name: string): string => elementIn(element, name)?.text.trim() ?? ""

/** A transaction as a line; its day is the one that the bank writes, whatever the time behind it. */
const lineOf = (transaction: Element, currency: string, of: AccountOf): LineRead => {
  if (transaction.name === "STMTTRNP") return odd("is pending: the bank may change it yet")
  if (textIn(transaction, "CORRECTFITID") !== "") return odd("corrects another line: look at that one")
  const day = dayIn(textIn(transaction, "DTPOSTED").slice(0, 8), "YYYYMMDD", of.timezone)
  if (day === null) return bad("has no day on which it was posted")
  const own = elementIn(transaction, "CURRENCY")
  if ((own === undefined ? currency : textIn(own, "CURSYM")) !== of.currency) return otherCurrency(of.currency)
  const written = textIn(transaction, "TRNAMT")
  const amount_cents = centsIn(written, { ...of.format, decimalMark: written.includes(".") ? "." : "," })
  if (amount_cents === null) return bad(`has no amount of ${of.currency}`)
  const text = Array.from(new Set(["NAME", "MEMO"].map((name) => textIn(transaction, name)))).join(" ")
  return lineFrom(
    { day, amount_cents, text, bank_id: idIn(textIn(transaction, "FITID")), balance_cents: null },
    of.today
  )
}

/** Reads statements of OFX, 1 and 2: a tag of OFX 1 that stays open has what follows it in it. */
export const ofxReader = (parser: MarkupParser, of: AccountOf): StatementReader => {
  const find = makeFinder(new Set(["BANKACCTFROM", "CCACCTFROM", "STMTTRN", "STMTTRNP"]))
  const accounts = makeAccountCheck(of)
  let currency = ""
  return markupReader(parser, find, accounts, (found) => {
    if (found._tag === "Said" && found.name === "CURDEF") currency += found.text.trim()
    if (found._tag === "Open" && /^(?:CC)?STMTRS$/u.test(found.name)) {
      currency = ""
      accounts.begin()
    }
    if (found._tag !== "Whole") return []
    const { element } = found
    if (element.name.startsWith("STMT")) {
      return accounts.isOwn(element.line, () => [itemAt(element.line, lineOf(element, currency, of))])
    }
    const number = textIn(element, "ACCTID")
    return accounts.name(element.line, [number, textIn(element, "BANKID") + number])
  })
}
