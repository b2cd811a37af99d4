import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { Tariffs } from "../../../app/payments/Tariffs.ts"
import { Plan, plans } from "../../../domain/access/Plan.ts"
import { NewTariff } from "../../../domain/payments/NewTariff.ts"
import { Tariff } from "../../../domain/payments/Tariff.ts"
import { type Operation, ofInstallation } from "../Operation.ts"
import { described, Nothing, optional } from "./Parameters.ts"

export const tariffCommands: ReadonlyArray<Operation> = [
  ofInstallation({
    group: "tariff",
    name: "set",
    description: "Set what the platform costs organisations of a plan, from now or from an instant on",
    parameters: {
      plan: Argument.withDescription(
        Argument.Literals("plan", Plan.literals),
        `The plan (choices: ${plans.join(", ")})`
      ),
      basis_points: described(Flag.Int("basis-points"), "The share of a payment, in hundredths of a percent"),
      fixed_cents: described(Flag.Int("fixed-cents"), "The fixed amount of each payment, in minor units"),
      effective_from: optional(Flag.String("from"), "When it begins to apply, an ISO 8601 instant; now by default")
    },
    input: NewTariff,
    output: Tariff,
    run: (input) => Tariffs.use((tariffs) => tariffs.set(input))
  }),
  ofInstallation({
    group: "tariff",
    name: "list",
    description: "List what the platform costs, by plan, the latest first",
    parameters: {},
    input: Nothing,
    output: Schema.Struct({ data: Schema.Array(Tariff) }),
    columns: ["plan", "effective_from", "basis_points", "fixed_cents"],
    run: () => Tariffs.use(({ list }) => list)
  })
]
