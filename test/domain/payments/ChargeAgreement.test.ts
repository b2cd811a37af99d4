import { assert, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as Refund from "../../../src/domain/giving/Refund.ts"
import type { DisputeId, RefundId } from "../../../src/domain/kernel/Ids.ts"
import { can, decide } from "../../../src/domain/kernel/Machine.ts"
import * as Books from "../../../src/domain/payments/Books.ts"
import * as Charge from "../../../src/domain/payments/Charge.ts"
import { balancesOf, overdrawn, type Posting } from "../../../src/domain/payments/Ledger.ts"
import { abandonCode, isUnconfirmedThere, nextAction, nextPollAt } from "../../../src/domain/payments/PollPlan.ts"
import { plan, type Step } from "../../../src/domain/payments/Settlement.ts"
import type { ChargeSnapshot } from "../../../src/domain/payments/Snapshot.ts"
import {
  type ExceptionFacts,
  type Occasion,
  type SettlementState,
  take
} from "../../../src/domain/payments/StepApplication.ts"
import { forEveryWith } from "../../support/Property.ts"
import { rounds } from "../../support/Rounds.ts"
import { ModelProcessor, type Script } from "./ModelProcessor.ts"
import { amount, submittedAt } from "./SubmittedGift.ts"

// Whole histories with a processor: it is begun, confirmed, cancelled and asked for refunds as Looking says; requests and
// answers are lost, snapshots are old, and time passes.

const start = DateTime.makeUnsafe("2026-07-01T00:00:00Z")

const script: fc.Arbitrary<Script> = fc.record({
  charge: fc.constantFrom<Script["charge"]>(
    ["succeeded"],
    ["failed"],
    ["waiting", "succeeded"],
    ["waiting", "failed"],
    ["waiting"],
    ["processing", "succeeded"],
    ["processing", "failed"],
    ["waiting", "processing", "succeeded"]
  ),
  refund: fc.constantFrom<Script["refund"]>(
    "refused",
    ["pending", "succeeded"],
    ["succeeded"],
    ["pending", "failed"],
    ["pending", "succeeded", "failed"]
  ),
  dispute: fc.constantFrom<Script["dispute"]>([], ["open", "won"], ["open", "lost"], ["lost", "won"], ["lost"]),
  disputed_cents: fc.integer({ min: 1, max: amount }),
  fee_cents: fc.integer({ min: 0, max: amount + 50 })
})

const reach = fc.constantFrom("reached" as const, "reached" as const, "not reached" as const, "answer lost" as const)

const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ _tag: fc.constant("Look" as const), reach, old: fc.option(fc.nat(9), { freq: 3 }) })
  },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constantFrom("Happens" as const, "Arrives" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constantFrom("Disputed" as const, "Cancel" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Wait" as const), hours: fc.constantFrom(0.1, 1, 25, 400) }) },
  {
    weight: 2,
    arbitrary: fc.record({ _tag: fc.constant("Refund" as const), cents: fc.integer({ min: 1, max: amount }) })
  }
)
type Happening = typeof happening extends fc.Arbitrary<infer A> ? A : never

let ids = 0
const idOf = (prefix: string) => `${prefix}_${String(ids++).padStart(26, "0")}`

class World {
  state: SettlementState
  now = start
  readonly bank: ModelProcessor
  readonly postings: Array<Posting> = []
  readonly events: Array<string> = []
  readonly raised: Array<ExceptionFacts> = []
  private readonly seen: Array<ChargeSnapshot> = []
  /** A donor transfers with the reference, which is shown while the charge is open, and to nobody after its end. */
  private isReferenceShown = false

  constructor(state: SettlementState, script: Script) {
    this.state = state
    this.bank = new ModelProcessor(script)
    // Of a bank transfer, the money is on the account before it is matched.
    if (state.charge.method === "bank_transfer") {
      this.postings.push({ from_account: "bank", to_account: "unmatched", amount_cents: amount })
    }
  }

  step(step: Step): void {
    const occasion: Occasion = {
      at: this.now,
      refund_id: idOf("rfd") as RefundId,
      dispute_id: idOf("dsp") as DisputeId,
      today: "2026-07-01" as Occasion["today"],
      arrived: { at: this.now, on: "2026-07-01" as Occasion["today"] },
      refunds: true
    }
    const taken = Result.getOrThrow(take(this.state, step, occasion))
    this.state = taken.state
    this.postings.push(...taken.moved.flatMap(({ postings }) => postings))
    this.events.push(...taken.events.map(({ type }) => type))
    this.raised.push(...taken.raised)
    const { ending, method, reference, status } = this.state.charge
    const isShown = method === "bank_transfer" && reference !== null && ending === null
    if (isShown && (status === "NEW" || status === "WAITING")) this.isReferenceShown = true
    this.check()
  }

  /** What nobody would ask back. */
  check(): void {
    const balances = balancesOf(this.postings)
    assert.deepStrictEqual(overdrawn(balances), [])
    const held = [
      ...this.state.refunds.filter(({ status }) => status === "PENDING").map(({ amount_cents }) => amount_cents),
      ...this.raised.map(({ held_cents }) => held_cents)
    ]
    assert.strictEqual(
      balances.held,
      held.reduce((sum, cents) => sum + BigInt(cents), 0n)
    )
    assert.isAtMost(this.bank.takings, 1)
    const { charge, gift, refunds } = this.state
    // Nothing that may still bring money is given up.
    if (charge.status === "FAILED" || charge.status === "CANCELLED") {
      assert.include(["absent", "created", "cancelled"], this.bank.status)
      assert.strictEqual(this.bank.takings, 0)
    }
    assert.strictEqual(gift?.refunded_amount_cents, Refund.refundedCents(refunds))
  }

  private ask(isHeard: boolean, isAnswered: boolean): void {
    const { charge } = this.state
    const action = nextAction(this.state, charge.sealed_token !== null)
    switch (action._tag) {
      case "Begin":
        if (isHeard) this.bank.begin()
        if (isAnswered) this.step({ _tag: "Refer", reference: "pi_1" })
        return
      case "Confirm":
        // The confirmation is committed before the processor is told.
        this.state = {
          ...this.state,
          charge: Result.getOrThrow(decide(Charge.machine, charge, { _tag: "Confirm", at: this.now })).state
        }
        if (isHeard) this.bank.confirm()
        return
      case "Cancel":
        if (isHeard) this.bank.cancel()
        return
      case "Refund":
        this.askRefund(action.refund, isHeard, isAnswered)
        return
      case "Fetch":
        // What was confirmed here and not heard there is sent again.
        if (isAnswered && isUnconfirmedThere(charge, this.bank.status, charge.sealed_token !== null) && isHeard)
          this.bank.confirm()
    }
  }

  private askRefund(refund: Refund.Refund, isHeard: boolean, isAnswered: boolean): void {
    const isMade = isHeard && this.bank.refund(refund)
    if (!isAnswered) return
    if (!isMade) {
      this.step({ _tag: "FailRefund", refund_id: refund.id })
      return
    }
    const referred = { ...refund, processor_reference: `re_${refund.id}` }
    this.state = { ...this.state, refunds: this.state.refunds.map((each) => (each.id === refund.id ? referred : each)) }
  }

  look(reach: "reached" | "not reached" | "answer lost", old: number | null): void {
    const code = abandonCode(this.state.charge, this.now, null)
    if (code !== null) this.step({ _tag: "End", failure_code: code })
    this.ask(reach !== "not reached", reach === "reached")
    this.seen.push(this.bank.snapshot)
    if (reach !== "reached") return
    const theirs = this.seen[old === null ? this.seen.length - 1 : old % this.seen.length]
    if (theirs === undefined) return
    const steps = plan(this.state, theirs)
    for (const step of steps) this.step(step)
    const looks = steps.length === 0 ? this.state.charge.looks + 1 : 0
    this.state = { ...this.state, charge: { ...this.state.charge, looks } }
    assert.deepStrictEqual(plan(this.state, theirs), [])
  }

  /** A refund is asked for here, as REST does it. */
  refund(cents: number): void {
    const { disputes, gift, refunds } = this.state
    if (gift === null || disputes.some(({ status }) => status === "OPEN")) return
    const asked = Refund.refund(gift, refunds, { amount_cents: cents }, { id: idOf("rfd") as RefundId, at: this.now })
    if (Result.isFailure(asked)) return
    const { donation, events, refund } = asked.success
    this.state = { ...this.state, gift: donation, refunds: [...refunds, refund] }
    this.postings.push(...Books.refundRequested(refund))
    this.events.push(...events.map(({ type }) => type))
    this.check()
  }

  /** Staff want it ended. */
  end(): void {
    const end = { _tag: "End", failure_code: "cancelled" } as const
    if (can(Charge.machine, this.state.charge, { ...end, at: this.now })) this.step(end)
  }

  happen(happening: Happening): void {
    switch (happening._tag) {
      case "Look":
        this.look(happening.reach, happening.old)
        break
      case "Happens":
        this.bank.happens()
        break
      case "Arrives":
        if (this.isReferenceShown) this.bank.arrives()
        break
      case "Disputed":
        this.bank.isDisputed()
        break
      case "Cancel":
        this.end()
        break
      case "Wait":
        this.now = DateTime.add(this.now, { minutes: happening.hours * 60 })
        break
      case "Refund":
        this.refund(happening.cents)
    }
  }

  /** Everything that is under way at the processor comes to its end: it is looked at when Looking says, and when told so. */
  settle(): void {
    for (let turn = 0; turn < 200; turn++) {
      this.look("reached", null)
      const before = JSON.stringify(this.bank.snapshot)
      if (this.bank.status !== "waiting") this.bank.happens()
      const isTold = JSON.stringify(this.bank.snapshot) !== before
      const next = nextPollAt(this.state, this.now, true)
      if (next === null && !isTold && nextAction(this.state, false)._tag === "Fetch") break
      this.now = next ?? this.now
    }
    this.look("reached", null)
  }
}

const histories = fc.record({
  state: submittedAt(start),
  script,
  happenings: fc.array(happening, { maxLength: 25, size: "max" })
})

const ended = ["SUCCEEDED", "FAILED", "CANCELLED"]

const refundEvents = { "donation.refunded": 1, "donation.refund_reversed": -1 }

it("a charge and its processor agree in the end, whatever was lost, late or old, and money is neither taken twice nor lost sight of", () => {
  const seen = new Set<string>()
  forEveryWith({ numRuns: 1_000 * rounds }, histories, ({ happenings, script, state }) => {
    const world = new World(state, script)
    for (const each of happenings) world.happen(each)
    world.settle()
    const { bank, events, raised } = world
    const { charge, disputes, gift, refunds } = world.state
    seen.add(charge.failure_code ?? charge.status)
    assert.include(ended, charge.status)
    const isTaken = bank.takings === 1
    assert.strictEqual(charge.status === "SUCCEEDED", isTaken)
    assert.strictEqual(gift?.status === "FAILED", !isTaken)
    if (isTaken) assert.strictEqual(charge.processor_fee_cents, script.fee_cents)
    // Theirs and ours, refund by refund and dispute by dispute.
    const { disputes: theirDisputes, refunds: theirRefunds } = bank.snapshot
    for (const theirs of theirRefunds) {
      const ours = refunds.find(({ id }) => id === theirs.refund_id)
      assert.deepInclude(ours ?? {}, { status: theirs.status.toUpperCase(), amount_cents: theirs.amount_cents })
    }
    assert.deepStrictEqual(
      disputes.map(({ reference, status }) => `${reference} ${status}`),
      theirDisputes.map(({ reference, status }) => `${reference} ${status.toUpperCase()}`)
    )
    // What the donor has back, by the books and by the processor.
    const back = [
      ...theirRefunds.filter(({ status }) => status === "succeeded"),
      ...theirDisputes.filter(({ status }) => status === "lost")
    ].reduce((sum, { amount_cents }) => sum + amount_cents, 0)
    const from = charge.method === "bank_transfer" ? 0 : isTaken ? amount : 0
    assert.strictEqual(balancesOf(world.postings).donor, BigInt(back - from))
    const kinds = raised.map(({ kind }) => kind)
    assert.notInclude(kinds, "mismatch")
    // Each ending is told once, and a gift's refunds are told of in a legal order.
    const endings = events.filter((type) => type === "donation.succeeded" || type === "donation.failed")
    assert.deepStrictEqual(endings, [isTaken ? "donation.succeeded" : "donation.failed"])
    assert.isAtMost(events.filter((type) => type === "donation.processing").length, 1)
    let open = 0
    for (const type of events) {
      open += type in refundEvents ? refundEvents[type as keyof typeof refundEvents] : 0
      assert.isAtLeast(open, 0)
    }
    const counted = refunds.filter(({ is_beside_gift, status }) => status !== "FAILED" && !is_beside_gift)
    assert.strictEqual(open, counted.length)
  })
  // The histories lead everywhere.
  const everywhere = ["SUCCEEDED", "card_declined", "abandoned", "bank_transfer_lapsed", "cancelled"]
  assert.includeMembers([...seen], [...everywhere, "processor_unreachable"])
})
