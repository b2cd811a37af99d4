import { Introduction, Machine } from "almoner/domain"
import { Laws, Subjects } from "almoner/testing"
import { Result } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"

const { machine } = Introduction
const { commands, states } = Subjects.introductions

// Hundreds of histories: more than the runner's five seconds on a machine that has other things to do.
test("the introduction machine obeys the laws of every machine", { timeout: 60_000 }, () => {
  Laws.check(machine, Subjects.introductions)
})

test("an introduction that was revoked stays revoked, whatever comes", () => {
  fc.assert(
    fc.property(states, fc.array(commands), (introduction, script) => {
      const revoked: Introduction.Introduction = { ...introduction, status: "REVOKED" }
      for (const command of script) expect(Result.isFailure(Machine.decide(machine, revoked, command))).toBe(true)
    })
  )
})

test("a row that is broken is caught, and the report names the law", () => {
  const Revoke = { ...machine.table.Revoke, patch: () => ({}) }
  const broken = { ...machine, table: { ...machine.table, Revoke } }
  expect(() => Laws.check(broken, Subjects.introductions)).toThrow(Laws.laws.milestones)
})
