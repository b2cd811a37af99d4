import { Flag } from "effect/cli"
import { paymentExceptionOperations as declared } from "../../../app/payments/PaymentExceptions.ts"
import { Kind, Status } from "../../../domain/payments/PaymentException.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags, withDescription } from "./Parameters.ts"

export const paymentExceptionCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.list, {
    group: "exception",
    name: "list",
    parameters: {
      status: optional(Flag.Literals("status", Status.literals), "Those that are open, or those that are resolved"),
      kind: optional(Flag.Literals("kind", Kind.literals), "Those of one kind"),
      ...pageFlags
    },
    columns: ["id", "kind", "charge_id", "amount_cents", "held_cents", "reason", "created_at"]
  }),
  runAgainst(declared.resolve, {
    group: "exception",
    name: "resolve",
    parameters: {
      id: idOf("exception"),
      note: withDescription(Flag.String("note"), "What was done about it"),
      money: optional(
        Flag.Literals("money", ["returned", "kept"]),
        "What became of held money: returned to the donor by hand, or kept by the organisation"
      ),
      as_gift: Flag.withDefault(
        withDescription(
          Flag.Boolean("as-gift"),
          "Book held money of a bank account as a manual gift of the day on which it came"
        ),
        false
      ),
      donor_id: optional(Flag.String("donor"), "The id of the donor of that gift")
    }
  })
]
