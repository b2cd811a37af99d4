import { Argument, Flag } from "effect/cli"
import { tariffOperations } from "../../../app/payments/Tariffs.ts"
import { Plan, plans } from "../../../domain/access/Plan.ts"
import type { Operation } from "../Operation.ts"
import { overInstallation } from "../Over.ts"
import { optional, withDescription } from "./Parameters.ts"

export const tariffCommands: ReadonlyArray<Operation> = [
  overInstallation(tariffOperations.set, {
    group: "tariff",
    name: "set",
    parameters: {
      plan: Argument.withDescription(
        Argument.Literals("plan", Plan.literals),
        `The plan (choices: ${plans.join(", ")})`
      ),
      basis_points: withDescription(Flag.Int("basis-points"), "The share of a payment, in hundredths of a percent"),
      fixed_cents: withDescription(Flag.Int("fixed-cents"), "The fixed amount of each payment, in minor units"),
      effective_from: optional(Flag.String("from"), "When it begins to apply, an ISO 8601 instant; now by default")
    }
  }),
  overInstallation(tariffOperations.list, {
    group: "tariff",
    name: "list",
    parameters: {},
    columns: ["plan", "effective_from", "basis_points", "fixed_cents"]
  })
]
