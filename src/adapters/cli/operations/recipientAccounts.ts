import { Flag } from "effect/cli"
import { recipientAccountOperations as declared } from "../../../app/sharing/RecipientAccounts.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { optional, pageFlags } from "./Parameters.ts"

export const recipientAccountCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.list, {
    group: "recipient-account",
    name: "list",
    description: "List linked recipient accounts, newest first",
    parameters: {
      is_active: optional(Flag.Literals("active", ["true", "false"]), "Those that are active, or those that are not"),
      ...pageFlags
    },
    columns: ["id", "label", "recipient_org_slug", "recipient_account_label", "is_active", "created_at"]
  })
]
