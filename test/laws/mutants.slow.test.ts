import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as Idempotency from "../../src/domain/access/Idempotency.ts"
import { take } from "../../src/domain/access/RateLimit.ts"
import * as Donation from "../../src/domain/giving/Donation.ts"
import { type Machine as AnyMachine, decide, InvalidCommand } from "../../src/domain/kernel/Machine.ts"
import * as Delivery from "../../src/domain/outbox/Delivery.ts"
import { firstOfEach } from "../../src/domain/outbox/EventRepeats.ts"
import { balancesOf } from "../../src/domain/payments/Ledger.ts"
import * as Introduction from "../../src/domain/sharing/Introduction.ts"
import { distributionOf } from "../../src/domain/sharing/Transfer.ts"
import * as Interleavings from "../../src/testing/Interleavings.ts"
import * as Laws from "../../src/testing/Laws.ts"
import { donations } from "../../src/testing/subjects/Donations.ts"
import { introductions } from "../../src/testing/subjects/Introductions.ts"
import { type KeyedParts, keyedModel } from "./KeyedModel.ts"
import { bucketLaw, conservationLaw, distributionLaw, expiryLaw, outboxLaw, scheduleLaw, suites } from "./Suites.ts"

// That a law reports is the question here, not the smallest case.
fc.configureGlobal({ endOnFailure: true })

type Machine = AnyMachine<Donation.Donation, Donation.Status, Donation.Command, Donation.DonationEvent>

const machine: Machine = Donation.machine
const { table } = machine

const withRow = (rows: Partial<Machine["table"]>): Machine => ({ ...machine, table: { ...table, ...rows } })

type Deciding = NonNullable<Laws.Subject<Donation.Donation, Donation.Command>["decide"]>

/** The library's decision function with changed results. */
const altered =
  (change: (decision: ReturnType<Deciding>, state: Donation.Donation) => ReturnType<Deciding>): Deciding =>
  (state, command) =>
    change(
      Result.map(decide(machine, state, command), ({ events, state: after }) => ({ state: after, events })),
      state
    )

interface Mutant {
  readonly what: string
  /** What is known without the table; nothing when absent, so that the table's own laws speak. */
  readonly known?: Laws.Oracle<Donation.Donation, Donation.Command>
  readonly machine?: Machine
  readonly decide?: Deciding
}

/** At least one mutant for each law: a law without one does not compile. */
const mutants: { readonly [Law in keyof typeof Laws.laws]: readonly [Mutant, ...ReadonlyArray<Mutant>] } = {
  declared: [
    { what: "a status is forgotten", machine: { ...machine, statuses: ["PENDING", "CONFIRMED", "REFUNDED"] } }
  ],
  reachable: [
    {
      what: "nothing leads to FAILED",
      machine: withRow({ Fail: { ...table.Fail, to: "CONFIRMED" }, Lapse: { ...table.Lapse, to: "CONFIRMED" } })
    },
    { what: "no birth", machine: { ...machine, births: [] } }
  ],
  refusal: [
    {
      what: "a guard is not asked",
      decide: (state, command) => {
        const { guard: _, ...row } = table.Lapse
        return decide(withRow({ Lapse: row }), state, command)
      }
    },
    {
      what: "a guard is negated where it is decided",
      decide: (state, command) =>
        decide(
          withRow({
            Settle: {
              ...table.Settle,
              guard: (self, command) => table.Settle.guard?.(self, command) !== true
            }
          }),
          state,
          command
        )
    },
    {
      what: "a status is left out of from",
      decide: (state, command) =>
        decide(withRow({ ReverseRefund: { ...table.ReverseRefund, from: ["CONFIRMED"] } }), state, command)
    }
  ],
  terminal: [
    {
      what: "a failed gift settles late",
      decide: (state, command) =>
        decide(withRow({ Settle: { ...table.Settle, from: ["PENDING", "FAILED"] } }), state, command)
    }
  ],
  landing: [
    { what: "the status is not written", machine: { ...machine, enter: () => ({}) } },
    {
      what: "a settled gift is written FAILED",
      decide: (state, command) => decide(withRow({ Settle: { ...table.Settle, to: "FAILED" } }), state, command)
    }
  ],
  hostile: [
    {
      what: "no command is looked at",
      machine: { ...machine, check: () => null }
    },
    {
      what: "the field is not named",
      machine: {
        ...machine,
        check: (command) => {
          const refused = machine.check(command)
          return refused === null ? null : new InvalidCommand({ ...refused, message: refused.message, param: "" })
        }
      }
    }
  ],
  evolution: [
    {
      what: "what changed is not said",
      decide: (state, command) =>
        Result.map(decide(machine, state, command), (decision) => ({
          ...decision,
          transition: { ...decision.transition, changed: {} }
        }))
    },
    {
      what: "another row is said",
      decide: (state, command) =>
        Result.map(decide(machine, state, command), (decision) => ({
          ...decision,
          transition: { ...decision.transition, row: "Settled" }
        }))
    }
  ],
  events: [
    {
      what: "an event tells what its schema refuses",
      machine: {
        ...machine,
        events: { ...machine.events, "donation.failed": { ...machine.events["donation.failed"], of: () => ({}) } }
      }
    },
    { what: "nothing is emitted", decide: altered(Result.map(({ state }) => ({ state, events: [] }))) },
    {
      what: "each event is emitted twice",
      decide: altered(Result.map(({ events, state }) => ({ state, events: [...events, ...events] })))
    }
  ],
  pure: [
    {
      what: "a patch writes to its input",
      machine: withRow({ Fail: { ...table.Fail, patch: (self, { at }) => Object.assign(self, { updated_at: at }) } })
    },
    {
      what: "a patch throws",
      machine: withRow({
        LoseChargeback: {
          ...table.LoseChargeback,
          patch: () => {
            throw new Error("lost")
          }
        }
      })
    }
  ],
  milestones: [
    { what: "a date is never written", machine: { ...machine, milestones: { deleted_at: ["REFUNDED"] } } },
    {
      what: "a date is written by what does not pass the status",
      machine: { ...machine, milestones: { updated_at: ["FAILED"] } }
    }
  ],
  schema: [
    {
      what: "a refund goes below zero",
      machine: withRow({
        ReverseRefund: { ...table.ReverseRefund, guard: () => true, from: ["CONFIRMED", "REFUNDED"] }
      })
    }
  ],
  expected: [
    {
      what: "a guard is dropped",
      machine: withRow({ Settle: { ...table.Settle, guard: () => true } }),
      known: { expect: donations.expect ?? {} }
    },
    {
      what: "a row leads elsewhere",
      machine: withRow({ LoseChargeback: { ...table.LoseChargeback, to: "CONFIRMED" } }),
      known: { expect: donations.expect ?? {} }
    },
    {
      what: "a field is not written",
      machine: withRow({ Fail: { ...table.Fail, patch: (_, { at }) => ({ updated_at: at }) } }),
      known: { expect: donations.expect ?? {} }
    },
    {
      what: "a change is not dated",
      machine: withRow({ Fail: { ...table.Fail, patch: (_, { failure_code }) => ({ failure_code }) } }),
      known: { expect: donations.expect ?? {} }
    },
    {
      what: "a field is changed that is not named",
      machine: withRow({
        Fail: {
          ...table.Fail,
          patch: (_, { at, failure_code }) => ({ updated_at: at, failure_code, external_id: "x" })
        }
      }),
      known: { expect: donations.expect ?? {} }
    },
    {
      what: "a birth tells of nothing",
      machine: { ...machine, births: machine.births.map((birth) => ({ ...birth, emits: [] })) },
      known: { births: donations.births ?? [] }
    }
  ],
  invariant: [
    {
      what: "all is given back, and nothing is noted",
      machine: withRow({ RefundRest: { ...table.RefundRest, patch: (_, { at }) => ({ updated_at: at }) } }),
      known: { invariants: donations.invariants ?? {} }
    }
  ],
  step: [
    {
      what: "a gift becomes larger",
      machine: withRow({
        Fail: { ...table.Fail, patch: (self, { at }) => ({ updated_at: at, amount_cents: self.amount_cents + 1 }) }
      }),
      known: { steps: donations.steps ?? {} }
    }
  ],
  coverage: [
    {
      what: "a guard never permits",
      machine: withRow({ EnterNetwork: { ...table.EnterNetwork, guard: () => false } })
    },
    { what: "a guard never refuses", machine: withRow({ Settle: { ...table.Settle, guard: () => true } }) }
  ]
}

const { births: _____, expect: _, invariants: __, steps: ___, ...alone } = donations

const brokenLaw = (mutant: Mutant): string => {
  const subject = {
    ...alone,
    ...mutant.known,
    seed: 3,
    ...(mutant.decide === undefined ? {} : { decide: mutant.decide })
  }
  try {
    Laws.check(mutant.machine ?? machine, subject)
  } catch (cause) {
    if (cause instanceof Laws.LawBroken) return cause.law
    throw cause
  }
  return assert.fail(`${mutant.what}: every law passed`)
}

describe("a mutant of a machine is caught by the law it breaks", () => {
  for (const [law, each] of Object.entries(mutants)) {
    for (const mutant of each) it(`${law}: ${mutant.what}`, () => assert.strictEqual(brokenLaw(mutant), law))
  }
})

const { table: tries } = Delivery.machine
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
