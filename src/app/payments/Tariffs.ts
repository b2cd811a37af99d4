import { Effect, Schema } from "effect"
import { NewTariff, Tariff } from "../../domain/payments/Tariff.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { TariffStore } from "../../ports/payments/TariffStore.ts"
import { body, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"

const operations = Row.table("tariffs", {
  set: Row.keeper(
    "Set the platform fee of organisations of a plan, from now or from an instant on",
    [body(NewTariff)],
    Tariff
  ),
  list: Row.keeper(
    "List the platform fees, by plan, the latest first",
    [],
    Schema.Struct({ data: Schema.Array(Tariff) })
  )
})

/** The platform's fees, for the whole installation. For operators. money, section 5. */
export class Tariffs extends Service<Tariffs>()("almoner/app/Tariffs", function* () {
  const store = yield* TariffStore
  const transaction = yield* Transaction

  /**
   * Sets the rate of a plan from an instant on, from now on where none is said. It takes the place of one that begins at the
   * same instant. Charges keep the rate of their time.
   */
  const set = Effect.fn("Tariffs.set")(function* ({ effective_from, ...input }: NewTariff) {
    const created_at = yield* realNow
    const tariff: Tariff = { ...input, effective_from: effective_from ?? created_at, created_at }
    yield* store.set(tariff)
    return tariff
  }, transaction.run)

  /** All of them, the plans in order, and of each plan the latest first. */
  const list = Effect.map(store.all, (data) => ({ data }))

  return checkedService(operations, { set, list })
}) {}

/** The operations of {@link Tariffs}. */
export const tariffOperations = operationsOf(Tariffs, operations)
