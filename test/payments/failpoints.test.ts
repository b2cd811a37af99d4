import { join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../architecture/Checkout.ts"
import { memory } from "../support/Stores.ts"
import { startCrashService } from "./CrashService.ts"
import { faultsOfLife } from "./Expected.ts"
import { lives } from "./Lives.ts"
import { live, makePlace, placeAt, reportOf } from "./Living.ts"
import { makePoints } from "./Points.ts"

describe("the list of failpoints", () => {
  it("has every point between two calls that the lives of gifts pass, and no other", async () => {
    const points = makePoints()
    const logs: Array<string> = []
    const service = await startCrashService(memory, points, (line) => logs.push(line))
    const place = await placeAt(service, await makePlace(service))
    // A point that is passed in several lives stands in the list once, with the first of them.
    const passed = new Map<string, string>()
    for (const [n, life] of lives.entries()) {
      points.at = (point) =>
        Effect.sync(() => {
          if (!passed.has(point)) passed.set(point, life.name)
        })
      await live({ service, place, life, n })
    }
    const report = await reportOf(service, place, [...lives.entries()])
    await service.stop()
    for (const [n, life] of lives.entries()) assert.deepStrictEqual(faultsOfLife(life, report.gifts[n]), [], life.name)
    assert.deepStrictEqual(report.faults, [])
    assert.deepStrictEqual(logs, [])
    const list = [...passed].map(([point, life]) => `${life} | ${point}\n`).join("")
    await expect(list).toMatchFileSnapshot(join(root, "test/payments/failpoints.txt"))
  })
})
