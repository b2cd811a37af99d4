import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Almoner, AlmonerUnavailable } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { callerIn, failureOf } from "./Charity.ts"

const reasonOf = (failure: unknown): unknown => (failure instanceof AlmonerUnavailable ? failure.reason : failure)

describe("a close while a handler of events does not end", () => {
  for (const by of ["started workers", "consume()"]) {
    it(`cuts it off, and every later call says that it is closed: ${by}`, async () => {
      const almoner = await Almoner.open({ backend: memory(), logger: () => {} })
      const caller = await callerIn(almoner)
      const aborted: Array<boolean> = []
      const called = new Promise<void>((resolve) => {
        void almoner.events.subscribe(
          { name: "stuck", types: ["donor.created"], from: "beginning" },
          (_, { signal }) => {
            signal.addEventListener("abort", () => aborted.push(signal.aborted))
            resolve()
            return new Promise(() => {})
          }
        )
      })
      await almoner.donors.create(caller, { first_name: "Mary" })
      const consuming = by === "consume()" ? failureOf(almoner.consume()) : undefined
      if (consuming === undefined) almoner.workers.start()
      await called
      await almoner.close()
      assert.deepStrictEqual(aborted, [true])
      if (consuming !== undefined) assert.strictEqual(reasonOf(await consuming), "closed")
      assert.strictEqual(reasonOf(await failureOf(almoner.donors.create(caller, { first_name: "Ada" }))), "closed")
      assert.strictEqual(reasonOf(await almoner.run(Effect.succeed(1)).catch((error: unknown) => error)), "closed")
    })
  }
})
