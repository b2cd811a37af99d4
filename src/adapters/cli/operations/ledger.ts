import { Schema } from "effect"
import { Flag } from "effect/cli"
import { ledgerOperations as declared, Ledger } from "../../../app/payments/Ledger.ts"
import { Cause } from "../../../domain/payments/Ledger.ts"
import { LedgerCheck } from "../../../domain/payments/LedgerCheck.ts"
import { type Operation, ofInstallation } from "../Operation.ts"
import { over } from "../Over.ts"
import { Nothing, optional, paging } from "./Parameters.ts"

export const ledgerCommands: ReadonlyArray<Operation> = [
  ofInstallation({
    group: "ledger",
    name: "check",
    description: declared.check.summary,
    parameters: {},
    input: Nothing,
    output: Schema.Struct({ data: Schema.Array(LedgerCheck) }),
    columns: ["organisation_id", "currency", "balances", "faults"],
    run: () => Ledger.use(({ check }) => check)
  }),
  over(declared.list, {
    group: "ledger",
    name: "list",
    description: declared.list.summary,
    parameters: {
      charge_id: optional(Flag.String("charge"), "What this charge moved"),
      cause: optional(Flag.Literals("cause", Cause.literals), "What such a thing moved"),
      ...paging
    },
    columns: ["id", "at", "cause", "cause_id", "from_account", "to_account", "amount_cents", "currency"]
  })
]
