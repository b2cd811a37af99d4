import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Demo from "../../src/adapters/cli/Demo.ts"
import { root } from "../architecture/Checkout.ts"
import { blocksOf } from "../docs/Markdown.ts"
import { runFolder } from "../support/RunFolder.ts"
import { withLayer } from "../support/Steps.ts"
import { json, StandardInput, world } from "./CommandWorld.ts"

const commands = blocksOf(readFileSync(join(root, "README.md"), "utf8"), "sh").flatMap((block) =>
  block
    .replaceAll(/\\\n\s*/g, " ")
    .trim()
    .split("\n")
)

/** The first command that has this in it. */
const commandWith = (text: string): string =>
  commands.find((line) => line.includes(text)) ?? assert.fail(`There is no ${text}`)

/** Runs it as it is written, with what it is given on standard input. */
const runAsWritten = (text: string) => {
  const line = commandWith(text)
  const [, input = "", words = ""] = /^(?:echo '(.*)' \| )?node dist\/main\.js (.*)$/.exec(line) ?? []
  return json(...words.split(/\s+/).filter((word) => word !== "--json")).pipe(
    Effect.provideService(StandardInput, `${input}\n`)
  )
}

withLayer(world)("the first gift of a newcomer", ({ effect }) => {
  effect("goes as the README has it, in three commands, and ends with its event", function* () {
    yield* Demo.ensure(runFolder("first-gift"), "http://localhost:1")
    const [start, end] = [commands.lastIndexOf("npm start"), commands.indexOf(commandWith("event list"))]
    assert.strictEqual(end - start, 2)
    const { donation_id } = yield* runAsWritten("checkout submit")
    const { data } = yield* runAsWritten("event list")
    assert.deepInclude(data[0].data, { id: donation_id, amount_cents: 5_000, status: "CONFIRMED" })
  })
})
