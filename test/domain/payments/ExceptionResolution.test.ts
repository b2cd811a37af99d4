import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { storedAnswer } from "../../../src/domain/payments/DonorCancellation.ts"
import { heldSums, Resolution, releasePostings } from "../../../src/domain/payments/ExceptionResolution.ts"
import { balancesOf } from "../../../src/domain/payments/Ledger.ts"
import { reasonOf } from "../../../src/domain/payments/Reasons.ts"
import { leftCents } from "../../../src/domain/payments/ReturnedMoney.ts"
import type { ExceptionFacts } from "../../../src/domain/payments/StepResult.ts"
import { hasForm } from "../../support/InputForms.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

describe("an exception that is resolved", () => {
  it("is resolved by a note, with what became of its money, a charge or more, and amounts from a cent on", () => {
    const takes = (more: object) => Schema.is(Resolution)({ note: "Done", ...more })
    for (const money of ["returned", "kept", "never_came", null]) assert.isTrue(takes({ money }))
    for (const given of [{ charge_ids: ["chg_1"] }, { charge_ids: ["chg_1"], amounts_cents: [1, 2] }]) {
      assert.isTrue(takes(given))
    }
    for (const given of [{ note: " " }, { money: "lost" }, { charge_ids: [] }, { amounts_cents: [0] }]) {
      assert.isFalse(takes(given), JSON.stringify(given))
    }
  })

  it("has a form where some exception may be resolved so, and none where none may", () => {
    const said = fc.record({
      note: fc.constant("Done"),
      money: fc.constantFrom(null, "kept" as const),
      as_gift: fc.constantFrom(null, true, false),
      donor_id: fc.constantFrom(null, "dnr_1"),
      charge_ids: fc.constantFrom(null, ["chg_1"]),
      amounts_cents: fc.constantFrom(null, [500])
    })
    forEveryWith({ numRuns: 300 }, said, (given) => {
      const mayBe = [0, 500].some((held_cents) => Result.isSuccess(releasePostings({ held_cents }, given)))
      assert.strictEqual(hasForm(Resolution, given), mayBe)
    })
  })

  it("may become a gift of somebody, where money is held and nothing else is said of that", () => {
    const said = fc.record({
      held_cents: fc.constantFrom(0, 1, 5_000),
      money: fc.constantFrom(undefined, null, "returned" as const, "kept" as const, "never_came" as const),
      as_gift: fc.constantFrom(undefined, null, true, false),
      donor_id: fc.constantFrom(undefined, null, "dnr_1")
    })
    forEveryWith({ numRuns: 300 }, said, ({ as_gift, donor_id, held_cents, money }) => {
      const resolution = {
        note: "Done",
        ...(money === undefined ? {} : { money }),
        ...(as_gift === undefined ? {} : { as_gift }),
        ...(donor_id === undefined ? {} : { donor_id })
      }
      const released = releasePostings({ held_cents }, resolution)
      const isGift = as_gift === true
      const hasMoney = typeof money === "string"
      const hasDonor = typeof donor_id === "string"
      const param =
        isGift !== hasDonor
          ? "donor_id"
          : isGift && hasMoney
            ? "money"
            : (isGift || hasMoney) === held_cents > 0
              ? null
              : isGift
                ? "as_gift"
                : "money"
      assert.strictEqual(Result.isFailure(released) ? released.failure.param : null, param)
      if (Result.isFailure(released)) {
        assert.include(released.failure.message, param ?? "")
        return
      }
      const { bank, donor, held, organisation } = balancesOf(released.success)
      const cents = BigInt(held_cents)
      const to = (place: typeof money) => ((money ?? "kept") === place ? cents : 0n)
      assert.deepStrictEqual([held, donor, organisation, bank], [-cents, to("returned"), to("kept"), to("never_came")])
    })
  })

  it("may pay charges, and then nothing else", () => {
    const charged = { note: "Done", charge_ids: ["chg_1"] }
    const { held, unmatched } = balancesOf(Result.getOrThrow(releasePostings({ held_cents: 5 }, charged)))
    assert.deepStrictEqual([held, unmatched], [-5n, 5n])
    for (const more of [{ money: "kept" as const }, { as_gift: true, donor_id: "dnr_1" }]) {
      assert.isTrue(Result.isFailure(releasePostings({ held_cents: 5 }, { ...charged, ...more })))
    }
  })

  it("says in words what was the matter, another for each kind", () => {
    const words: { readonly [K in ExceptionFacts["kind"]]: RegExp } = {
      late_success: /^Money came after the charge had ended/,
      mismatch: /^The processor paid something back/,
      refund_failed: /could not pay a refund back/,
      unrecovered: /^More was taken back than the gift had left/,
      fee_exceeds_gift: /^The processor took more than the gift/,
      underpaid: /^Less came than the gift is/,
      statement_missing: /^No statement covers the last day/
    }
    const kinds = Object.keys(words) as ReadonlyArray<ExceptionFacts["kind"]>
    for (const kind of kinds) {
      const reason = reasonOf({ kind, amount_cents: 1, held_cents: 0 }, { _tag: "Succeed" })
      for (const other of kinds) assert.strictEqual(words[other].test(reason), other === kind, `${kind}: ${reason}`)
    }
    const late = (held_cents: number) =>
      reasonOf({ kind: "late_success", amount_cents: 1, held_cents }, { _tag: "TakeLate" })
    assert.deepStrictEqual(
      [late(0), late(1)].map((each) => each.includes("goes back")),
      [true, false]
    )
    const mismatch = reasonOf(
      { kind: "mismatch", amount_cents: 1, held_cents: 0 },
      { _tag: "Mismatch", reason: "Another." }
    )
    assert.strictEqual(mismatch, "Another.")
  })
})

it("a donor's answer on the end of a recurring gift is kept as it was given, where its words come with a reason", () => {
  const code = fc.constantFrom(undefined, null, "cost" as const)
  const words = fc.constantFrom(undefined, null, "", "Too dear")
  forEvery(code, words, (code, words) => {
    const answer = storedAnswer({
      ...(code === undefined ? {} : { donor_cancel_reason_code: code }),
      ...(words === undefined ? {} : { donor_cancel_reason: words })
    })
    const kept = words === "Too dear" ? words : null
    if (kept !== null && code !== "cost") assert.isTrue(Result.isFailure(answer))
    else {
      const expected = { donor_cancel_reason_code: code ?? null, donor_cancel_reason: kept }
      assert.deepStrictEqual(Result.getOrThrow(answer), expected)
    }
  })
})

it("what nobody took back of a charge is all of it, less refunds that were paid or will be and disputes that were lost", () => {
  const refunds = fc.array(
    fc.record({
      amount_cents: fc.nat(900),
      status: fc.constantFrom("PENDING" as const, "SUCCEEDED" as const, "FAILED" as const)
    }),
    { maxLength: 4 }
  )
  const disputes = fc.array(
    fc.record({ amount_cents: fc.nat(900), status: fc.constantFrom("OPEN" as const, "WON" as const, "LOST" as const) }),
    { maxLength: 4 }
  )
  forEvery(refunds, disputes, (refunds, disputes) => {
    let left = 5_000
    for (const { amount_cents, status } of refunds) if (status !== "FAILED") left -= amount_cents
    for (const { amount_cents, status } of disputes) if (status === "LOST") left -= amount_cents
    assert.strictEqual(leftCents({ charge: { amount_cents: 5_000 }, refunds, disputes }), left)
  })
})

describe("exceptions that are resolved at once", () => {
  it("tell what they held in each currency by itself, and of none in which nothing is held", () => {
    const currency = fc.constantFrom("AUD", "NZD", "JPY")
    const exceptions = fc.array(fc.record({ currency, held_cents: fc.constantFrom(0, 1, 250) }), { maxLength: 8 })
    forEvery(exceptions, (all) => {
      const expected = ["AUD", "JPY", "NZD"].flatMap((each) => {
        let held_cents = 0
        for (const one of all) held_cents += one.currency === each ? one.held_cents : 0
        return held_cents === 0 ? [] : [{ currency: each, held_cents }]
      })
      assert.deepStrictEqual(heldSums(all), expected)
    })
  })
})
