import { Flag } from "effect/cli"
import { reconcilerOperations as declared } from "../../../app/payments/Reconciler.ts"
import type { Operation } from "../Operation.ts"
import { overInstallation } from "../Over.ts"
import { optional } from "./Parameters.ts"

export const reconcilerCommands: ReadonlyArray<Operation> = [
  overInstallation(declared.reconcile, {
    group: null,
    name: "reconcile",
    parameters: {
      since: optional(Flag.String("since"), "Look again at everything since then: RFC 3339, or a date in UTC")
    }
  })
]
