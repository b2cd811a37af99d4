import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import {
  formerSecrets,
  isDead,
  machine,
  newWebhookEndpoint,
  receives,
  SecretRotation,
  secretDigits,
  secretPrefix,
  WebhookEndpoint,
  WebhookEndpointRecord,
  webhookEndpointPatch
} from "../../../src/domain/outbox/WebhookEndpoint.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { webhookEndpoints } from "../../../src/testing/subjects/Deliveries.ts"
import { forEvery } from "../../support/Property.ts"

const endpoint = arbitraryOf(WebhookEndpoint)
const now = DateTime.makeUnsafe("2026-02-03T04:05:06Z")
const later = (millis: number): DateTime.Utc => DateTime.addDuration(now, millis)
const near = fc.integer({ min: -5, max: 5 })
const fiveDaysMillis = 5 * 86_400_000

it("an endpoint is given up when a delivery is used up five days after the first failure of a run, and never earlier", () =>
  forEvery(endpoint, near, (any, offset) => {
    const failing = { ...any, failing_since: now, exhausted_at: later(fiveDaysMillis + offset) }
    assert.strictEqual(isDead(failing), offset >= 0)
    assert.isFalse(isDead({ ...failing, failing_since: null }))
    assert.isFalse(isDead({ ...failing, exhausted_at: null }))
  }))

it("an endpoint is disabled for its failures exactly when it is given up", () =>
  forEvery(webhookEndpoints.states, webhookEndpoints.commands, (any, { at }) => {
    const active = { ...any, is_active: true, deleted_at: null }
    const disabled = Result.isSuccess(decide(machine, active, { _tag: "DisableFailing", at }))
    assert.strictEqual(disabled, isDead(active))
  }))

it("an event is delivered to the endpoints that name its type, are active and are not deleted", () => {
  const types = ["donor.created", "donor.updated", "donation.created"]
  const named = fc.subarray(types)
  const facts = fc.record({ is_active: fc.boolean(), isDeleted: fc.boolean(), event_types: named })
  forEvery(endpoint, facts, fc.constantFrom(...types), (any, { isDeleted, ...given }, type) => {
    const receiver = { ...any, ...given, deleted_at: isDeleted ? now : null }
    const expected = given.is_active && !isDeleted && given.event_types.some((each) => each === type)
    assert.strictEqual(receives(receiver, type), expected)
  })
})

describe("the secrets that sign", () => {
  it("begin so that nobody takes them for base64", () => {
    assert.strictEqual(secretPrefix, "almwh_")
  })

  it("are former ones, too, until the last overlap ends", () =>
    forEvery(endpoint, near, (any, offset) => {
      const rotated = { ...any, previous_sealed_secret: "old", previous_secret_expires_at: now }
      const expected = offset < 0 ? { sealed: "old", expires_at: now } : null
      assert.deepStrictEqual(formerSecrets(rotated, later(offset)), expected)
      assert.isNull(formerSecrets({ ...rotated, previous_sealed_secret: null }, later(offset)))
    }))

  it("are 40 characters beside the prefix, and overlap for 0 to 72 hours", () => {
    assert.strictEqual(secretDigits, 40)
    for (const overlap_hours of [-1, 0, 72, 73]) {
      const isRight = overlap_hours >= 0 && overlap_hours <= 72
      assert.strictEqual(Schema.is(SecretRotation)({ overlap_hours }), isRight, String(overlap_hours))
    }
  })

  it("are never shown", () => {
    const shown = Object.keys(WebhookEndpointRecord.fields)
    assert.includeMembers(shown, ["id", "url", "event_types", "is_active", "disabled_reason", "secret_last4"])
    for (const field of ["sealed_secret", "previous_sealed_secret", "secret"]) assert.notInclude(shown, field)
  })
})

it("the event types of an endpoint are one or more names of the catalogue, without wildcard and repetition", () => {
  const accepts = (event_types: ReadonlyArray<string>): ReadonlyArray<boolean> => [
    Schema.is(newWebhookEndpoint(Schema.Literals(["a.created", "a.updated"])))({ url: "https://x.org", event_types }),
    Schema.is(webhookEndpointPatch(Schema.Literals(["a.created", "a.updated"])))({ event_types })
  ]
  for (const some of [["a.created"], ["a.updated", "a.created"]]) assert.deepStrictEqual(accepts(some), [true, true])
  for (const some of [[], ["*"], ["a.*"], ["b.created"], ["a.created", "a.created"]]) {
    assert.deepStrictEqual(accepts(some), [false, false])
  }
})
