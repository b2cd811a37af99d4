import { Flag } from "effect/cli"
import { testProcessorOperations as declared } from "../../../app/payments/TestProcessor.ts"
import { NoticeManner, Reach, TestMandate, TransferManner } from "../../../domain/payments/TestCharge.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags } from "./Parameters.ts"

const group = "test-processor"
const parameters = { id: idOf("charge") }

const part = (what: string) => ({
  ...parameters,
  amount_cents: optional(Flag.Int("amount-cents"), `How much is ${what} (default: all that is left)`)
})

const isTrue = (text: string): boolean => text === "true"

export const testProcessorCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.list, {
    group,
    name: "list",
    parameters: { charge_id: optional(Flag.String("charge"), "Those made for this charge"), ...pageFlags },
    columns: [
      "charge_id",
      "method",
      "payment_token",
      "amount_cents",
      "status",
      "failure_code",
      "fee_cents",
      "created_at"
    ]
  }),
  runAgainst(declared.approve, { group, name: "approve", parameters }),
  runAgainst(declared.decline, { group, name: "decline", parameters }),
  runAgainst(declared.settle, { group, name: "settle", parameters }),
  runAgainst(declared.fail, {
    group,
    name: "fail",
    parameters: { ...parameters, code: optional(Flag.String("code"), "Why (default: refer_to_customer)") }
  }),
  runAgainst(declared.refund, { group, name: "refund", parameters: part("paid back") }),
  runAgainst(declared.failRefund, { group, name: "fail-refund", parameters }),
  runAgainst(declared.dispute, { group, name: "dispute", parameters: part("disputed") }),
  runAgainst(declared.winDispute, { group, name: "win-dispute", parameters }),
  runAgainst(declared.loseDispute, { group, name: "lose-dispute", parameters }),
  runAgainst(declared.setMandate, {
    group,
    name: "set-mandate",
    parameters: {
      id: idOf("charge that kept it"),
      mandate: Flag.Literals("mandate", TestMandate.literals).pipe(
        Flag.withDescription("WORKING; DECLINING: each charge is declined; REVOKED: by its holder, which is final")
      )
    }
  }),
  runAgainst(declared.setAccount, {
    group,
    name: "set-account",
    parameters: {
      id: idOf("integration"),
      charges_enabled: optional(
        Flag.map(Flag.Literals("charges-enabled", ["true", "false"]), isTrue),
        "Whether it takes charges"
      ),
      reach: optional(
        Flag.Literals("reach", Reach.literals),
        "REACHED; LOST: no request arrives; ANSWER_LOST: what is asked happens, and no answer arrives"
      ),
      notices: optional(
        Flag.Literals("notices", NoticeManner.literals),
        "How it tells of what happens: on time, a minute late, twice, beginnings last, or never"
      ),
      transfers: optional(
        Flag.Literals("transfers", TransferManner.literals),
        "ACCEPTED; REFUSED: no transfer goes to it; CLOSED: none ever will"
      )
    }
  })
]
