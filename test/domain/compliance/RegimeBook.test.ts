import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { australianRegimes } from "../../../src/domain/compliance/AustralianRegimes.ts"
import type { Election } from "../../../src/domain/compliance/Election.ts"
import type { Cap, Regime } from "../../../src/domain/compliance/Regime.ts"
import * as RegimeBook from "../../../src/domain/compliance/RegimeBook.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"

const date = (text: string): CalendarDate => CalendarDate.make(text)
const [first = assert.fail()] = australianRegimes
const own: Regime = { ...first, key: "nz-1", jurisdiction: "NZ" }
const term = (starts_on: string, ends_on: string) => ({
  label: starts_on,
  starts_on: date(starts_on),
  ends_on: date(ends_on)
})
const caps = (...kinds: ReadonlyArray<Cap["donor_kind"]>): ReadonlyArray<Cap> =>
  kinds.map((donor_kind) => ({ donor_kind, cap_cents: 5_000_00 }))

const faultOf = (...regimes: ReadonlyArray<Regime>): string | null =>
  Result.match(RegimeBook.bookWith({ regimes }), { onFailure: (fault) => fault, onSuccess: () => null })

/** Holds what is said of a file with a regime of one jurisdiction that is changed. */
const says = (change: Partial<Regime>, fault: RegExp | null) => {
  const said = faultOf({ ...own, ...change })
  if (fault === null) assert.isNull(said)
  else assert.match(said ?? "", fault)
}

describe("a file of regimes", () => {
  it("has each take the place of the shipped one with its key, and adds the others", () => {
    const changed: Regime = { ...first, threshold_cents: 1 }
    const book = Result.getOrThrow(RegimeBook.bookWith({ regimes: [changed, own] }))
    assert.deepStrictEqual(book.from_file, [first.key, "nz-1"])
    const others = australianRegimes.filter(({ key }) => key !== first.key)
    assert.sameMembers([...book.regimes], [...others, changed, own])
    assert.deepStrictEqual(book.elections, [])
  })

  it("must have something, each key once, and one law for a jurisdiction and a day", () => {
    assert.match(faultOf() ?? "", /neither a regime nor an election/)
    assert.match(faultOf(own, { ...own, jurisdiction: "FJ" }) ?? "", /Two regimes have the key nz-1/)
    assert.match(faultOf(own, { ...own, key: "nz-2" }) ?? "", /nz-1 .* and nz-2 .* are in force in NZ on the same day/)
    assert.isNull(faultOf(own, { ...own, key: "nz-2", status: "SUSPENDED" }))
  })

  it("has no two laws of one kind within a period, by which gifts of both would not be added up together", () => {
    const law = (key: string, effective_from: string, effective_to: string | null, change: Partial<Regime> = {}) => {
      const days = {
        effective_from: date(effective_from),
        effective_to: effective_to === null ? null : date(effective_to)
      }
      return { ...own, key, period_kind: "CALENDAR_YEAR", ...days, ...change } as const
    }
    const half = law("nz-2027", "2027-01-01", "2027-06-30")
    const cut = /nz-2027 .* and nz-2028 .* cut the period 2027 of NZ/
    assert.match(faultOf(half, law("nz-2028", "2027-07-01", null)) ?? "", cut)
    // Whatever order they come in, and however many days lie between.
    assert.match(faultOf(law("nz-2028", "2027-09-01", null), half) ?? "", cut)
    assert.isNull(faultOf(half, law("nz-2028", "2028-01-01", null)))
    assert.isNull(faultOf(half, law("nz-2028", "2027-07-01", null, { jurisdiction: "WS" })))
    assert.isNull(faultOf(half, law("nz-2028", "2027-07-01", null, { status: "SUSPENDED" })))
    // A law with periods of another kind adds up by its own.
    const years = { period_kind: "FINANCIAL_YEAR", financial_year_month: 7 } as const
    assert.isNull(faultOf(half, law("nz-2028", "2027-07-01", null, years)))
    assert.match(
      faultOf(law("nz-2027", "2026-07-01", "2027-01-31", years), law("nz-2028", "2027-02-01", null, years)) ?? "",
      /cut the period 2026-27 of NZ/
    )
    // Years that begin in January are the same periods, whatever they are called.
    const january = { period_kind: "FINANCIAL_YEAR", financial_year_month: 1 } as const
    assert.match(faultOf(half, law("nz-2028", "2027-07-01", null, january)) ?? "", cut)
    const longer = { period_kind: "ELECTION_TERM", terms: [term("2027-01-01", "2029-12-31")] } as const
    assert.isNull(faultOf(half, law("nz-2028", "2027-07-01", null, longer)))
    const terms = [term("2026-01-01", "2028-12-31")]
    assert.match(
      faultOf(
        law("nz-2027", "2026-01-01", "2027-01-31", { period_kind: "ELECTION_TERM", terms }),
        law("nz-2028", "2027-02-01", null, { period_kind: "ELECTION_TERM", terms })
      ) ?? "",
      /cut the period 2026-01-01 of NZ/
    )
  })

  it("may have elections of Australia's jurisdictions and of those that it brings, and of no others", () => {
    const vote = (jurisdiction: string): Election => ({
      jurisdiction,
      name: "Vote",
      writ_on: date("2028-04-17"),
      polling_on: date("2028-05-20")
    })
    const withVote = (jurisdiction: string) => RegimeBook.bookWith({ regimes: [own], elections: [vote(jurisdiction)] })
    for (const known of ["AU", "AU-ACT", "AU-NSW", "AU-NT", "AU-QLD", "AU-SA", "AU-TAS", "AU-VIC", "AU-WA", "NZ"]) {
      assert.isTrue(Result.isSuccess(withVote(known)), known)
    }
    assert.isTrue(Result.isFailure(withVote("FJ")))
    assert.isTrue(Result.isSuccess(RegimeBook.bookWith({ regimes: [], elections: [vote("AU")] })))
  })

  it("has regimes that end no day before they begin", () => {
    says({ effective_from: date("2026-02-01"), effective_to: date("2026-01-31") }, /nz-1 ends before it begins/)
    says({ effective_from: date("2026-02-01"), effective_to: date("2026-02-01") }, null)
    says({ effective_from: date("2026-02-01"), effective_to: null }, null)
  })

  it("has terms that end no day before they begin, and share none", () => {
    const terms = (...all: Regime["terms"]): Partial<Regime> => ({ period_kind: "ELECTION_TERM", terms: all })
    says(terms(term("2024-01-01", "2026-12-31"), term("2021-01-01", "2023-12-31")), null)
    says(terms(term("2024-01-01", "2024-01-01")), null)
    says(terms(term("2024-01-02", "2024-01-01")), /the term 2024-01-02/)
    says(terms(term("2024-01-01", "2026-12-31"), term("2021-01-01", "2024-01-01")), /the term 2024-01-01/)
    says(terms(), /counts gifts by election terms, and has no terms/)
    says({ cap_period_kind: "ELECTION_TERM", caps: caps("ANY"), terms: [] }, /has no terms/)
    says({ terms: [] }, null)
  })

  it("has caps with their period, one for each kind of donors, and one for any donor", () => {
    const years = { cap_period_kind: "CALENDAR_YEAR" } as const
    says({ caps: caps("ANY"), cap_period_kind: null }, /has caps, and no cap_period_kind/)
    says({ ...years, caps: caps("ANY", "PEAK_BODY") }, null)
    says({ ...years, caps: caps("ANY", "ANY") }, /two caps for one donor_kind/)
    says({ ...years, caps: caps("PEAK_BODY") }, /no cap for the donor_kind ANY/)
    says({ ...years, caps: [] }, null)
  })
})
