import { Flag } from "effect/cli"
import { paymentExceptionOperations as declared } from "../../../app/payments/PaymentExceptions.ts"
import { Kind, Status } from "../../../domain/payments/PaymentException.ts"
import type { Operation } from "../Operation.ts"
import { over } from "../Over.ts"
import { described, idOf, optional, paging } from "./Parameters.ts"

export const paymentExceptionCommands: ReadonlyArray<Operation> = [
  over(declared.list, {
    group: "exception",
    name: "list",
    parameters: {
      status: optional(Flag.Literals("status", Status.literals), "Those that are open, or those that are resolved"),
      kind: optional(Flag.Literals("kind", Kind.literals), "Those of one kind"),
      ...paging
    },
    columns: ["id", "kind", "charge_id", "amount_cents", "held_cents", "reason", "created_at"]
  }),
  over(declared.resolve, {
    group: "exception",
    name: "resolve",
    parameters: {
      id: idOf("exception"),
      note: described(Flag.String("note"), "What was done about it"),
      money: optional(
        Flag.Literals("money", ["returned", "kept"]),
        "What became of held money: returned to the donor by hand, or kept by the organisation"
      ),
      as_gift: Flag.withDefault(
        described(
          Flag.Boolean("as-gift"),
          "Book held money of a bank account as a manual gift of the day on which it came"
        ),
        false
      ),
      donor_id: optional(Flag.String("donor"), "The id of the donor of that gift")
    }
  })
]
