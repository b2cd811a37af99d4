import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result } from "effect"
import fc from "fast-check"
import { mayUse, processorRefusal, processors, usualProcessor } from "../../../src/domain/access/Processor.ts"
import { ChargeId, OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import { failureOf } from "../../../src/domain/payments/Charge.ts"
import { releasePostings } from "../../../src/domain/payments/ExceptionResolution.ts"
import { BalancedAccount, balancesOf, type Posting, SingleAccount } from "../../../src/domain/payments/Ledger.ts"
import { checkOf } from "../../../src/domain/payments/LedgerCheck.ts"
import * as ProgressToken from "../../../src/domain/payments/ProgressToken.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

const subject = fc.record({
  key_id: fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/),
  organisation_id: arbitraryOf(OrganisationId),
  charge_id: arbitraryOf(ChargeId)
})

describe("a progress token", () => {
  it("is read as it was written, and any other text names another subject or none", () =>
    forEvery(subject, fc.stringMatching(/^[A-Za-z0-9_-]{1,43}$/), fc.nat(120), (one, mac, place) => {
      const text = ProgressToken.write({ ...one, mac })
      assert.deepStrictEqual(ProgressToken.read(text), Option.some({ ...one, mac }))
      const spoilt = text.slice(0, place) + text.slice(place + 1)
      if (spoilt !== text) assert.notDeepEqual(ProgressToken.read(spoilt), Option.some({ ...one, mac }))
      assert.isTrue(Option.isNone(ProgressToken.read(`${text}.${mac}`)))
    }))

  it("vouches for one key, organisation and charge", () =>
    forEvery(subject, subject, (one, other) => {
      const isSame = Object.entries(one).every(([name, value]) => Reflect.get(other, name) === value)
      assert.strictEqual(ProgressToken.canonicalText(one) === ProgressToken.canonicalText(other), isSame)
    }))

  it("opens for a day from the submission", () => {
    const created_at = DateTime.makeUnsafe("2026-07-01T00:00:00Z")
    const at = (milliseconds: number) =>
      ProgressToken.isOpenAt({ created_at }, DateTime.add(created_at, { milliseconds }))
    assert.deepStrictEqual([0, 86_399_999, 86_400_000].map(at), [true, true, false])
  })
})

it("the code on the page is the decline at once, while the charge still ends, and none where money came or still may", () => {
  assert.strictEqual(failureOf({ status: "WAITING", ending: "card_declined", failure_code: null }), "card_declined")
  assert.strictEqual(failureOf({ status: "FAILED", ending: "x", failure_code: "card_declined" }), "card_declined")
  assert.isNull(failureOf({ status: "SUCCEEDED", ending: null, failure_code: "card_declined" }))
  assert.isNull(failureOf({ status: "PROCESSING", ending: null, failure_code: null }))
  for (const code of ["abandoned", "bank_transfer_lapsed", "cancelled", "processor_unreachable"]) {
    assert.isNull(failureOf({ status: "WAITING", ending: code, failure_code: null }))
    assert.strictEqual(failureOf({ status: "CANCELLED", ending: code, failure_code: code }), code)
  }
})

it("resolving an exception says what became of held money, all of it, and of no other", () => {
  const money = fc.constantFrom(null, "returned" as const, "kept" as const)
  forEvery(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10_000 })), money, (held_cents, said) => {
    const released = releasePostings({ held_cents }, { note: "Done", money: said })
    if (held_cents > 0 !== (said !== null)) {
      assert.strictEqual(Result.isFailure(released) ? released.failure.param : "", "money")
      return
    }
    const balances = balancesOf(Result.getOrThrow(released))
    assert.strictEqual(balances.held, -BigInt(held_cents))
    assert.strictEqual(balances.donor, said === "returned" ? BigInt(held_cents) : 0n)
    assert.strictEqual(balances.organisation, said === "kept" ? BigInt(held_cents) : 0n)
  })
})

const posting: fc.Arbitrary<Posting> = fc.record({
  from_account: fc.constantFrom(...SingleAccount.literals),
  to_account: fc.constantFrom(...SingleAccount.literals),
  amount_cents: fc.integer({ min: 1, max: 1_000 })
})

describe("the check of the books", () => {
  const organisation_id = OrganisationId.make("org_01jh00000000000000000000zz")

  const off = fc.integer({ min: -5, max: 5 })

  it("finds every account below 0 that may not be, and what is held or unmatched without a reason", () =>
    forEvery(fc.array(posting, { maxLength: 6 }), off, off, (postings, heldOff, unmatchedOff) => {
      const balances = balancesOf(postings)
      const held_by_records = balances.held + BigInt(heldOff)
      const unmatched_by_records = balances.unmatched + BigInt(unmatchedOff)
      const said = { held_by_records, unmatched_by_records, disagreements: [] }
      const kept = { organisation_id, currency: "AUD", balances, ...said }
      const strict = ["unmatched", "held", "processor_fees", "platform_fees", "disputed"] as const
      const expected = strict.filter((name) => balances[name] < 0n).length
      const { balances: shown, faults } = checkOf(kept)
      assert.lengthOf(faults, expected + (heldOff === 0 ? 0 : 1) + (unmatchedOff === 0 ? 0 : 1))
      for (const name of BalancedAccount.literals) assert.strictEqual(shown[name], String(balances[name]))
    }))

  it("finds accounts that do not add up", () => {
    const balances = { ...balancesOf([]), donor: 1n }
    assert.lengthOf(
      checkOf({
        organisation_id,
        currency: "AUD",
        balances,
        held_by_records: 0n,
        unmatched_by_records: 0n,
        disagreements: []
      }).faults,
      1
    )
  })
})

it("a processor is for play money in a sandbox alone, and for real money elsewhere alone, where it is not for both", () => {
  const allowed = (is_sandbox: boolean) => processors.filter((name) => mayUse({ is_sandbox }, name))
  assert.deepStrictEqual(allowed(true), ["test", "stripe"])
  assert.deepStrictEqual(allowed(false), ["stripe", "bank"])
  for (const is_sandbox of [true, false]) {
    assert.isTrue(mayUse({ is_sandbox }, "of_a_host"))
    assert.isNull(processorRefusal({ is_sandbox }, usualProcessor({ is_sandbox })))
    for (const name of processors) {
      assert.strictEqual(
        processorRefusal({ is_sandbox }, name)?.param,
        mayUse({ is_sandbox }, name) ? undefined : "processor"
      )
    }
  }
})
