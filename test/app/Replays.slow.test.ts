import { assert } from "@effect/vitest"
import { Option } from "effect"
import { world } from "../adapters/CommandWorld.ts"
import { withLayer } from "../support/Steps.ts"
import { replay, store, type Way } from "./ReplayWorld.ts"

withLayer(world)("a replay of all since a time", ({ effect }) => {
  effect("looks at 10,000 at most, and says where the next goes on", function* () {
    const ways = Array.from(
      { length: 10_003 },
      (_, second): Way => ({ second, status: "FAILED", endpoint: "active", replay: "none" })
    )
    const { organisation, originals } = yield* store(ways)
    const first = yield* replay(organisation, { dry_run: true })
    assert.deepInclude(first, { selected: 10_000, replayable: 10_000 })
    assert.strictEqual(first.next, originals[9_999]?.id)
    const starting_after = Option.getOrThrow(Option.fromNullishOr(first.next))
    const rest = yield* replay(organisation, { dry_run: true, starting_after })
    assert.deepInclude(rest, { selected: 3, replayable: 3, next: null })
  })
})
