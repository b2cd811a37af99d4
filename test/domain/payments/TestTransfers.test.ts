import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { IntegrationId, ReversalId, TransferAttemptId } from "../../../src/domain/kernel/Ids.ts"
import { TransferManner } from "../../../src/domain/payments/TestCharge.ts"
import {
  reverseNewest,
  reverseTransfer,
  transferableCents,
  transferMoney
} from "../../../src/domain/payments/TestTransfers.ts"
import { forEveryWith } from "../../support/Property.ts"
import { chargeAtBank, later } from "./AtTestBank.ts"

const digits = (n: number) => `${n}1jqz6x8h4e5vb9m2k7ncw3t5d`
const transferId = (n: number) => TransferAttemptId.make(`trf_${digits(n)}`)
const reversalId = (n: number) => ReversalId.make(`rvs_${digits(n)}`)
const destination = IntegrationId.make(`intg_${digits(0)}`)

const amount = 10_000
const id = fc.nat(3)
const step = fc.record({
  does: fc.constantFrom("transfer", "transfer", "reverse"),
  transfer: id,
  reversal: id,
  cents: fc.integer({ min: 1, max: amount / 2 }),
  charges_enabled: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  transfers: fc.oneof(
    { weight: 5, arbitrary: fc.constant("ACCEPTED" as const) },
    fc.constantFrom(...TransferManner.literals)
  )
})
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const takings = fc.record({
  fee: fc.constantFrom(null, 0, 205),
  refund: fc.constantFrom(0, 1, 4_000),
  dispute: fc.constantFrom(0, 1, 4_000)
})

const refusalOf = ({ charges_enabled, transfers }: Step): string | null =>
  transfers === "CLOSED"
    ? "account_closed"
    : !charges_enabled
      ? "account_disabled"
      : transfers === "REFUSED"
        ? "transfer_refused"
        : null

interface Sent {
  readonly cents: number
  readonly reference: string
  back: { readonly by: number; readonly reference: string } | null
}

describe("transfers at the simulated bank", () => {
  it("happen once for each attempt, are taken back once and whole, and are never more than the charge has left", () =>
    forEveryWith({ numRuns: 200 }, takings, fc.array(step, { maxLength: 12 }), ({ dispute, fee, refund }, steps) => {
      const made = { reference: "r", refund_id: null, idempotency_key: null, created_at: later(0) }
      let charge = chargeAtBank({
        status: "succeeded",
        amount_cents: amount,
        fee_cents: fee,
        refunds: [
          { ...made, amount_cents: refund, status: "succeeded" },
          { ...made, amount_cents: 9_000, status: "failed" }
        ],
        disputes: [
          { reference: "d", amount_cents: dispute, status: "lost" },
          { reference: "w", amount_cents: 9_000, status: "won" }
        ]
      })
      const sent = new Map<number, Sent>()
      const left = () =>
        amount -
        (fee ?? 0) -
        refund -
        dispute -
        [...sent.values()].reduce((sum, { back, cents }) => sum + (back === null ? cents : 0), 0)
      for (const [index, each] of steps.entries()) {
        const now = later(index + 1)
        const known = sent.get(each.transfer)
        const before = charge
        if (each.does === "transfer") {
          const ask = { transfer_id: transferId(each.transfer), destination, amount_cents: each.cents }
          const asked = transferMoney(charge, ask, each, now)
          const refused =
            known === undefined ? (refusalOf(each) ?? (each.cents > left() ? "balance_insufficient" : null)) : null
          assert.strictEqual(Result.isFailure(asked) ? asked.failure.code : null, refused)
          if (Result.isFailure(asked)) continue
          const { transfer } = asked.success
          charge = asked.success.charge
          assert.strictEqual(transfer.reference, known?.reference ?? `test_1_t${sent.size + 1}`)
          assert.strictEqual(transfer.amount_cents, known?.cents ?? each.cents)
          if (known === undefined)
            sent.set(each.transfer, { cents: each.cents, reference: transfer.reference, back: null })
          else assert.strictEqual(charge, before)
        } else {
          const ask = { reversal_id: reversalId(each.reversal), transfer_id: transferId(each.transfer) }
          const asked = reverseTransfer(charge, ask, each, now)
          const isAgain = known?.back?.by === each.reversal
          const refused =
            known === undefined
              ? "transfer_unknown"
              : isAgain
                ? null
                : known.back === null
                  ? refusalOf(each)
                  : "transfer_reversed"
          assert.strictEqual(Result.isFailure(asked) ? asked.failure.code : null, refused)
          if (Result.isFailure(asked) || known === undefined) continue
          charge = asked.success.charge
          const { reference } = asked.success
          if (isAgain) assert.strictEqual(charge, before)
          assert.strictEqual(reference, `${known.reference}_b`)
          known.back = { by: each.reversal, reference }
        }
        if (charge !== before) assert.deepStrictEqual(charge.updated_at, now)
        assert.strictEqual(transferableCents(charge), left())
        assert.deepStrictEqual(
          charge.transfers.map(({ amount_cents, reference, reversal }) => [
            reference,
            amount_cents,
            reversal?.reference
          ]),
          [...sent.values()].map(({ back, cents, reference }) => [reference, cents, back?.reference])
        )
      }
    }))

  it("have nothing left where more was taken back than is there, and before the money came", () => {
    const disputes = [{ reference: "d", amount_cents: amount, status: "open" as const }]
    assert.strictEqual(transferableCents(chargeAtBank({ status: "succeeded", fee_cents: 205, disputes })), 0)
    assert.strictEqual(transferableCents(chargeAtBank({ status: "processing" })), 0)
  })

  it("may be of all that is left, stand on the statement as what went and came back, and are taken back from the newest", () => {
    const account = { charges_enabled: true, transfers: "ACCEPTED" } as const
    const send = (from: ReturnType<typeof chargeAtBank>, n: number, amount_cents: number) =>
      Result.getOrThrow(
        transferMoney(from, { transfer_id: transferId(n), destination, amount_cents }, account, later(n))
      ).charge
    const movesOf = ({ movements }: ReturnType<typeof chargeAtBank>) =>
      movements.map(({ amount_cents }) => amount_cents)
    const paid = chargeAtBank({ status: "succeeded", amount_cents: amount, fee_cents: 205 })
    const sent = send(send(paid, 1, 1_000), 2, amount - 205 - 1_000)
    assert.strictEqual(transferableCents(sent), 0)
    assert.deepStrictEqual(movesOf(sent), [-1_000, 1_205 - amount])
    const once = Result.getOrThrow(reverseNewest(sent, later(3)))
    assert.strictEqual(transferableCents(once), amount - 205 - 1_000)
    const twice = Result.getOrThrow(reverseNewest(once, later(4)))
    assert.deepStrictEqual(movesOf(twice), [-1_000, 1_205 - amount, amount - 1_205, 1_000])
    const refused = reverseNewest(twice, later(5))
    assert.strictEqual(Result.isFailure(refused) ? refused.failure.code : null, "transfer_unknown")
  })
})
