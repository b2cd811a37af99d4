import fc from "fast-check"
import { Command, TransferAttempt } from "../../domain/sharing/TransferAttempt.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { instant } from "./Month.ts"

const states: fc.Arbitrary<TransferAttempt> = fc
  .record({ given: arbitraryOf(TransferAttempt), at: instant, isSent: fc.boolean() })
  .map(({ at, given, isSent }): TransferAttempt => {
    const { status } = given
    const isNew = status === "NEW"
    return {
      ...given,
      sent_at: isSent || !isNew ? at : null,
      reference: status === "SUCCEEDED" ? "tr_1" : null,
      failure_code: status === "FAILED" ? "account_closed" : null,
      look_at: isNew ? at : null,
      ended_at: isNew ? null : at
    }
  })

const commands: fc.Arbitrary<Command> = fc
  .tuple(arbitraryOf(Command), instant)
  .map(([command, at]): Command => ({ ...command, at }))

/** Transfer attempts of every status, sent or not, for the laws. */
export const transferAttempts: Subject<TransferAttempt, Command> = {
  schema: TransferAttempt,
  states,
  commands,
  // money, section 2: transfer attempt. One whose outcome is unknown stays NEW.
  expect: {
    Send: {
      from: ["NEW"],
      to: "NEW",
      when: ({ sent_at }) => sent_at === null,
      changes: (_, { at }) => ({ sent_at: at, updated_at: at })
    },
    Succeed: {
      from: ["NEW"],
      to: "SUCCEEDED",
      changes: (_, { at, reference }) => ({ reference, look_at: null, ended_at: at, updated_at: at })
    },
    Refuse: {
      from: ["NEW"],
      to: "FAILED",
      changes: (_, { at, failure_code }) => ({ failure_code, look_at: null, ended_at: at, updated_at: at })
    }
  },
  invariants: {
    "what has ended is looked at no more": ({ look_at, status }) => status === "NEW" || look_at === null
  },
  steps: {
    "what goes to whom never changes": ({ after, before }) =>
      after.amount_cents === before.amount_cents &&
      after.recipient_org_account_link_id === before.recipient_org_account_link_id,
    "when it was first sent stays": ({ after, before }) => before.sent_at === null || after.sent_at === before.sent_at
  }
}
