import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Struct } from "effect"
import fc from "fast-check"
import * as Idempotency from "../../src/domain/access/Idempotency.ts"
import { take } from "../../src/domain/access/RateLimit.ts"
import * as Donation from "../../src/domain/giving/Donation.ts"
import { type Machine as AnyMachine, decide, InvalidCommand, requires } from "../../src/domain/kernel/Machine.ts"
import * as Delivery from "../../src/domain/outbox/Delivery.ts"
import { firstOfEach } from "../../src/domain/outbox/EventRepeats.ts"
import { balancesOf } from "../../src/domain/payments/Ledger.ts"
import * as Introduction from "../../src/domain/sharing/Introduction.ts"
import { distributionOf } from "../../src/domain/sharing/Transfer.ts"
import * as Interleavings from "../../src/testing/Interleavings.ts"
import * as Laws from "../../src/testing/Laws.ts"
import * as Subjects from "../../src/testing/Subjects.ts"
import { donations } from "../../src/testing/subjects/Donations.ts"
import { introductions } from "../../src/testing/subjects/Introductions.ts"
import { type KeyedParts, keyedModel } from "./KeyedModel.ts"
import { bucketLaw, conservationLaw, distributionLaw, expiryLaw, outboxLaw, scheduleLaw, suites } from "./Suites.ts"

// That a law reports is the question here, not the smallest case.
fc.configureGlobal({ endOnFailure: true })

type Machine = AnyMachine<Donation.Donation, Donation.Status, Donation.Command, Donation.DonationEvent>
type Table = Machine["table"]
type Change<Tag extends keyof Table = keyof Table> = readonly [tag: Tag, row: Partial<Table[Tag]>]

const machine: Machine = Donation.machine
const { table } = machine

const withRow = <Tag extends keyof Table>(...[tag, row]: Change<Tag>): Machine => ({
  ...machine,
  table: { ...table, [tag]: { ...table[tag], ...row } }
})

const { births = [], expect = {}, invariants = {}, steps = {}, ...alone } = donations

type Deciding = NonNullable<typeof donations.decide>

interface Mutation {
  /** What is known without the table; nothing when absent, so that the table's own laws speak. */
  readonly known?: Laws.Oracle<Donation.Donation, Donation.Command>
  readonly machine?: Machine
  readonly decide?: Deciding
}

type Mutant = readonly [what: string, mutation: Mutation]

/** A row that is changed in the table, beside what is known. */
const inTable = <Tag extends keyof Table>(
  tag: Tag,
  row: Partial<Table[Tag]>,
  known: NonNullable<Mutation["known"]> = {}
): Mutation => ({ machine: withRow(tag, row), known })

/** A row that is changed where it is decided. */
const inDecision = <Tag extends keyof Table>(...change: Change<Tag>): Mutation => ({
  decide: (state, command) => decide(withRow(...change), state, command)
})

/** The library's decision function with changed results. */
const altered = (change: (decision: AcceptedDecision) => Partial<AcceptedDecision>): Mutation => ({
  decide: (state, command) =>
    Result.map(decide(machine, state, command), (decision) => ({ ...decision, ...change(decision) }))
})
type AcceptedDecision = Result.Result.Success<ReturnType<Deciding>>

/** A transition that says something else. */
const saying = (change: object): Mutation =>
  altered(({ transition }) => (transition === undefined ? {} : { transition: { ...transition, ...change } }))

/** The condition of a lapse in two parts. */
const inParts = requires<Donation.Donation, Extract<Donation.Command, { readonly _tag: "Lapse" }>>(
  ["by transfer", ({ payment_method }) => payment_method === "bank_transfer"],
  ["after 14 days", (gift, command) => table.Lapse.guard?.(gift, command) === true]
)

const { guard: _, ...unguarded } = table.Lapse
let asked = 0

/** A mutant or some for each law, which names it: a law without one does not compile. Many more are in independentMutants. */
const mutants: { readonly [Law in keyof typeof Laws.laws]: readonly [Mutant, ...ReadonlyArray<Mutant>] } = {
  declared: [["a status is forgotten", { machine: { ...machine, statuses: ["PENDING", "CONFIRMED", "REFUNDED"] } }]],
  reachable: [
    [
      "nothing leads to FAILED",
      {
        machine: {
          ...machine,
          table: { ...table, Fail: { ...table.Fail, to: "CONFIRMED" }, Lapse: { ...table.Lapse, to: "CONFIRMED" } }
        }
      }
    ],
    ["no birth", { machine: { ...machine, births: [] } }]
  ],
  refusal: [
    [
      "a guard is not asked",
      { decide: (state, command) => decide({ ...machine, table: { ...table, Lapse: unguarded } }, state, command) }
    ],
    [
      "a guard is negated where it is decided",
      inDecision("Settle", { guard: (self, command) => table.Settle.guard?.(self, command) !== true })
    ],
    ["a guard changes its mind", inTable("Settle", { guard: () => asked++ % 2 === 0 })],
    ["a status is left out of from", inDecision("ReverseRefund", { from: ["CONFIRMED"] })],
    ["a reason is given that holds", inTable("Lapse", { ...inParts, refusal: () => "by transfer" })]
  ],
  terminal: [["a failed gift settles late", inDecision("Settle", { from: ["PENDING", "FAILED"] })]],
  landing: [
    ["the status is not written", { machine: { ...machine, enter: () => ({}) } }],
    ["a row's status is overwritten", { machine: { ...machine, enter: () => ({ status: "FAILED" }) } }],
    ["a settled gift is written FAILED", inDecision("Settle", { to: "FAILED" })]
  ],
  hostile: [
    [
      "the field is not named",
      {
        machine: {
          ...machine,
          check: (command) => {
            const refused = machine.check(command)
            return refused === null ? null : new InvalidCommand({ ...refused, message: refused.message, param: "" })
          }
        }
      }
    ]
  ],
  evolution: [["what changed is not said", saying({ changed: {} })]],
  events: [
    [
      "an event tells what its schema refuses",
      {
        machine: {
          ...machine,
          events: { ...machine.events, "donation.failed": { ...machine.events["donation.failed"], of: () => ({}) } }
        }
      }
    ],
    ["nothing is emitted", altered(() => ({ events: [] }))]
  ],
  pure: [
    [
      "a patch writes to its input",
      inTable("Fail", { patch: (self, { at }) => Object.assign(self, { updated_at: at }) })
    ],
    [
      "a guard writes to its command",
      inTable("Settle", { guard: (_, command) => Object.assign(command, { seen: true }).seen })
    ],
    ["a patch throws", inTable("LoseChargeback", { patch: () => assert.fail("lost") })]
  ],
  milestones: [
    ["a date is never written", { machine: { ...machine, milestones: { deleted_at: ["REFUNDED"] } } }],
    [
      "a date is written by what does not pass the status",
      { machine: { ...machine, milestones: { updated_at: ["FAILED"] } } }
    ],
    [
      "a date is that of another clock",
      {
        machine: {
          ...withRow("Fail", { patch: (_, { at }) => ({ deleted_at: DateTime.add(at, { seconds: 1 }) }) }),
          milestones: { deleted_at: ["FAILED"] }
        }
      }
    ]
  ],
  schema: [
    ["a refund goes below zero", inTable("ReverseRefund", { guard: () => true, from: ["CONFIRMED", "REFUNDED"] })]
  ],
  expected: [
    ["a guard is dropped", inTable("Settle", { guard: () => true }, { expect })],
    [
      "a birth tells of nothing",
      { machine: { ...machine, births: machine.births.map((each) => ({ ...each, emits: [] })) }, known: { births } }
    ]
  ],
  invariant: [
    [
      "all is given back, and nothing is noted",
      inTable("RefundRest", { patch: (_, { at }) => ({ updated_at: at }) }, { invariants })
    ]
  ],
  step: [
    [
      "a gift becomes larger",
      inTable("Fail", { patch: (self, { at }) => ({ updated_at: at, amount_cents: self.amount_cents + 1 }) }, { steps })
    ]
  ],
  coverage: [
    ["a guard never permits", inTable("EnterNetwork", { guard: () => false })],
    ["a guard never refuses", inTable("Settle", { guard: () => true })]
  ]
}

const brokenBy = (broken: () => unknown): Laws.LawBroken => {
  try {
    broken()
  } catch (cause) {
    if (cause instanceof Laws.LawBroken) return cause
    throw cause
  }
  return assert.fail("every law passed")
}

describe("a mutant of a machine is caught by the law it breaks", () => {
  for (const [law, each] of Object.entries(mutants)) {
    for (const [what, { known, machine: changed = machine, ...decided }] of each) {
      it(`${law}: ${what}`, () => {
        const broken = brokenBy(() => Laws.check(changed, { ...alone, ...known, ...decided, seed: 3 }))
        assert.strictEqual(broken.law, law)
      })
    }
  }
})

const { table: tries } = Delivery.machine
describe("a broken table is caught", () => {
  const { births: _, data: _____, expect: __, invariants: ___, steps: ____, ...deliveries } = Subjects.deliveries
  const checking = (broken: Partial<typeof tries>, given: Partial<typeof deliveries> = {}) =>
    brokenBy(() => Laws.check({ ...Delivery.machine, table: { ...tries, ...broken } }, { ...deliveries, ...given }))

  it("by a script, where no single command shows it", () => {
    const { message } = checking(
      {
        Retry: { ...Struct.omit(tries.Retry, ["guard"]), patch: (self) => ({ attempt_count: self.attempt_count + 1 }) },
        Interrupt: { ...tries.Interrupt, patch: () => ({}) }
      },
      { seed: 2 }
    )
    assert.include(message, Laws.laws.schema)
    assert.match(message, /\n {2}[2-7]\. .*the schema refuses/)
    assert.notMatch(message, /refused by/, "every command of a shrunk script is needed")
  })

  it("with the same report for the same seed", () => {
    const forgotten = { Abandon: { ...tries.Abandon, patch: () => ({ next_attempt_at: null }) } }
    assert.strictEqual(checking(forgotten, { seed: 7 }).message, checking(forgotten, { seed: 7 }).message)
    assert.strictEqual(checking(forgotten).law, "milestones")
  })

  it("where the arbitraries leave a status or a command out", () => {
    const states = deliveries.states.filter(({ status }) => status === "PENDING")
    assert.match(checking({}, { states }).message, /never makes a state that is DELIVERED/)
    const commands = deliveries.commands.filter(({ _tag }) => _tag === "Deliver")
    assert.match(checking({}, { commands }).message, /never makes a command Retry/)
  })
})

const { table: invited } = Introduction.machine

const expiryOf = (
  machine: typeof Introduction.machine,
  statusAt: typeof Introduction.statusAt = Introduction.statusAt
) => expiryLaw(machine, introductions, statusAt, (_, at): Introduction.Command => ({ _tag: "Expire", at }))

const hour = { hours: 1 }

/** Balances of the movements from some accounts alone. */
const outside =
  (counts: (account: string) => boolean): typeof balancesOf =>
  (postings) =>
    balancesOf(Array.from(postings).filter(({ from_account }) => counts(from_account)))

type Suspect = readonly [what: string, run: () => void]

/** At least one mutant for each suite. */
const suiteMutants: {
  readonly [Suite in keyof typeof suites]: readonly [Suspect, ...ReadonlyArray<Suspect>]
} = {
  bucket: [
    [
      "the bucket refills too fast",
      () => bucketLaw((size, bucket, now) => take({ ...size, perSecond: size.perSecond * 1.1 }, bucket, now))
    ],
    [
      "it holds one more",
      () => bucketLaw((size, bucket, now) => take({ ...size, burst: size.burst + 1 }, bucket, now))
    ],
    [
      "it waits for a clock that went back",
      () =>
        bucketLaw((size, bucket, now) => {
          const taken = take(size, bucket, Math.max(now, bucket.at))
          return { ...taken, bucket: { ...taken.bucket, at: Math.max(now, bucket.at) } }
        })
    ],
    [
      "it takes nothing",
      () => bucketLaw((size, bucket, now) => ({ ...take(size, bucket, now), bucket: { ...bucket, at: now } }))
    ]
  ],
  schedule: [
    [
      "a wait is one step behind",
      () =>
        scheduleLaw({
          ...Delivery.machine,
          table: {
            ...tries,
            Retry: {
              ...tries.Retry,
              patch: (self, command) => ({
                ...tries.Retry.patch?.(self, command),
                next_attempt_at: Delivery.dueAfter(self.attempt_count, command.at)
              })
            }
          }
        })
    ],
    [
      "an attempt is not counted",
      () => scheduleLaw({ ...Delivery.machine, table: { ...tries, Exhaust: { ...tries.Exhaust, patch: () => ({}) } } })
    ]
  ],
  expiry: [
    [
      "the sweep is an hour late",
      () =>
        expiryOf({
          ...Introduction.machine,
          table: {
            ...invited,
            Expire: {
              ...invited.Expire,
              guard: (self, { at }) => Introduction.isExpired(self, DateTime.subtract(at, hour))
            }
          }
        })
    ],
    [
      "the sweep leaves out what was viewed",
      () =>
        expiryOf({
          ...Introduction.machine,
          table: { ...invited, Expire: { ...invited.Expire, from: ["PENDING", "ACCEPTED"] } }
        })
    ],
    ["a read shows what is stored", () => expiryOf(Introduction.machine, ({ status }) => status)],
    [
      "a read is a millisecond late",
      () =>
        expiryOf(Introduction.machine, (self, now) =>
          Introduction.statusAt(self, DateTime.subtract(now, { milliseconds: 1 }))
        )
    ]
  ],
  outbox: [
    ["it forgets", () => outboxLaw((events) => Array.from(events))],
    [
      "it remembers the type alone",
      () =>
        outboxLaw((events) => {
          const all = Array.from(events)
          return all.filter(({ type }, index) => all.findIndex((each) => each.type === type) === index)
        })
    ],
    ["it keeps the last", () => outboxLaw((events) => firstOfEach([...events].reverse()))]
  ],
  distribution: [
    [
      "two lines are swapped",
      () =>
        distributionLaw((statuses) =>
          !statuses.includes("succeeded") && statuses.includes("reversed") ? "REVERSED" : distributionOf(statuses)
        )
    ],
    [
      "nothing has succeeded",
      () => distributionLaw((statuses) => (statuses.length === 0 ? "SUCCEEDED" : distributionOf(statuses)))
    ]
  ],
  conservation: [
    [
      "sums are of doubles",
      () =>
        conservationLaw((postings) => {
          const { donor, ...rest } = balancesOf(postings)
          return { ...rest, donor: BigInt(Number(donor)) }
        })
    ],
    ["what comes from nowhere is left out", () => conservationLaw(outside((account) => account !== "donor"))],
    [
      "a refund is counted twice",
      () =>
        conservationLaw((postings) => {
          const all = Array.from(postings)
          return balancesOf([...all, ...all.filter(({ to_account }) => to_account === "donor")])
        })
    ]
  ]
}

describe("a mutant beyond single machines is caught by its suite", () => {
  const names = new Map<string, string>(Object.entries(suites))
  for (const [suite, each] of Object.entries(suiteMutants)) {
    for (const [what, run] of each) it(`${suite}: ${what}`, () => assert.throws(run, names.get(suite) ?? assert.fail()))
  }
})

type KeyMutant = readonly [what: string, changed: Partial<KeyedParts>]

const keyMutants: {
  readonly [Law in keyof typeof Interleavings.laws]: readonly [KeyMutant, ...ReadonlyArray<KeyMutant>]
} = {
  once: [
    ["a key that is held is not refused", { refusesHeld: false }],
    ["the effect is committed before the answer", { together: false }],
    ["the effect of a lost request stays", { undoes: false }],
    ["no record counts", { decide: (_, body_hash, now) => Idempotency.decide(undefined, body_hash, now) }]
  ],
  told: [["a run is told that had no effect", { effect: 0 }]],
  replay: [["a replay answers anew", { repeats: false }]],
  bodies: [
    [
      "another body gets the answer",
      { decide: (record, _, now) => Idempotency.decide(record, [record?.body_hash ?? ""], now) }
    ]
  ],
  free: [["a lost request keeps its key", { releases: false }]]
}

describe("a mutant of keyed requests is caught by the law it breaks", () => {
  for (const [law, each] of Object.entries(keyMutants)) {
    for (const [what, changed] of each) {
      it(`${law}: ${what}`, async () => {
        const broken = await Interleavings.oneEffect(() => keyedModel(changed), { seed: 5 }).then(
          () => assert.fail("every law passed"),
          (cause: unknown) => cause
        )
        assert.instanceOf(broken, Interleavings.InterleavingBroken)
        assert.strictEqual(broken.law, law)
      })
    }
  }
})
