import { Effect } from "effect"
import { Flag } from "effect/cli"
import { RecipientAccounts } from "../../../app/sharing/RecipientAccounts.ts"
import { listing, RecipientAccountDetail } from "../../../domain/sharing/RecipientAccount.ts"
import { type Operation, ofOrganisation } from "../Operation.ts"
import { optional, pageOf, paging, parseQuery, Query } from "./Parameters.ts"

export const recipientAccountOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "recipient-account",
    name: "list",
    description: "List linked recipient accounts, newest first",
    parameters: {
      is_active: optional(Flag.Literals("active", ["true", "false"]), "Those that are active, or those that are not"),
      ...paging
    },
    input: Query,
    output: pageOf(RecipientAccountDetail),
    columns: ["id", "label", "recipient_org_slug", "recipient_account_label", "is_active", "created_at"],
    run: (query) =>
      Effect.flatMap(parseQuery(listing, query), (parsed) => RecipientAccounts.use((accounts) => accounts.list(parsed)))
  })
]
