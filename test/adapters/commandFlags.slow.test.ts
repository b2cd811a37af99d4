import { assert } from "@effect/vitest"
import { nameOf } from "../../src/adapters/cli/Operation.ts"
import { operations } from "../../src/adapters/cli/Operations.ts"
import { withLayer } from "../support/Steps.ts"
import { almoner, world } from "./CommandWorld.ts"

withLayer(world)("the command", ({ effect }) => {
  effect("shows in its help which flags are required, for every command", function* () {
    for (const operation of operations) {
      const words = nameOf(operation).split(" ")
      const { stdout } = yield* almoner(...words, "--help")
      const shown = [...stdout.matchAll(/^ {2}(?:--([\w-]+)|(\w+)) .*?(\(required\))?$/gm)].filter(
        ([, flag]) => !["help", "version", "completions", "json"].includes(flag ?? "")
      )
      const required = shown.flatMap(([, flag, argument, mark]) => (mark === undefined ? [] : [flag ?? argument ?? ""]))
      // The flags that the parser still misses, until none is missing: the help's own words are tried.
      const given = new Map<string, string>()
      for (let missing: string | undefined = ""; missing !== undefined; ) {
        const flags = [...given].flatMap(([name, value]) =>
          stdout.includes(`--${name} `) ? [`--${name}`, value] : [value]
        )
        const { stderr } = yield* almoner(...words, ...flags)
        missing = /(?:Missing required (?:flag|argument|option)[^\w]+|Say which )(organisation|[\w-]+)/i.exec(
          stderr
        )?.[1]
        if (missing !== undefined) {
          assert.isFalse(given.has(missing), `${words.join(" ")}: ${stderr}`)
          const choices = new RegExp(`${missing} choice .*\\(choices: (\\w+)`).exec(stdout)?.[1]
          const type = new RegExp(`--${missing} <(JSON|true)`).exec(stdout)?.[1] ?? "1"
          given.set(missing, choices ?? type.replace("JSON", "[]"))
        }
      }
      assert.sameMembers(required, [...given.keys()], words.join(" "))
    }
  })
})
