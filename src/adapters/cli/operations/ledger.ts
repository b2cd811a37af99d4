import { Flag } from "effect/cli"
import { ledgerOperations as declared } from "../../../app/payments/Ledger.ts"
import { Cause } from "../../../domain/payments/Ledger.ts"
import type { Operation } from "../Operation.ts"
import { overInstallation, runAgainst } from "../Over.ts"
import { optional, pageFlags } from "./Parameters.ts"

export const ledgerCommands: ReadonlyArray<Operation> = [
  overInstallation(declared.check, {
    group: "ledger",
    name: "check",
    parameters: {},
    columns: ["organisation_id", "currency", "balances", "faults"]
  }),
  runAgainst(declared.list, {
    group: "ledger",
    name: "list",
    parameters: {
      charge_id: optional(Flag.String("charge"), "What this charge moved"),
      cause: optional(Flag.Literals("cause", Cause.literals), "What such a thing moved"),
      ...pageFlags
    },
    columns: ["id", "at", "cause", "cause_id", "from_account", "to_account", "amount_cents", "currency"]
  })
]
