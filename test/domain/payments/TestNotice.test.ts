import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { IntegrationId, OrganisationId, TransferAttemptId } from "../../../src/domain/kernel/Ids.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import * as Notice from "../../../src/domain/payments/Notice.ts"
import { NoticeManner, standardAccount } from "../../../src/domain/payments/TestCharge.ts"
import {
  type BankEvent,
  bankEventsBetween,
  markSent,
  noticeOf,
  readSignature,
  signatureHeader,
  signatureValue
} from "../../../src/domain/payments/TestNotice.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"
import { chargeAtBank } from "./AtTestBank.ts"

const account = standardAccount(
  OrganisationId.make("org_00000000000000000000000000"),
  IntegrationId.make("intg_00000000000000000000000000")
)
const now = DateTime.makeUnsafe(1_000_000)

const happening = fc
  .constantFrom("charge.succeeded", "charge.processing", "refund.pending", "dispute.open")
  .map((type): BankEvent => ({ type, object: "charge", reference: "test_1", charge_id: null }))

describe("a notice of the simulated bank", () => {
  it("is sent as often as the account says, the later where it is late, and kept in any case", () =>
    forEvery(fc.constantFrom(...NoticeManner.literals), happening, (notices, what) => {
      const made = noticeOf({ ...account, notices }, what, "tnt_1", now)
      let [times, notice] = [0, made]
      while (notice.send_at !== null && times < 5) {
        assert.isTrue(DateTime.isGreaterThanOrEqualTo(notice.send_at, now))
        ;[times, notice] = [times + 1, markSent(notice)]
      }
      assert.strictEqual(times, { ON_TIME: 1, LATE: 1, TWICE: 2, REORDERED: 1, NEVER: 0 }[notices])
      assert.deepStrictEqual({ ...made, send_at: null, sends: 0 }, { ...notice, send_at: null, sends: 0 })
    }))

  it("of a beginning is overtaken by what comes of it where they are reordered", () => {
    const sendAt = (type: string, object: BankEvent["object"] = "charge") =>
      noticeOf({ ...account, notices: "REORDERED" }, { type, object, reference: "r", charge_id: null }, "t", now)
        .send_at ?? assert.fail()
    assert.isTrue(DateTime.isGreaterThan(sendAt("charge.processing"), sendAt("charge.succeeded")))
    assert.isTrue(DateTime.isGreaterThan(sendAt("refund.pending"), sendAt("refund.succeeded")))
    assert.deepStrictEqual(sendAt("mandate.revoked", "mandate"), now)
  })
})

describe("what happened to a mandate at the simulated bank", () => {
  const mandate = fc.constantFrom(null, "WORKING" as const, "DECLINING" as const, "REVOKED" as const)

  it("is told when it was revoked, and never twice", () =>
    forEvery(mandate, mandate, (before, after) => {
      const told = bankEventsBetween(chargeAtBank({ mandate: before }), chargeAtBank({ mandate: after }))
      const isNews = before !== "REVOKED" && after === "REVOKED"
      assert.deepStrictEqual(
        told.map(({ charge_id, type }) => ({ charge_id, type })),
        isNews ? [{ charge_id: null, type: "mandate.revoked" }] : []
      )
    }))
})

describe("what happened to the transfers of a charge at the simulated bank", () => {
  const made = {
    transfer_id: TransferAttemptId.make(`trf_${"0".repeat(26)}`),
    destination: account.integration_id,
    amount_cents: 1,
    created_at: now
  }
  const drawn = fc.array(fc.constantFrom("absent", "made", "reversed"), { minLength: 3, maxLength: 3 })

  it("is told of each when it is taken back, and never twice", () =>
    forEvery(drawn, drawn, (before, after) => {
      const chargeWith = (states: typeof before) =>
        chargeAtBank({
          transfers: states.flatMap((state, n) => {
            const transfer = { ...made, reference: `t${n}` }
            if (state === "absent") return []
            const reversal = { reference: `b${n}`, reversal_id: null, created_at: now }
            return [state === "made" ? transfer : { ...transfer, reversal }]
          })
        })
      const news = after.filter((state, n) => state === "reversed" && before[n] !== "reversed")
      assert.deepStrictEqual(
        bankEventsBetween(chargeWith(before), chargeWith(after)).map(({ type }) => type),
        news.map(() => "transfer.reversed")
      )
    }))
})

describe("a signature of the simulated bank", () => {
  it("is found in the headers of a request", () => {
    const value = signatureValue(1_000, ["ab"])
    const headers = new Headers([
      ["content-type", "application/json"],
      [signatureHeader, value]
    ])
    assert.strictEqual(headers.get(signatureHeader), value)
  })

  it("is read as it was written, while its time is near", () =>
    forEvery(
      fc.nat(2_000_000_000),
      fc.array(fc.stringMatching(/^[\w-]{0,60}$/), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: -1_000, max: 1_000 }),
      (seconds, signatures, away) => {
        const at = DateTime.makeUnsafe((seconds + away) * 1000)
        const read = readSignature(signatureValue(seconds, signatures), at)
        if (Math.abs(away) > Limits.noticeToleranceSeconds) assert.isTrue(Result.isFailure(read))
        else assert.deepStrictEqual(read, Result.succeed({ seconds, signatures }))
      }
    ))

  it("is none whatever else is written there", () =>
    forEvery(fc.option(fc.string(), { nil: undefined }), (value) => {
      assert.isTrue(Result.isFailure(readSignature(value, now)))
    }))
})

const at = (hours: number, notice: Notice.Notice) =>
  DateTime.add(notice.created_at, { minutes: Math.round(hours * 60) })

describe("a notice of a charge that is not here", () => {
  it("is looked at more and more rarely, until a day has passed, and not after it", () =>
    forEvery(Generators.notice, fc.double({ min: 0, max: 48, noNaN: true }), fc.boolean(), (notice, hours, isKnown) => {
      const now = at(hours, notice)
      const until = at(Limits.noticeWaitHours, notice)
      const command = Notice.withoutCharge(notice, now, isKnown)
      if (DateTime.isLessThan(now, until)) {
        assert.strictEqual(command._tag, "Wait")
        if (command._tag !== "Wait") return
        assert.isTrue(DateTime.isGreaterThan(command.apply_at, now))
        assert.isTrue(DateTime.isLessThanOrEqualTo(command.apply_at, until))
      } else assert.strictEqual(command._tag, isKnown ? "Fail" : "Ignore")
    }))

  it("is looked at less than a hundred and fifty times", () =>
    forEveryWith({ numRuns: 5 }, Generators.notice, (notice) => {
      let [now, looks] = [notice.created_at, 0]
      for (;;) {
        const command = Notice.withoutCharge(notice, now, true)
        if (command._tag !== "Wait") break
        ;[now, looks] = [command.apply_at, looks + 1]
      }
      assert.isBelow(looks, 150)
    }))
})
