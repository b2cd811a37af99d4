import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { oncePerRun } from "../support/OncePerRun.ts"
import { memory } from "../support/Stores.ts"
import { startCrashService } from "./CrashService.ts"
import { makePlace, siteAt } from "./GivingSite.ts"
import { faultsOfLife } from "./LifeFaults.ts"
import { reportOf } from "./LifeReport.ts"
import { live } from "./LifeRun.ts"
import { lives } from "./Lives.ts"
import { makePoints } from "./Points.ts"

/** Where a process is stopped: in which life, and at which of its points. */
export interface Failpoint {
  readonly life: string
  /** Its name, or its number among those that the life passes. */
  readonly point: string | number
}

/**
 * Every point between two calls that the lives of gifts pass, once, with the first life that passes it. Each life must end as
 * it says where nobody is stopped.
 */
const pointsOfLives = async (): Promise<ReadonlyArray<Failpoint>> => {
  const logs: Array<string> = []
  const passed = new Map<string, string>()
  for (const [n, life] of lives.entries()) {
    const points = makePoints()
    // A service of its own: the worker would look at other gifts, too, when time passes.
    const service = await startCrashService(memory, points, (line) => logs.push(line))
    const place = await siteAt(service, await makePlace(service))
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
  return [...passed].map(([point, life]) => ({ life, point }))
}

/** All failpoints, found by living once in a run of the tests. */
export const failpoints = async (): Promise<ReadonlyArray<Failpoint>> => {
  const folder = await oncePerRun("failpoints", async (draft) =>
    writeFile(join(draft, "list.json"), JSON.stringify(await pointsOfLives()))
  )
  return JSON.parse(await readFile(join(folder, "list.json"), "utf8"))
}
