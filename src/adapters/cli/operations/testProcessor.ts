import { Flag } from "effect/cli"
import { testProcessorOperations as declared } from "../../../app/payments/TestProcessor.ts"
import { NoticeManner, Reach, TestMandate, TransferManner } from "../../../domain/payments/TestCharge.ts"
import { commandsOf, runAgainst } from "../Operation.ts"
import { idOf, optional, optionalText, pageFlags, wholeNumber } from "./Parameters.ts"

const parameters = { id: idOf("charge") }

const part = (what: string) => ({
  ...parameters,
  amount_cents: optional(wholeNumber("amount-cents"), `How much is ${what} (default: all that is left)`)
})

const isTrue = (text: string): boolean => text === "true"

export const testProcessorCommands = commandsOf("test-processor", {
  list: runAgainst(declared.list, {
    parameters: { charge_id: optionalText("charge", "Those made for this charge"), ...pageFlags },
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
  approve: runAgainst(declared.approve, { parameters }),
  decline: runAgainst(declared.decline, { parameters }),
  settle: runAgainst(declared.settle, { parameters }),
  fail: runAgainst(declared.fail, {
    parameters: { ...parameters, code: optionalText("code", "Why (default: refer_to_customer)") }
  }),
  refund: runAgainst(declared.refund, { parameters: part("paid back") }),
  "fail-refund": runAgainst(declared.failRefund, { parameters }),
  "reverse-transfer": runAgainst(declared.reverseTransfer, { parameters }),
  dispute: runAgainst(declared.dispute, { parameters: part("disputed") }),
  "win-dispute": runAgainst(declared.winDispute, { parameters }),
  "lose-dispute": runAgainst(declared.loseDispute, { parameters }),
  "set-mandate": runAgainst(declared.setMandate, {
    parameters: {
      id: idOf("charge that kept it"),
      mandate: Flag.Literals("mandate", TestMandate.literals).pipe(
        Flag.withDescription("WORKING; DECLINING: each charge is declined; REVOKED: by its holder, which is final")
      )
    }
  }),
  "set-account": runAgainst(declared.setAccount, {
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
})
