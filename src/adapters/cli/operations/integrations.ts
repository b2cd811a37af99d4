import { Flag } from "effect/cli"
import { integrationOperations as declared } from "../../../app/sharing/operations/integrations.ts"
import type { Operation } from "../Operation.ts"
import { over } from "../Over.ts"
import { described, idOf, paging, shownOnce } from "./Parameters.ts"

export const integrationCommands: ReadonlyArray<Operation> = [
  over(declared.create, {
    group: "integration",
    name: "create",
    description: declared.create.says,
    parameters: {
      label: described(Flag.String("label"), "What the account is called"),
      processor_connect_account_id: described(Flag.String("account"), "The account's identifier at the processor")
    },
    remark: shownOnce
  }),
  over(declared.list, {
    group: "integration",
    name: "list",
    description: declared.list.says,
    parameters: paging,
    columns: ["id", "label", "processor", "processor_connect_account_id", "charges_enabled", "passphrase_rotated_at"]
  }),
  over(declared.rotatePassphrase, {
    group: "integration",
    name: "rotate-passphrase",
    description: declared.rotatePassphrase.says,
    parameters: { id: idOf("integration") },
    remark: shownOnce
  })
]
