import { join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../architecture/Checkout.ts"
import { memory } from "../support/Stores.ts"
import { startCrashService } from "./CrashService.ts"
import { faultsOfLife } from "./Expected.ts"
import { reportOf } from "./Lived.ts"
import { lives } from "./Lives.ts"
import { live } from "./Living.ts"
import { makePlace, placeAt } from "./Place.ts"
import { makePoints } from "./Points.ts"

describe("the list of failpoints", () => {
  it("has every point between two calls that the lives of gifts pass, and no other", async () => {
    const logs: Array<string> = []
    // A point that is passed in several lives stands in the list once, with the first of them.
    const passed = new Map<string, string>()
    for (const [n, life] of lives.entries()) {
      const points = makePoints()
      // A service of its own: the worker would look at other gifts, too, when time passes.
      const service = await startCrashService(memory, points, (line) => logs.push(line))
      const place = await placeAt(service, await makePlace(service))
      points.at = (point) =>
        Effect.sync(() => {
          if (!passed.has(point)) passed.set(point, life.name)
        })
      await live({ service, place, life, n })
      points.at = () => Effect.void
      const report = await reportOf(service, place, [[n, life]])
      await service.stop()
      assert.deepStrictEqual(faultsOfLife(life, report.gifts[n], "alone"), [], life.name)
      assert.deepStrictEqual(report.faults, [])
    }
    // That a processor was away is told, and what was reconciled each time.
    assert.deepStrictEqual(
      logs.filter((line) => /"level":"(ERROR|FATAL)"/.test(line)),
      []
    )
    const list = [...passed].map(([point, life]) => `${life} | ${point}\n`).join("")
    await expect(list).toMatchFileSnapshot(join(root, "test/payments/failpoints.txt"))
  })
})
