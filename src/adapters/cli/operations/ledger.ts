import { Flag } from "effect/cli"
import { ledgerOperations as declared } from "../../../app/payments/Ledger.ts"
import { Cause } from "../../../domain/payments/Ledger.ts"
import type { Operation } from "../Operation.ts"
import { over, overInstallation } from "../Over.ts"
import { optional, paging } from "./Parameters.ts"

export const ledgerCommands: ReadonlyArray<Operation> = [
  overInstallation(declared.check, {
    group: "ledger",
    name: "check",
    parameters: {},
    columns: ["organisation_id", "currency", "balances", "faults"]
  }),
  over(declared.list, {
    group: "ledger",
    name: "list",
    parameters: {
      charge_id: optional(Flag.String("charge"), "What this charge moved"),
      cause: optional(Flag.Literals("cause", Cause.literals), "What such a thing moved"),
      ...paging
    },
    columns: ["id", "at", "cause", "cause_id", "from_account", "to_account", "amount_cents", "currency"]
  })
]
