import type { DateTime, Effect, Option } from "effect"
import { Context } from "effect"
import type { EmailCode } from "../../domain/access/EmailCode.ts"
import type { EmailCodeId, OrganisationId } from "../../domain/kernel/Ids.ts"

/** Keeps the codes that were mailed. pages, section 2. */
export class EmailCodeStore extends Context.Service<
  EmailCodeStore,
  {
    /**
     * Keeps a code and answers true, unless as many were made after `since` for its address, by whichever organisation, or by its
     * organisation, as `Limits.emailCodesPerAddress` and `Limits.emailCodesPerOrganisation` say. MUST be exact, however many ask
     * at the same moment.
     */
    add(code: EmailCode, since: DateTime.Utc): Effect.Effect<boolean>
    find(organisation_id: OrganisationId, id: EmailCodeId): Effect.Effect<Option.Option<EmailCode>>
    /**
     * The codes for a subject and an address that were made after `since` and entered less often than `Limits.emailCodeTries`, in
     * no order, each with this try counted. MUST count each, however many try at the same moment.
     */
    attempt(
      entered: Pick<EmailCode, "email_key" | "organisation_id" | "subject">,
      since: DateTime.Utc
    ): Effect.Effect<ReadonlyArray<EmailCode>>
    /** Deletes codes that were made at or before `before`, at most `limit`, and returns how many. */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
  }
>()("almoner/ports/EmailCodeStore") {}
