import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { Integrations } from "../../../app/sharing/Integrations.ts"
import { DisclosedIntegration, IntegrationRecord, listing, NewIntegration } from "../../../domain/access/Integration.ts"
import { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { type Operation, ofOrganisation } from "../Operation.ts"
import { described, idOf, pageOf, paging, parseQuery, Query, shownOnce } from "./Parameters.ts"

export const integrationOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "integration",
    name: "create",
    description: "Make a processor integration of the test processor and show its distribution passphrase once",
    parameters: {
      label: described(Flag.String("label"), "What the account is called"),
      processor_connect_account_id: described(Flag.String("account"), "The account's identifier at the processor")
    },
    input: NewIntegration,
    output: DisclosedIntegration,
    remark: shownOnce,
    run: (input) => Integrations.use((integrations) => integrations.create(input))
  }),
  ofOrganisation({
    group: "integration",
    name: "list",
    description: "List processor integrations, newest first",
    parameters: paging,
    input: Query,
    output: pageOf(IntegrationRecord),
    columns: ["id", "label", "processor", "processor_connect_account_id", "charges_enabled", "passphrase_rotated_at"],
    run: (query) =>
      Effect.flatMap(parseQuery(listing, query), (parsed) =>
        Integrations.use((integrations) => integrations.list(parsed))
      )
  }),
  ofOrganisation({
    group: "integration",
    name: "rotate-passphrase",
    description:
      "Give an integration a new passphrase and show it once: the old one stops, what it linked stays linked",
    parameters: { id: idOf("integration") },
    input: Schema.Struct({ id: IntegrationId }),
    output: DisclosedIntegration,
    remark: shownOnce,
    run: ({ id }) => Integrations.use((integrations) => integrations.rotatePassphrase(id))
  })
]
