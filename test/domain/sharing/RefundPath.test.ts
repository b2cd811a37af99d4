import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { PaymentAllocationId, TransferAttemptId } from "../../../src/domain/kernel/Ids.ts"
import { isDecided, isLeft, type PartHistory, type PartState, pathOf } from "../../../src/domain/sharing/RefundPath.ts"
import { Status, type Transfer } from "../../../src/domain/sharing/Transfer.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { transfers } from "../../../src/testing/subjects/Payments.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const [transfer = assert.fail("none")] = fc.sample(transfers.states, { numRuns: 1, seed: 1 })

const part = fc
  .record({
    transfer_status: fc.constantFrom(...Status.literals),
    gross: fc.constantFrom(0, 1, 2_000),
    fee: fc.constantFrom(0, 1),
    isRefunded: fc.boolean(),
    isUnderWay: fc.boolean(),
    isHeld: fc.boolean(),
    isDecided: fc.boolean()
  })
  .map(({ fee, gross, transfer_status, ...known }): PartState => {
    const amounts = { gross_amount_cents: gross, net_amount_cents: Math.max(0, gross - fee) }
    const part: Transfer = { ...transfer, ...amounts, transfer_status }
    return { ...known, transfer: part }
  })

/** Where the money of a part is. */
type Place = "nowhere" | "on its way" | "with the recipient" | "held" | "with the organisation"

const placeOf = ({ isDecided, isHeld, transfer }: PartState): Place => {
  const { gross_amount_cents, net_amount_cents, transfer_status } = transfer
  if (gross_amount_cents === 0) return "nowhere"
  if (transfer_status === "pending") return "on its way"
  // What fees took whole went to nobody: the organisation pays all of it.
  if (transfer_status === "succeeded") return net_amount_cents === 0 ? "with the organisation" : "with the recipient"
  if (isHeld) return "held"
  return transfer_status === "failed" || isDecided ? "nowhere" : "with the organisation"
}

const ways: { readonly [P in Place]: string | null } = {
  nowhere: null,
  "on its way": null,
  "with the recipient": "reverse",
  held: "release",
  "with the organisation": "pay"
}

describe("of money that was held somebody has said what became of it", () => {
  const [before, at, after] = [1, 2, 3].map((day) => DateTime.makeUnsafe({ year: 2026, month: 1, day }))
  const [id, another] = fc.sample(arbitraryOf(PaymentAllocationId), 2)
  const [reversed_id] = fc.sample(arbitraryOf(TransferAttemptId), 1)
  if (!before || !at || !after || !id || !another || !reversed_id) assert.fail("none")
  const exceptions = [{ resolved_at: at }]

  it.each<[string, Partial<PartHistory>, boolean]>([
    ["where it was never held", { exceptions: [] }, false],
    ["while it is held", { exceptions: [{ resolved_at: null }] }, false],
    ["when that is resolved", {}, true],
    ["unless it was transferred again", { attempts: [{ created_at: after, reversed_id: null }] }, false],
    ["or is at the same moment", { attempts: [{ created_at: at, reversed_id: null }] }, false],
    ["not by a transfer before", { attempts: [{ created_at: before, reversed_id: null }] }, true],
    ["nor by one that takes it back", { attempts: [{ created_at: after, reversed_id }] }, true],
    ["unless it was given back", { refunds: [{ created_at: after, allocation_id: id }] }, false],
    ["not by a refund of another part", { refunds: [{ created_at: after, allocation_id: another }] }, true]
  ])("%s", (_, history, expected) =>
    assert.strictEqual(isDecided({ id }, { exceptions, attempts: [], refunds: [], ...history }), expected)
  )
})

describe("a part of a payment", () => {
  it("goes back once, from where its money is, and not while that is on its way", () =>
    forEveryWith({ numRuns: 300 }, part, (known) => {
      const isTaken = known.isRefunded || known.isUnderWay
      const expected = isTaken ? null : ways[placeOf(known)]
      assert.strictEqual(
        Result.getOrElse(pathOf(known), () => null),
        expected
      )
    }))

  it("is asked for with the rest of a payment where it can go back, now or once its transfer has ended", () =>
    forEveryWith({ numRuns: 300 }, part, (known) => {
      const isTaken = known.isRefunded || known.isUnderWay
      assert.strictEqual(isLeft(known), !isTaken && placeOf(known) !== "nowhere")
    }))

  it("is refused as a refund of the payment, with what to do", () =>
    forEvery(part, (known) => {
      const way = pathOf(known)
      if (Result.isSuccess(way)) return
      const { command, machine, message, rule } = way.failure
      assert.deepStrictEqual([machine, command], ["Recommendation set payment", "Refund"])
      assert.match(message, /^[A-Z].*\.$/)
      assert.match(rule, /^[a-z]/)
    }))
})
