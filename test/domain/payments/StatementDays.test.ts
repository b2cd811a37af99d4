import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { CreditId } from "../../../src/domain/kernel/Ids.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
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

  it("leave recorded what they have, whichever of their lines have an id or a balance", () =>
    forEvery(
      fc.array(fc.tuple(line, fc.nat(15)), { maxLength: 8 }),
      fc.array(
        fc.record({ from: fc.integer({ min: 1, max: 4 }), to: fc.integer({ min: 1, max: 4 }), shown: fc.nat(15) }),
        {
          minLength: 2,
          maxLength: 4
        }
      ),
      (all, files) => {
        const book = makeBook()
        for (const { from, shown, to } of files) {
          const range = { first: Math.min(from, to), last: Math.max(from, to) }
          // What a form has of a line depends on the line and on the form: it may be nothing.
          const lines = all.flatMap(([{ cents, n, text }, bits], index) => {
            const bank_id = bits & shown & 3 ? `id ${index}` : null
            const balance_cents = bits & shown & 12 ? index : null
            return n < range.first || n > range.last
              ? []
              : [lineOf({ n, amount_cents: cents, text, bank_id, balance_cents })]
          })
          book.bring(JSON.stringify([lines, from, to]), lines, { ...range, anyway: true })
          const here = book.recorded.filter(({ day }) => day >= dayOf(range.first) && day <= dayOf(range.last))
          assert.deepStrictEqual(here.map(alike).toSorted(), lines.map(alike).toSorted())
        }
      }
    ))

  it("are asked about where a line has no id, of a day that may be cut, and was recorded with one", () => {
    const bring = (n: number, { anyway = false, isFurther = false } = {}) => {
      const book = makeBook()
      book.bring("a", [lineOf({ n, bank_id: "1" })], { first: n, last: n })
      const lines = [lineOf({ n }), lineOf({ n: 17, bank_id: "2" }), lineOf({ n: 18, bank_id: "3" })]
      return book.bring("b", lines, { first: 16, last: 18, anyway, isFurther })
    }
    assert.match(bring(16).doubts.join(), /without: line 1, as crd_\w+\. Say with anyway.*is_further/u)
    assert.strictEqual(bring(16, { anyway: true }).fresh, 2)
    assert.deepInclude(bring(16, { isFurther: true }), { doubts: [], fresh: 3 })
    assert.deepInclude(bring(17), { doubts: [], fresh: 2 })
  })

  it("are asked about where a line has no id or balance, and its day and amount are recorded with one in other words", () => {
    const bring = (before: Given, line: Given, { anyway = false, isFurther = false } = {}) => {
      const book = makeBook()
      book.bring("a", [lineOf({ ...before, n: 17 })], { first: 17, last: 17 })
      const others = [16, 18].map((n) => lineOf({ n, bank_id: `${n}`, balance_cents: n }))
      return book.bring("b", [...others, lineOf({ ...line, n: 17 })], { first: 16, last: 18, anyway, isFurther })
    }
    const reworded = { text: "GIFT OF KIM" }
    for (const before of [{ bank_id: "1" }, { balance_cents: 1 }, { bank_id: "1", balance_cents: 1 }]) {
      assert.match(bring(before, reworded).doubts.join(), /in other words without: crd_\w+\. Say with anyway/u)
      assert.strictEqual(bring(before, reworded, { anyway: true }).fresh, 3)
      assert.deepInclude(bring(before, reworded, { isFurther: true }), { doubts: [], fresh: 3 })
      assert.deepInclude(bring(before, {}), { doubts: [], fresh: 2 })
      assert.deepInclude(bring(before, { ...reworded, amount_cents: 1 }), { doubts: [], fresh: 3 })
    }
    assert.deepInclude(bring({ balance_cents: 1 }, { ...reworded, balance_cents: 2 }), { doubts: [], fresh: 3 })
  })

  it("that go on amid a day are asked about for what a person recorded of it", () => {
    for (const [byHand, inFile] of [
      ["Kim's gift NCW3T5D8", "DIRECT CREDIT KIM NCW3-T5D8"],
      ["CASH", "cash"]
    ] as const) {
      const book = makeBook()
      book.bring("a", [lineOf({ text: "OTHER" })])
      book.byHand(lineOf({ text: byHand }))
      const second = [lineOf({ text: inFile }), lineOf({ text: "OTHER" })]
      const asked = book.bring("b", second, { isFurther: true })
      assert.match(asked.doubts.join(), /person recorded these: line 1, as crd_\w+\. Say with anyway/u)
      assert.strictEqual(book.bring("b", second, { isFurther: true, anyway: true }).fresh, 1)
      assert.lengthOf(book.recorded, 3)
    }
  })

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

  it("have a line that a person recorded as often as they have its day, amount and reference", () => {
    const one = fc.record({
      n: fc.constantFrom(15, 16),
      amount_cents: fc.constantFrom(1, 2),
      reference: fc.constantFrom("NCW3T5D8", "5QZ6X8HY")
    })
    type One = typeof one extends fc.Arbitrary<infer A> ? A : never
    const keyOf = ({ amount_cents, n, reference }: One) => `${n} ${amount_cents} ${reference}`
    forEvery(fc.array(one, { maxLength: 5 }), fc.array(one, { maxLength: 5 }), (byHand, inFile) => {
      const book = makeBook()
      for (const { reference, ...given } of byHand) book.byHand(lineOf({ ...given, text: `Kim: ${reference}` }))
      const lines = inFile.map(({ reference, ...given }) => lineOf({ ...given, text: `CREDIT ${reference} LEE` }))
      const left = inFile.map(keyOf)
      const lacked = byHand.filter((each) => {
        const at = left.indexOf(keyOf(each))
        if (at !== -1) left.splice(at, 1)
        return at === -1
      })
      const { doubts, fresh } = book.bring("a", lines)
      assert.deepStrictEqual([fresh, doubts.length], [left.length, lacked.length === 0 ? 0 : 1])
    })
  })

  it("know by its text's references a line whose charge has another, and by none one that a file or another id brought", () => {
    const book = makeBook()
    const bank = lineOf({ text: "CREDIT KIM NCW3T5D8" })
    book.byHand(lineOf({ text: "Kim NCW3T5D8" }), "7NCW3T5A")
    assert.deepStrictEqual(book.bring("a", [bank]), { doubts: [], fresh: 0 })
    const filed = makeBook()
    filed.bring("a", [lineOf({ text: "LEE NCW3T5D8" })])
    assert.deepStrictEqual([filed.bring("b", [bank]).fresh, filed.bring("b", [bank]).doubts.length], [1, 1])
    const withId = makeBook()
    withId.byHand(lineOf({ text: "Kim NCW3T5D8", bank_id: "1" }))
    assert.deepStrictEqual(
      withId.bring("a", [
        { ...bank, bank_id: "1" },
        { ...bank, bank_id: "2" }
      ]).fresh,
      1
    )
  })

  it("are known by their texts where either side has no balances", () => {
    for (const [before, after] of [
      [100, null],
      [null, 100]
    ]) {
      const book = makeBook()
      book.bring("a", [lineOf({ balance_cents: before ?? null }), lineOf({ n: 17, balance_cents: before ?? null })])
      const lines = [lineOf({ balance_cents: after ?? null }), lineOf({ n: 17, balance_cents: after ?? null })]
      assert.deepStrictEqual(book.bring("b", lines), { doubts: [], fresh: 0 })
    }
  })

  it("are asked about where the bank may have given its lines other ids", () => {
    const doubtsOf = (first: ReadonlyArray<StatementLine>, second: ReadonlyArray<StatementLine>, isFurther = false) => {
      const book = makeBook()
      book.bring("a", first)
      const { doubts, fresh } = book.bring("b", second, { isFurther })
      return [doubts.join(" "), fresh, ...book.recorded.map(({ id }) => id)] as const
    }
    const ids = (...all: ReadonlyArray<string>) => all.map((bank_id) => lineOf({ bank_id }))
    const [asked, , one, two] = doubtsOf(ids("1", "2"), ids("3", "4"))
    assert.include(asked, `other ids: ${one}, ${two}.`)
    assert.match(asked, /is_further.*without them/u)
    assert.deepStrictEqual(doubtsOf(ids("1", "2"), ids("3", "4"), true).slice(0, 2), ["", 2])
    // One that is given again says that the bank keeps its ids: the other is another gift.
    assert.deepStrictEqual(doubtsOf(ids("1", "2"), ids("1", "3")).slice(0, 2), ["", 1])
    const other = doubtsOf(ids("1"), [lineOf({ bank_id: "3", text: "OTHER" })])
    assert.deepStrictEqual(other.slice(0, 2), ["", 1])
  })

  it("need not have what is recorded of other accounts and other days", () => {
    const lacked = (n: number, elsewhere: string) => {
      const book = makeBook()
      book.bring("a", [lineOf({ n })])
      const [each] = book.recorded
      const recorded = each === undefined ? [] : [{ ...each, account: elsewhere }]
      const days = { first: dayOf(15), last: dayOf(17) }
      const file = { lines: [lineOf({ text: "OTHER" })], days, import_id: "b", account, isFurther: false }
      return compareDays(file, recorded).doubts.length
    }
    assert.deepStrictEqual(
      [14, 15, 17, 18].map((n) => lacked(n, account)),
      [0, 1, 1, 0]
    )
    assert.deepStrictEqual(
      [14, 15, 17, 18].map((n) => lacked(n, "062-000 99999999")),
      [0, 0, 0, 0]
    )
  })

  it.each([
    ["its first day", [lineOf()], [lineOf(), lineOf({ n: 17 })], true],
    ["its last day", [lineOf()], [lineOf({ n: 15 }), lineOf()], true],
    ["its first day, of several alike", [lineOf(), lineOf()], [lineOf(), lineOf(), lineOf({ n: 17 })], true],
    ["a day amid it", [lineOf()], [lineOf({ n: 15 }), lineOf(), lineOf({ n: 17 })], false],
    ["two days", [lineOf(), lineOf({ n: 17 })], [lineOf(), lineOf({ n: 17 })], false],
    ["a day of which it has more", [lineOf()], [lineOf(), lineOf({ text: "OTHER" })], false],
    ["a day of which more is recorded", [lineOf(), lineOf({ text: "OTHER" })], [lineOf()], false],
    ["a day of several texts", [lineOf(), lineOf({ text: "B" })], [lineOf(), lineOf({ text: "B" })], false]
  ])(
    "are asked about for a day cut in two where all they share is the whole of an edge: %s",
    (_, first, second, isAsked) => {
      const book = makeBook()
      book.bring("a", first)
      const days = second.map(({ day }) => Number(day.slice(-2)))
      const { doubts } = book.bring("b", second, { first: Math.min(...days), last: Math.max(...days) })
      assert.strictEqual(/is_further/u.test(doubts.join()), isAsked)
    }
  )

  it("are not asked about where a person recorded what they have, nor where the same one comes again", () => {
    const book = makeBook()
    book.byHand(lineOf())
    assert.deepStrictEqual(book.bring("a", [lineOf()], { first: 16, last: 16 }), { doubts: [], fresh: 0 })
    book.bring("b", [lineOf({ n: 17 })], { first: 17, last: 17 })
    assert.deepStrictEqual(book.bring("b", [lineOf({ n: 17 })], { first: 17, last: 17 }), { doubts: [], fresh: 0 })
  })

  it.each([1, Limits.creditFaults, Limits.creditFaults + 1, Limits.creditFaults + 30])(
    "name the first of %i lines that they lack, and say how many more there are",
    (count) => {
      const book = makeBook()
      const texts = Array.from({ length: count }, (_, index) => lineOf({ text: `GIFT ${index}` }))
      book.bring("a", texts)
      const [says = ""] = book.bring("b", [lineOf({ n: 17 })]).doubts
      const named = says.match(/crd_\w+/gu) ?? []
      const first = book.recorded.slice(0, Limits.creditFaults).map(({ id }) => id)
      assert.deepStrictEqual(Array.from(named), Array.from<string>(first))
      assert.strictEqual(
        /and (\d+) more/u.exec(says)?.[1],
        count > named.length ? `${count - named.length}` : undefined
      )
    }
  )

  it("are told to who records one by hand by nothing of another day or amount", () => {
    const book = makeBook()
    book.bring("a", [lineOf({ text: "KIM NCW3T5D8" })])
    const isKnown = (given: Given) =>
      book.recorded.some((each) => isRecordedAs(each, { ...lineOf({ text: "NCW3T5D8", ...given }), reference: null }))
    assert.deepStrictEqual([{}, { n: 17 }, { amount_cents: 1 }].map(isKnown), [true, false, false])
  })
})
