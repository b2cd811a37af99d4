import { type ApiKey, type Command, machine } from "../../domain/access/ApiKey.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"

/** API keys, in use and revoked. */
export const apiKeys: Subject<ApiKey, Command> = subjectOf(machine, {
  // decisions, section 5: API key.
  rows: `
    * → ACTIVE
    Revoke: ACTIVE → REVOKED; revoked_at = at`
})
