import { type DateTime, Effect } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { startOfDay } from "../../../domain/kernel/CalendarDate.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { addDays } from "../../../domain/kernel/Schedule.ts"
import { accountKey, accountOf, lastDayOf } from "../../../domain/payments/BankTransfer.ts"
import { covers, type ImportedStatement } from "../../../domain/payments/ImportedStatement.ts"
import { type IsCovered, isForStatements } from "../../../domain/payments/PollPlan.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import type { LoadedCharge } from "../charge/ChargeLoader.ts"

/** Whether a statement covers the last day of a transfer that waits after it. */
export const makeIsCovered = Effect.map(CreditStore, (credits) =>
  Effect.fnUntraced(function* ({ integration, organisation, state: { charge } }: LoadedCharge, now: DateTime.Utc) {
    const isCovered: IsCovered = integration.processor === "bank" ? false : null
    const account = accountOf(integration)
    if (isCovered === null || account === null || !isForStatements(charge, now)) return isCovered
    const day = lastDayOf(charge, organisation.timezone)
    const asked = { account: accountKey(account), integration_id: integration.id, day }
    return (yield* credits.statementsSince(organisation.id, asked)).some((each) => covers(each, day))
  })
)

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
