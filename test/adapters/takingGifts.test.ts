import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { DonationForms } from "../../src/app/giving/DonationForms.ts"
import type { NewDonationForm } from "../../src/domain/giving/FormSettings.ts"
import { root } from "../architecture/Checkout.ts"
import { blocksOf } from "../docs/Markdown.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { json, StandardInput, world } from "./CommandWorld.ts"

const guide = readFileSync(join(root, "docs/guides/payments.md"), "utf8")
const commands = blocksOf(guide, "sh").flatMap((block) =>
  block
    .replaceAll(/\\\n\s*/g, " ")
    .trim()
    .split("\n")
)

/** The guide's first command that has this in it. */
const commandWith = (text: string): string =>
  commands.find((line) => line.includes(text)) ?? assert.fail(`The guide has no ${text}`)

/** Runs it as the guide has it, with what it is given on standard input. */
const runAsWritten = (text: string) => {
  const [, input = "", words = ""] = /^(?:echo '(.*)' \| )?node dist\/main\.js (.*)$/.exec(commandWith(text)) ?? []
  return json(...words.split(/\s+/)).pipe(Effect.provideService(StandardInput, `${input}\n`))
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
