import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { CreditId } from "../../../src/domain/kernel/Ids.ts"
import { foldedText } from "../../../src/domain/payments/Credit.ts"
import type { StatementLine } from "../../../src/domain/payments/Statement.ts"
import { compareDays, isRecordedAs, type RecordedLine } from "../../../src/domain/payments/StatementDays.ts"
import { forEvery } from "../../support/Property.ts"

const dayOf = (n: number) => CalendarDate.make(`2026-01-${String(n).padStart(2, "0")}`)
const account = "062-000 12345678"

type Given = Partial<Omit<StatementLine, "day">> & { readonly n?: number }

const lineOf = ({ n = 16, ...given }: Given = {}): StatementLine => ({
  line: 1,
  day: dayOf(n),
  amount_cents: 5_000,
  text: "GIFT",
  bank_id: null,
  balance_cents: null,
  ...given
})

/** What a bank's account has, and what is recorded of it file by file. */
const makeBook = () => {
  const recorded: Array<RecordedLine> = []
  const keep = (line: StatementLine, import_id: string | null, reference: string | null = null) => {
    const id = CreditId.make(`crd_01jqz6x8h4e5vb9m2k7ncw${String(recorded.length).padStart(4, "0")}`)
    recorded.push({ ...line, id, account, import_id, reference })
  }
  const bring = (
    import_id: string,
    lines: ReadonlyArray<StatementLine>,
    { anyway = false, isFurther = false, first = 1, last = 28 } = {}
  ) => {
    const days = { first: dayOf(first), last: dayOf(last) }
    const { fresh, ...compared } = compareDays({ lines, days, import_id, account, isFurther }, recorded)
    const doubts = [...compared.doubts, ...compared.torn]
    if (doubts.length === 0 || anyway) for (const line of fresh) keep(line, import_id)
    return { doubts, fresh: fresh.length }
  }
  return { recorded, bring, keep, byHand: (line: StatementLine, reference?: string) => keep(line, null, reference) }
}

const alike = ({ amount_cents, day, text }: Pick<StatementLine, "day" | "amount_cents" | "text">) =>
  `${day} ${amount_cents} ${foldedText(text)}`

describe("files of a bank statement", () => {
  const line = fc.record({
    n: fc.integer({ min: 1, max: 4 }),
    cents: fc.constantFrom(1, 2),
    text: fc.constantFrom("a", "b")
  })
  const file = fc.record({
    from: fc.integer({ min: 1, max: 4 }),
    to: fc.integer({ min: 1, max: 4 }),
    seen: fc.nat(12),
    isUpper: fc.boolean(),
    isReversed: fc.boolean()
  })

  it("leave recorded what they have of each of their days, neither more nor less, or are refused", () =>
    forEvery(fc.array(line, { maxLength: 12 }), fc.array(file, { minLength: 1, maxLength: 4 }), (all, files) => {
      const book = makeBook()
      for (const { from, isReversed, isUpper, seen, to } of files) {
        const range = { first: Math.min(from, to), last: Math.max(from, to) }
        const covered = all.slice(0, seen).filter(({ n }) => n >= range.first && n <= range.last)
        const lines = covered.map(({ cents, n, text }) =>
          lineOf({ n, amount_cents: cents, text: isUpper ? ` ${text.toUpperCase()}` : text })
        )
        const given = isReversed ? lines.toReversed() : lines
        const before = book.recorded.length
        const name = JSON.stringify([given, from, to])
        const { doubts } = book.bring(name, given, range)
        if (doubts.length > 0) assert.lengthOf(book.recorded, before)
        else {
          const here = book.recorded.filter(({ day }) => day >= dayOf(range.first) && day <= dayOf(range.last))
          assert.deepStrictEqual(here.map(alike).toSorted(), given.map(alike).toSorted())
        }
        if (doubts.length === 0) assert.deepInclude(book.bring(name, given, range), { doubts: [], fresh: 0 })
      }
    }))

  it("are asked about where a day may be cut between two of them", () => {
    const book = makeBook()
    book.bring("a", [lineOf({ n: 15 }), lineOf()], { first: 15, last: 16 })
    const second = [lineOf(), lineOf({ n: 17 })]
    const asked = book.bring("b", second, { first: 16, last: 17 })
    assert.match(asked.doubts.join(), /recorded of 2026-01-16.*is_further.*anyway/)
    assert.strictEqual(book.bring("b", second, { first: 16, last: 17, isFurther: true }).fresh, 2)
    assert.lengthOf(book.recorded, 4)
    for (const isFurther of [true, false]) {
      assert.deepStrictEqual(book.bring("b", second, { first: 16, last: 17, isFurther, anyway: true }).fresh, 0)
    }
  })

  it("are told by the bank's ids and by balances, also where a day is cut", () => {
    const cut = (one: Given, other: Given) => {
      const book = makeBook()
      const days = { first: 16, last: 16 }
      const first = book.bring("a", [lineOf(one)], days)
      const second = book.bring("b", [lineOf({ ...other, text: "other text" })], days)
      return [first.doubts.length + second.doubts.length, book.recorded.length]
    }
    assert.deepStrictEqual(cut({ bank_id: "1" }, { bank_id: "2" }), [0, 2])
    assert.deepStrictEqual(cut({ bank_id: "1" }, { bank_id: "1" }), [0, 1])
    assert.deepStrictEqual(cut({ balance_cents: 100 }, { balance_cents: 5_100 }), [0, 2])
    assert.deepStrictEqual(cut({ balance_cents: 100 }, { balance_cents: 100 }), [0, 1])
    assert.deepStrictEqual(cut({ bank_id: "1" }, { bank_id: "1", amount_cents: 1 }), [1, 1])
    // A line that has no id yet is known by its text, and not at all by another one.
    assert.deepStrictEqual(cut({}, { bank_id: "1" }), [1, 1])
  })

  it("know a line that a person recorded by its reference, and are refused where they lack it", () => {
    const book = makeBook()
    book.byHand(lineOf({ text: "Kim's gift NCW3T5D8" }))
    assert.deepStrictEqual(book.bring("a", [lineOf({ text: "DIRECT CREDIT KIM NCW3-T5D8" })]), { doubts: [], fresh: 0 })
    // Chance makes other references of the words beside it.
    book.byHand(lineOf({ n: 17, text: "NCW3T5D8 OSKO PAYMENT" }), "NCW3T5D8")
    assert.deepStrictEqual(book.bring("b", [lineOf({ n: 17, text: "KIM NCW3T5D8" })], { first: 17, last: 17 }).fresh, 0)
    // Words and the beginning of another reference are one by chance, too: RANSFER5.
    const [one, other] = ["TRANSFER 5CW3T5DF", "TRANSFER 5QZ6X8HY"]
    for (const [n, reference] of [
      [18, "5CW3T5DF"],
      [19, undefined]
    ] as const) {
      book.byHand(lineOf({ n, text: one }), reference)
      const brought = book.bring("c", [lineOf({ n, text: other })], { first: n, last: n, anyway: true })
      assert.deepStrictEqual([brought.fresh, brought.doubts.length], [1, 1])
    }
    book.byHand(lineOf({ text: "Lee's gift" }))
    assert.match(book.bring("a", [lineOf({ text: "DIRECT CREDIT LEE" })]).doubts.join(), /does not have them: crd_/)
  })

  it("are told to who records one by hand by its charge's reference, or by all that it has", () => {
    const [one, other] = ["TRANSFER 5CW3T5DF", "TRANSFER 5QZ6X8HY"]
    const isKnown = (text: string, reference: string | null, before: string, import_id: string | null = "a") => {
      const line = { ...lineOf({ text }), reference }
      const book = makeBook()
      book.keep(lineOf({ text: before }), import_id)
      return isRecordedAs(book.recorded[0] ?? assert.fail(), line)
    }
    assert.isTrue(isKnown("Kim's gift NCW3T5D8", null, "DIRECT CREDIT KIM NCW3-T5D8"))
    assert.isTrue(isKnown("NCW3T5D8 OSKO PAYMENT", "NCW3T5D8", "KIM NCW3T5D8"))
    // RANSFER5 stands in both by chance.
    for (const reference of ["5CW3T5DF", null]) assert.isFalse(isKnown(one, reference, other))
    assert.isTrue(isKnown("Kim's gift", null, "DIRECT CREDIT KIM"), "without a reference it may be any")
    assert.deepStrictEqual([isKnown("Kim", null, " KIM", null), isKnown("Kim", null, "Lee", null)], [true, false])
  })
})
