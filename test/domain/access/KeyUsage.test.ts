import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { faultOf, keyIdOf, statusOf, type Trial, warningOf } from "../../../src/domain/access/KeyUsage.ts"
import { fieldsOf } from "../../support/Answer.ts"
import { forEvery } from "../../support/Property.ts"

const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/)
const ids = fc.uniqueArray(id, { maxLength: 4 })

/** Rings and what they were tried on: no key is in two places. */
const trials = ids.chain((all) =>
  fc.array(fc.constantFrom("opened", "differing", "lacking"), { minLength: all.length, maxLength: all.length }).map(
    (places): Trial => ({
      opened: all.filter((_, i) => places[i] === "opened"),
      differing: all.filter((_, i) => places[i] === "differing"),
      lacking: all.filter((_, i) => places[i] === "lacking")
    })
  )
)

describe("encryption keys that were tried", () => {
  it("serves while it opens something or nothing is sealed, and none of its keys is another one", () =>
    forEvery(trials, (trial) => {
      const { differing, lacking, opened } = trial
      const isWrong = differing.length > 0 || (opened.length === 0 && lacking.length > 0)
      const fault = faultOf(trial)
      assert.strictEqual(fault !== null, isWrong)
      const named = differing.length > 0 ? differing : lacking
      if (fault !== null) for (const each of named) assert.include(fault, each)
      if (fault !== null) assert.match(fault, /^[A-Z][^\n]*\.$/)
    }))

  it("is warned of while it lacks a key", () =>
    forEvery(trials, (trial) => {
      const warning = warningOf(trial)
      assert.strictEqual(warning !== null, trial.lacking.length > 0)
      for (const each of trial.lacking) assert.include(warning ?? "", each)
    }))
})

describe("the status of a ring", () => {
  const count = fc.nat(9)
  const usage = fc.uniqueArray(
    fc.record({
      key_id: id,
      webhook_secrets: count,
      stored_answers: count,
      payment_tokens: count,
      credentials: count,
      introductions: count,
      passphrases: count
    }),
    { selector: ({ key_id }) => key_id, maxLength: 5 }
  )

  it("has every key of the ring in its order, then every other that made something, with what it made", () =>
    forEvery(fc.uniqueArray(id, { minLength: 1, maxLength: 4 }), usage, (ring, used) => {
      const status = statusOf(ring, used)
      const key_ids = status.slice(0, ring.length).map(({ key_id }) => key_id)
      assert.deepStrictEqual(key_ids, ring)
      assert.deepStrictEqual(
        fieldsOf(status, "in_ring", "seals"),
        status.map((_, index) => [index < ring.length, index === 0])
      )
      assert.strictEqual(new Set(status.map(({ key_id }) => key_id)).size, status.length)
      for (const each of used) assert.deepInclude(status.find(({ key_id }) => key_id === each.key_id) ?? {}, each)
      const total = (of: ReadonlyArray<{ readonly webhook_secrets: number }>) =>
        of.reduce((sum, { webhook_secrets }) => sum + webhook_secrets, 0)
      assert.strictEqual(total(status), total(used))
    }))
})

it("the id of a sealed text's key stands between its first two dots", () => {
  assert.deepStrictEqual(["v1.k-1.a.b", "v1.k", "v1", ""].map(keyIdOf), ["k-1", "k", "", ""])
})

it("the status of keys counts nothing for a key of the ring that made nothing", () => {
  const more = { credentials: 0, introductions: 0, passphrases: 0 }
  const nothing = { webhook_secrets: 0, stored_answers: 0, payment_tokens: 0, ...more }
  assert.deepStrictEqual(statusOf(["new"], []), [{ ...nothing, key_id: "new", in_ring: true, seals: true }])
})
