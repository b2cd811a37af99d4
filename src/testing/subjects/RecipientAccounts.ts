import fc from "fast-check"
import { type Command, machine, RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { instant } from "./Month.ts"

/** Links to recipient accounts, active and not, for the laws. */
export const recipientAccounts: Subject<RecipientAccount, Command> = subjectOf(machine, {
  states: fc
    .tuple(arbitraryOf(RecipientAccount), instant)
    .map(([given, at]) => ({ ...given, deactivated_at: given.is_active ? given.deactivated_at : at })),
  // decisions, sections 4 and 5: Recipient account link.
  rows: `
    * → ACTIVE [recipient_org_account_link.created]
    * → ACTIVE
    Deactivate: ACTIVE → INACTIVE [recipient_org_account_link.deactivated]; deactivated_at = at
    Reactivate: INACTIVE → ACTIVE [recipient_org_account_link.updated]
    Introduce: ACTIVE, INACTIVE → ACTIVE; introduction_id
    Rename: ACTIVE, INACTIVE → same [recipient_org_account_link.updated]; label`
})
