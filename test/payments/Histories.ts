import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { forEveryAsyncWith } from "../support/Property.ts"
import type { Service } from "../support/Service.ts"
import { embeddedStores, memory, type StoresLayer, server } from "../support/Stores.ts"
import { type Action, pickBelow } from "./Action.ts"
import { makePoints, type Points } from "./Points.ts"
import { startWithPoints } from "./World.ts"

/** What random histories are made of, and what must hold of them. */
export interface HistoryOptions<W> {
  readonly title: string
  readonly law: string
  /** How many histories there are over memory. Over databases there is one for every forty of them. */
  readonly runs: number
  /** The first is the one without which nothing happens. */
  readonly actions: ReadonlyArray<Action<W>>
  readonly makeWorld: (service: Service, points: Points, isInMemory: boolean) => Promise<W>
  /** What holds after every action. */
  readonly balanced: (world: W) => Promise<void>
  /** Lets everything come to its end. */
  readonly lastLook: (world: W) => Promise<void>
  /** What holds at the end. */
  readonly agreed: (world: W) => Promise<void>
}

interface Step<W> {
  readonly action: Action<W>
  readonly one: number
  readonly two: number
}

const number = fc.noBias(fc.nat(pickBelow - 1))

const historyOf = <W>({ actions }: HistoryOptions<W>): fc.Arbitrary<ReadonlyArray<Step<W>>> => {
  const step = fc.record({
    action: fc.oneof(...actions.map((action) => ({ weight: action.weight ?? 1, arbitrary: fc.constant(action) }))),
    one: number,
    two: number
  })
  return fc.array(step, { minLength: 8, maxLength: 24, size: "max" }).map((steps) => {
    const first = actions[0] ?? assert.fail("There is no action")
    // Nothing happens where nobody gives.
    return steps.some(({ action }) => action === first) ? steps : [{ action: first, one: 0, two: 0 }, ...steps]
  })
}

/** What is worth being told from others by in the script of a failure. */
const scriptOf = <W>(steps: ReadonlyArray<Step<W>>): string =>
  steps.map(({ action, one, two }) => `  ${action.name} (${one}, ${two})`).join("\n")

/** What donors typed, whole: a part of a number may be in any id. */
const secrets = /4242[ -]?4242|(?:4000|5555)[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}|@example|Lovelace|800123456/u

/** Histories that one service lives: each compares those before it with their bank, too, and takes longer. */
const perService = { memory: 5, database: 20 }

const lived = async <W>(telling: HistoryOptions<W>, world: W, service: Service, steps: ReadonlyArray<Step<W>>) => {
  const script: Array<string> = []
  try {
    for (const { action, one, two } of steps) {
      if (action.can?.(world) === false) continue
      script.push(action.name)
      script.push(`${script.pop()}: ${await action.perform(world, { one, two })}`)
      await telling.balanced(world)
    }
    script.push("the last look")
    await telling.lastLook(world)
    await telling.balanced(world)
    await telling.agreed(world)
    assert.notMatch(service.logs.join("\n"), secrets)
  } catch (cause) {
    const told = script.map((line) => `  ${line}`).join("\n")
    throw new Error(`This history went wrong:\n${told}\n${cause}`, { cause })
  }
}

const suite = <W>(telling: HistoryOptions<W>, name: string, stores: StoresLayer, runs: number) =>
  describe(`${telling.title} over ${name}`, () => {
    const points: Points = makePoints()
    const isInMemory = stores === memory
    let service: Service
    let count = 0

    beforeAll(async () => {
      service = await startWithPoints(stores, points)
    })
    afterAll(() => service.stop())

    const live = async (steps: ReadonlyArray<Step<W>>): Promise<void> => {
      const most = isInMemory ? perService.memory : perService.database
      if (count > 0 && count % most === 0) {
        await service.stop()
        service = await startWithPoints(stores, points)
      }
      count += 1
      service.logs.length = 0
      await lived(telling, await telling.makeWorld(service, points, isInMemory), service, steps)
    }

    it(
      telling.law,
      () =>
        forEveryAsyncWith(
          {
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
          },
          historyOf(telling),
          live
        ),
      600_000 + 1_000 * runs
    )
  })

/** Lives random histories over every kind of stores. */
export const describeHistories = <W>(telling: HistoryOptions<W>): void => {
  const few = Math.ceil(telling.runs / 40)
  suite(telling, "memory", memory, telling.runs)
  suite(telling, "the embedded database", embeddedStores, few)
  suite(telling, "PostgreSQL", server, few)
}
