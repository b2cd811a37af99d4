import { type Campaign, type Command, machine } from "../../domain/insight/Campaign.ts"
import { type ContractSubject, subjectOf } from "../SubjectOf.ts"

/** Campaigns, generated and not, for the laws. */
export const campaigns: ContractSubject<Campaign, Command> = subjectOf(machine, {
  // decisions, section 5: Campaign.
  rows: `
    * → DRAFT
    Change: DRAFT → DRAFT; ...changes
    Generate: DRAFT → GENERATED; ask_total_cents, generated_count, public_ref, without_email, generated_at = at
    ask_total_cents, generated_count, public_ref, without_email, generated_at: GENERATED`
})
