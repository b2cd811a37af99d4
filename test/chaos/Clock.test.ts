import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"

const clock = new URL("../../chaos/Clock.mjs", import.meta.url).href

const program = `
  const one = new Date(5)
  console.log(JSON.stringify({
    now: Date.now(), made: new Date().getTime(), given: one.getTime(), parsed: Date.parse("2026-01-01T00:00:00Z"),
    isDate: one instanceof Date && new Date() instanceof Date, text: Date.parse(Date()),
    monotonic: performance.timeOrigin + performance.now()
  }))`

describe("the clock that faults move", () => {
  it("moves every way to ask for the time of day, and neither given times nor monotonic time", () => {
    const before = Date.now()
    const text = execFileSync(process.execPath, ["--import", clock, "--input-type=module", "-e", program], {
      encoding: "utf8",
      env: { ...process.env, CHAOS_CLOCK_MILLIS: "-3600000" }
    })
    const after = Date.now()
    const seen: Record<string, unknown> = JSON.parse(text)
    const at = (name: string): number => Number(seen[name])
    for (const name of ["now", "made"]) {
      assert.isAtLeast(at(name), before - 3_600_000, name)
      assert.isAtMost(at(name), after - 3_600_000, name)
    }
    assert.isAtMost(at("text"), after - 3_600_000)
    assert.strictEqual(at("given"), 5)
    assert.strictEqual(at("parsed"), Date.UTC(2026, 0, 1))
    assert.isTrue(seen["isDate"])
    assert.isAtLeast(at("monotonic"), before - 1_000)
  })
})
