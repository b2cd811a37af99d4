import { assert } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { type BucketSize, contractBucket, full, type take } from "../../src/domain/access/RateLimit.ts"
import * as Donation from "../../src/domain/giving/Donation.ts"
import { decide, type Machine, typesOf } from "../../src/domain/kernel/Machine.ts"
import * as Delivery from "../../src/domain/outbox/Delivery.ts"
import type { firstOfEach } from "../../src/domain/outbox/EventRepeats.ts"
import { BalancedAccount, type balancesOf, type Posting, SingleAccount } from "../../src/domain/payments/Ledger.ts"
import type { DistributionStatus, Status as TransferStatus } from "../../src/domain/sharing/Transfer.ts"
import type { Subject } from "../../src/testing/Laws.ts"
import { donations } from "../../src/testing/subjects/Donations.ts"
import { rounds } from "../support/Rounds.ts"
import { freshDeliveries } from "./Subjects.ts"

/** The laws beyond single machines, in the words that a report begins with. */
export const suites = {
  bucket: "a bucket passes at most burst + perSecond·T requests in any window of T seconds",
  schedule: "a failing delivery is tried six times, each on the schedule",
  expiry: "expiry seen on read is the expiry that the sweep writes",
  outbox: "each event type is delivered at most once per donation, and none is lost",
  distribution: "distribution is what the transfers say together",
  conservation: "money is conserved to the cent, and no account's pays for another's"
} as const

/** Holds a property of a suite; a failure begins with the suite's words. */
export const hold = <Values>(suite: keyof typeof suites, property: fc.IProperty<Values>, numRuns = 200): void => {
  const outcome = fc.check(property, { numRuns: numRuns * rounds })
  if (outcome.failed) throw new Error(`${suites[suite]}\n${fc.defaultReportMessage(outcome)}`)
}

const size: fc.Arbitrary<BucketSize> = fc.oneof(
  fc.constant(contractBucket),
  fc.record({
    perSecond: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(0.1, 0.3, 2.5)),
    burst: fc.integer({ min: 1, max: 200 })
  })
)

/** Times between requests, ms: bursts, trickles, pauses, and clocks that go back. */
const moves = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 30 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -5_000, max: -1 }) }
  ),
  { maxLength: 500, size: "max" }
)

/**
 * Holds a bucket's `take` against the rate that it promises, both ways: no more passes, and nobody waits for longer. Time is
 * what the clock counted forward; a clock that is set back takes nothing and is not waited for.
 */
export const bucketLaw = (taking: typeof take): void =>
  hold(
    "bucket",
    fc.property(size, moves, (bucketSize, gaps) => {
      const epoch = 1_700_000_000_000
      let [bucket, now, excess, due] = [full(bucketSize, epoch), epoch, 0, bucketSize.burst]
      for (const gap of gaps) {
        now += gap
        const seconds = Math.max(0, gap) / 1000
        due = Math.min(bucketSize.burst, due + seconds * bucketSize.perSecond)
        const taken = taking(bucketSize, bucket, now)
        bucket = taken.bucket
        // The most by which a window that ends here is ahead of the refill.
        excess = Math.max(0, excess - seconds * bucketSize.perSecond) + (taken.allowed ? 1 : 0)
        assert.isAtMost(excess, bucketSize.burst + 1e-6)
        if (due > 1 + 1e-6) assert.isTrue(taken.allowed, "a token is there")
        if (taken.allowed) due -= 1
      }
    })
  )

/** Minutes after the attempt before. service-spec, Delivery shape: Retries. */
const waits = [1, 5, 30, 3 * 60, 24 * 60].map((minutes) => minutes * 60_000)

/** Holds a delivery machine against the contract's schedule, however late each attempt is made. */
export const scheduleLaw = (machine: typeof Delivery.machine): void =>
  hold(
    "schedule",
    fc.property(
      freshDeliveries,
      fc.array(fc.nat({ max: 1e9 }), { minLength: 6, maxLength: 6 }),
      fc.nat({ max: 6 }),
      (born, lateness, failures) => {
        let delivery = born
        for (const [index, late] of lateness.entries()) {
          const due = delivery.next_attempt_at ?? assert.fail(`attempt ${index + 1} is never due`)
          const at = DateTime.addDuration(due, late)
          const received = { response_status: index < failures ? 503 : 204, error: null }
          delivery = Result.getOrThrow(decide(machine, delivery, Delivery.settlement(delivery, received, at))).state
          assert.strictEqual(delivery.attempt_count, index + 1)
          const wait = waits[index]
          if (index === failures) assert.strictEqual(delivery.status, "DELIVERED")
          else if (wait === undefined) assert.strictEqual(delivery.status, "FAILED")
          else assert.deepStrictEqual(delivery.next_attempt_at, DateTime.addDuration(at, wait))
          if (delivery.status !== "PENDING") {
            assert.isNull(delivery.next_attempt_at)
            break
          }
        }
        assert.notStrictEqual(delivery.status, "PENDING")
      }
    )
  )

interface Expiring {
  readonly expires_at: DateTime.Utc | null
}

/** A state, an instant at which its expiry is read, most often about when it expires, and a later one. */
const readings = <State extends Expiring, Command extends { readonly at: DateTime.Utc }>({
  commands,
  states
}: Subject<State, Command>) =>
  fc
    .tuple(states, commands, fc.option(fc.integer({ min: -2, max: 2 }), { freq: 4 }), fc.nat({ max: 1e8 }))
    .map(([state, { at }, offset, wait]) => {
      const now = state.expires_at === null || offset === null ? at : DateTime.addDuration(state.expires_at, offset)
      return { state, now, later: DateTime.addDuration(now, wait) }
    })

/** Before anything expires: what reads as expired here was written so. */
const farPast = DateTime.makeUnsafe(0)

/** Holds what a read says of expiry against what the sweep's command writes, for any machine that has both. */
export const expiryLaw = <
  State extends Expiring,
  Status extends string,
  Command extends { readonly _tag: string; readonly at: DateTime.Utc }
>(
  machine: Machine<State, Status, Command, string>,
  subject: Subject<State, Command>,
  statusAt: (state: State, now: DateTime.Utc) => string,
  expire: (state: State, at: DateTime.Utc) => Command
): void => {
  const seen = new Set<string>()
  const tags = new Set<string>()
  hold(
    "expiry",
    fc.property(readings(subject), ({ later, now, state }) => {
      const written = machine.statusOf(state)
      const command = expire(state, now)
      const swept = decide(machine, state, command)
      const expires = Result.isSuccess(swept)
      seen.add(`${written} ${expires}`)
      tags.add(command._tag)
      if (!expires) {
        const isWritten = statusAt(state, farPast) === "EXPIRED"
        assert.isTrue(statusAt(state, now) !== "EXPIRED" || isWritten, "a read sees what no sweep writes")
        return
      }
      assert.strictEqual(statusAt(state, now), "EXPIRED", "the sweep writes what no read saw")
      assert.strictEqual(statusAt(state, later), "EXPIRED", "it stays expired")
      const after = swept.success.state
      assert.strictEqual(machine.statusOf(after), written === "ARCHIVED" ? "ARCHIVED" : "EXPIRED")
      assert.strictEqual(statusAt(after, farPast), "EXPIRED", "it is written")
      assert.isTrue(Result.isFailure(decide(machine, after, expire(after, later))), "it expires once")
    }),
    500
  )
  const rows = Object.entries<{ readonly from: ReadonlyArray<string> }>(machine.table)
  for (const status of rows.flatMap(([tag, { from }]) => (tags.has(tag) ? from : []))) {
    for (const expired of [true, false])
      assert.isTrue(seen.has(`${status} ${expired}`), `${status}, expired: ${expired}`)
  }
}

/** Holds machine and outbox together: a processor's notices come in any order and any number of times. */
export const outboxLaw = (fold: typeof firstOfEach): void =>
  hold(
    "outbox",
    fc.property(
      fc.array(donations.states, { minLength: 1, maxLength: 3 }),
      fc.array(donations.commands, { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 24 }),
      (starts, notices, arrivals) => {
        const states = starts.map((start): Donation.Donation => ({ ...start, status: "PENDING" }))
        const emitted = states.map(({ id }) => ({ type: "donation.created", dedupe_key: String(id) }))
        for (const [whose, which] of arrivals) {
          const [index, notice] = [whose % states.length, notices[which % notices.length]]
          const state = states[index]
          if (state === undefined || notice === undefined) continue
          const decision = decide(Donation.machine, state, notice)
          if (Result.isFailure(decision)) continue
          states[index] = decision.success.state
          for (const type of typesOf(decision.success.events)) emitted.push({ type, dedupe_key: state.id })
        }
        const texts = (events: Iterable<{ readonly type: string; readonly dedupe_key: string | null }>) =>
          Array.from(events, ({ dedupe_key, type }) => `${dedupe_key} ${type}`)
        assert.deepStrictEqual(texts(fold(emitted)), [...new Set(texts(emitted))])
      }
    )
  )

/** Holds a fold of transfers against the contract's words, as counts. decisions, section 5: Distribution. */
export const distributionLaw = (fold: (statuses: ReadonlyArray<TransferStatus>) => DistributionStatus): void =>
  hold(
    "distribution",
    fc.property(
      fc.array(fc.constantFrom<TransferStatus>("pending", "succeeded", "failed", "reversed"), { maxLength: 4 }),
      (statuses) => {
        const count = (wanted: TransferStatus) => statuses.filter((status) => status === wanted).length
        const [pending, succeeded, failed, reversed] = [
          count("pending"),
          count("succeeded"),
          count("failed"),
          count("reversed")
        ]
        const expected = () => {
          if (statuses.length === 0 || pending > 0) return "PENDING"
          if (succeeded === statuses.length) return "SUCCEEDED"
          if (succeeded === 0 && reversed > 0) return "REVERSED"
          return failed === statuses.length ? "FAILED" : "PARTIAL"
        }
        assert.strictEqual(fold(statuses), expected())
      }
    ),
    500
  )

const posting: fc.Arbitrary<Posting> = fc
  .tuple(
    fc.shuffledSubarray([...SingleAccount.literals], { minLength: 2, maxLength: 2 }),
    fc.oneof(fc.integer({ min: 1, max: 60 }), fc.maxSafeNat())
  )
  .map(([[from_account = "donor", to_account = "held"], amount_cents]) => ({ from_account, to_account, amount_cents }))

/** Holds the balances of a ledger: every movement takes from one account what it gives to another, however large. */
export const conservationLaw = (summing: typeof balancesOf): void =>
  hold(
    "conservation",
    fc.property(fc.array(posting, { maxLength: 30, size: "max" }), (postings) => {
      let before = summing([])
      for (const account of BalancedAccount.literals) assert.strictEqual(before[account], 0n)
      for (const [index, { amount_cents, from_account, to_account }] of postings.entries()) {
        const after = summing(postings.slice(0, index + 1))
        for (const account of BalancedAccount.literals) {
          const moved = account === from_account ? -1n : account === to_account ? 1n : 0n
          assert.strictEqual(after[account] - before[account], moved * BigInt(amount_cents))
        }
        before = after
      }
    }),
    500
  )
