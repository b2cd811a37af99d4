import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Disclosure from "../../src/domain/compliance/Disclosure.ts"
import * as Donor from "../../src/domain/giving/Donor.ts"
import * as RecommendationSet from "../../src/domain/sharing/RecommendationSet.ts"
import { eachMachine } from "../../src/testing/EachMachine.ts"
import { Histories, Laws, Scenarios, Subjects } from "../../src/testing.ts"

/** What a reader can take in. */
const longest = 900

const brokenBy = (check: () => unknown): Laws.LawBroken => {
  try {
    check()
  } catch (cause) {
    if (cause instanceof Laws.LawBroken) return cause
    throw cause
  }
  return assert.fail("every law passed")
}

type Recount = Extract<Disclosure.Command, { readonly _tag: "Recount" }>

const recounts = (written: (command: Recount) => object) => {
  const { machine } = Disclosure
  const row = machine.table.Recount
  const patch: typeof row.patch = (self, command) => ({ ...row.patch?.(self, command), ...written(command) })
  const table = { ...machine.table, Recount: { ...row, patch } }
  return brokenBy(() => Laws.check({ ...machine, table }, { ...Subjects.disclosures, seed: 5 }))
}

const merges = (written: object) => {
  const { machine } = Donor
  const row = machine.table.Merge
  const patch: typeof row.patch = (self, command) => ({ ...row.patch?.(self, command), ...written })
  const table = { ...machine.table, Merge: { ...row, patch } }
  return brokenBy(() => Laws.check({ ...machine, table }, { ...Subjects.donors, seed: 5 }))
}

const changes = (written: object) => {
  const { machine } = RecommendationSet
  const row = machine.table.Change
  const patch: typeof row.patch = (self, command) => ({ ...row.patch?.(self, command), ...written })
  const table = { ...machine.table, Change: { ...row, patch } }
  return brokenBy(() => Laws.check({ ...machine, table }, { ...Subjects.recommendationSets, seed: 5 }))
}

type Break = readonly [what: string, broken: () => Laws.LawBroken, said: RegExp, field: string]

/** Of the widest records, and of those with records in them. */
const breaks: ReadonlyArray<Break> = [
  [
    "a value that no schema takes",
    () => changes({ created_at: "never" }),
    /the schema refuses \{.*"created_at":"never"/,
    "created_at"
  ],
  [
    "a list that is lost",
    () => recounts(() => ({ lodged_gifts: [] })),
    /lodged_gifts should be \[.+\], but is \[\]/,
    "lodged_gifts"
  ],
  ["a record that stays", () => merges({ updated_at: null }), /the schema refuses \{.*"updated_at":null/, "updated_at"],
  ["a text that is long", () => merges({ phone: "5".repeat(5_000) }), /5{80}…" of 5000 characters/, "phone"],
  [
    "a field of a record within, by its path",
    () => recounts(({ regime }) => ({ regime: { ...regime, name: "x" } })),
    / regime\.name should be ".*, but is "x"/,
    "regime"
  ],
  ["a field that is nobody's", () => merges({ nobody: undefined }), /nobody is written, which no record has/, "nobody"]
]

describe("a law that is broken is told by what matters:", () => {
  it.each(breaks)("%s", (_, breaking, said, field) => {
    const { fields, message } = breaking()
    assert.match(message, said)
    assert.isBelow(message.length, longest)
    assert.match(message, /\} and \d+ other fields\n/)
    assert.match(message, /\n {2}1\. \{.*"_tag":"\w+"/)
    assert.match(message, /\n\nRow \w+: .*→/)
    assert.include(fields, field)
  })
})

/** What fast-check shows of the smallest value that breaks a property. */
const shownOf = <A>(values: fc.Arbitrary<A>, holds: (value: A) => boolean): string => {
  const { counterexample } = fc.check(fc.property(values, holds), { seed: 3 })
  return fc.stringify(counterexample?.[0])
}

describe("a history that breaks a property", () => {
  it("is told by the fields that its commands have to do with", () => {
    eachMachine((machine, subject) => {
      const told = shownOf(Histories.of(machine, subject), ({ steps }) => steps.length < 1)
      const [, birth = "", command] = told.split("\n")
      assert.isBelow(told.length, longest, machine.name)
      assert.match(birth, /→ \w+ (?:\[.*\] )?\{.+\}(?: and \d+ other fields?)?$/)
      assert.match(command ?? "", /^ {2}1\. \{.*"_tag":"\w+"/)
    })
  })
})

describe("a world that breaks a property", () => {
  it("is told by what came of each gift", () => {
    const scenario = Scenarios.donor().gifts(6).refunded(1).partlyRefunded(1).failed(1).pending(2)
    const told = shownOf(scenario.arbitrary, ({ donations }) => donations.length < 6)
    assert.isBelow(told.length, longest)
    for (const said of [/org_.*"timezone"/, /dnr_/, /Events: 1 donor\.created, 6 donation\.created/]) {
      assert.match(told, said)
    }
    const gifts = told
      .split("\n")
      .filter((line) => /^ {2}don_\w+ [A-Z]+, \d+ cents [A-Z]{3} of .*, \d+ refunded$/.test(line))
    assert.lengthOf(gifts, 6)
    assert.lengthOf(
      gifts.filter((line) => / (?:CONFIRMED|REFUNDED), .* [1-9]\d* refunded/.test(line)),
      2
    )
  })
})
