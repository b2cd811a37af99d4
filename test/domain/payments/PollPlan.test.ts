import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import type { Dispute } from "../../../src/domain/payments/Dispute.ts"
import {
  abandonCode,
  isForStatements,
  isUnconfirmedThere,
  maySendAgain,
  nextPollAt
} from "../../../src/domain/payments/PollPlan.ts"
import type { ChargeState } from "../../../src/domain/payments/Settlement.ts"
import { disputes } from "../../../src/testing/subjects/Charges.ts"
import { forEvery } from "../../support/Property.ts"
import { submittedAt } from "./SubmittedGift.ts"

const start = DateTime.makeUnsafe("2026-07-01T00:00:00Z")
const later = (hours: number) => DateTime.add(start, { minutes: Math.round(hours * 60) })
const day = 24

const submitted = submittedAt(start)

const known = (local: ChargeState): ChargeState => ({ ...local, charge: { ...local.charge, reference: "pi_1" } })

const hours: { readonly [Method in Charge["method"]]: number } = {
  card: day,
  au_becs_debit: day,
  payto: 5 * day,
  // Where its bank is simulated, and has no statements.
  bank_transfer: 15 * day
}

describe("a charge that waits", () => {
  it("is for statements to tell of where it is a bank transfer whose 14 days are over", () =>
    forEvery(submitted, fc.constantFrom("WAITING", "SUCCEEDED", "CANCELLED"), ({ charge }, status) => {
      const isTold = (at: number) => isForStatements({ ...charge, status }, later(at))
      const isFor = charge.method === "bank_transfer" && status === "WAITING"
      assert.deepStrictEqual([isTold(14 * day - 1), isTold(14 * day), isTold(90 * day)], [false, isFor, isFor])
    }))

  it("is given up at the end of its donor's time, and not a minute before", () =>
    forEvery(submitted, (state) => {
      const { charge } = known(state)
      const isTransfer = charge.method === "bank_transfer"
      const ends = isTransfer
        ? ([
            [true, 14 * day],
            [null, 15 * day],
            [false, 44 * day]
          ] as const)
        : ([[null, hours[charge.method]]] as const)
      const code = isTransfer ? "bank_transfer_lapsed" : "abandoned"
      for (const [isCovered, end] of ends) {
        assert.isNull(abandonCode(charge, later(end - 1 / 60), isCovered))
        assert.strictEqual(abandonCode(charge, later(end), isCovered), code)
        assert.isNull(abandonCode({ ...charge, ending: code }, later(end), isCovered))
        for (const status of ["PROCESSING", "SUCCEEDED", "FAILED", "CANCELLED"] as const) {
          assert.isNull(abandonCode({ ...charge, status }, later(end), isCovered), status)
        }
      }
    }))

  it("is given up after a quarter of an hour when its processor was never reached", () =>
    forEvery(submitted, ({ charge }) => {
      assert.isNull(abandonCode(charge, later(14 / 60), true))
      assert.strictEqual(abandonCode(charge, later(15 / 60), false), "processor_unreachable")
    }))

  it("is looked at after ten minutes, an hour and then every six, and when its donor's time ends at the latest", () =>
    forEvery(submitted, fc.nat(9), fc.nat(14 * day), (state, looks, hour) => {
      const ours = known({ ...state, charge: { ...state.charge, looks } })
      const end = hours[ours.charge.method]
      fc.pre(hour < end)
      const delay = [1 / 6, 1][looks] ?? 6
      assert.deepStrictEqual(nextPollAt(ours, later(hour), true), later(Math.min(hour + delay, end)))
      const soon = nextPollAt(ours, later(hour), false) ?? assert.fail("it is looked at")
      assert.isTrue(DateTime.isLessThanOrEqualTo(soon, DateTime.add(later(hour), { minutes: 2 })))
    }))
})

const over = (state: ChargeState): ChargeState => ({
  ...state,
  charge: { ...state.charge, status: "SUCCEEDED", reference: "pi_1", processor_fee_cents: 30, updated_at: start }
})

describe("a charge that has succeeded", () => {
  it("is looked at while its fee is not known, and no more when nothing is expected of it", () =>
    forEvery(submitted, fc.nat(29 * day), (state, hour) => {
      const done = over(state)
      assert.isNull(nextPollAt(done, later(hour), true))
      const feeless: ChargeState = { ...done, charge: { ...done.charge, processor_fee_cents: null } }
      assert.isNotNull(nextPollAt(feeless, later(hour), true))
      assert.isNull(nextPollAt(feeless, later(31 * day), true))
    }))

  it("is looked at for as long as something of it changes, however long ago the charge itself did", () =>
    forEvery(submitted, disputes.states, fc.integer({ min: 0, max: 29 * day }), (state, drawn, hour) => {
      const opened = later(200 * day)
      const open: Dispute = { ...drawn, status: "OPEN", refund_id: null, ended_at: null, updated_at: opened }
      const now = DateTime.add(opened, { hours: hour })
      assert.isNotNull(nextPollAt({ ...over(state), disputes: [open] }, now, true))
      assert.isNull(nextPollAt({ ...over(state), disputes: [{ ...open, status: "WON" }] }, now, true))
      const silent = DateTime.add(opened, { days: 31 })
      assert.isNull(nextPollAt({ ...over(state), disputes: [open] }, silent, true))
    }))
})

describe("a confirmation whose outcome is unknown", () => {
  const statuses = ["absent", "created", "waiting", "processing", "succeeded", "failed", "cancelled"] as const
  const ours = ["NEW", "WAITING", "PROCESSING", "SUCCEEDED", "FAILED", "CANCELLED"] as const

  it("is sent again only where the processor has the charge and was not told to take its money", () =>
    forEvery(submitted, ({ charge }) => {
      const confirmed = { ...charge, confirmed_at: start, ending: null }
      for (const status of ours) {
        const state = { ...confirmed, status }
        const mayHaveFailed = status === "NEW" || status === "WAITING"
        for (const theirs of statuses) {
          assert.strictEqual(isUnconfirmedThere(state, theirs, true), mayHaveFailed && theirs === "created")
        }
        assert.isFalse(isUnconfirmedThere(state, "created", false))
        assert.isFalse(isUnconfirmedThere({ ...state, confirmed_at: null }, "created", true))
        assert.isFalse(isUnconfirmedThere({ ...state, ending: "cancelled" }, "created", true))
      }
    }))

  it("is sent again for less than 23 hours", () =>
    forEvery(fc.integer({ min: 22 * 60, max: 24 * 60 }), (minutes) => {
      assert.strictEqual(maySendAgain(start, later(minutes / 60)), minutes < 23 * 60)
    }))
})
