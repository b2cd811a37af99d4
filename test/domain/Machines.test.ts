import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as ApiKey from "../../src/domain/ApiKey.ts"
import { CalendarDate } from "../../src/domain/CalendarDate.ts"
import * as Delivery from "../../src/domain/Delivery.ts"
import * as Donation from "../../src/domain/Donation.ts"
import { decide } from "../../src/domain/Machine.ts"
import * as WebhookEndpoint from "../../src/domain/WebhookEndpoint.ts"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"
import * as Laws from "../../src/testing/Laws.ts"

const dayMillis = 86_400_000

/** Instants of one month: close enough that every span of days that a guard knows is met from both sides. */
const instant = fc
  .integer({ min: 0, max: 30 * dayMillis })
  .map((millis) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1) + millis))

const at = <A extends { readonly at: DateTime.Utc }>(commands: fc.Arbitrary<A>): fc.Arbitrary<A> =>
  fc.tuple(commands, instant).map(([command, at]) => ({ ...command, at }))

const donations = {
  schema: Donation.Donation,
  states: fc
    .record({
      donation: arbitraryOf(Donation.Donation),
      payment_method: fc.constantFrom("card", "bank_transfer", "payto"),
      amount_cents: fc.integer({ min: 1, max: 4 }),
      refunded: fc.integer({ min: 0, max: 3 }),
      created_at: instant
    })
    .map(({ amount_cents, created_at, donation, payment_method, refunded }): Donation.Donation => {
      const part = donation.status === "CONFIRMED" ? refunded % amount_cents : 0
      const refunded_amount_cents = donation.status === "REFUNDED" ? amount_cents : part
      return { ...donation, payment_method, amount_cents, refunded_amount_cents, created_at }
    }),
  commands: fc
    .tuple(at(arbitraryOf(Donation.Command)), fc.integer({ min: 1, max: 4 }))
    .map(([command, amount_cents]) => ("amount_cents" in command ? { ...command, amount_cents } : command))
}

const deliveries = {
  schema: Delivery.Delivery,
  states: arbitraryOf(Delivery.Delivery)
    .filter(({ attempt_count, status }) => status !== "PENDING" || attempt_count < 6)
    .map((delivery) =>
      delivery.status === "PENDING" ? { ...delivery, completed_at: null } : { ...delivery, next_attempt_at: null }
    ),
  commands: at(arbitraryOf(Delivery.Command))
}

const endpoints = {
  schema: WebhookEndpoint.WebhookEndpoint,
  states: fc
    .tuple(arbitraryOf(WebhookEndpoint.WebhookEndpoint), fc.option(instant), fc.option(instant))
    .map(([endpoint, failing_since, exhausted_at]) => ({ ...endpoint, failing_since, exhausted_at })),
  commands: at(arbitraryOf(WebhookEndpoint.Command))
}

const apiKeys = { schema: ApiKey.ApiKey, states: arbitraryOf(ApiKey.ApiKey), commands: at(arbitraryOf(ApiKey.Command)) }

describe("the machines obey the laws", () => {
  it("Donation", () => {
    Laws.check(Donation.machine, donations)
  })

  it("Webhook delivery", () => {
    Laws.check(Delivery.machine, deliveries)
  })

  it("Webhook endpoint", () => {
    Laws.check(WebhookEndpoint.machine, endpoints)
  })

  it("API key", () => {
    Laws.check(ApiKey.machine, apiKeys)
  })

  it("a donation never gives back more than it received", () => {
    fc.assert(
      fc.property(donations.states, fc.array(donations.commands), (start, commands) => {
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
      })
    )
  })

  it("a bank transfer is dated by its arrival, and nothing else is ever dated anew", () => {
    fc.assert(
      fc.property(donations.states, donations.commands, (before, command) => {
        const after = Result.getOrElse(decide(Donation.machine, before, command), () => ({ state: before })).state
        if (command._tag === "SettleTransfer" && after !== before) {
          assert.deepStrictEqual([after.donation_date, after.donation_day], [command.arrived_at, command.arrived_on])
        } else {
          assert.deepStrictEqual([after.donation_date, after.donation_day], [before.donation_date, before.donation_day])
        }
      }),
      { numRuns: 300 }
    )
    fc.assert(
      fc.property(donations.states, instant, instant, (any, at, arrived_at) => {
        const arrived_on = CalendarDate.make("2026-01-31")
        const waiting: Donation.Donation = { ...any, status: "PENDING", payment_method: "bank_transfer" }
        const decision = decide(Donation.machine, waiting, { _tag: "SettleTransfer", at, arrived_at, arrived_on })
        assert.deepInclude(Result.getOrThrow(decision).state, {
          donation_date: arrived_at,
          donation_day: arrived_on,
          received_date: arrived_at
        })
      })
    )
  })

  it("a bank transfer lapses after 14 days, and not a millisecond earlier", () => {
    const fortnight = 14 * dayMillis
    fc.assert(
      fc.property(donations.states, fc.integer({ min: -5, max: 5 }), (any, offset) => {
        const waiting: Donation.Donation = { ...any, status: "PENDING", payment_method: "bank_transfer" }
        const at = DateTime.addDuration(waiting.created_at, fortnight + offset)
        assert.strictEqual(Result.isSuccess(decide(Donation.machine, waiting, { _tag: "Lapse", at })), offset >= 0)
      })
    )
  })
})

const { machine } = Delivery
const { table } = machine

const withRow = (rows: Partial<typeof table>): typeof machine => ({ ...machine, table: { ...table, ...rows } })

const failureOf = (broken: typeof machine, seed = 1): Laws.LawBroken => {
  try {
    Laws.check(broken, { ...deliveries, seed })
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
    const pending = deliveries.states.filter(({ status }) => status === "PENDING")
    const delivers = deliveries.commands.filter(({ _tag }) => _tag === "Deliver")
    assert.throws(
      () => Laws.check(machine, { ...deliveries, states: pending }),
      /never makes a state that is DELIVERED/
    )
    assert.throws(() => Laws.check(machine, { ...deliveries, commands: delivers }), /never makes a command Retry/)
  })
})
