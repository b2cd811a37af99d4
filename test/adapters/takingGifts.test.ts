import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Demo from "../../src/adapters/cli/Demo.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { DonationForms } from "../../src/app/giving/DonationForms.ts"
import type { NewDonationForm } from "../../src/domain/giving/FormSettings.ts"
import { root } from "../architecture/Checkout.ts"
import { blocksOf } from "../docs/Markdown.ts"
import { runFolder } from "../support/RunFolder.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { json, StandardInput, world } from "./CommandWorld.ts"

const commandsOf = (path: string): ReadonlyArray<string> =>
  blocksOf(readFileSync(join(root, path), "utf8"), "sh").flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, " ")
      .trim()
      .split("\n")
  )

const commands = commandsOf("docs/guides/payments.md")

/** The first command that has this in it. */
const commandWith = (text: string, said = commands): string =>
  said.find((line) => line.includes(text)) ?? assert.fail(`There is no ${text}`)

/** Runs it as it is written, with what it is given on standard input. */
const runAsWritten = (text: string, said = commands) => {
  const line = commandWith(text, said)
  const [, input = "", words = ""] = /^(?:echo '(.*)' \| )?node dist\/main\.js (.*)$/.exec(line) ?? []
  return json(...words.split(/\s+/).filter((word) => word !== "--json")).pipe(
    Effect.provideService(StandardInput, `${input}\n`)
  )
}

const sent = (text: string): NewDonationForm => JSON.parse(/-d '(.*)'/.exec(commandWith(text))?.[1] ?? "")

withLayer(world)("the first gift of a sandbox", ({ effect }) => {
  effect("goes as the guide has it", function* () {
    const zone = ["--timezone", "Australia/Sydney", "--currency", "AUD"]
    yield* json("organisation", "create", "--slug", "riverside", "--name", "Riverside", ...zone)
    const sandbox = yield* Organisations.use((organisations) => organisations.findBySlug("riverside-sandbox"))
    yield* runAsWritten("integration create")
    yield* DonationForms.use((forms) => forms.create(sent("/api/v1/forms"))).pipe(asOperator(sandbox))
    const given = yield* runAsWritten("checkout submit")
    assert.deepInclude(given, { status: "SUCCEEDED", amount_cents: 5_000, failure_code: null })
  })
})

withLayer(world)("the first gift of a newcomer", ({ effect }) => {
  effect("goes as the README has it, in three commands, and ends with its event", function* () {
    yield* Demo.ensure(runFolder("first-gift"), "http://localhost:1")
    const readme = commandsOf("README.md")
    const [start, end] = [readme.lastIndexOf("npm start"), readme.indexOf(commandWith("event list", readme))]
    assert.strictEqual(end - start, 2)
    const { donation_id } = yield* runAsWritten("checkout submit", readme)
    const { data } = yield* runAsWritten("event list", readme)
    assert.deepInclude(data[0].data, { id: donation_id, amount_cents: 5_000, status: "CONFIRMED" })
  })
})
