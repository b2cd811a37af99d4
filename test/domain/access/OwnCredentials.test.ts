import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { isKey } from "../../../src/domain/access/Idempotency.ts"
import * as Integration from "../../../src/domain/access/Integration.ts"
import { countedAs, zeroUsage } from "../../../src/domain/access/KeyUsage.ts"
import * as OwnCredentials from "../../../src/domain/access/OwnCredentials.ts"
import { usualProcessor } from "../../../src/domain/access/Processor.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { type FieldsOf, hasForm } from "../../support/InputForms.ts"
import { forEveryWith } from "../../support/Property.ts"

const field = <A>(value: A) => fc.constantFrom(undefined, null, value)

const rotation = fc
  .record({ secret_key: field("sk_2"), publishable_key: field("pk_2"), notice_secrets: field(["whsec_2"]) })
  .map(
    (given): FieldsOf<OwnCredentials.CredentialRotation> =>
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  )

const before = { secret_key: "sk_1", publishable_key: "pk_1", notice_secrets: ["whsec_1"] }
const names = ["secret_key", "publishable_key", "notice_secrets"] as const

describe("credentials that are rotated", () => {
  it("replace what is given, keep the rest, and are whole or none", () =>
    forEveryWith({ numRuns: 200 }, rotation, fc.constantFrom(null, before), (given, known) => {
      const expected = names.map((name) => given[name] ?? known?.[name])
      const rotated = OwnCredentials.rotateCredentials(known, given)
      if (expected.includes(undefined)) assert.isNull(rotated)
      else
        assert.deepStrictEqual(
          names.map((name) => rotated?.[name]),
          expected
        )
      assert.strictEqual(
        OwnCredentials.replaces(given),
        names.some((name) => (given[name] ?? null) !== null)
      )
      assert.strictEqual(hasForm(OwnCredentials.CredentialRotation, given), OwnCredentials.replaces(given))
    }))

  it("overlap by no hour or more, and are named by their fields", () => {
    const takes = (overlap_hours: number) => Schema.is(OwnCredentials.CredentialRotation)({ overlap_hours })
    const most = Limits.secretOverlapHours
    assert.deepStrictEqual([-1, 0, most, most + 1].map(takes), [false, true, true, false])
    for (const name of names) assert.isTrue(Schema.is(OwnCredentials.CredentialField)(name))
    assert.isFalse(Schema.is(OwnCredentials.CredentialField)("overlap_hours"))
  })
})

it("a sealed secret is counted among those of some kind, and there are secrets of each", () => {
  assert.sameMembers(
    [...new Set(Object.values(countedAs))],
    Object.keys(zeroUsage).filter((name) => !/intro|pass/.test(name))
  )
})

it("an Idempotency-Key has one character at least, and as many as there may be", () => {
  const lengths = [0, 1, Limits.idempotencyKeyCharacters, Limits.idempotencyKeyCharacters + 1]
  assert.deepStrictEqual(
    lengths.map((length) => isKey("k".repeat(length))),
    [false, true, true, false]
  )
})

describe("an integration", () => {
  it("takes one way to pay at least, each once", () => {
    const takes = (methods: ReadonlyArray<string>) => Schema.is(Integration.NewIntegration)({ label: "Main", methods })
    assert.deepStrictEqual([[], ["card"], ["card", "payto"], ["card", "card"]].map(takes), [false, true, true, false])
  })

  it("is at the processor of play money in a sandbox, and else at the one that takes cards", () => {
    assert.deepStrictEqual(
      [true, false].map((is_sandbox) => usualProcessor({ is_sandbox })),
      ["test", "stripe"]
    )
  })
})
