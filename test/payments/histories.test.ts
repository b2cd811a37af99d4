import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { histories } from "../support/Rounds.ts"
import type { Service } from "../support/Service.ts"
import { embedded, memory, type StoresLayer, server } from "../support/Stores.ts"
import { pickBelow, type World } from "./Action.ts"
import { actions, lastLook } from "./actions.ts"
import { agreed, balanced } from "./Oracle.ts"
import { makePoints, type Points } from "./Points.ts"
import { makeWorld, startWithPoints } from "./World.ts"

const number = fc.noBias(fc.nat(pickBelow - 1))

/** A step of a history: an action, by its weight, and what it picks. */
const step = fc.record({
  action: fc.oneof(...actions.map((action) => ({ weight: action.weight ?? 1, arbitrary: fc.constant(action) }))),
  one: number,
  two: number
})

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const history = fc.array(step, { minLength: 8, maxLength: 24, size: "max" }).map((steps) => {
  const first = actions[0] ?? assert.fail("There is no action")
  // Nothing happens where nobody gives.
  return steps.some(({ action }) => action === first) ? steps : [{ action: first, one: 0, two: 0 }, ...steps]
})

/** What is worth being told from others by in the script of a failure. */
const scriptOf = (steps: ReadonlyArray<Step>): string =>
  steps.map(({ action, one, two }) => `  ${action.name} (${one}, ${two})`).join("\n")

/** Histories that one service lives: it remembers all of them, and slows down. */
const perService = 20

const kinds = [
  ["memory", memory, histories],
  ["the embedded database", embedded, Math.ceil(histories / 40)],
  ["PostgreSQL", server, Math.ceil(histories / 40)]
] as const

const suite = (name: string, stores: StoresLayer, runs: number) =>
  describe(`random histories of gifts over ${name}`, () => {
    const points: Points = makePoints()
    let service: Service
    let lived = 0

    const start = () => startWithPoints(stores, points)

    beforeAll(async () => {
      service = await start()
    })
    afterAll(() => service.stop())

    const newWorld = async (): Promise<World> => {
      if (name === "memory" && lived > 0 && lived % perService === 0) {
        await service.stop()
        service = await start()
      }
      lived += 1
      service.logs.length = 0
      return makeWorld(service, points)
    }

    const live = async (steps: ReadonlyArray<Step>): Promise<void> => {
      const world = await newWorld()
      const script: Array<string> = []
      try {
        for (const { action, one, two } of steps) {
          if (action.can?.(world) === false) continue
          script.push(action.name)
          script.push(`${script.pop()}: ${await action.perform(world, { one, two })}`)
          await balanced(world)
        }
        script.push("the last look")
        await lastLook(world)
        await balanced(world)
        await agreed(world)
        assert.notMatch(service.logs.join("\n"), /4000 ?00|4242|@example|Lovelace|800123456/)
      } catch (cause) {
        throw new Error(`This history went wrong:\n${script.map((line) => `  ${line}`).join("\n")}\n${cause}`, {
          cause
        })
      }
    }

    it(
      "end with ours as theirs, in balance at every step, and everything told once and in order",
      () =>
        fc.assert(fc.asyncProperty(history, live), {
          numRuns: runs,
          endOnFailure: false,
          reporter: (details) => {
            if (!details.failed) return
            const [steps = []] = details.counterexample ?? []
            const error = details.errorInstance instanceof Error ? details.errorInstance.message : ""
            throw new Error(
              `${error}\nAfter ${details.numRuns} runs, seed ${details.seed}, shrunk to:\n${scriptOf(steps)}`
            )
          }
        }),
      600_000 + 1_000 * runs
    )
  })

for (const [name, stores, runs] of kinds) suite(name, stores, runs)
