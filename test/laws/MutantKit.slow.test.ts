import { assert, describe, it } from "@effect/vitest"
import * as Donation from "../../src/domain/giving/Donation.ts"
import * as Introduction from "../../src/domain/sharing/Introduction.ts"
import * as Laws from "../../src/testing/Laws.ts"
import * as Mutants from "../../src/testing/Mutants.ts"
import { donations } from "../../src/testing/subjects/Donations.ts"
import { introductions } from "../../src/testing/subjects/Introductions.ts"

const changesOf = (mutants: ReadonlyArray<{ readonly row: string; readonly change: string }>, row: string) =>
  mutants.filter((each) => each.row === row).map(({ change }) => change)

/** What a subject had before there was an oracle. */
const { births: ____, expect: _, invariants: __, steps: ___, ...alone } = donations

/** Which of its mutants live without one. */
const aloneReport = Mutants.report(Donation.machine, alone)

describe("the mutants of a machine", () => {
  it("are one mistake each, in one row, and every kind that the row can have", () => {
    const mutants = Mutants.of(Donation.machine, donations)
    assert.deepStrictEqual(changesOf(mutants, "ReverseRefund"), [
      "emits without donation.refund_reversed",
      "to PENDING",
      "to REFUNDED",
      "to FAILED",
      "to same",
      "from with PENDING",
      "from without CONFIRMED",
      "from without REFUNDED",
      "from with FAILED",
      "guard dropped",
      "guard negated",
      "patch without updated_at",
      "patch without refunded_amount_cents"
    ])
    for (const { machine, row } of mutants) {
      const changed = Object.entries(machine.table).filter(
        ([tag, each]) => each !== Object.entries(Donation.machine.table).find(([name]) => name === tag)?.[1]
      )
      assert.deepStrictEqual(
        changed.map(([tag]) => tag),
        [row]
      )
    }
  })

  it("drop each condition of a guard that has several", () => {
    const conditions = changesOf(Mutants.of(Introduction.machine, introductions), "Resend").filter((change) =>
      change.startsWith("guard without")
    )
    assert.deepStrictEqual(conditions, [
      "guard without: `expires_at` has not passed",
      "guard without: it was resent less than three times"
    ])
  })

  it("leave out what no record can show: a milestone that the status writes by itself", () => {
    const { rows } = Mutants.report(Donation.machine, donations)
    assert.deepStrictEqual(
      rows.flatMap(({ alive }) => alive),
      []
    )
  })

  it("mostly live where nothing but the table says what is right", () => {
    const { killed, percent, rows } = aloneReport
    assert.isBelow(percent, 50)
    assert.strictEqual(
      killed,
      rows.reduce((sum, each) => sum + each.killed, 0)
    )
    assert.includeMembers(
      [...(rows.find(({ row }) => row === "Settle")?.alive ?? [])],
      ["emits without donation.succeeded", "patch without received_date"]
    )
  })

  it("are reported by row, with what lives", () => {
    const report = aloneReport
    const [head, ...rows] = Mutants.reportText(report).split("\n")
    assert.strictEqual(
      head,
      `Donation: ${report.killed} of ${report.mutants} mutants are killed, ${report.percent.toFixed(1)} %.`
    )
    assert.lengthOf(rows, 10)
    assert.match(rows.join("\n"), /^ {2}Settle: \d+ of \d+; alive: .*emits without donation\.succeeded/m)
    assert.include(Mutants.markdown([report]), "| Donation | `Settle` | emits without donation.succeeded |")
  })

  it("are the same for the same seed", () => {
    assert.deepStrictEqual(Mutants.report(Donation.machine, alone), aloneReport)
  })

  it("are not asked for where the machine itself breaks a law", () => {
    const expect = { Fail: { from: ["PENDING"], to: "CONFIRMED" } }
    assert.throws(() => Mutants.report(Donation.machine, { ...alone, expect }), Laws.LawBroken, /lead to CONFIRMED/)
  })
})

describe("what is known without the table", () => {
  const failureOf = (known: Laws.Oracle<Donation.Donation, Donation.Command>): Laws.LawBroken => {
    try {
      Laws.check(Donation.machine, { ...alone, ...known, seed: 3 })
    } catch (cause) {
      if (cause instanceof Laws.LawBroken) return cause
      throw cause
    }
    return assert.fail("every law passed")
  }

  it("is told with the script, the row and the law", () => {
    const { law, message } = failureOf({
      expect: { Fail: { from: ["PENDING"], to: "CONFIRMED", events: ["donation.failed"] } }
    })
    assert.strictEqual(law, "expected")
    assert.include(message, Laws.laws.expected)
    assert.match(message, /\n {2}1\. .*Fail.* is expected to lead to CONFIRMED, but leads to FAILED/)
    assert.include(message, "\n\nRow Fail: PENDING → FAILED [donation.failed] (service-spec,")
  })

  it("is held about fields that change and about those that do not", () => {
    const wrong = failureOf({
      expect: { Fail: { from: ["PENDING"], to: "FAILED", events: ["donation.failed"], changes: () => ({}) } }
    })
    assert.match(wrong.message, /(?:failure_code|updated_at) should be .*, but is /)
  })

  it("is held about the kind of refusal: by the status, or by the condition", () => {
    const wide = { from: ["PENDING", "CONFIRMED"], to: "FAILED", events: ["donation.failed"] }
    assert.match(failureOf({ expect: { Fail: wide } }).message, /should be taken, but is refused by the status/)
  })

  it("is held about conditions that are rarely met", () => {
    const never = { from: ["PENDING"], to: "FAILED", events: ["donation.failed"], when: () => false }
    assert.match(failureOf({ expect: { Fail: never } }).message, /should be refused by the guard, but is taken/)
  })

  it("names only statuses that there are", () => {
    assert.strictEqual(failureOf({ expect: { Fail: { from: ["LOST"], to: "FAILED" } } }).law, "declared")
    assert.strictEqual(failureOf({ expect: { Fail: { from: ["PENDING"], to: "LOST" } } }).law, "declared")
  })

  it("is held about every state that is drawn, too", () => {
    const { law, message } = failureOf({
      invariants: { "nothing is ever pending": ({ status }) => status !== "PENDING" }
    })
    assert.strictEqual(law, "invariant")
    assert.include(message, "nothing is ever pending: not so of a state that was drawn")
  })

  it("is held about every step", () => {
    const { law, message } = failureOf({
      steps: { "nothing is refunded": ({ events }) => events[0]?.type !== "donation.refunded" }
    })
    assert.strictEqual(law, "step")
    assert.include(message, "nothing is refunded: not so here")
  })
})
