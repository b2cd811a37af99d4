import type { DateTime, Effect, Option } from "effect"
import { Context } from "effect"
import type { MailId, OrganisationId } from "../domain/Ids.ts"
import type { Mail } from "../domain/Mail.ts"

/** A mail that a worker holds until its lease ends. */
export interface ClaimedMail {
  readonly mail: Mail
  readonly lease_id: string
}

/** The mails of committed changes, and those that are due. */
export class MailOutbox extends Context.Service<
  MailOutbox,
  {
    /** Writes the mail in the surrounding transaction. MUST raise the hint that {@link wait} waits for once that committed. */
    add(mail: Mail): Effect.Effect<void>
    find(organisation_id: OrganisationId, id: MailId): Effect.Effect<Option.Option<Mail>>
    /**
     * Hands out mails that are due at `now`, as `Mail.attempted` makes them, earliest due first, at most `limit`. MUST give a
     * mail to one worker only, until `lease_until`; from then on it is due again.
     */
    claim(options: {
      readonly now: DateTime.Utc
      readonly lease_id: string
      readonly lease_until: DateTime.Utc
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ClaimedMail>>
    /** Records what came of an attempt. MUST leave alone a mail that is no longer held under the lease given. */
    settle(outcome: ClaimedMail): Effect.Effect<void>
    /**
     * Forgets mails of all organisations that ended at or before `before`, the oldest first, at most `limit`, and answers how
     * many. MUST leave alone those that are pending.
     */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
    /** When the next mail is due, or a lease ends; none when nothing is pending. */
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
    /** Waits for a hint that mails may be due. It comes from this process only, and may be lost: polling is the backstop. */
    readonly wait: Effect.Effect<void>
  }
>()("almoner/ports/MailOutbox") {}
