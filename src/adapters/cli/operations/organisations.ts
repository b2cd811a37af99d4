import { Effect, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { organisationOperations as declared, Organisations } from "../../../app/access/Organisations.ts"
import { LiveSlug, Organisation } from "../../../domain/access/Organisation.ts"
import { Plan, plans } from "../../../domain/access/Plan.ts"
import { Timezone } from "../../../domain/kernel/CalendarDate.ts"
import { CurrencyInUse } from "../../../domain/kernel/Money.ts"
import { type Operation, ofInstallation, operator } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { Empty, FilledName, listOf, withDefault, withDescription } from "./Parameters.ts"

export const organisationCommands: ReadonlyArray<Operation> = [
  ofInstallation({
    group: "organisation",
    name: "create",
    description: declared.create.summary,
    parameters: {
      slug: withDescription(
        Flag.String("slug"),
        "Its unique name in addresses: lower-case letters, digits and hyphens"
      ),
      name: withDescription(Flag.String("name"), "Its name"),
      timezone: withDescription(Flag.String("timezone"), "A timezone of the IANA database, e.g. Australia/Sydney"),
      default_currency: withDescription(Flag.String("currency"), "The ISO 4217 code of its currency, e.g. AUD"),
      plan: withDefault(Flag.Literals("plan", plans), "Its plan", "FREE")
    },
    input: Schema.Struct({
      slug: LiveSlug,
      name: FilledName,
      timezone: Timezone,
      default_currency: CurrencyInUse,
      plan: Plan
    }),
    output: Schema.Struct({ live: Organisation, sandbox: Organisation }),
    run: (input) =>
      Effect.flatMap(operator, (acting) =>
        Organisations.use((organisations) =>
          organisations.create({ ...input, name: input.name.trim(), sandbox_webhook_cidrs: [] }, acting)
        )
      )
  }),
  ofInstallation({
    group: "organisation",
    name: "list",
    description: declared.listOfInstallation.summary,
    parameters: {},
    input: Empty,
    output: listOf(Organisation),
    columns: ["slug", "name", "plan", "is_sandbox", "timezone", "default_currency", "id"],
    run: () => Organisations.use((organisations) => Effect.map(organisations.listOfInstallation, (data) => ({ data })))
  }),
  runAgainst(declared.setPlan, {
    group: "organisation",
    name: "set-plan",
    parameters: {
      plan: Argument.withDescription(Argument.Literals("plan", plans), `The plan (choices: ${plans.join(", ")})`)
    }
  }),
  runAgainst(declared.rename, {
    group: "organisation",
    name: "rename",
    parameters: { name: withDescription(Flag.String("name"), "Its new name") }
  })
]
