import { Effect } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { startOfDay } from "../../../domain/kernel/CalendarDate.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { addDays } from "../../../domain/kernel/Schedule.ts"
import type { ImportedStatement } from "../../../domain/payments/ImportedStatement.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"

/** Has the transfers looked at whose last day a statement covers. */
export const makeCoveredTransfers = Effect.map(
  ChargeStore,
  (charges) =>
    (
      { id, timezone }: Organisation,
      integrations: ReadonlyArray<IntegrationId>,
      { first_day, last_day }: ImportedStatement
    ) => {
      const submitted = (lastDay: ImportedStatement["last_day"]) =>
        addTime(startOfDay(lastDay, timezone), { days: -Limits.bankTransferLapseDays })
      const from = submitted(addDays(first_day, -Limits.statementQuietDays))
      return charges.lookAtTransfers(id, integrations, { from, until: submitted(addDays(last_day, 1)) })
    }
)
