import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { ObjectKind } from "../../../src/domain/payments/Notice.ts"
import * as Bank from "../../../src/domain/payments/TestBank.ts"
import * as TestCharge from "../../../src/domain/payments/TestCharge.ts"
import * as TestNotice from "../../../src/domain/payments/TestNotice.ts"
import { rejectedCodes, testRules } from "../../../src/domain/payments/TestRules.ts"
import { forEveryWith } from "../../support/Property.ts"
import { chargeAtBank, heardAt, later } from "./AtTestBank.ts"

/** What the bank does with a charge by itself, and after how many seconds. */
const laterOf = (
  charge: TestCharge.TestCharge
): ReadonlyArray<readonly [seconds: number, after: TestCharge.TestCharge]> => {
  const next = Bank.nextActAt(charge)
  if (next === null) return []
  const after = Bank.advance(charge, next)
  return [[(next.epochMilliseconds - heardAt.epochMilliseconds) / 1_000, after], ...laterOf(after)]
}

const hasMinute = (words: string) => /\ba minute\b/.test(words)
const isSlow = (words: string) => words.includes("three minutes later")

/** Whether something may happen after so many seconds, by the words of a number: within seconds, where they say no time. */
const mayHappen = (words: string, seconds: number): boolean =>
  (seconds > 0 && seconds <= 10) ||
  // A minute after what came within seconds, where it has both.
  (hasMinute(words) && seconds >= 60 && seconds <= (words.includes("within seconds") ? 70 : 60)) ||
  (isSlow(words) && seconds === 180)

describe("a number of the test processor", () => {
  it("does what is later when its words say", () => {
    for (const { method, says, token } of testRules) {
      const words = says
        .split("; ")
        .filter((part) => !/refund|approved/.test(part))
        .join("; ")
      const times = laterOf(Result.getOrThrow(Bank.confirm(chargeAtBank({ method }), token, heardAt))).map(([at]) => at)
      for (const seconds of times) assert.isTrue(mayHappen(words, seconds), `${token}: ${seconds} seconds, ${says}`)
      const longest = Math.max(0, ...times)
      assert.deepStrictEqual([longest >= 60, longest >= 180], [hasMinute(words) || isSlow(words), isSlow(words)], says)
    }
  })

  it("is of a bank that approves before it settles", () => {
    const payto = testRules.filter(({ method }) => method === "payto")
    for (const { says, token } of payto) {
      const confirmed = Result.getOrThrow(Bank.confirm(chargeAtBank({ method: "payto" }), token, heardAt))
      const statuses = [confirmed, ...laterOf(confirmed).map(([, after]) => after)].map(({ status }) => status)
      assert.strictEqual(statuses[0], "waiting")
      if (/approves/.test(says)) assert.deepStrictEqual(statuses.slice(0, 2), ["waiting", "processing"])
    }
  })

  it("costs 1.75 % and 0.30 by card, 1 % and 0.30 by debit, and nothing by transfer", () => {
    const paid: ReadonlyArray<readonly [TestCharge.TestCharge["method"], string, number]> = [
      ["card", "4242 4242 4242 4242", 205],
      ["au_becs_debit", "000-000 000123456", 130],
      ["payto", "approves@example.com", 130]
    ]
    for (const [method, token, fee] of paid) {
      const made = Result.getOrThrow(Bank.confirm(chargeAtBank({ method, amount_cents: 10_000 }), token, heardAt))
      assert.strictEqual(Bank.advance(made, later(3_600)).fee_cents, fee, token)
    }
    const transfer = chargeAtBank({ method: "bank_transfer", status: "waiting" })
    assert.strictEqual(Result.getOrThrow(Bank.approve(transfer, heardAt)).fee_cents, 0)
  })
})

describe("the simulated bank moved by hand", () => {
  it("declines what waits with the code of its method, a transfer like a card", () => {
    const codes = {
      card: "authentication_failed",
      au_becs_debit: "debit_not_authorized",
      payto: "payto_agreement_rejected",
      bank_transfer: "authentication_failed"
    } as const
    for (const method of ["card", "au_becs_debit", "payto", "bank_transfer"] as const) {
      const declined = Result.getOrThrow(Bank.decline(chargeAtBank({ method, status: "waiting" }), later(1)))
      assert.deepInclude(declined, { status: "failed", failure_code: codes[method] })
    }
    assert.strictEqual(rejectedCodes.payto, codes.payto)
  })

  it("takes back a debit for good, and holds a card's money until that is decided", () => {
    for (const method of ["card", "au_becs_debit", "payto"] as const) {
      const disputed = Result.getOrThrow(Bank.dispute(chargeAtBank({ method, status: "succeeded" }), 1, later(1)))
      assert.deepInclude(disputed.disputes[0], { amount_cents: 1, status: method === "card" ? "open" : "lost" })
    }
  })

  it("shows that it keeps a means of payment once its charge has succeeded", () => {
    for (const status of TestCharge.Status.literals) {
      for (const mandate of [null, ...TestCharge.TestMandate.literals]) {
        const { mandate_reference } = Bank.snapshotOf(chargeAtBank({ status, mandate }))
        assert.strictEqual(mandate_reference, status === "succeeded" && mandate !== null ? "test_1" : null)
      }
    }
  })

  it("may be cancelled while it is not paid, and not while the network has it", () => {
    for (const status of TestCharge.Status.literals) {
      const cancelled = Bank.cancel(chargeAtBank({ status }), later(1))
      const may = ["created", "waiting", "failed"].includes(status)
      assert.strictEqual(cancelled.status, may ? "cancelled" : status)
      if (!may) assert.deepStrictEqual(cancelled.updated_at, heardAt)
    }
  })

  it("knows the words that it is moved with, and no others", () => {
    const words = [
      [TestCharge.Status, ["created", "waiting", "processing", "succeeded", "failed", "cancelled"]],
      [TestCharge.TestMandate, ["WORKING", "DECLINING", "REVOKED"]],
      [TestCharge.Reach, ["REACHED", "LOST", "ANSWER_LOST"]],
      [TestCharge.NoticeManner, ["ON_TIME", "LATE", "TWICE", "REORDERED", "NEVER"]],
      [TestCharge.TransferManner, ["ACCEPTED", "REFUSED", "CLOSED"]]
    ] as const
    for (const [schema, known] of words) {
      for (const word of known) assert.isTrue(Schema.is(schema)(word), word)
      assert.isFalse(Schema.is(schema)(""))
    }
  })

  it("begins with an account that takes everything, and tells of it on time", () => {
    const { integration_id, organisation_id } = chargeAtBank()
    assert.deepStrictEqual(TestCharge.standardAccount(organisation_id, integration_id), {
      organisation_id,
      integration_id,
      charges_enabled: true,
      reach: "REACHED",
      notices: "ON_TIME",
      transfers: "ACCEPTED"
    })
  })

  it("shows no keys of its callers", () => {
    const refund = TestCharge.TestChargeRecord.fields.refunds.value
    assert.notProperty(TestCharge.TestChargeRecord.fields, "idempotency_key")
    assert.notProperty(refund.fields, "idempotency_key")
    assert.property(refund.fields, "amount_cents")
  })
})

describe("what the simulated bank tells of", () => {
  const part = fc.record({ reference: fc.constantFrom("1", "2", "3"), status: fc.constantFrom("open", "lost", "won") })
  const parts = fc.uniqueArray(part, { maxLength: 3, selector: ({ reference }) => reference })
  const refundStatus = { open: "pending", lost: "succeeded", won: "failed" } as const
  const charge = fc
    .record({
      status: fc.constantFrom(...TestCharge.Status.literals),
      fee_cents: fc.constantFrom(null, 5),
      refunds: parts,
      disputes: parts
    })
    .map(({ disputes, refunds, ...given }) =>
      chargeAtBank({
        ...given,
        refunds: refunds.map(({ reference, status }) => ({
          reference,
          status: refundStatus[status as "open"],
          refund_id: null,
          idempotency_key: null,
          amount_cents: 1,
          created_at: heardAt
        })),
        disputes: disputes.map(({ reference, status }) => ({ reference, status: status as "open", amount_cents: 1 }))
      })
    )

  it("is every change, once, and of a dispute without naming the charge", () =>
    forEveryWith({ numRuns: 200 }, charge, charge, (before, after) => {
      const lines = (given: TestCharge.TestCharge) => [
        ...given.refunds.map(({ reference, status }) => `refund.${status} ${reference}`),
        ...given.disputes.map(({ reference, status }) => `dispute.${status} ${reference}`)
      ]
      const known = new Set(lines(before))
      const changed = lines(after).flatMap((line) => (known.has(line) ? [] : [line.split(" ")[0]]))
      const own = [
        ...(after.status === before.status ? [] : [`charge.${after.status}`]),
        ...(after.fee_cents === before.fee_cents ? [] : ["charge.fee_known"])
      ]
      const told = TestNotice.bankEventsBetween(before, after)
      const types = told.map(({ type }) => type)
      assert.deepStrictEqual(types, [...own, ...changed])
      for (const { charge_id, object, reference, type } of told) {
        assert.isTrue(type.startsWith(`${object}.`))
        assert.strictEqual(reference, after.id)
        assert.strictEqual(charge_id, object === "dispute" ? null : after.charge_id)
      }
    }))

  it("is of an account that it changed, by that account", () => {
    const account = TestCharge.standardAccount(chargeAtBank().organisation_id, chargeAtBank().integration_id)
    const expected = { type: "account.updated", object: "account", reference: account.integration_id, charge_id: null }
    assert.deepStrictEqual(TestNotice.accountHappening(account), { ...expected, object: "account" })
  })

  it("comes at once where it is the last of its kind, and 20 seconds later where something came of it, when reordered", () => {
    const account = { ...TestCharge.standardAccount(chargeAtBank().organisation_id, chargeAtBank().integration_id) }
    const secondsOf = (notices: typeof account.notices, type: string): number | null => {
      const object = ObjectKind.literals.find((kind) => type.startsWith(`${kind}.`)) ?? "other"
      const happening = { type, object, reference: "r", charge_id: null }
      const { send_at } = TestNotice.noticeOf({ ...account, notices }, happening, "n", heardAt)
      return send_at === null ? null : (send_at.epochMilliseconds - heardAt.epochMilliseconds) / 1_000
    }
    const last =
      `charge.succeeded charge.failed charge.cancelled refund.succeeded refund.failed dispute.open dispute.lost
      mandate.revoked`.split(/\s+/)
    const first = ["charge.waiting", "charge.processing", "charge.fee_known", "refund.pending", "account.updated"]
    for (const type of [...last, ...first]) {
      const seconds = (["ON_TIME", "TWICE", "LATE", "REORDERED", "NEVER"] as const).map((each) => secondsOf(each, type))
      const never = TestNotice.noticeOf(
        { ...account, notices: "NEVER" },
        { type, object: "charge", reference: "r", charge_id: null },
        "n",
        heardAt
      )
      assert.strictEqual(never.sends, 0)
      assert.deepStrictEqual(seconds, [0, 0, 60, last.includes(type) ? 0 : 20, null], type)
    }
  })

  it("is signed by as many keys as a ring has, and five minutes from now at most", () => {
    const value = (seconds: number, count: number) =>
      [`t=${seconds}`, ...Array.from({ length: count }, () => "v1=a")].join(",")
    const isRead = (seconds: number, count: number) =>
      Result.isSuccess(TestNotice.readSignature(value(seconds, count), heardAt))
    const now = heardAt.epochMilliseconds / 1_000
    assert.deepStrictEqual(
      [0, 1, 8, 9].map((count) => isRead(now, count)),
      [false, true, true, false]
    )
    const most = Limits.noticeToleranceSeconds
    const soon = DateTime.add(heardAt, { milliseconds: 100 })
    assert.isTrue(Result.isFailure(TestNotice.readSignature(value(now - most, 1), soon)))
    const away = [-most - 1, -most, most, most + 1]
    assert.deepStrictEqual(
      away.map((seconds) => isRead(now + seconds, 1)),
      [false, true, true, false]
    )
    for (const text of [undefined, "", "v1=a", "t=,v1=a", `t=${now}`, `t=x,v1=a`]) {
      assert.isTrue(Result.isFailure(TestNotice.readSignature(text, heardAt)), text)
    }
  })
})
