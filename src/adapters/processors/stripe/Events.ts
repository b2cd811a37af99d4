import { DateTime, Option } from "effect"
import type { NoticeFacts, NoticeObject } from "../../../ports/payments/ProcessorNotices.ts"
import * as Metadata from "./Metadata.ts"
import { type Event, idOf } from "./Objects.ts"

type Named = Event["data"]["object"]

const kindOf = ({ object }: Named): NoticeObject["kind"] => {
  switch (object) {
    case "payment_intent":
    case "charge":
      return "charge"
    case "refund":
    case "dispute":
    case "account":
      return object
    // Debits are kept by the authority to debit, and cards by themselves.
    case "mandate":
    case "payment_method":
      return "mandate"
    default:
      return "other"
  }
}

/** Charges, refunds and disputes name their intent, which is what we know a charge by; what is kept names itself. */
const referenceOf = (named: Named): string | null => {
  switch (kindOf(named)) {
    case "charge":
    case "refund":
    case "dispute":
      return named.object === "payment_intent" ? (named.id ?? null) : idOf(named.payment_intent)
    case "account":
    case "mandate":
      return named.id ?? null
    case "other":
      return null
  }
}

/** What an event says of itself. */
export const factsOf = ({ account, created, data: { object }, id, type }: Event): NoticeFacts => ({
  event_id: id,
  type,
  object: {
    kind: kindOf(object),
    reference: referenceOf(object),
    charge_id: Option.getOrNull(Metadata.chargeOf(object.metadata))
  },
  account: account ?? null,
  created_at: DateTime.makeUnsafe(created * 1_000)
})

/** Whether an event may concern an account: those that do not say are for whoever knows their charge. */
export const mayConcern = ({ data: { object } }: Event, integration_id: string): boolean =>
  [integration_id, undefined].includes(Metadata.integrationOf(object.metadata))
