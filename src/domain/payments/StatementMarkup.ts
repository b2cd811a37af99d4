import { Result } from "effect"
import type { BankAccount } from "../access/Integration.ts"
import { Limits } from "../kernel/Limits.ts"
import { keptText } from "./Credit.ts"
import type { MarkupFinding, MarkupParser, MarkupPart } from "./Markup.ts"
import {
  dayOddityOf,
  itemAt,
  keptLine,
  type LineRead,
  odd,
  type StatementItem,
  type StatementLine,
  type StatementOf,
  type StatementReader
} from "./Statement.ts"
import type { AmountFormat } from "./StatementFormats.ts"

/** The account whose statements are read, of all that a file may have; null where a file of any account will do. */
export interface AccountOf extends StatementOf {
  readonly bank_account: BankAccount | null
  readonly format: AmountFormat
}

/**
 * The bank's own id of a line, of what stands in its place; null for words that say that there is none, and for short numbers: by
 * these banks count the lines of each file anew.
 * @example
 * StatementMarkup.idIn("20260115-8883") // => "20260115-8883"
 * StatementMarkup.idIn("12") // => null
 */
export const idIn = (text: string): string | null =>
  /^(?:\d{0,6}|NOTPROVIDED|NONREF|NOREF)$/iu.test(text) ? null : text

/**
 * A line of a file that says itself what stands where: what is too long of its text is left out. Whether it is booked the file
 * says, and its text does not: that has the words of whoever paid.
 */
export const lineFrom = (line: Omit<StatementLine, "line">, today: StatementOf["today"]): LineRead => {
  const text = Array.from(keptText(line.text)).slice(0, Limits.creditTextCharacters).join("")
  const oddity = dayOddityOf(line.day, today)
  return oddity === undefined ? keptLine({ ...line, text }) : odd(oddity)
}

const plainNumber = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}*]/gu, "")
    .toUpperCase()
    .replace(/^0+/u, "")

/** Whether a bank's words for an account are of one: its number, with the branch or without, or the end of it where it is masked. */
const isNamed = (names: ReadonlyArray<string>, { account_number, bsb }: BankAccount): boolean => {
  const own = [plainNumber(account_number), plainNumber(bsb + account_number)]
  return names.map(plainNumber).some((name) => {
    const [, shown] = /^[X*]+(\d{3,})$/u.exec(name) ?? []
    return own.includes(name) || (shown !== undefined && account_number.endsWith(shown))
  })
}

const none = (says: string): StatementItem => Result.fail({ line: 0, says })

/** Tells the statements of an account from those of others, in one file. */
export const makeAccountCheck = ({ bank_account }: AccountOf) => {
  let isOwn: boolean | null = null
  const count = { own: 0, others: 0 }
  return {
    /** Another statement begins. */
    begin: () => {
      isOwn = null
    },
    /** The statement is of the account that has these names. */
    name: (line: number, names: ReadonlyArray<string>): ReadonlyArray<StatementItem> => {
      isOwn = bank_account === null || isNamed(names, bank_account)
      count[isOwn ? "own" : "others"] += 1
      return isOwn ? [] : [itemAt(line, odd("begins a statement of another account"))]
    },
    /** The lines of a statement, where it is of the account. */
    isOwn: (line: number, items: () => ReadonlyArray<StatementItem>): ReadonlyArray<StatementItem> => {
      if (isOwn === null) return [Result.fail({ line, says: "stands before the account that it is of" })]
      return isOwn ? items() : []
    },
    /** What is wrong about a file of which all was read. */
    end: (): ReadonlyArray<StatementItem> => {
      if (count.own > 0) return []
      return [
        none(
          count.others > 0
            ? "content must be of the account that donors transfer to: it has other accounts alone."
            : "content must have a statement: it has no account."
        )
      ]
    }
  }
}

/** Reads a file by what a parser finds in it, until something is wrong about the whole. */
export const markupReader = (
  parser: MarkupParser,
  find: (part: MarkupPart) => MarkupFinding | undefined,
  accounts: ReturnType<typeof makeAccountCheck>,
  read: (found: MarkupFinding) => ReadonlyArray<StatementItem>
): StatementReader => {
  let isOver = false
  let isClosed = false
  const itemsOf = (part: MarkupPart): ReadonlyArray<StatementItem> => {
    const found = isOver ? undefined : find(part)
    if (found === undefined) return []
    if (found._tag === "Fault" || (isClosed && found._tag === "Open")) {
      isOver = true
      const says = found._tag === "Fault" ? found.says : "goes on behind the end of the statement"
      return [Result.fail({ line: found.line, says })]
    }
    isClosed ||= found._tag === "Closed"
    const items = read(found)
    isOver ||= items.some((item) => Result.isFailure(item) && item.failure.line === 0)
    return items
  }
  return {
    write: (piece) => parser.write(piece).flatMap(itemsOf),
    end: () => {
      const items = parser.end().flatMap(itemsOf)
      if (isOver) return items
      return isClosed ? [...items, ...accounts.end()] : [...items, none("content must be whole: it ends too early.")]
    }
  }
}
