import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as Refund from "../../../src/domain/giving/Refund.ts"
import type { DisputeId, RefundId } from "../../../src/domain/kernel/Ids.ts"
import { balancesOf, overdrawn, type Posting } from "../../../src/domain/payments/Ledger.ts"
import { plan, type Step } from "../../../src/domain/payments/Settlement.ts"
import type { ChargeSnapshot, DisputeSnapshot, RefundSnapshot } from "../../../src/domain/payments/Snapshot.ts"
import {
  type ExceptionFacts,
  type Occasion,
  type SettlementState,
  take
} from "../../../src/domain/payments/StepApplication.ts"
import { forEvery } from "../../support/Property.ts"
import { amount, submittedAt } from "./SubmittedGift.ts"

const at = DateTime.makeUnsafe("2026-07-01T00:00:00Z")
/** Gifts of three weeks ago, so that a transfer may have lapsed. */
const submitted = submittedAt(DateTime.subtract(at, { days: 20 }))

/** Payments to the recipients of a set. */
const paidBySet = submitted.map(
  (state): SettlementState => ({ ...state, gift: null, charge: { ...state.charge, purpose: "payment" } })
)

const snapshot = (status: ChargeSnapshot["status"], more: Partial<ChargeSnapshot> = {}): ChargeSnapshot => ({
  status,
  reference: status === "absent" ? null : "pi_1",
  amount_cents: amount,
  currency: "AUD",
  fee_cents: null,
  failure_code: status === "failed" ? "card_declined" : null,
  refunds: [],
  disputes: [],
  ...more
})

/** The lives of refunds and disputes at a processor: each list is one after the other. */
const refundLives: ReadonlyArray<ReadonlyArray<RefundSnapshot["status"]>> = [
  ["pending"],
  ["pending", "succeeded"],
  ["pending", "failed"],
  ["succeeded", "failed"],
  ["pending", "succeeded", "failed"]
]
const disputeLives: ReadonlyArray<ReadonlyArray<DisputeSnapshot["status"]>> = [
  ["open"],
  ["open", "won"],
  ["open", "lost"],
  ["lost"],
  ["open", "lost", "won"],
  ["lost", "won"],
  ["open", "won", "lost"]
]

const upTo = (life: ReadonlyArray<string>, step: number) => life[Math.min(step, life.length - 1)]

const before = [["created"], ["created", "waiting"], ["waiting", "processing"], ["processing"], []] as const

/** What a processor that takes the money says, from the first to the last. */
const paidLife = fc
  .record({
    before: fc.constantFrom(...before),
    fee: fc.option(fc.integer({ min: 0, max: amount + 50 })),
    feeBecomes: fc.option(fc.integer({ min: 0, max: amount + 50 })),
    refunds: fc.array(
      fc.record({ amount_cents: fc.integer({ min: 1, max: amount }), life: fc.constantFrom(...refundLives) }),
      { maxLength: 2 }
    ),
    dispute: fc.option(
      fc.record({
        amount_cents: fc.integer({ min: 1, max: amount }),
        life: fc.constantFrom(...disputeLives),
        fee_cents: fc.option(fc.nat(3_000)),
        comesBack: fc.boolean()
      })
    )
  })
  .map(({ before, dispute, fee, feeBecomes, refunds }): ReadonlyArray<ChargeSnapshot> => {
    const first = before.map((status) => snapshot(status))
    const after = [0, 1, 2, 3].map((step) =>
      snapshot("succeeded", {
        fee_cents: step === 0 ? null : step === 3 && fee !== null ? (feeBecomes ?? fee) : fee,
        refunds:
          step === 0
            ? []
            : refunds.map(({ amount_cents, life }, index) => ({
                reference: `re_${index}`,
                refund_id: null,
                amount_cents,
                status: upTo(life, step - 1) as RefundSnapshot["status"]
              })),
        disputes:
          dispute === null || step === 0
            ? []
            : [
                {
                  reference: "dp_1",
                  amount_cents: dispute.amount_cents,
                  // It may be known later than the dispute, and come back when that has ended.
                  fee_cents: step === 1 ? null : step === 3 && dispute.comesBack ? 0 : dispute.fee_cents,
                  status: upTo(dispute.life, step - 1) as DisputeSnapshot["status"]
                }
              ]
      })
    )
    return [...first, ...after]
  })

const askedBack = (life: ReadonlyArray<ChargeSnapshot>): number => {
  const { disputes = [], refunds = [] } = life.at(-1) ?? {}
  return [...disputes, ...refunds].reduce((sum, { amount_cents }) => sum + amount_cents, 0)
}

/** Where more is asked back than was given, it matters who comes first. */
const coveredLife = paidLife.filter((life) => askedBack(life) <= amount)

const unpaidLife = fc
  .constantFrom(...before)
  .map(
    (first): ReadonlyArray<ChargeSnapshot> => [
      ...first.map((status) => snapshot(status)),
      snapshot("failed"),
      snapshot("cancelled")
    ]
  )

let ids = 0
const idOf = (prefix: string) => `${prefix}_${String(ids++).padStart(26, "0")}`

const occasion = (): Occasion => ({
  at,
  refund_id: idOf("rfd") as RefundId,
  dispute_id: idOf("dsp") as DisputeId,
  today: "2026-07-01" as Occasion["today"],
  arrived: { at, on: "2026-07-01" as Occasion["today"] },
  refunds: true
})

interface World {
  readonly state: SettlementState
  readonly postings: ReadonlyArray<Posting>
  readonly events: ReadonlyArray<string>
  readonly raised: ReadonlyArray<ExceptionFacts>
}

/** What refunds under way and exceptions that nobody has resolved say that is held. money, section 2: Ledger entry. */
const heldByRecords = ({ raised, state: { refunds } }: World): bigint =>
  [
    ...refunds.filter(({ status }) => status === "PENDING").map(({ amount_cents }) => amount_cents),
    ...raised.map(({ held_cents }) => held_cents)
  ].reduce((sum, cents) => sum + BigInt(cents), 0n)

const begin = (state: SettlementState): World => ({
  state,
  // Of a bank transfer, the money is on the account before it is matched.
  postings:
    state.charge.method === "bank_transfer"
      ? [{ from_account: "bank", to_account: "unmatched", amount_cents: amount }]
      : [],
  events: [],
  raised: []
})

/** Hears a snapshot: every step that is planned is legal. */
const hear = (world: World, remote: ChargeSnapshot): World =>
  plan(world.state, remote).reduce((now: World, step) => {
    const taken = Result.getOrThrow(take(now.state, step, occasion()))
    return {
      state: taken.state,
      postings: [...now.postings, ...taken.moved.flatMap(({ postings }) => postings)],
      events: [...now.events, ...taken.events.map(({ type }) => type)],
      raised: [...now.raised, ...taken.raised]
    }
  }, world)

const statuses = ({ state: { charge, disputes, gift, refunds } }: World) => ({
  charge: charge.status,
  fee: charge.processor_fee_cents,
  gift: gift?.status,
  refunded: gift?.refunded_amount_cents,
  // One that failed before it was heard of is none.
  refunds: refunds
    .filter(({ status }) => status !== "FAILED")
    .map(({ amount_cents, status }) => `${amount_cents} ${status}`)
    .toSorted(),
  disputes: disputes.map(({ fee_cents, status }) => `${status} ${fee_cents}`)
})

/** A life as it is heard: some of it, in any order, twice or not at all, and at last what is true now. */
const heard = (life: fc.Arbitrary<ReadonlyArray<ChargeSnapshot>>) =>
  life.chain((all) =>
    fc.record({
      all: fc.constant(all),
      order: fc.array(fc.nat({ max: Math.max(0, all.length - 1) }), { maxLength: 12 })
    })
  )

const isProcessing = (type: string) => type === "donation.processing"

describe("Settlement.plan", () => {
  it("needs nothing once its steps are taken", () =>
    forEvery(fc.oneof(submitted, paidBySet), heard(fc.oneof(paidLife, unpaidLife)), (state, { all, order }) => {
      let world = begin(state)
      for (const index of order) {
        world = hear(world, all[index] as ChargeSnapshot)
        assert.deepStrictEqual(plan(world.state, all[index] as ChargeSnapshot), [])
      }
    }))

  it("tells a person once of what the processor paid back of a set's payment", () =>
    forEvery(paidBySet, heard(paidLife), (state, { all, order }) => {
      const world = order.reduce((now, index) => hear(now, all[index] as ChargeSnapshot), begin(state))
      const raised = world.raised.filter(({ kind }) => kind === "mismatch")
      const isPaidBack = order.some((index) => all[index]?.refunds.some(({ status }) => status !== "failed"))
      assert.lengthOf(raised, isPaidBack ? 1 : 0)
    }))

  it("keeps every account whole at every step", () =>
    forEvery(submitted, heard(fc.oneof(paidLife, unpaidLife)), (state, { all, order }) => {
      let world = begin(state)
      for (const index of [...order, all.length - 1]) {
        world = hear(world, all[index] as ChargeSnapshot)
        const balances = balancesOf(world.postings)
        assert.deepStrictEqual(overdrawn(balances), [])
        assert.strictEqual(balances.held, heldByRecords(world))
        assert.strictEqual(
          Object.values(balances).reduce((sum, each) => sum + each, 0n),
          0n
        )
      }
    }))

  it("ends where the last snapshot alone would have led, however the others came", () =>
    forEvery(submitted, heard(coveredLife), (state, { all, order }) => {
      const last = all.at(-1) as ChargeSnapshot
      const straight = hear(begin(state), last)
      // What was heard twice or in between cannot matter; what was ended here in between would.
      const wandering = [...order, all.length - 1].reduce(
        (world, index) => hear(world, all[index] as ChargeSnapshot),
        begin(state)
      )
      assert.deepStrictEqual(statuses(wandering), statuses(straight))
      assert.deepStrictEqual(balancesOf(wandering.postings), balancesOf(straight.postings))
      const once = wandering.events.filter((type) => type === "donation.succeeded")
      assert.deepStrictEqual(once, ["donation.succeeded"])
      assert.isAtMost(wandering.events.filter(isProcessing).length, 1)
      // A snapshot that is behind is no difference, however late it comes.
      const late = order.reduce((world, index) => hear(world, all[index] as ChargeSnapshot), wandering)
      const later = hear(late, last)
      assert.deepStrictEqual(statuses(later), statuses(straight))
      const kinds = later.raised.map(({ kind }) => kind)
      assert.notInclude(kinds, "mismatch")
    }))

  it("tells of a refusal once, and applies nothing that comes after the end", () =>
    forEvery(submitted, heard(unpaidLife), (state, { all, order }) => {
      const world = [...order, all.length - 2, all.length - 1].reduce(
        (now, index) => hear(now, all[index] as ChargeSnapshot),
        begin(state)
      )
      const late = hear(world, snapshot("succeeded"))
      assert.deepStrictEqual(
        world.events.filter((type) => !isProcessing(type)),
        ["donation.failed"]
      )
      assert.deepStrictEqual(late.events, world.events)
      assert.strictEqual(late.state.gift?.status, "FAILED")
      assert.deepStrictEqual(
        late.state.refunds.map(({ amount_cents, is_beside_gift }) => ({ amount_cents, is_beside_gift })),
        [{ amount_cents: amount, is_beside_gift: true }]
      )
      assert.strictEqual(balancesOf(late.postings).held, BigInt(amount))
    }))

  it("books what a dispute costs to the organisation, however it ends, and what late money costs", () => {
    const fee = fc.integer({ min: 0, max: amount + 50 })
    forEvery(submitted, fc.constantFrom(...disputeLives), fee, fee, (state, life, fee_cents, cost) => {
      const won = life.reduce(
        (world, status) =>
          hear(
            world,
            snapshot("succeeded", { disputes: [{ reference: "dp_1", amount_cents: 1_000, fee_cents: cost, status }] })
          ),
        hear(begin(state), snapshot("succeeded"))
      )
      assert.strictEqual(balancesOf(won.postings).processor_fees, BigInt(cost))
      assert.strictEqual(won.state.disputes[0]?.fee_cents, cost)
      const late = [snapshot("failed"), snapshot("cancelled"), snapshot("succeeded"), snapshot("succeeded")].reduce(
        (world, theirs, index) => hear(world, index === 3 ? { ...theirs, fee_cents } : theirs),
        begin(state)
      )
      assert.strictEqual(late.state.charge.processor_fee_cents, fee_cents)
      const { held, organisation, platform_fees, processor_fees } = balancesOf(late.postings)
      assert.deepStrictEqual(
        [held, organisation, platform_fees, processor_fees],
        [BigInt(amount), -BigInt(fee_cents), 0n, BigInt(fee_cents)]
      )
    })
  })

  it("tells once of a fee in another currency, takes everything else, and takes the fee once it is known", () =>
    forEvery(fc.oneof(submitted, paidBySet), fc.nat(amount), (state, fee_cents) => {
      const foreign = snapshot("succeeded", { fee_currency: "USD" })
      const told = hear(begin(state), foreign)
      assert.strictEqual(told.state.charge.status, "SUCCEEDED")
      assert.deepStrictEqual(
        told.raised.map(({ kind }) => kind),
        ["mismatch"]
      )
      assert.deepStrictEqual(plan(told.state, foreign), [])
      const known = hear(told, snapshot("succeeded", { fee_cents }))
      assert.strictEqual(known.state.charge.processor_fee_cents, fee_cents)
    }))

  it("ends what was given up, and the bank then worked on, as the bank says", () => {
    const own = ["abandoned", "bank_transfer_lapsed", "cancelled", "processor_unreachable"]
    forEvery(submitted, fc.constantFrom(...own), fc.boolean(), (state, ending, isRefused) => {
      const given = { ...state, charge: { ...state.charge, ending } }
      const worked = hear(begin(given), snapshot("processing"))
      assert.deepInclude(worked.state.charge, { status: "PROCESSING", ending: null })
      const code = isRefused ? "account_closed" : null
      const failed = [snapshot("failed", { failure_code: code }), snapshot("cancelled")].reduce(hear, worked)
      const failure_code = code ?? "payment_refused"
      assert.deepInclude(failed.state.charge, { status: "FAILED", failure_code })
      assert.deepInclude(failed.state.gift, { status: "FAILED", failure_code })
    })
  })

  it("refers to what was given up unheard, and what the processor has after all", () =>
    forEvery(submitted, fc.constantFrom("succeeded" as const, "created" as const), (state, status) => {
      const given = { ...state, charge: { ...state.charge, ending: "processor_unreachable" } }
      const unheard = hear(begin(given), snapshot("absent"))
      assert.deepInclude(unheard.state.charge, { status: "CANCELLED", reference: null })
      const found = hear(unheard, snapshot(status))
      assert.deepInclude(found.state.charge, { status: "CANCELLED", reference: "pi_1" })
      assert.strictEqual(found.state.isLate, status === "succeeded")
    }))

  it("ends what was given up and the processor never heard of, and nothing else that is absent", () => {
    const codes = ["processor_unreachable", "cancelled", "card_declined"]
    forEvery(submitted, fc.constantFrom(...codes), (state, ending) => {
      const absent = snapshot("absent")
      assert.deepStrictEqual(plan(state, absent), [])
      const given = { ...state, charge: { ...state.charge, ending } }
      const { charge, gift } = hear(begin(given), absent).state
      assert.strictEqual(charge.status, ending === "card_declined" ? "FAILED" : "CANCELLED")
      assert.deepInclude(gift, { status: "FAILED", failure_code: ending })
      const referred = { ...given, charge: { ...given.charge, reference: "pi_1" } }
      assert.deepStrictEqual(plan(referred, absent), [])
    })
  })

  it("tells a person once of figures that are not ours, and applies nothing of them", () => {
    const other = fc.integer({ min: 1, max: amount - 1 })
    forEvery(submitted, other, other, fc.constantFrom("EUR", "AUD"), (state, less, part, currency) => {
      const refund = { reference: "re_1", refund_id: null, amount_cents: part, status: "pending" } as const
      const dispute = { reference: "dp_1", amount_cents: part, status: "open" } as const
      const paid = hear(begin(state), snapshot("succeeded", { refunds: [refund], disputes: [dispute] }))
      const wrong = [
        snapshot("succeeded", { amount_cents: less }),
        snapshot("succeeded", { refunds: [{ ...refund, amount_cents: part + 1, status: "succeeded" }] }),
        snapshot("succeeded", { disputes: [{ ...dispute, amount_cents: part + 1, status: "lost" }] }),
        ...(currency === "AUD" ? [] : [snapshot("succeeded", { currency })])
      ]
      for (const theirs of wrong) {
        const told = hear(paid, theirs)
        const kinds = told.raised.slice(paid.raised.length).map(({ kind }) => kind)
        assert.deepStrictEqual(kinds, ["mismatch"])
        assert.deepStrictEqual({ ...told.state, isMismatched: false }, paid.state)
        assert.deepStrictEqual(told.postings, paid.postings)
        assert.deepStrictEqual(plan(told.state, theirs), [])
      }
    })
  })

  it("tells a person of a refund that was refused here and paid there, and not of an old snapshot of one that failed", () =>
    forEvery(submitted, fc.integer({ min: 1, max: amount }), fc.boolean(), (state, amount_cents, isMade) => {
      const paid = hear(begin(state), snapshot("succeeded"))
      const gift = paid.state.gift ?? assert.fail("there is a gift")
      const id = idOf("rfd") as RefundId
      const asked = Result.getOrThrow(Refund.refund(gift, [], { amount_cents }, { id, at }))
      const settling: SettlementState = { ...paid.state, gift: asked.donation, refunds: [asked.refund] }
      const there = (status: RefundSnapshot["status"]) =>
        snapshot("succeeded", { refunds: [{ reference: "re_1", refund_id: id, amount_cents, status }] })
      const refused: Step = { _tag: "FailRefund", refund_id: id }
      const steps = isMade ? plan(settling, there("failed")) : [refused]
      assert.lengthOf(steps, 1)
      const failed = steps.reduce((now, step) => Result.getOrThrow(take(now, step, occasion())).state, settling)
      assert.strictEqual(failed.refunds[0]?.status, "FAILED")
      assert.strictEqual(failed.gift?.refunded_amount_cents, 0)
      const _tags = plan(failed, there("succeeded")).map(({ _tag }) => _tag)
      assert.deepStrictEqual(_tags, isMade ? [] : ["Mismatch"])
    }))
})
