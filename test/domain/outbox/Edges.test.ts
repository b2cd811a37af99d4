import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { attemptsLeft, interruptionsLeft, lastAttempt, lastInterruption } from "../../../src/domain/outbox/Attempts.ts"
import { jsonDataOf } from "../../../src/domain/outbox/HostEvent.ts"
import { changesOf } from "../../../src/domain/outbox/WebhookEndpoint.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

it("what is tried until it succeeds is tried six times, and begun anew after five interruptions, each counted by itself", () => {
  for (let attempt_count = 0; attempt_count < 8; attempt_count += 1) {
    for (let interruption_count = 0; interruption_count < 8; interruption_count += 1) {
      const self = { attempt_count, interruption_count }
      const guards = [attemptsLeft, lastAttempt, interruptionsLeft, lastInterruption].map(({ guard }) => guard(self))
      const [isTried, isInterrupted] = [attempt_count >= 5, interruption_count >= 5]
      assert.deepStrictEqual(guards, [!isTried, isTried, !isInterrupted, isInterrupted])
    }
  }
})

it("the data of a host's event has as many bytes as there may be, whatever its characters take in UTF-8", () => {
  for (const code of [0x7f, 0x80, 0x7ff, 0x800, 0xfffd, 0x10000, 0x10ffff]) {
    const character = String.fromCodePoint(code)
    const size = Buffer.byteLength(character)
    const room = Limits.hostEventBytes - Buffer.byteLength(JSON.stringify({ t: "" }))
    const full = character.repeat(Math.floor(room / size)) + "x".repeat(room % size)
    assert.isTrue(Result.isSuccess(jsonDataOf({ t: full })), `${code}`)
    assert.isTrue(Result.isFailure(jsonDataOf({ t: `${full}x` })), `${code}`)
  }
})

it("lists and objects in a host's event nest as deep as they may, the data itself being one of them", () => {
  const nested = (levels: number, inList: boolean): unknown =>
    levels === 0 ? 1 : inList ? [nested(levels - 1, inList)] : { a: nested(levels - 1, inList) }
  for (const inList of [true, false]) {
    const takes = (levels: number) => Result.isSuccess(jsonDataOf({ a: nested(levels, inList) }))
    assert.deepStrictEqual([Limits.hostEventDepth - 1, Limits.hostEventDepth].map(takes), [true, false])
  }
})

it("a patch of a webhook endpoint changes what it gives and what is another than before, and nothing else", () => {
  const [endpoint = assert.fail("none")] = fc.sample(Generators.webhookEndpoint, { numRuns: 1, seed: 1 })
  const known = {
    ...endpoint,
    url: "https://a.example.org",
    event_types: ["donor.created"],
    description: "A"
  } as const
  const other = { url: "https://b.example.org", event_types: ["donor.updated"], description: "B" } as const
  const names = ["url", "event_types", "description"] as const
  forEvery(fc.subarray([...names]), fc.subarray([...names]), (given, differing) => {
    const patch = Object.fromEntries(given.map((name) => [name, differing.includes(name) ? other[name] : known[name]]))
    const expected = names.filter((name) => given.includes(name) && differing.includes(name))
    const changes = changesOf(known, patch)
    assert.deepStrictEqual(changes, Object.fromEntries(expected.map((name) => [name, other[name]])))
  })
  assert.deepStrictEqual(changesOf({ ...known, description: null }, { description: "" }), {})
})
