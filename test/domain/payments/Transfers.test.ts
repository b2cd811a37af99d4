import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { mappingOf } from "../../../src/domain/access/StatementMapping.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import type { ChargeId } from "../../../src/domain/kernel/Ids.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import * as Transfer from "../../../src/domain/payments/BankTransfer.ts"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import type { CreditImport } from "../../../src/domain/payments/CreditImport.ts"
import { balancesOf } from "../../../src/domain/payments/Ledger.ts"
import { faultText } from "../../../src/domain/payments/Statement.ts"
import { centsIn, dayIn } from "../../../src/domain/payments/StatementFormats.ts"
import {
  isReference,
  referenceChoices,
  referenceOf,
  referencesIn
} from "../../../src/domain/payments/TransferReference.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"
import { readCsv, statementOf } from "../../support/StatementFiles.ts"
import { submittedAt } from "./SubmittedGift.ts"

const alphabet = Array.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
const idDigits = alphabet.map((digit) => digit.toLowerCase())
const chargeId = fc
  .array(fc.constantFrom(...idDigits), { minLength: 25, maxLength: 25 })
  .map((digits) => `chg_0${digits.join("")}` as ChargeId)
const reference = fc.tuple(chargeId, fc.nat(5)).map(([id, choice]) => referenceOf(id, choice))
const day = (text: string) => CalendarDate.make(text)

describe("the reference of a bank transfer", () => {
  it("has eight characters of the alphabet, and is the same each time, another by each choice", () => {
    forEvery(chargeId, fc.nat(5), (id, choice) => {
      const made = referenceOf(id, choice)
      assert.lengthOf(made, 8)
      for (const character of made) assert.include(alphabet, character)
      assert.isTrue(isReference(made))
      assert.strictEqual(referenceOf(id, choice), made)
    })
    const id = "chg_01h455vb4pex5vsknk084sn02q" as ChargeId
    const all = Array.from({ length: referenceChoices }, (_, choice) => referenceOf(id, choice))
    assert.strictEqual(new Set(all).size, 6)
  })

  it("shows every wrong character", () =>
    forEveryWith({ numRuns: 50 }, reference, (made) => {
      for (let place = 0; place < made.length; place += 1) {
        for (const other of alphabet) {
          if (other === made[place]) continue
          assert.isFalse(isReference(`${made.slice(0, place)}${other}${made.slice(place + 1)}`))
        }
      }
    }))

  it("shows every exchange of two characters, neighbours or not", () =>
    forEvery(reference, (made) => {
      for (let first = 0; first < made.length; first += 1) {
        for (let second = first + 1; second < made.length; second += 1) {
          if (made[first] === made[second]) continue
          const exchanged = Array.from(made)
          exchanged[first] = made[second] ?? ""
          exchanged[second] = made[first] ?? ""
          assert.isFalse(isReference(exchanged.join("")))
        }
      }
    }))

  it("lets one in 32 texts through, and no more", () => {
    const seven = "0ABCDE9"
    assert.lengthOf(
      alphabet.filter((check) => isReference(`${seven}${check}`)),
      1
    )
  })

  it("is found however it is written, and is no other", () => {
    const written = fc.record({
      made: reference,
      gaps: fc.array(fc.constantFrom("", "", " ", "-", " – ", ".", "/", "\u200b"), { minLength: 7, maxLength: 7 }),
      isLower: fc.boolean(),
      hasLetters: fc.boolean(),
      isWide: fc.boolean(),
      before: fc.constantFrom("", "GIFT ", "PAYMENT.", "ref: ", "u#", "7"),
      after: fc.constantFrom("", " THANKS", "/ADA", " 2026-01-17")
    })
    forEvery(written, ({ after, before, gaps, hasLetters, isLower, isWide, made }) => {
      const lettered = hasLetters ? made.replaceAll("0", "O").replaceAll("1", "l") : made
      const spaced = Array.from(lettered)
        .map((character) => (isWide ? String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0) : character))
        .map((character, index) => `${character}${gaps[index] ?? ""}`)
        .join("")
      assert.include(referencesIn(`${before}${isLower ? spaced.toLowerCase() : spaced}${after}`), made)
    })
    assert.deepStrictEqual(referencesIn(""), [])
    assert.deepStrictEqual(referencesIn("uuuu uuuu"), [])
  })
})

const at = DateTime.makeUnsafe("2026-01-15T02:00:00Z")

const [submitted = assert.fail("no gift")] = fc.sample(submittedAt(at), 1)

const charge = (given: Partial<Charge>): Charge => ({
  ...submitted.charge,
  method: "bank_transfer",
  amount_cents: 5_000,
  currency: "AUD",
  status: "WAITING",
  created_at: at,
  ...given
})

const credit = (amount_cents: number, on = "2026-01-16") => ({ amount_cents, currency: "AUD", day: day(on) })

const sydney = "Australia/Sydney"

describe("credits of one reference", () => {
  it("add up to the gift's amount, what is too much is held, and no cent is lost", () =>
    forEvery(fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 6 }), (amounts) => {
      let received = 0
      const postings = amounts.flatMap((amount_cents) => {
        const what = Transfer.matchCredit(credit(amount_cents), charge({}), received, sydney)
        if (what.counts) received += amount_cents
        return Transfer.creditPostings({ amount_cents }, what)
      })
      const total = amounts.reduce((sum, amount) => sum + amount, 0)
      const balances = balancesOf(postings)
      assert.strictEqual(balances.unmatched, BigInt(Math.min(total, 5_000)))
      assert.strictEqual(balances.held, BigInt(Math.max(0, total - 5_000)))
      assert.strictEqual(balances.bank, -BigInt(total))
    }))

  it("date the gift by the day on which it was full, in the organisation's timezone, whatever came first here", () => {
    const few = [credit(3_000, "2026-01-20"), credit(2_000, "2026-01-18"), credit(1_000, "2026-01-21")]
    const arrival = Transfer.arrivalOf(5_000, few, sydney)
    assert.strictEqual(arrival?.on, "2026-01-20")
    assert.strictEqual(arrival?.received_cents, 6_000)
    assert.isNull(Transfer.arrivalOf(5_000, [], sydney))
    assert.strictEqual(Transfer.arrivalOf(5_000, [credit(1, "2026-01-18")], sydney)?.on, "2026-01-18")
    // In summer Sydney is eleven hours before UTC, in winter ten; the day begins at its own midnight.
    const begins = (on: string) => {
      const arrived = Transfer.arrivalOf(1, [credit(1, on)], sydney)
      return arrived === null ? null : DateTime.formatIso(arrived.at)
    }
    assert.strictEqual(begins("2026-04-05"), "2026-04-04T13:00:00.000Z")
    assert.strictEqual(begins("2026-04-06"), "2026-04-05T14:00:00.000Z")
  })

  it("that name no gift, or several, are set aside whole with what is known of whose they are", () => {
    const told = (...given: [Transfer.Unfound, ...ReadonlyArray<ReadonlyArray<string>>]) => {
      const { counts, raised } = Transfer.unfound({ amount_cents: 50 }, ...given)
      assert.deepInclude({ counts, ...raised }, { counts: false, kind: "unmatched_credit", held_cents: 50 })
      return raised?.reason ?? ""
    }
    assert.match(told("several", ["chg_1", "chg_2"]), /several gifts: chg_1, chg_2\./u)
    assert.match(told("none"), /no reference of a gift/u)
  })

  it("are in time to the end of the lapse's day, whenever they are imported", () => {
    // It is submitted on the 15th in Sydney, and lapses on the 29th.
    const on = (text: string) => Transfer.matchCredit(credit(5_000, text), charge({ ending: null }), 0, sydney)
    assert.deepStrictEqual(on("2026-01-29"), { counts: true, raised: null })
    assert.strictEqual(on("2026-01-30").raised?.kind, "unmatched_credit")
    assert.isFalse(on("2026-01-30").counts)
  })

  it("are late, too much or foreign by the charge's state", () => {
    const kindOf = (given: Partial<Charge>, received = 0) => {
      const what = Transfer.matchCredit(credit(700), charge(given), received, sydney)
      assert.isFalse(what.counts)
      assert.strictEqual(what.raised?.held_cents, 700)
      return what.raised?.kind
    }
    assert.strictEqual(kindOf({ status: "FAILED" }), "late_success")
    assert.strictEqual(kindOf({ status: "CANCELLED" }), "late_success")
    assert.strictEqual(kindOf({ status: "SUCCEEDED" }), "overpaid")
    assert.strictEqual(kindOf({}, 5_000), "overpaid")
    assert.strictEqual(kindOf({ currency: "JPY" }), "unmatched_credit")
    const byACent = Transfer.matchCredit(credit(5_001), charge({}), 0, sydney)
    assert.deepStrictEqual([byACent.counts, byACent.raised?.kind, byACent.raised?.held_cents], [true, "overpaid", 1])
  })
})

describe("a file of a statement", () => {
  it("is read as it was written, whatever is in its fields", () => {
    const field = fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\n", "\r\n", " ", "é", "\t"), maxLength: 6 })
    const records = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 5 })
    forEvery(records, fc.constantFrom(",", ";", "\t", "|"), fc.boolean(), (given, delimiter, marked) => {
      const written = given
        .map((fields) => `${fields.map((text) => `"${text.replaceAll('"', '""')}"`).join(delimiter)}\r\n`)
        .join("")
      const read = readCsv(`${marked ? "\uFEFF" : ""}${written}`, delimiter, { fields: 10 })
      const fieldss = Result.getOrThrow(read).map(({ fields }) => fields)
      assert.deepStrictEqual(fieldss, given)
    })
  })

  it("names the line that cannot be read, also after a field of several lines", () => {
    const lineOf = (text: string) => {
      const read = readCsv(text, ",", { fields: 2 })
      return Result.isFailure(read) ? read.failure.line : null
    }
    assert.strictEqual(lineOf('a,b\n"x\ny",2\nc,"d'), 4)
    assert.strictEqual(lineOf('a,b\nc,d"e'), 2)
    assert.strictEqual(lineOf("a,b\nc,d,e"), 2)
    assert.strictEqual(lineOf(`a\n\n\nb\n${"x".repeat(100_001)}`), 5)
  })

  it("has amounts as banks write them beside the usual", () => {
    const said = (text: string, minorDigits = 2, decimalMark: "." | "," = ".") =>
      centsIn(text, { minorDigits, decimalMark, currency: "AUD" })
    for (const [text, cents] of [
      ["12.5", 1_250],
      [".5", 50],
      ["30,000,000.00", 3_000_000_000],
      ["+7.00", 700],
      ["$-7.00", -700],
      ["-$7.00", -700],
      ["7.00DR", -700],
      ["12.500", 1_250]
    ] as const) {
      assert.strictEqual(said(text), cents, text)
    }
    for (const text of ["", "x", "1.2.3", "12.505", "1,23.00", "12.", "1e3", "--", "99999999999999999"]) {
      assert.isNull(said(text), text)
    }
    assert.strictEqual(said("1.234,50", 2, ","), 123_450)
    assert.strictEqual(said("5,000", 0), 5_000)
    assert.isNull(said("5000.50", 0))
  })

  it("has days in no other format than what is said", () => {
    for (const text of ["2026-02-30", "03/02/2026", "", "26-2-3"]) assert.isNull(dayIn(text, "YYYY-MM-DD", "UTC"))
    assert.isNull(dayIn("31 Foo 2026", "DD-MMM-YYYY", "UTC"))
  })

  const of = { currency: "AUD", timezone: "UTC", today: day("2026-01-20") }
  const read = (content: string, given: Partial<CreditImport> = {}, currency = "AUD") =>
    statementOf(content, mappingOf(given, null), { ...of, currency })
  const amountsOf = (...args: Parameters<typeof read>) =>
    Result.getOrThrow(read(...args)).lines.map(({ amount_cents }) => amount_cents)

  it("is mapped by headings or numbers, with one column of amounts or two, and money that went is passed over", () => {
    const plain = "Date,Amount,Description\n2026-01-16,50.00,one\n2026-01-16,-3.00,two\n2026-01-17,0.00,three\n"
    assert.deepStrictEqual(amountsOf(plain), [5_000])
    assert.strictEqual(Result.getOrThrow(read(plain)).skipped, 2)
    assert.deepStrictEqual(amountsOf(plain, { is_negated: true }), [300])
    assert.deepStrictEqual(amountsOf(plain.replace("50.00", "5000"), { amounts: "cents" }), [5_000])
    const split = "16/01/2026;;12,00;fee;x\n17/01/2026;7,50;;ada;y\n"
    assert.deepStrictEqual(
      Result.getOrThrow(
        read(split, {
          has_heading: false,
          delimiter: ";",
          day_column: "1",
          day_format: "DD/MM/YYYY",
          credit_column: "2",
          debit_column: "3",
          text_columns: ["4", "5"],
          decimal_mark: ","
        })
      ).lines,
      [{ line: 2, day: day("2026-01-17"), amount_cents: 750, text: "ada y", bank_id: null, balance_cents: null }]
    )
    assert.deepStrictEqual(amountsOf("Date,Amount,Description\n2026-01-16,5000,one\n", {}, "JPY"), [5_000])
  })

  it("says which lines are bad, names each, and has none go in", () => {
    const long = "x".repeat(Limits.creditTextCharacters + 1)
    const result = read(
      `Date,Amount,Description,Currency\n16/01/2026,1.00,a,AUD\n2026-01-16,one,b,AUD\n2026-01-21,1.00,c,AUD\n2026-01-16,1.00,d,NZD\n2026-01-16,1.00,${long},AUD\n2026-01-16,1.00,fine,AUD\n`,
      { currency_column: "Currency" }
    )
    if (!Result.isFailure(result)) return assert.fail("it went in")
    const lines = result.failure.faults.map(({ line }) => line)
    assert.deepStrictEqual(lines, [2, 3, 4, 5, 6])
    const text = faultText(result.failure)
    assert.match(text, /^Line 2 has no day.*Line 3 has no amount.*future.*AUD.*500 characters.*Nothing was imported\./)
    const many = faultText({
      param: "content",
      faults: Array.from({ length: 25 }, (_, index) => ({ line: index + 1, says: "is bad" }))
    })
    assert.include(many, "5 more lines")
  })

  it("is refused where a column is not there, or twice", () => {
    const faultOf = (content: string, given: Partial<CreditImport> = {}) => {
      const result = read(content, given)
      return Result.isFailure(result) ? result.failure.param : null
    }
    assert.strictEqual(faultOf("Day,Amount,Description\n"), "day_column")
    assert.strictEqual(faultOf("Date,Sum,Description\n"), "amount_column")
    assert.strictEqual(faultOf("Date,Date,Amount,Description\n"), "day_column")
    assert.strictEqual(faultOf("1\n", { has_heading: false }), "day_column")
    assert.strictEqual(faultOf("Date,Amount,Description\n", { debit_column: "2" }), "debit_column")
    assert.strictEqual(
      faultOf("Date,Amount,Description\n", { credit_column: "2", amount_column: "2" }),
      "amount_column"
    )
    assert.strictEqual(faultOf(""), "content")
  })
})
