import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import * as SigningSecret from "../../../src/domain/outbox/SigningSecret.ts"
import { forEvery } from "../../support/Property.ts"

const now = DateTime.makeUnsafe("2026-04-01T00:00:00Z")
const later = (millis: number): DateTime.Utc => DateTime.addDuration(now, millis)
const overlaps = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 5 })

it("former secrets sign until their own ends, newest first, however often it was rotated", () =>
  forEvery(overlaps, fc.integer({ min: 0, max: 11 }), (each, passed) => {
    const former = each.reduce<ReadonlyArray<SigningSecret.FormerSecret>>(
      (known, overlap, index) => SigningSecret.rotatedSecrets(`almwh_${index}`, known, later(overlap)),
      []
    )
    const sealed = SigningSecret.formerSecretsText(former)
    const expected = each.flatMap((overlap, index) => (passed < overlap ? [`almwh_${index}`] : [])).toReversed()
    const signing = SigningSecret.formerSecretsIn(sealed, now, later(passed))
    assert.deepStrictEqual(
      signing.map(({ secret }) => secret),
      expected
    )
    assert.strictEqual(SigningSecret.lastUntilMillis(former), DateTime.toEpochMillis(now) + Math.max(...each))
  }))

it("a former secret that an earlier version sealed by itself signs until the end that is beside it", () =>
  forEvery(fc.integer({ min: -3, max: 3 }), (offset) => {
    const signing = SigningSecret.formerSecretsIn("almwh_alone", now, later(offset))
    assert.deepStrictEqual(
      signing.map(({ secret }) => secret),
      offset < 0 ? ["almwh_alone"] : []
    )
  }))
