import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import * as Donation from "../../src/domain/giving/Donation.ts"
import { decide, type Machine, typesOf } from "../../src/domain/kernel/Machine.ts"
import * as Delivery from "../../src/domain/outbox/Delivery.ts"
import { eachMachine } from "../../src/testing/EachMachine.ts"
import * as Histories from "../../src/testing/Histories.ts"
import type { Subject } from "../../src/testing/Laws.ts"
import { deliveries } from "../../src/testing/subjects/Deliveries.ts"
import { donations } from "../../src/testing/subjects/Donations.ts"
import { forEvery, forEveryWith } from "../support/Property.ts"
import { rounds } from "../support/Rounds.ts"
import { freshDeliveries } from "./Subjects.ts"

const legal = <State, Status extends string, Command extends { readonly _tag: string; readonly at: DateTime.Utc }>(
  machine: Machine<State, Status, Command, string>,
  subject: Subject<State, Command>,
  runs = 25
): ReadonlySet<string> => {
  const is = Schema.is(subject.schema ?? machine.state)
  const taken = new Set<string>()
  forEveryWith({ numRuns: runs * rounds, seed: 7 }, Histories.of(machine, subject), (history) => {
    assert.include(machine.births, history.birth)
    assert.strictEqual(machine.statusOf(history.born), history.birth.to)
    let [state, time] = [history.born, Number.NEGATIVE_INFINITY]
    for (const step of history.steps) {
      taken.add(step.command._tag)
      const decided = Result.getOrThrow(decide(machine, state, step.command))
      assert.deepStrictEqual([decided.state, typesOf(decided.events)], [step.state, step.events])
      assert.isAtLeast(DateTime.toEpochMillis(step.command.at), time, "time goes on")
      assert.isTrue(is(step.state))
      state = step.state
      time = DateTime.toEpochMillis(step.command.at)
    }
    assert.strictEqual(history.state, state)
    assert.deepStrictEqual(history.states, [history.born, ...history.steps.map((step) => step.state)])
  })
  return taken
}

describe("a history", () => {
  it("is a birth and commands that the machine accepts, in the order of time", () => {
    assert.isTrue(eachMachine((machine, subject) => legal(machine, subject)).every(({ size }) => size > 0))
  })

  it("takes every row, the late and the rare ones, too", () => {
    const taken = legal(Donation.machine, donations, 600)
    assert.sameMembers([...taken], Object.keys(Donation.machine.table))
  })

  it("meets deadlines and amounts at their edge: the very moment, and all that is left", () => {
    const wait = DateTime.toEpochMillis(DateTime.makeUnsafe("1970-01-15T00:00:00Z"))
    let [moments, rests] = [0, 0]
    forEveryWith({ numRuns: 400 * rounds, seed: 3 }, Histories.of(Donation.machine, donations), ({ born, steps }) => {
      for (const { command } of steps) {
        if (command._tag === "RefundRest" || command._tag === "LoseChargeback") rests++
        if (command._tag !== "Lapse") continue
        const waited = DateTime.toEpochMillis(command.at) - DateTime.toEpochMillis(born.created_at)
        if (waited - wait <= 1) moments++
      }
    })
    assert.isAbove(moments, 2)
    assert.isAbove(rests, 2)
  })

  it("begins with the births that are given, and is no longer than asked", () => {
    const histories = Histories.of(Delivery.machine, deliveries, { births: freshDeliveries, maxLength: 3 })
    let longest = 0
    forEvery(histories, ({ born, steps }) => {
      assert.strictEqual(born.attempt_count, 0)
      longest = Math.max(longest, steps.length)
    })
    assert.strictEqual(longest, 3)
  })

  it("shrinks to the commands that matter, and is told line by line", () => {
    const histories = Histories.of(Donation.machine, donations)
    const refundedTwice = fc.property(
      histories,
      ({ events }) => events.filter((event) => event === "donation.refunded").length < 2
    )
    const { counterexample, failed } = fc.check(refundedTwice, { seed: 11, numRuns: 2_000 })
    assert.isTrue(failed)
    const [history] = counterexample ?? assert.fail()
    assert.isAtMost(history.steps.length, 3)
    const [birth, ...steps] = history.toString().split("\n")
    assert.include(birth, `→ ${history.birth.to} [${history.birth.emits.join(", ")}]`)
    for (const [index, line] of steps.entries()) {
      assert.include(line, `${index + 1}. `)
      assert.include(line, `"_tag":"${history.steps[index]?.command._tag}"`)
    }
    assert.include(fc.stringify(history), history.toString())
  })
})
