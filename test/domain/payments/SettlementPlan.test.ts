import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import * as Refund from "../../../src/domain/giving/Refund.ts"
import { RefundId } from "../../../src/domain/kernel/Ids.ts"
import * as PollPlan from "../../../src/domain/payments/PollPlan.ts"
import { plan, type Step } from "../../../src/domain/payments/Settlement.ts"
import { absent, ChargeSnapshot } from "../../../src/domain/payments/Snapshot.ts"
import type { SettlementState } from "../../../src/domain/payments/StepApplication.ts"
import * as Subjects from "../../../src/testing/subjects/Charges.ts"
import { forEveryWith } from "../../support/Property.ts"
import { amount, submittedAt } from "./SubmittedGift.ts"

const at = DateTime.makeUnsafe("2026-07-01T00:00:00Z")
const submitted = fc.constantFrom(
  ...fc.sample(submittedAt(DateTime.subtract(at, { minutes: 1 })), { numRuns: 12, seed: 1 })
)

const snapshot = (status: ChargeSnapshot["status"], more: Partial<ChargeSnapshot> = {}): ChargeSnapshot => ({
  ...absent({ amount_cents: amount, currency: "AUD" }),
  status,
  reference: status === "absent" ? null : "pi_1",
  ...more
})

const disputes = fc.constantFrom(...fc.sample(Subjects.disputes.states, { numRuns: 4, seed: 1 }))

const charge = fc.record({
  state: submitted,
  status: fc.constantFrom("NEW", "WAITING", "PROCESSING", "SUCCEEDED", "FAILED", "CANCELLED"),
  reference: fc.constantFrom(null, "pi_1"),
  ending: fc.constantFrom(null, "cancelled", "card_declined"),
  isConfirmed: fc.boolean()
})
const ours = charge.map(
  ({ ending, isConfirmed, reference, state, status }): SettlementState => ({
    ...state,
    charge: { ...state.charge, status, reference, ending, confirmed_at: isConfirmed ? at : null }
  })
)

const toldIn = (steps: ReadonlyArray<Step>) => steps.flatMap((step) => (step._tag === "Mismatch" ? [step.reason] : []))

const tagsOf = (steps: ReadonlyArray<Step>) => steps.map(({ _tag }) => _tag)

describe("what the processor had once", () => {
  it("is no charge that it never had, or that took no money and takes none", () =>
    forEveryWith({ numRuns: 10 }, submitted, (state) => {
      const updated_at = DateTime.subtract(at, { hours: 2 })
      for (const status of ["NEW", "WAITING", "PROCESSING", "SUCCEEDED", "FAILED", "CANCELLED"] as const) {
        for (const reference of [null, "pi_1"]) {
          const charge = { ...state.charge, method: "card", status, reference, updated_at } as const
          const isTaken = reference !== null && (status === "PROCESSING" || status === "SUCCEEDED")
          const told = toldIn(plan({ ...state, charge }, snapshot("absent", { asked_at: at })))
          assert.lengthOf(told, isTaken ? 1 : 0, `${status} ${reference}`)
        }
      }
    }))

  const hours = (count: number) => DateTime.add(at, { hours: count })
  const known = submitted.map((state): SettlementState => {
    const paid = {
      method: "card",
      status: "SUCCEEDED",
      reference: "pi_1",
      processor_fee_cents: 0,
      updated_at: at
    } as const
    const refund = { ...refundOf(state), status: "SUCCEEDED", processor_reference: "re_1", updated_at: at } as const
    const [dispute] = fc.sample(Subjects.disputes.states, { numRuns: 1, seed: 2 })
    const lost = { ...(dispute ?? assert.fail()), reference: "dp_1", refund_id: null, updated_at: at } as const
    return { ...state, charge: { ...state.charge, ...paid }, refunds: [refund], disputes: [lost] }
  })
  it("is told of where it is gone for more than an hour, once, and not of what is newer than the question", () =>
    forEveryWith({ numRuns: 30 }, known, fc.constantFrom("absent", "succeeded"), (state, status) => {
      const remote = snapshot(status)
      const gone = status === "absent" ? "charge pi_1" : "refund re_1 and the dispute dp_1"
      const reason = `The processor had the ${gone}, and has it no more.`
      assert.deepStrictEqual(toldIn(plan(state, { ...remote, asked_at: hours(2) })), [reason])
      assert.deepStrictEqual(toldIn(plan({ ...state, isMismatched: true }, { ...remote, asked_at: hours(2) })), [])
      for (const asked of [{}, { asked_at: at }, { asked_at: hours(1) }]) {
        assert.deepStrictEqual(toldIn(plan(state, { ...remote, ...asked })), [])
      }
    }))

  it("is missed by nobody where it failed, is a lost dispute's, or came by bank transfer", () =>
    forEveryWith({ numRuns: 30 }, known, fc.constantFrom("failed", "lost", "transferred"), (state, how) => {
      const [refund] = state.refunds
      const [dispute] = state.disputes
      if (refund === undefined || dispute === undefined) return assert.fail()
      const theirs = { reference: "dp_1", amount_cents: dispute.amount_cents, status: "open" } as const
      const after: SettlementState = {
        ...state,
        charge: { ...state.charge, method: how === "transferred" ? "bank_transfer" : "card" },
        refunds: [{ ...refund, status: how === "failed" ? "FAILED" : "SUCCEEDED" }],
        disputes: [{ ...dispute, refund_id: how === "lost" ? refund.id : null }]
      }
      assert.deepStrictEqual(toldIn(plan(after, snapshot("succeeded", { asked_at: hours(2), disputes: [theirs] }))), [])
    }))
})

describe("a plan", () => {
  it("ends a charge as cancelled where it was ended here, before the bank network had it, and as failed otherwise", () =>
    forEveryWith({ numRuns: 10 }, submitted, (state) => {
      for (const status of ["NEW", "WAITING", "PROCESSING"] as const) {
        for (const ending of [null, "abandoned", "bank_transfer_lapsed", "cancelled", "declined"]) {
          const charge = { ...state.charge, status, reference: "pi_1", ending }
          const isOurs = status !== "PROCESSING" && ending !== "declined"
          const step = { _tag: isOurs ? ("Cancel" as const) : ("Fail" as const), failure_code: ending ?? "cancelled" }
          assert.deepStrictEqual(plan({ ...state, charge }, snapshot("cancelled")), [step])
        }
      }
    }))

  it("tells of a fee in another currency, and that the parts of a set's payment wait for it", () =>
    forEveryWith({ numRuns: 10 }, submitted, fc.constantFrom("donation", "payment"), (state, purpose) => {
      const charge = { ...state.charge, status: "SUCCEEDED", reference: "pi_1", purpose } as const
      const [step, ...more] = plan({ ...state, charge }, snapshot("succeeded", { fee_currency: "USD" }))
      assert.isEmpty(more)
      if (step?._tag !== "Mismatch") return assert.fail()
      assert.match(step.reason, /in USD, .* in AUD/u)
      assert.strictEqual(step.reason.includes("parts of the payment wait"), purpose === "payment")
    }))

  it("refers to what the processor has before it says how that goes on, and only once", () =>
    forEveryWith(
      { numRuns: 200 },
      ours,
      fc.constantFrom("created", "waiting", "processing", "succeeded"),
      (ours, status) => {
        const { charge } = ours
        const hasEnded = charge.status === "FAILED" || charge.status === "CANCELLED"
        const refers = (charge.status === "NEW" || hasEnded) && charge.reference === null
        const isBehind = status === "created" || (status === "waiting" && charge.status !== "NEW")
        fc.pre(refers && !(status === "waiting" && !hasEnded && isBehind))
        const tags = tagsOf(plan(ours, snapshot(status)))
        assert.deepStrictEqual(
          tags.filter((tag) => tag === "Refer"),
          hasEnded || !isBehind || status === "created" ? ["Refer"] : []
        )
        const goesOn = { created: [], waiting: ["Wait"], processing: ["Process"], succeeded: ["Succeed"] }[status]
        if (!hasEnded) assert.deepStrictEqual(tags, ["Refer", ...(goesOn ?? [])])
      }
    ))

  it("hears of money that came back to the gift before money that was taken of it, whatever order it is told in", () =>
    forEveryWith({ numRuns: 30 }, submitted, disputes, fc.boolean(), (state, known, isReversed) => {
      const refund = { ...refundOf(state), status: "SUCCEEDED" as const, processor_reference: "re_1" }
      const dispute = { ...known, reference: "dp_1", amount_cents: 10, status: "LOST" as const, fee_cents: 5 }
      const paid: SettlementState = {
        ...state,
        charge: { ...state.charge, status: "SUCCEEDED", reference: "pi_1", processor_fee_cents: 0 },
        refunds: [refund],
        disputes: [dispute]
      }
      const inOrder = <A>(all: ReadonlyArray<A>) => (isReversed ? all.toReversed() : all)
      const theirs = snapshot("succeeded", {
        refunds: inOrder([
          { reference: "re_2", refund_id: null, amount_cents: 20, status: "pending" as const },
          { reference: "re_1", refund_id: refund.id, amount_cents: refund.amount_cents, status: "failed" as const }
        ]),
        disputes: inOrder([
          { reference: "dp_2", amount_cents: 30, status: "lost" as const, fee_cents: 5 },
          { reference: "dp_1", amount_cents: 10, status: "won" as const, fee_cents: 5 }
        ])
      })
      const steps = ["FailRefund", "WinDispute", "RecordRefund", "LoseDispute", "LearnDisputeFee"]
      assert.deepStrictEqual(tagsOf(plan(paid, theirs)), steps)
    }))

  it("takes a refund that is under way here for paid once it is there, and is no difference", () =>
    forEveryWith({ numRuns: 30 }, submitted, fc.constantFrom(null, "re_1"), (state, processor_reference) => {
      const refund = { ...refundOf(state), processor_reference }
      const paid: SettlementState = {
        ...state,
        charge: { ...state.charge, status: "SUCCEEDED", reference: "pi_1" },
        refunds: [refund]
      }
      const theirs = { reference: "re_1", refund_id: refund.id, amount_cents: refund.amount_cents }
      const steps = (status: "pending" | "succeeded" | "failed") =>
        tagsOf(plan(paid, snapshot("succeeded", { refunds: [{ ...theirs, status }] })))
      assert.deepStrictEqual(steps("succeeded"), ["SucceedRefund"])
      assert.deepStrictEqual(steps("failed"), ["FailRefund"])
      assert.deepStrictEqual(steps("pending"), [])
    }))
})

const refundOf = ({ gift }: SettlementState): Refund.Refund =>
  Result.getOrThrow(
    Refund.refund(
      { ...(gift ?? assert.fail("no gift")), status: "CONFIRMED" },
      [],
      { amount_cents: 100 },
      { id: RefundId.make("rfd_01jqz6x8h4e5vb9m2k7ncw3t5d"), at }
    )
  ).refund

describe("a charge at its processor", () => {
  it("is begun, told, cancelled, refunded or fetched, by what is known of it", () => {
    const refund = fc.record({ isPending: fc.boolean(), isSent: fc.boolean() })
    forEveryWith({ numRuns: 300 }, ours, fc.boolean(), fc.option(refund), (given, isConfirmable, asked) => {
      const row: Refund.Refund | null = asked && {
        ...refundOf(given),
        status: asked.isPending ? "PENDING" : "SUCCEEDED",
        processor_reference: asked.isSent ? "re_1" : null
      }
      const { charge } = given
      const isOpen = charge.status === "NEW" || charge.status === "WAITING"
      const action = PollPlan.nextAction({ ...given, refunds: row === null ? [] : [row] }, isConfirmable)
      const unsent = asked?.isPending === true && !asked.isSent
      const rules: ReadonlyArray<readonly [boolean, PollPlan.Action["_tag"]]> = [
        [isOpen && charge.ending !== null && charge.reference === null, "Fetch"],
        [(isOpen || charge.status === "PROCESSING") && charge.ending !== null, "Cancel"],
        [charge.status === "NEW" && charge.reference === null, "Begin"],
        [isOpen && charge.confirmed_at === null && isConfirmable, "Confirm"],
        [unsent, "Refund"]
      ]
      assert.strictEqual(action._tag, rules.find(([holds]) => holds)?.[1] ?? "Fetch")
      if (action._tag === "Refund") assert.strictEqual(action.refund, row)
    })
  })

  it("is expected to change while it, its fee, a refund or a dispute is open", () => {
    const parts = fc.record({
      refund: fc.constantFrom(null, "PENDING", "SUCCEEDED", "FAILED"),
      dispute: fc.tuple(disputes, fc.constantFrom(null, "OPEN", "WON", "LOST")),
      fee: fc.constantFrom(null, 0),
      isLate: fc.boolean()
    })
    forEveryWith({ numRuns: 200 }, ours, parts, (given, { dispute: [dispute, status], fee, isLate, refund }) => {
      const all: SettlementState = {
        ...given,
        charge: { ...given.charge, processor_fee_cents: fee },
        isLate,
        refunds: refund === null ? [] : [{ ...refundOf(given), status: refund }],
        disputes: status === null ? [] : [{ ...dispute, status }]
      }
      const isOpen = ["NEW", "WAITING", "PROCESSING"].includes(given.charge.status)
      const lacksFee = fee === null && (isLate || given.charge.status === "SUCCEEDED")
      assert.strictEqual(PollPlan.isExpected(all), isOpen || lacksFee || refund === "PENDING" || status === "OPEN")
    })
  })

  it("that was not reached is tried after 2, 10 and 30 seconds, and then every two minutes", () =>
    forEveryWith({ numRuns: 30 }, submitted, fc.nat(9), (state, looks) => {
      const seconds = [2, 10, 30][looks] ?? 120
      const ours = { ...state, charge: { ...state.charge, reference: "pi_1", looks } }
      assert.deepStrictEqual(PollPlan.nextPollAt(ours, at, false), DateTime.add(at, { seconds }))
    }))
})

it("a snapshot of what the processor does not have is one, and so is each status that there is", () => {
  const statuses = ["absent", "created", "waiting", "processing", "succeeded", "failed", "cancelled"] as const
  for (const status of statuses) assert.isTrue(Schema.is(ChargeSnapshot)(snapshot(status)), status)
  assert.isFalse(Schema.is(ChargeSnapshot)({ ...snapshot("created"), status: "" }))
  assert.strictEqual(absent({ amount_cents: amount, currency: "AUD" }).status, "absent")
})
