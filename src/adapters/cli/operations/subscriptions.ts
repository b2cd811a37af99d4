import { Flag } from "effect/cli"
import { subscriptionOperations as declared } from "../../../app/payments/operations/subscriptions.ts"
import { Status } from "../../../domain/payments/Subscription.ts"
import type { Operation } from "../Operation.ts"
import { over } from "../Over.ts"
import { idOf, optional, paging } from "./Parameters.ts"

const group = "subscription"
const parameters = { id: idOf("subscription") }

export const subscriptionCommands: ReadonlyArray<Operation> = [
  over(declared.list, {
    group,
    name: "list",
    description: "List recurring gifts, newest first",
    parameters: {
      status: optional(Flag.Literals("status", Status.literals), "Those that are this far"),
      donor_id: optional(Flag.String("donor"), "Those of this donor"),
      ...paging
    },
    columns: ["id", "donor_id", "status", "amount_cents", "currency", "frequency", "next_charge_on", "created_at"]
  }),
  over(declared.read, { group, name: "show", description: "Show a recurring gift", parameters }),
  over(declared.cancel, {
    group,
    name: "cancel",
    description: "End a recurring gift: it is charged no more",
    parameters
  })
]
