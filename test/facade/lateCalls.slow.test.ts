import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Almoner, AlmonerUnavailable } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { callerIn, failureOf } from "./Charity.ts"

describe("a close while a call does not end", () => {
  for (const [which, hanging, isTold] of [
    ["one that can be interrupted", Effect.never, true],
    ["one that cannot", Effect.uninterruptible(Effect.never), false]
  ] as const) {
    it(`closes the store all the same: ${which}`, async () => {
      const closed: Array<string> = []
      const store = memory()
      const backend = { ...store, within: () => () => hanging }
      const almoner = await Almoner.open({ backend, logger: () => {} })
      const caller = await callerIn(almoner)
      const call = failureOf(almoner.within({}).donors.create(caller, { first_name: "Ada" }))
      void call.then(() => closed.push("call"))
      const other = almoner.donors.create(caller, { first_name: "Mary" })
      await almoner.close()
      assert.strictEqual((await other).first_name, "Mary")
      assert.deepStrictEqual(closed, isTold ? ["call"] : [])
      if (isTold) assert.deepInclude(await call, { _tag: "AlmonerUnavailable", reason: "closed" })
      const late = await failureOf(almoner.donors.create(caller, { first_name: "Zoë" }))
      assert.isTrue(late instanceof AlmonerUnavailable && late.reason === "closed")
    })
  }
})
