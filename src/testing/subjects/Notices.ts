import { type Command, machine, type Notice } from "../../domain/payments/Notice.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"

/** Notices of every status, for the laws. */
export const notices: Subject<Notice, Command> = subjectOf(machine, {
  // money, section 2: Notice.
  rows: `
    * → RECEIVED
    Apply: RECEIVED, WAITING → APPLIED; error = null, apply_at = null, ended_at = at
    Ignore: RECEIVED, WAITING → IGNORED; error = null, apply_at = null, ended_at = at
    Wait: RECEIVED, WAITING → WAITING; error = null, apply_at
    Delay: RECEIVED, WAITING → same; attempts + 1, error, apply_at
    Fail: RECEIVED, WAITING → FAILED; error, apply_at = null, ended_at = at
    Retry: IGNORED, FAILED → RECEIVED; error = null, attempts = 0, apply_at = at, ended_at = null
    apply_at: RECEIVED, WAITING
    ended_at: APPLIED, IGNORED, FAILED
    error: RECEIVED, WAITING, FAILED or none`
})
