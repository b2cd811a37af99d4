import { assert, it, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import type { Refund } from "../../../src/domain/giving/Refund.ts"
import type { ChargeSnapshot } from "../../../src/domain/payments/Snapshot.ts"
import * as Bank from "../../../src/domain/payments/TestBank.ts"
import type { Reach } from "../../../src/domain/payments/TestCharge.ts"
import { testMethods, testRules } from "../../../src/domain/payments/TestRules.ts"
import type { ChargeContext } from "../../../src/ports/payments/PaymentProcessors.ts"
import { chargeOf, chargeRefundOf } from "../../../src/testing/conformance/ProcessorDriver.ts"
import { forAll } from "../../../src/testing/conformance/Suite.ts"
import { type OpenAccount, openAccount, simulatedBank } from "../../support/SimulatedBank.ts"

const amount = 10_000

const anything = [
  "begin",
  "begin",
  "confirm",
  "confirm",
  "confirm",
  "cancel",
  "refund",
  "refund",
  "approve",
  "decline",
  "settle",
  "dishonour",
  "dispute",
  "win",
  "lose",
  "fail a refund",
  "refund there",
  "forget keys",
  "wait",
  "wait",
  "lose requests",
  "lose answers",
  "be reached"
] as const

/** What happens to money that has come. */
const afterwards = [
  "refund",
  "refund there",
  "fail a refund",
  "dispute",
  "win",
  "lose",
  "confirm",
  "cancel",
  "wait"
] as const

/** What somebody does, with numbers that are read as each needs them. */
const stepOf = (kinds: ReadonlyArray<(typeof anything)[number]>) =>
  fc.record({
    does: fc.constantFrom(...kinds),
    token: fc.nat(),
    refund: fc.nat(2),
    cents: fc.oneof(fc.integer({ min: 1, max: amount + 1 }), fc.constant(amount), fc.constant(amount / 2)),
    seconds: fc.constantFrom(1, 5, 10, 60, 180, 3_600, 90_000)
  })
type Step = ReturnType<typeof stepOf> extends fc.Arbitrary<infer A> ? A : never

const steps = fc.oneof(
  fc.array(stepOf(anything), { maxLength: 30, size: "max" }),
  fc
    .tuple(
      stepOf(["begin"]),
      stepOf(["confirm"]),
      stepOf(["wait"]),
      fc.array(stepOf(afterwards), { maxLength: 20, size: "max" })
    )
    .map(([begin, confirm, wait, rest]): ReadonlyArray<Step> => [begin, confirm, { ...wait, seconds: 180 }, ...rest])
)

const reaches: Readonly<Record<string, Reach>> = {
  "lose requests": "LOST",
  "lose answers": "ANSWER_LOST",
  "be reached": "REACHED"
}

const tokensOf = (method: string) => testRules.filter((rule) => rule.method === method).map(({ token }) => token)

interface Scene {
  readonly account: OpenAccount
  readonly charging: ChargeContext
  readonly refunds: ReadonlyArray<Refund>
}

const perform = ({ account, charging, refunds }: Scene, { cents, does, refund, seconds, token }: Step) => {
  const { move, processor } = account
  const tokens = tokensOf(charging.charge.method)
  const asked = refunds[refund]
  switch (does) {
    case "begin":
      return Effect.ignore(processor.begin(charging))
    case "confirm":
      return Effect.ignore(processor.confirm(charging, tokens[token % tokens.length] ?? ""))
    case "cancel":
      return Effect.ignore(processor.cancel(charging))
    case "refund":
      return asked === undefined ? Effect.void : Effect.ignore(processor.refund(charging, asked))
    case "approve":
      return move(charging, Bank.approve)
    case "decline":
      return move(charging, Bank.decline)
    case "settle":
      return move(charging, Bank.settle)
    case "dishonour":
      return move(charging, (charge, now) => Bank.dishonour(charge, "no_account", now))
    case "dispute":
      return move(charging, (charge, now) => Bank.dispute(charge, cents, now))
    case "win":
      return move(charging, Bank.disputeWon)
    case "lose":
      return move(charging, Bank.disputeLost)
    case "fail a refund":
      return move(charging, Bank.refundFailed)
    case "refund there":
      return move(charging, (charge, now) =>
        Result.map(
          Bank.refund(charge, { refund_id: null, idempotency_key: null, amount_cents: cents }, now),
          (refunded) => refunded.charge
        )
      )
    case "forget keys":
      return move(charging, (charge) =>
        Result.succeed({
          ...charge,
          idempotency_key: null,
          refunds: charge.refunds.map((each) => ({ ...each, idempotency_key: null }))
        })
      )
    case "wait":
      return TestClock.adjust(Duration.seconds(seconds))
    default:
      return account.reach(reaches[does] ?? "REACHED")
  }
}

/** Where a bank's objects may go by one step, however long it took. */
const later: Readonly<Record<string, ReadonlyArray<string>>> = {
  absent: ["created"],
  created: ["waiting", "processing", "succeeded", "failed", "cancelled"],
  waiting: ["processing", "succeeded", "failed", "cancelled"],
  processing: ["succeeded", "failed"],
  failed: ["cancelled"],
  succeeded: [],
  cancelled: [],
  "refund none": ["refund pending", "refund succeeded", "refund failed"],
  "refund pending": ["refund succeeded", "refund failed"],
  "refund succeeded": ["refund failed"],
  "refund failed": [],
  "dispute none": ["dispute open", "dispute lost", "dispute won"],
  "dispute open": ["dispute lost", "dispute won"],
  "dispute lost": ["dispute won"],
  "dispute won": []
}

const follows = (before: string, after: string): void =>
  assert.isTrue(before === after || later[before]?.includes(after), `${before} became ${after}`)

const sum = (parts: ReadonlyArray<{ readonly amount_cents: number }>): number =>
  parts.reduce((total, { amount_cents }) => total + amount_cents, 0)

/** What may be seen after something else was seen, whoever did what in between. */
const holds = (before: ChargeSnapshot, after: ChargeSnapshot, asked: ReadonlyArray<Refund>): void => {
  follows(before.status, after.status)
  assert.isTrue(before.reference === null || after.reference === before.reference, "another reference")
  assert.strictEqual(after.amount_cents, amount)
  for (const part of ["refunds", "disputes"] as const) {
    const kind = part.slice(0, -1)
    for (const each of after[part]) {
      const known = [...before[part]].find(({ reference }) => reference === each.reference)
      follows(`${kind} ${known?.status ?? "none"}`, `${kind} ${each.status}`)
      if (known !== undefined) assert.strictEqual(each.amount_cents, known.amount_cents)
      assert.isAbove(each.amount_cents, 0)
    }
    assert.isTrue(
      before[part].every(({ reference }) => after[part].some((each) => each.reference === reference)),
      `a ${kind} is gone`
    )
  }
  for (const { amount_cents, id } of asked) {
    const made = after.refunds.filter(({ refund_id }) => refund_id === id)
    assert.isAtMost(made.length, 1, "a refund was paid twice")
    for (const each of made) assert.strictEqual(each.amount_cents, amount_cents)
  }
  const back =
    sum(after.refunds.filter(({ status }) => status !== "failed")) +
    sum(after.disputes.filter(({ status }) => status !== "won"))
  assert.isAtMost(back, after.status === "succeeded" ? amount : 0, "more went back than was taken")
  assert.isTrue(before.fee_cents === null || after.fee_cents === before.fee_cents, "another fee")
  assert.isTrue(after.fee_cents === null || after.status === "succeeded", "a fee for nothing")
  const hasFailed = after.status === "failed" || (after.status === "cancelled" && before.status === "failed")
  if (hasFailed) assert.isNotNull(after.failure_code)
  if (after.status === "succeeded") assert.isNull(after.failure_code)
}

/** How many parts have this status. */
const count = (parts: ReadonlyArray<{ readonly status: string }>, status: string): number =>
  parts.filter((each) => each.status === status).length

/** What is done by hand is done, where it can be. */
const does = (step: Step, before: ChargeSnapshot, after: ChargeSnapshot): void => {
  const open = count(before.disputes, "open")
  const changed = (part: "refunds" | "disputes", status: string) =>
    count(after[part], status) - count(before[part], status)
  if (step.does === "win") {
    assert.strictEqual(changed("disputes", "won"), Math.min(1, open + count(before.disputes, "lost")))
  }
  if (step.does === "lose") assert.strictEqual(changed("disputes", "lost"), Math.min(1, open))
  if (step.does === "fail a refund") {
    const left = count(before.refunds, "pending") + count(before.refunds, "succeeded")
    assert.strictEqual(changed("refunds", "failed"), Math.min(1, left))
  }
  if (open > 0 && step.does.startsWith("refund")) assert.lengthOf(after.refunds, before.refunds.length)
  if (step.does === "settle" && before.status === "processing") assert.strictEqual(after.status, "succeeded")
  if (step.does === "dishonour" && before.status === "processing") assert.strictEqual(after.status, "failed")
  if (step.does === "decline" && before.status === "waiting") assert.strictEqual(after.status, "failed")
  if (step.does === "approve" && before.status === "waiting") assert.notStrictEqual(after.status, "waiting")
}

const seen = ({ account, charging }: Scene) =>
  Effect.gen(function* () {
    const charges = yield* account.bank.ofCharge(charging.charge.organisation_id, charging.charge.id)
    const now = yield* account.now
    assert.isAtMost(charges.length, 1, "a charge was made twice")
    const [charge] = charges
    const absent: ChargeSnapshot = {
      status: "absent",
      reference: null,
      amount_cents: amount,
      currency: "AUD",
      fee_cents: null,
      failure_code: null,
      refunds: [],
      disputes: []
    }
    return charge === undefined ? absent : Bank.snapshotOf(Bank.advance(charge, now))
  })

const scene = Effect.fnUntraced(function* (method: (typeof testMethods)[number], cents: ReadonlyArray<number>) {
  const account = yield* openAccount
  const charging: ChargeContext = {
    integration: account.integration,
    charge: yield* chargeOf(account.integration, { method, amount_cents: amount })
  }
  const refunds = yield* Effect.forEach(cents, (each) => chargeRefundOf(charging, each))
  const made: Scene = { account, charging, refunds }
  return made
})

const timeout = 60_000

layer(simulatedBank)("the simulated bank", (it) => {
  it.effect(
    "moves as banks do, whoever does what: taken once for each key, and never more back than was taken",
    () =>
      forAll(
        150,
        fc.tuple(
          fc.constantFrom(...testMethods),
          fc.array(fc.integer({ min: 1, max: amount }), { minLength: 3, maxLength: 3 }),
          steps
        ),
        Effect.fnUntraced(function* ([method, cents, steps]) {
          const made = yield* scene(method, cents)
          let before = yield* seen(made)
          for (const each of steps) {
            yield* perform(made, each)
            const after = yield* seen(made)
            holds(before, after, made.refunds)
            does(each, before, after)
            // One confirmation for each charge, and none that does more than it says.
            const isKnown = before.status !== "absent" && before.status !== "created"
            if (each.does === "confirm" && isKnown) assert.deepStrictEqual(after, before)
            before = after
          }
        })
      ),
    timeout
  )

  it.effect("reads the same whenever it is read: what is due does not depend on who looked before", () =>
    forAll(
      60,
      fc.tuple(fc.constantFrom(...testRules), fc.array(fc.nat(240), { maxLength: 6 })),
      Effect.fnUntraced(function* ([{ method, token }, looks]) {
        const [often, once] = [yield* scene(method, []), yield* scene(method, [])]
        for (const { account, charging } of [often, once]) {
          yield* account.processor.begin(charging)
          yield* Effect.ignore(account.processor.confirm(charging, token))
        }
        for (const seconds of looks) {
          yield* TestClock.adjust(Duration.seconds(seconds))
          // A move that is refused reads and locks all the same.
          yield* often.account.move(often.charging, (charge) => Result.succeed(charge))
        }
        const { disputes: a, reference: _, ...first } = yield* seen(often)
        const { disputes: b, reference: __, ...second } = yield* seen(once)
        assert.deepStrictEqual(first, second)
        const statuses = a.map(({ status }) => status)
        assert.deepStrictEqual(
          statuses,
          b.map(({ status }) => status)
        )
      })
    )
  )
})

/** What integrators know of the numbers: status at once, an hour later, and its code. */
const known: Readonly<Record<string, readonly [atOnce: string, anHourLater: string, code: string | null]>> = {
  "4242424242424242": ["succeeded", "succeeded", null],
  "4000056655665556": ["succeeded", "succeeded", null],
  "5555555555554444": ["succeeded", "succeeded", null],
  "378282246310005": ["succeeded", "succeeded", null],
  "4000000360000006": ["succeeded", "succeeded", null],
  "4000000000000341": ["succeeded", "succeeded", null],
  "4000000000000002": ["failed", "failed", "card_declined"],
  "4000000000009995": ["failed", "failed", "insufficient_funds"],
  "4000000000009987": ["failed", "failed", "lost_card"],
  "4000000000009979": ["failed", "failed", "stolen_card"],
  "4000000000000069": ["failed", "failed", "expired_card"],
  "4000000000000127": ["failed", "failed", "incorrect_cvc"],
  "4000000000000119": ["failed", "failed", "processing_error"],
  "4000000000006975": ["failed", "failed", "card_velocity_exceeded"],
  "4100000000000019": ["failed", "failed", "fraudulent"],
  "4000002760003184": ["waiting", "waiting", null],
  "4000000000003220": ["waiting", "waiting", null],
  "4000008260003178": ["waiting", "waiting", null],
  "4000008400001629": ["waiting", "waiting", null],
  "4000000000000259": ["succeeded", "succeeded, open", null],
  "4000000000005423": ["succeeded", "succeeded", null],
  "4000000000007726": ["succeeded", "succeeded", null],
  "4000000000005126": ["succeeded", "succeeded", null],
  "4000000000009102": ["succeeded", "succeeded", null],
  "4000000000009201": ["succeeded", "succeeded", null],
  "4000000000009219": ["succeeded", "succeeded", null],
  "4000000000009300": ["processing", "succeeded", null],
  "4000000000009318": ["processing", "failed", "card_declined"],
  "4000000000009409": ["succeeded", "succeeded", null],
  "4000000000009417": ["created", "created", null],
  "000000000123456": ["processing", "succeeded", null],
  "000000900123456": ["processing", "succeeded", null],
  "000000800123456": ["processing", "processing", null],
  "000000111111113": ["processing", "failed", "account_closed"],
  "000000111111116": ["processing", "failed", "no_account"],
  "000000222222227": ["processing", "failed", "refer_to_customer"],
  "000000922222227": ["processing", "failed", "refer_to_customer"],
  "000000333333335": ["processing", "failed", "debit_not_authorized"],
  "000000666666660": ["processing", "succeeded, lost", null],
  "approves@example.com": ["waiting", "succeeded", null],
  "waits@example.com": ["waiting", "waiting", null],
  "rejects@example.com": ["waiting", "failed", "payto_agreement_rejected"],
  "slow@example.com": ["waiting", "succeeded", null],
  "dishonours@example.com": ["waiting", "failed", "insufficient_funds"]
}

const plainToken = (token: string): string => token.replaceAll(" ", "").replaceAll("-", "")

const luhn = (digits: string): number =>
  [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0) % 10

it("the numbers of the test processor are those that integrators know, once each, and cards have a right check digit", () => {
  assert.deepStrictEqual(testRules.map(({ token }) => plainToken(token)).toSorted(), Object.keys(known).toSorted())
  for (const { method, token } of testRules)
    if (method === "card") assert.strictEqual(luhn(plainToken(token)), 0, token)
})

layer(simulatedBank)("a number of the test processor", (it) => {
  for (const { method, says, token } of testRules) {
    it.effect(`${token}: ${says}`, () =>
      Effect.gen(function* () {
        const made = yield* scene(method, [])
        const { account, charging } = made
        yield* account.processor.begin(charging)
        yield* Effect.ignore(account.processor.confirm(charging, plainToken(token)))
        const told = Effect.map(seen(made), ({ disputes, status }) =>
          [status, ...disputes.map((dispute) => dispute.status)].join(", ")
        )
        const atOnce = yield* told
        const { fee_cents: fee } = yield* seen(made)
        assert.strictEqual(fee !== null, atOnce === "succeeded" && plainToken(token) !== "4000000000009201")
        yield* TestClock.adjust("1 hour")
        const { failure_code, fee_cents, status } = yield* seen(made)
        assert.strictEqual(fee_cents !== null, status === "succeeded")
        assert.deepStrictEqual([atOnce, yield* told, failure_code], [...(known[plainToken(token)] ?? [])])
      })
    )
  }

  it.effect("approved, refunded or charged says the same of what follows", () =>
    Effect.gen(function* () {
      const after = Effect.fnUntraced(function* (token: string, cents: ReadonlyArray<number> = []) {
        const made = yield* scene("card", cents)
        const { account, charging, refunds } = made
        yield* account.processor.begin(charging)
        yield* account.processor.confirm(charging, token)
        yield* account.move(charging, Bank.approve)
        for (const refund of refunds) yield* account.processor.refund(charging, refund)
        const first = yield* seen(made)
        yield* TestClock.adjust("61 seconds")
        return [first, yield* seen(made)] as const
      })
      const statuses = (snapshots: ReadonlyArray<ChargeSnapshot>) =>
        snapshots.flatMap(({ refunds }) => refunds.map(({ status }) => status))
      const approvals = yield* Effect.forEach(
        ["4000002760003184", "4000000000003220", "4000008260003178", "4000008400001629"],
        (token) => Effect.map(after(token), ([{ failure_code, status }]) => failure_code ?? status)
      )
      assert.deepStrictEqual(approvals, ["succeeded", "succeeded", "insufficient_funds", "card_declined"])
      assert.deepStrictEqual(statuses(yield* after("4242424242424242", [amount])), ["succeeded", "succeeded"])
      assert.deepStrictEqual(statuses(yield* after("4000000000007726", [amount])), ["pending", "succeeded"])
      assert.deepStrictEqual(statuses(yield* after("4000000000005126", [amount])), ["succeeded", "failed"])
      assert.deepStrictEqual(statuses(yield* after("4000000000009102", [amount])), ["pending", "failed"])
      const fees = yield* Effect.forEach(["4242424242424242", "4000000000009201", "4000000000009219"], (token) =>
        Effect.map(after(token), (both) => both.map(({ fee_cents }) => fee_cents))
      )
      // 1.75 % and 30 cents.
      assert.deepStrictEqual(fees, [
        [205, 205],
        [null, 205],
        [amount + 100, amount + 100]
      ])
    })
  )

  it.effect("of no rule is refused, and the donor may have another charge", () =>
    Effect.gen(function* () {
      const { account, charging } = yield* scene("card", [])
      yield* account.processor.begin(charging)
      for (const token of ["4242424242424241", "000123456", "", "waits@example.com"]) {
        const refused = yield* Effect.flip(account.processor.confirm(charging, token))
        assert.strictEqual(refused._tag === "ProcessorRefused" ? refused.code : "", "incorrect_number")
      }
    })
  )

  it.effect("that is asked for again under a key older than a day has a charge of its own", () =>
    Effect.gen(function* () {
      const { account, charging } = yield* scene("card", [])
      const now = yield* account.now
      assert.isTrue(Bank.remembers(DateTime.subtract(now, { hours: 23, minutes: 59 }), now))
      assert.isFalse(Bank.remembers(DateTime.subtract(now, { hours: 24 }), now))
      yield* account.processor.begin(charging)
      yield* account.processor.confirm(charging, "4242424242424242")
      const asked = { refund_id: null, idempotency_key: "key", amount_cents: 100 }
      const again = (charge: Parameters<typeof Bank.refund>[0], at: DateTime.Utc) =>
        Result.map(Bank.refund(charge, asked, at), ({ charge: after }) => after)
      yield* account.move(charging, again)
      yield* account.move(charging, again)
      yield* TestClock.adjust("24 hours")
      yield* account.move(charging, again)
      const { refunds } = yield* account.processor.fetchCharge(charging)
      const amount_centss = refunds.map(({ amount_cents }) => amount_cents)
      assert.deepStrictEqual(amount_centss, [100, 100])
    })
  )
})
