import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { type DeathRecord, fileOf, makeDeathRecord } from "../../src/adapters/cli/DeathRecord.ts"
import type { Work } from "../../src/ports/kernel/WorkGuard.ts"
import { folder } from "../support/Folder.ts"
import { effect } from "../support/Steps.ts"

const charge = (id: string): Work => ({ kind: "charge", id })

/** Takes up work that does not end; answers what was taken up. */
const begins = ({ guard }: DeathRecord, works: ReadonlyArray<Work>) =>
  Effect.gen(function* () {
    const taken: Array<string> = []
    const fibers = yield* Effect.forEach(works, (work) =>
      Effect.forkChild(
        guard.run(
          work,
          Effect.andThen(
            Effect.sync(() => taken.push(work.id)),
            Effect.never
          )
        ),
        { startImmediately: true }
      )
    )
    return { taken, stop: Effect.forEach(fibers, Fiber.interrupt) }
  })

/** A process that dies while all of this is under way, each of which it took up. */
const dies = (dataDir: string, ...works: ReadonlyArray<Work>) =>
  Effect.gen(function* () {
    const record = makeDeathRecord(dataDir)
    const { stop, taken } = yield* begins(record, works)
    record.died()
    yield* stop
    return taken
  })

const markedIn = (dataDir: string) => join(dataDir, `under-way.${hostname()}.${process.pid}`)

const runs = ({ guard }: DeathRecord, work: Work) => Effect.map(guard.run(work, Effect.void), Option.isSome)

describe("work under which the process dies", () => {
  effect("is set aside after three deaths, and nothing else is", function* () {
    const dataDir = yield* folder
    const [guilty, other] = [charge("chg_1"), charge("chg_2")]
    for (const _ of [1, 2, 3]) assert.deepStrictEqual(yield* dies(dataDir, guilty), ["chg_1"])
    assert.deepStrictEqual(yield* dies(dataDir, guilty, other), ["chg_2"])
    const next = makeDeathRecord(dataDir)
    assert.isFalse(yield* runs(next, guilty))
    assert.isTrue(yield* runs(next, other))
  })

  effect("is set aside as well where the process is killed, and not where it ends as it should", function* () {
    const dataDir = join(yield* folder, "not", "made")
    const [guilty, done] = [charge("chg_1"), charge("chg_2")]
    for (const round of [1, 2, 3]) {
      const killed = makeDeathRecord(dataDir)
      assert.deepStrictEqual((yield* begins(killed, [guilty])).taken, ["chg_1"])
      if (round > 1) continue
      assert.isTrue(yield* runs(killed, done))
      assert.include(readFileSync(markedIn(dataDir), "utf8"), "chg_2")
      yield* Effect.promise(() => setTimeout(300))
      assert.notInclude(readFileSync(markedIn(dataDir), "utf8"), "chg_2")
    }
    const next = makeDeathRecord(dataDir)
    assert.isFalse(yield* runs(next, guilty))
    assert.isTrue(yield* runs(next, done))
    const { stop } = yield* begins(next, [done])
    next.ended()
    yield* stop
    assert.deepStrictEqual(Object.keys(JSON.parse(readFileSync(fileOf(dataDir), "utf8"))), ["chg_1"])
    makeDeathRecord(dataDir)
    assert.deepStrictEqual(Object.keys(JSON.parse(readFileSync(fileOf(dataDir), "utf8"))), ["chg_1"])
  })

  effect("of a process that lives is not counted, and rubbish in its file is passed over", function* () {
    const dataDir = yield* folder
    const mine = markedIn(dataDir)
    const other = mine.replace(/\d+$/, `${process.ppid}`)
    const line = JSON.stringify(charge("chg_1"))
    writeFileSync(other, line)
    writeFileSync(mine, `nonsense\n{"kind":1}\n${JSON.stringify(charge("chg_2"))}\n${line.slice(0, 9)}`)
    makeDeathRecord(dataDir)
    assert.deepStrictEqual(Object.keys(JSON.parse(readFileSync(fileOf(dataDir), "utf8"))), ["chg_2"])
    assert.deepStrictEqual([existsSync(mine), existsSync(other)], [false, true])
  })

  effect("is forgotten once it ended well, or a day after its last death", function* () {
    const dataDir = yield* folder
    const work = charge("chg_1")
    for (const _ of [1, 2]) yield* dies(dataDir, work)
    assert.isTrue(yield* runs(makeDeathRecord(dataDir), work))
    assert.strictEqual(readFileSync(fileOf(dataDir), "utf8").trim(), "{}")
    const at = Date.now() - 24 * 3_600_000
    for (const [known, isRun] of [
      [at - 1_000, true],
      [at + 60_000, false]
    ] as const) {
      writeFileSync(fileOf(dataDir), JSON.stringify({ chg_1: { kind: "charge", count: 3, at: known } }))
      assert.strictEqual(yield* runs(makeDeathRecord(dataDir), work), isRun)
    }
  })

  effect("is done one at a time of each kind after a death, and the others are left to their leases", function* () {
    const dataDir = yield* folder
    const endpoint = (id: string): Work => ({ kind: "webhook endpoint", id })
    const works = ["1", "2"].flatMap((id) => [charge(`chg_${id}`), endpoint(`whe_${id}`)])
    yield* dies(dataDir, ...works)
    const record = makeDeathRecord(dataDir)
    const end = yield* Deferred.make<void>()
    const takes = (work: Work) =>
      Effect.forkChild(Effect.map(record.guard.run(work, Deferred.await(end)), Option.isSome), {
        startImmediately: true
      })
    const all = yield* Effect.forEach([...works, charge("chg_3")], takes)
    yield* Deferred.succeed(end, undefined)
    assert.deepStrictEqual(yield* Effect.forEach(all, Fiber.join), [true, true, false, false, true])
    assert.isTrue(yield* runs(record, charge("chg_2")))
  })

  effect("is done where the record cannot be read or written, and a great many leave it small", function* () {
    const dataDir = yield* folder
    for (const text of ["", "[]", '{"chg_1":3}', '{"chg_1":{"count":"3"}}']) {
      writeFileSync(fileOf(dataDir), text)
      assert.isTrue(yield* runs(makeDeathRecord(dataDir), charge("chg_1")))
    }
    const nowhere = fileOf(dataDir)
    for (const _ of [1, 2, 3, 4]) assert.lengthOf(yield* dies(nowhere, charge("chg_1")), 1)
    yield* dies(dataDir, ...Array.from({ length: 1_500 }, (_, index) => charge(`chg_${index}`)))
    assert.lengthOf(Object.keys(JSON.parse(readFileSync(fileOf(dataDir), "utf8"))), 1_000)
  })
})
