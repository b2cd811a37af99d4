import fc from "fast-check"
import { type Command, machine, TransferAttempt } from "../../domain/sharing/TransferAttempt.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { instant } from "./Month.ts"

/** Transfer attempts of every status, sent or not, for the laws. */
export const transferAttempts: Subject<TransferAttempt, Command> = subjectOf(machine, {
  states: fc
    .tuple(arbitraryOf(TransferAttempt), instant)
    .map(([given, at]) => ({ ...given, sent_at: given.status === "NEW" ? given.sent_at : at })),
  // money, section 2: transfer attempt. One whose outcome is unknown stays NEW.
  rows: `
    * → NEW
    Send: NEW → NEW ?; sent_at = at
    Succeed: NEW → SUCCEEDED; reference, look_at = null, ended_at = at
    Refuse: NEW → FAILED; failure_code, look_at = null, ended_at = at
    reference: SUCCEEDED or none
    failure_code: FAILED
    look_at: NEW
    ended_at: SUCCEEDED, FAILED`,
  when: { Send: ({ sent_at }) => sent_at === null }
})
