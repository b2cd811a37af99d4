import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as Donation from "../../src/domain/giving/Donation.ts"
import * as Refund from "../../src/domain/giving/Refund.ts"
import * as Introduction from "../../src/domain/sharing/Introduction.ts"
import * as Laws from "../../src/testing/Laws.ts"
import * as Mutants from "../../src/testing/Mutants.ts"
import { donations, refunds } from "../../src/testing/subjects/Donations.ts"
import { introductions } from "../../src/testing/subjects/Introductions.ts"

const changesOf = (mutants: ReadonlyArray<{ readonly row: string; readonly change: string }>, row: string) =>
  mutants.filter((each) => each.row === row).map(({ change }) => change)

/** What a subject had before there was an oracle. */
const { births: ____, data: _____, expect: _, invariants: __, steps: ___, ...alone } = donations

/** Which of its mutants live without one. */
const aloneReport = Mutants.report(Donation.machine, { ...alone, runs: 5 })

describe("the mutants of a machine", () => {
  it("are one mistake each: in a row, in what an event tells, or in the births", () => {
    const mutants = Mutants.of(Donation.machine, donations)
    assert.deepStrictEqual(changesOf(mutants, "ReverseRefund"), [
      "emits without donation.refund_reversed",
      "emits donation.refund_reversed twice",
      "emits donation.created, too",
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
      "guard with the command's amount_cents + 1",
      "guard with the command's amount_cents - 1",
      "guard with refunded_amount_cents + 1",
      "guard with refunded_amount_cents - 1",
      "patch without updated_at",
      "patch with updated_at + 1 ms",
      "patch with updated_at - 1 ms",
      "patch with updated_at as null",
      "patch without refunded_amount_cents",
      "patch with refunded_amount_cents + 1",
      "patch with refunded_amount_cents - 1",
      "patch with refunded_amount_cents as null"
    ])
    assert.includeMembers(changesOf(mutants, "donation.failed"), [
      "tells amount_cents + 1",
      "tells status as another text",
      "tells failure_code as another text",
      "tells updated_at - 1 ms"
    ])
    assert.includeMembers(changesOf(mutants, "births"), [
      "birth 2 to PENDING",
      "birth 2 emits without donation.succeeded",
      "birth 2 emits in reverse",
      "birth 1 left out"
    ])
    for (const { machine, row } of mutants) {
      const parts = { ...machine.table, ...machine.events, births: machine.births }
      const { births, events, table } = Donation.machine
      const whole = new Map<string, unknown>(Object.entries({ ...table, ...events, births }))
      const changed = Object.entries(parts).filter(([name, each]) => each !== whole.get(name))
      assert.deepStrictEqual(
        changed.map(([name]) => name),
        [row]
      )
    }
  })

  it("move the moment of a deadline, and let any condition do for all", () => {
    const accept = changesOf(Mutants.of(Introduction.machine, introductions), "Accept")
    assert.includeMembers(accept, [
      "guard 1 ms early",
      "guard 1 ms late",
      "guard 10 minutes late",
      "guard of any condition"
    ])
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
    assert.lengthOf(rows, Object.keys({ ...Donation.machine.table, ...Donation.machine.events, births: [] }).length)
    assert.match(rows.join("\n"), /^ {2}Settle: \d+ of \d+; alive: .*emits without donation\.succeeded/m)
    assert.include(Mutants.markdown([report]), "| Donation | `Settle` | emits without donation.succeeded |")
  })

  it("are the same for the same seed", () => {
    const reported = () => Mutants.report(Refund.machine, refunds)
    assert.deepStrictEqual(reported(), reported())
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
    const [, , told = ""] = message.split("\n")
    assert.match(told, /^PENDING \{.*"failure_code":.*\} and \d+ other fields$/)
    assert.notInclude(told, "donation_form_id", "no field that the row does not look at")
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

  it("is held about what events tell, after a command and after a birth", () => {
    const told = (after: Donation.Donation) => ({ ...Donation.eventDataOf(after), amount_cents: 0 })
    const ofCommand = failureOf({ data: { "donation.failed": told } })
    assert.strictEqual(ofCommand.law, "expected")
    assert.match(ofCommand.message, /donation\.failed should tell amount_cents 0, but tells \d/)
    const ofBirth = failureOf({ data: { "donation.created": told } })
    assert.match(ofBirth.message, /Born (?:PENDING|CONFIRMED) .*donation\.created should tell amount_cents 0/)
  })

  it("is held at the very millisecond of a deadline, and at the number of a bound, wherever they lie", () => {
    const late = (millis: number) => ({
      expect: {
        Lapse: {
          from: ["PENDING"],
          to: "FAILED",
          events: ["donation.failed"],
          when: ({ created_at, payment_method }: Donation.Donation, { at }: { readonly at: DateTime.Utc }) =>
            payment_method === "bank_transfer" &&
            DateTime.toEpochMillis(at) - DateTime.toEpochMillis(created_at) >= 14 * 86_400_000 + millis
        }
      }
    })
    Laws.check(Donation.machine, { ...alone, ...late(0), seed: 3 })
    assert.match(failureOf(late(1)).message, /should be refused by the guard, but is taken/)
    assert.match(failureOf(late(-1)).message, /should be taken, but is refused by the guard/)
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
