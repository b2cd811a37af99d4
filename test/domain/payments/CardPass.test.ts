import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import fc from "fast-check"
import { OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import * as CardPass from "../../../src/domain/payments/CardPass.ts"
import { forEvery } from "../../support/Property.ts"

const organisation_id = OrganisationId.make("org_00000000000000000000000000")
const other = OrganisationId.make("org_00000000000000000000000001")

const word = fc.stringMatching(/^[\w-]{1,20}$/)
const instant = fc.integer({ min: 0, max: 9_999_999_999_999 }).map((millis) => DateTime.makeUnsafe(millis))
const part = fc.string({ unit: fc.constantFrom("a", "b", '"', ",", "\\", "."), maxLength: 3 })
const passFor = fc.record({
  organisation_id: fc.constantFrom(organisation_id, other),
  page_id: part,
  submission_id: part,
  email_key: part,
  key_id: part,
  expires_at: fc.constantFrom(0, 1).map((millis) => DateTime.makeUnsafe(millis))
})

describe("a card pass", () => {
  it("is read as it was written", () =>
    forEvery(word, instant, word, (key_id, expires_at, mac) => {
      const pass = { key_id, expires_at, mac }
      assert.deepStrictEqual(CardPass.read(CardPass.write(pass)), Option.some(pass))
    }))

  it.each([
    "",
    "key",
    "key.1",
    "key.1.",
    ".1.mac",
    "key..mac",
    "key.x.mac",
    "key.-1.mac",
    "key.1e3.mac",
    "key.12345678901234.mac",
    "key.1.mac.",
    "key.1.mac.more"
  ])("is none where it cannot be one: %s", (token) => assert.isTrue(Option.isNone(CardPass.read(token))))

  it("is made over all that it is for: what differs in anything has another text", () =>
    forEvery(passFor, passFor, (one, another) => {
      const valuesOf = ({ expires_at, ...rest }: typeof one) => [expires_at.epochMilliseconds, ...Object.values(rest)]
      const isSame = valuesOf(one).every((value, at) => value === valuesOf(another)[at])
      assert.strictEqual(CardPass.canonicalText(one, one) === CardPass.canonicalText(another, another), isSame)
    }))

  it("opens what it does until it ends", () =>
    forEvery(instant, fc.integer({ min: -1, max: 1 }), (expires_at, millis) => {
      const now = DateTime.add(expires_at, { milliseconds: millis })
      assert.strictEqual(CardPass.isOpenAt({ expires_at }, now), millis < 0)
    }))
})
