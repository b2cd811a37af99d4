import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { advance } from "../../../src/domain/payments/TestBank.ts"
import { Status, type TestCharge, TestMandate } from "../../../src/domain/payments/TestCharge.ts"
import { chargeMandate, mandateSet } from "../../../src/domain/payments/TestMandates.ts"
import { testRules } from "../../../src/domain/payments/TestRules.ts"
import { chargeAtBank, later } from "./AtTestBank.ts"

const visa = "4242 4242 4242 4242"

/** A charge that has succeeded, and whose means of payment the bank keeps. */
const saved = (given: Partial<TestCharge> = {}): TestCharge =>
  chargeAtBank({ status: "succeeded", payment_token: visa, mandate: "WORKING", ...given })

const codeOf = (asked: Result.Result<unknown, { readonly code: string }>): string | null =>
  Result.isFailure(asked) ? asked.failure.code : null

/** What a later charge comes to at once and an hour later where that is not success at once, by the end of the number. */
const otherwise: Readonly<Record<string, readonly [string, string]>> = {
  "0341": ["card_declined", "card_declined"],
  "0002": ["card_declined", "card_declined"],
  "9995": ["insufficient_funds", "insufficient_funds"],
  "9987": ["lost_card", "lost_card"],
  "9979": ["stolen_card", "stolen_card"],
  "0069": ["expired_card", "expired_card"],
  "0127": ["incorrect_cvc", "incorrect_cvc"],
  "0119": ["processing_error", "processing_error"],
  "6975": ["card_velocity_exceeded", "card_velocity_exceeded"],
  "0019": ["fraudulent", "fraudulent"],
  "3178": ["insufficient_funds", "insufficient_funds"],
  "1629": ["card_declined", "card_declined"],
  "9300": ["processing", "succeeded"],
  "9318": ["processing", "card_declined"],
  "000123456": ["processing", "succeeded"],
  "900123456": ["processing", "succeeded"],
  "800123456": ["processing", "processing"],
  "111111113": ["processing", "account_closed"],
  "111111116": ["processing", "no_account"],
  "222222227": ["processing", "refer_to_customer"],
  "922222227": ["processing", "refer_to_customer"],
  "333333335": ["processing", "debit_not_authorized"],
  "666666660": ["processing", "succeeded"],
  "approves@example.com": ["created", "succeeded"],
  "waits@example.com": ["processing", "succeeded"],
  "rejects@example.com": ["created", "payto_agreement_rejected"],
  "slow@example.com": ["created", "succeeded"],
  "dishonours@example.com": ["created", "insufficient_funds"]
}

describe("what the simulated bank keeps for later charges", () => {
  it("goes as the first charge went, with nobody there to approve it", () => {
    const said = new Set<string>()
    for (const { method, token } of testRules) {
      const first = saved({ method, payment_token: token })
      const made = Result.getOrThrow(chargeMandate(chargeAtBank({ method }), first, later(7)))
      const told = ({ failure_code, status }: TestCharge) => failure_code ?? status
      const end = Object.keys(otherwise).find((each) => token.replaceAll(" ", "").endsWith(each)) ?? ""
      said.add(end)
      const expected = otherwise[end] ?? ["succeeded", "succeeded"]
      assert.deepStrictEqual([told(made), told(advance(made, later(3_607)))], [...expected], token)
      assert.strictEqual(made.payment_token, token)
      for (const { at } of made.scheduled) assert.isAbove(at.epochMilliseconds, later(7).epochMilliseconds)
    }
    assert.sameMembers(
      [...said].filter((each) => each !== ""),
      Object.keys(otherwise)
    )
  })

  it("is declined while somebody has set that, and is no more once it was revoked", () => {
    const declined = Result.getOrThrow(chargeMandate(chargeAtBank(), saved({ mandate: "DECLINING" }), later(7)))
    assert.deepInclude(declined, { status: "failed", failure_code: "card_declined", scheduled: [] })
    const none = [saved({ mandate: "REVOKED" }), saved({ mandate: null }), saved({ payment_token: null })]
    for (const first of [...none, saved({ payment_token: "4242" })]) {
      assert.strictEqual(codeOf(chargeMandate(chargeAtBank(), first, later(7))), "mandate_revoked")
    }
  })

  it("is charged once for each charge, and not for one that was cancelled", () => {
    for (const status of Status.literals) {
      const given = chargeAtBank({ status })
      const asked = chargeMandate(given, saved(), later(7))
      if (status === "cancelled") assert.strictEqual(codeOf(asked), "charge_cancelled")
      else if (status === "created") assert.strictEqual(Result.getOrThrow(asked).status, "succeeded")
      else assert.strictEqual(Result.getOrThrow(asked), given)
    }
  })

  it("is set to what it is to be, until it is revoked, which is final", () => {
    for (const from of TestMandate.literals) {
      for (const to of TestMandate.literals) {
        const given = saved({ mandate: from })
        const set = mandateSet(given, to, later(7))
        if (from === to) assert.strictEqual(Result.getOrThrow(set), given)
        else if (from === "REVOKED") assert.strictEqual(codeOf(set), "mandate_revoked")
        else assert.deepStrictEqual(Result.getOrThrow(set), { ...given, mandate: to, updated_at: later(7) })
      }
    }
    assert.strictEqual(codeOf(mandateSet(saved({ mandate: null }), "REVOKED", later(7))), "no_mandate")
  })
})
