import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as ApiKey from "../../../src/domain/access/ApiKey.ts"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as ConsumedEvent from "../../../src/domain/outbox/ConsumedEvent.ts"
import * as Delivery from "../../../src/domain/outbox/Delivery.ts"
import * as WebhookEndpoint from "../../../src/domain/outbox/WebhookEndpoint.ts"
import * as Laws from "../../../src/testing/Laws.ts"
import * as Subjects from "../../../src/testing/Subjects.ts"
import { dayMillis } from "../../../src/testing/subjects/Month.ts"
import { forEvery } from "../../support/Property.ts"

describe("the machines obey the laws", () => {
  it("Donation", () => {
    Laws.check(Donation.machine, Subjects.donations)
  })

  it("Webhook delivery", () => {
    Laws.check(Delivery.machine, Subjects.deliveries)
  })

  it("Consumed event", () => {
    Laws.check(ConsumedEvent.machine, Subjects.consumedEvents)
  })

  it("Webhook endpoint", () => {
    Laws.check(WebhookEndpoint.machine, Subjects.webhookEndpoints)
  })

  it("API key", () => {
    Laws.check(ApiKey.machine, Subjects.apiKeys)
  })
})

describe("a donation's machine", () => {
  it("a donation never gives back more than it received", () =>
    forEvery(Subjects.donations.states, fc.array(Subjects.donations.commands), (start, commands) => {
      const end = commands.reduce(
        (state, command) =>
          Result.match(decide(Donation.machine, state, command), {
            onFailure: () => state,
            onSuccess: (decision) => decision.state
          }),
        start
      )
      assert.isAtLeast(Donation.refundableCents(end), 0)
      if (end.status === "REFUNDED") assert.strictEqual(Donation.refundableCents(end), 0)
    }))

  it("a bank transfer lapses after 14 days, and not a millisecond earlier", () => {
    const fortnight = 14 * dayMillis
    forEvery(Subjects.donations.states, fc.integer({ min: -5, max: 5 }), (any, offset) => {
      const waiting: Donation.Donation = { ...any, status: "PENDING", payment_method: "bank_transfer" }
      const at = DateTime.addDuration(waiting.created_at, fortnight + offset)
      assert.strictEqual(Result.isSuccess(decide(Donation.machine, waiting, { _tag: "Lapse", at })), offset >= 0)
    })
  })
})

const { machine } = Delivery
const { table } = machine

const withRow = (rows: Partial<typeof table>): typeof machine => ({ ...machine, table: { ...table, ...rows } })

/** Without what is known beside the table: here it is the table's own laws that have to speak. */
const { births: ____, expect: _, invariants: __, steps: ___, ...alone } = Subjects.deliveries

const failureOf = (broken: typeof machine, seed = 1): Laws.LawBroken => {
  try {
    Laws.check(broken, { ...alone, seed })
  } catch (cause) {
    if (cause instanceof Laws.LawBroken) return cause
    throw cause
  }
  return assert.fail("the broken table passed every law")
}

const withoutGuard = { from: table.Retry.from, to: table.Retry.to, emits: table.Retry.emits, rule: table.Retry.rule }
let asked = 0

const mutants: ReadonlyArray<readonly [what: string, law: keyof typeof Laws.laws, broken: typeof machine]> = [
  ["a status is not declared", "declared", { ...machine, statuses: ["PENDING", "DELIVERED"] }],
  ["nothing is born", "reachable", { ...machine, births: [] }],
  ["no row leads to a status", "reachable", withRow({ Deliver: { ...table.Deliver, to: "FAILED" } })],
  ["the status is not written", "landing", { ...machine, enter: () => ({}) }],
  ["a row's status is overwritten", "landing", { ...machine, enter: () => ({ status: "FAILED" }) }],
  [
    "a patch writes to its input",
    "pure",
    withRow({ Abandon: { ...table.Abandon, patch: (self, { at }) => Object.assign(self, { updated_at: at }) } })
  ],
  [
    "a guard writes to its command",
    "pure",
    withRow({
      Exhaust: { ...table.Exhaust, guard: (_, command) => Object.assign(command, { seen: true }).seen }
    })
  ],
  ["a guard changes its mind", "refusal", withRow({ Exhaust: { ...table.Exhaust, guard: () => asked++ % 2 === 0 } })],
  [
    "a milestone is forgotten",
    "milestones",
    withRow({ Abandon: { ...table.Abandon, patch: (_, { at }) => ({ next_attempt_at: null, updated_at: at }) } })
  ],
  [
    "a milestone is dated too early",
    "milestones",
    withRow({
      Interrupt: {
        ...table.Interrupt,
        patch: (self, { at }) => ({ attempt_count: self.attempt_count + 1, completed_at: at })
      }
    })
  ],
  [
    "a milestone is dated by another clock",
    "milestones",
    withRow({
      Abandon: { ...table.Abandon, patch: (_, { at }) => ({ completed_at: DateTime.add(at, { seconds: 1 }) }) }
    })
  ],
  [
    "a count goes beyond the schema",
    "schema",
    withRow({ Deliver: { ...table.Deliver, patch: (_, { at }) => ({ attempt_count: 7, completed_at: at }) } })
  ],
  ["a guard never permits", "coverage", withRow({ Exhaust: { ...table.Exhaust, guard: () => false } })],
  [
    "a guard never refuses",
    "coverage",
    withRow({ Interrupt: { ...table.Interrupt, guard: () => true, patch: () => ({}) } })
  ]
]

describe("a broken table is caught", () => {
  it.each(mutants)("%s", (_, law, broken) => {
    assert.strictEqual(failureOf(broken).law, law)
  })

  it("by a script, where no single command shows it", () => {
    const { message } = failureOf(
      withRow({
        Retry: { ...withoutGuard, patch: (self) => ({ attempt_count: self.attempt_count + 1 }) },
        Interrupt: { ...table.Interrupt, patch: () => ({}) }
      })
    )
    assert.include(message, Laws.laws.schema)
    assert.match(message, /\n {2}[2-7]\. .*the schema refuses/)
    assert.notMatch(message, /refused by/, "every command of a shrunk script is needed")
  })

  it("with the same report for the same seed", () => {
    const [, , broken] = mutants[8] ?? assert.fail()
    assert.strictEqual(failureOf(broken, 7).message, failureOf(broken, 7).message)
  })

  it("where the arbitraries leave a status or a command out", () => {
    const pending = Subjects.deliveries.states.filter(({ status }) => status === "PENDING")
    const delivers = Subjects.deliveries.commands.filter(({ _tag }) => _tag === "Deliver")
    assert.throws(
      () => Laws.check(machine, { ...Subjects.deliveries, states: pending }),
      /never makes a state that is DELIVERED/
    )
    assert.throws(
      () => Laws.check(machine, { ...Subjects.deliveries, commands: delivers }),
      /never makes a command Retry/
    )
  })
})
