import { Flag } from "effect/cli"
import { recipientAccountOperations as declared } from "../../../app/sharing/RecipientAccounts.ts"
import type { Operation } from "../Operation.ts"
import { over } from "../Over.ts"
import { optional, paging } from "./Parameters.ts"

export const recipientAccountCommands: ReadonlyArray<Operation> = [
  over(declared.list, {
    group: "recipient-account",
    name: "list",
    description: "List linked recipient accounts, newest first",
    parameters: {
      is_active: optional(Flag.Literals("active", ["true", "false"]), "Those that are active, or those that are not"),
      ...paging
    },
    columns: ["id", "label", "recipient_org_slug", "recipient_account_label", "is_active", "created_at"]
  })
]
