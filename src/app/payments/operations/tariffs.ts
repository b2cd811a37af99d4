import { Schema } from "effect"
import { Tariff } from "../../../domain/payments/Tariff.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { Tariffs, takes } from "../Tariffs.ts"

const tariffs = operationsOf(Tariffs)

/** The operations of {@link Tariffs}. */
export const tariffOperations = {
  set: tariffs.forInstallation({
    says: "Set what the platform costs organisations of a plan, from now or from an instant on",
    takes: takes.set,
    gives: Tariff,
    run: (use, input) => use.set(input)
  }),
  list: tariffs.forInstallation({
    says: "List what the platform costs, by plan, the latest first",
    takes: [],
    gives: Schema.Struct({ data: Schema.Array(Tariff) }),
    run: (use) => use.list
  })
}
