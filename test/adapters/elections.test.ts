import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { almoner, json, world } from "./CommandWorld.ts"

const elections = (...words: ReadonlyArray<string>) => ["regime", "elections", ...words]

const general = [
  "--jurisdiction",
  "AU",
  "--writ-on",
  "2028-04-17",
  "--polling-on",
  "2028-05-20",
  "--name",
  "General election"
]

layer(world)("almoner regime elections", (it) => {
  it.effect("adds an election that can be, shows its days, and takes it out", () =>
    Effect.gen(function* () {
      const added = {
        jurisdiction: "AU",
        name: "General election",
        writ_on: "2028-04-17",
        polling_on: "2028-05-20",
        expedited_from: "2028-05-13",
        ends_on: "2028-05-27",
        origin: "ADDED"
      }
      assert.deepStrictEqual(yield* json(...elections("add", ...general)), added)
      assert.deepStrictEqual(yield* json(...elections("list")), { data: [added] })
      const refused = [
        [general, /share days/u],
        [general.with(1, "AU-XX"), /AU-XX, which is not known/u],
        [general.with(5, "2028-04-17"), /must come before polling day/u],
        [general.with(5, "next May"), /^--polling-on /u]
      ] as const
      for (const [words, says] of refused) {
        const { status, stderr } = yield* almoner(...elections("add", ...words))
        assert.deepStrictEqual([status === 0, says.test(stderr)], [false, true], stderr)
      }
      const { stdout } = yield* almoner(...elections("remove", ...general.slice(0, 4)))
      assert.include(stdout, "no recount moves a due date back")
      const again = yield* almoner(...elections("remove", ...general.slice(0, 4)))
      assert.match(again.stderr, /election AU 2028-04-17/u)
      assert.deepStrictEqual(yield* json(...elections("list")), { data: [] })
    })
  )
})
