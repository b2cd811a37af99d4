import { Flag } from "effect/cli"
import { reconcilerOperations as declared, Reconciler } from "../../../app/payments/Reconciler.ts"
import { Asked, Reconciled } from "../../../domain/payments/Reconciliation.ts"
import { type Operation, ofInstallation } from "../Operation.ts"
import { optional } from "./Parameters.ts"

export const reconcilerCommands: ReadonlyArray<Operation> = [
  ofInstallation({
    group: null,
    name: "reconcile",
    description: declared.reconcile.summary,
    parameters: {
      since: optional(Flag.String("since"), "Look again at everything since then: RFC 3339, or a date in UTC")
    },
    input: Asked,
    output: Reconciled,
    run: (asked) => Reconciler.use(({ reconcile }) => reconcile(asked))
  })
]
