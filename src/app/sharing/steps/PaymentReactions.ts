import { Effect } from "effect"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import type { Reaction } from "../../kernel/steps/Reactions.ts"

/** The payments of a merged donor become the survivor's. decisions, section 4: Donors. */
export const paymentReactions = Effect.map(
  PaymentStore,
  (payments): Partial<Reaction> => ({
    donorMerged: ({ at, duplicate, organisation_id, survivor }) =>
      payments.reassign(organisation_id, duplicate, survivor, at)
  })
)
