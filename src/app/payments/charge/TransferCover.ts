import { type DateTime, Effect } from "effect"
import { accountKey, accountOf, lastDayOf } from "../../../domain/payments/BankTransfer.ts"
import { covers } from "../../../domain/payments/ImportedStatement.ts"
import { type IsCovered, isForStatements } from "../../../domain/payments/PollPlan.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import type { LoadedCharge } from "./ChargeLoader.ts"

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
