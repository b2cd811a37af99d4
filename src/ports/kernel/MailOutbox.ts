import type { DateTime, Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { MailId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery, Page } from "../../domain/kernel/Listing.ts"
import type { Budget, Lane, Mail, MailRecord } from "../../domain/kernel/Mail.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"

/** A mail that a worker holds until its lease ends. */
export interface ClaimedMail {
  readonly mail: Mail
  readonly lease_id: string
}

/** The answer of a claim. */
export interface MailClaim {
  readonly claimed: ReadonlyArray<ClaimedMail>
  /** The ids of mails that were due and cannot be read. They are set aside, and reported here once. */
  readonly unreadable: ReadonlyArray<string>
}

/** Whether a mail may be sent now. */
export type Admission =
  | { readonly _tag: "Admitted" }
  /** The mail waits, and its lease is over. */
  | { readonly _tag: "Delayed"; readonly by: Budget; readonly until: DateTime.Utc }
  /** The mail's lease was over already, and another worker may have it. */
  | { readonly _tag: "Lost" }

/** The mails of committed changes until they are sent. All its times are by the store's one clock. */
export class MailOutbox extends Context.Service<
  MailOutbox,
  {
    /** The time by the store's clock. */
    readonly now: Effect.Effect<DateTime.Utc>
    /**
     * Writes the mail in the surrounding transaction. A new one MUST be due at once, however far ahead the clock is by which
     * it was made. MUST leave out a second one of a template and a subject that `Mail.singleTemplates` names. MUST raise the hint that {@link wait} waits for once that committed.
     */
    add(mail: Mail): Effect.Effect<void>
    find(organisation_id: OrganisationId, id: MailId): Effect.Effect<Option.Option<Mail>>
    /** MUST answer as `domain/kernel/Listing` defines; an unknown cursor is {@link InvalidInput}. */
    list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<MailRecord>, InvalidInput>
    /**
     * Hands out mails of a lane that are due, as `Mail.beginAttempt` makes them, at most `limit`: the first of each organisation
     * before the second of any, and among those the earliest due first. MUST hand out none of another lane. MUST give a mail to one worker only, for as long as `lease`; from
     * then on it is due again. MUST hand out the others where some cannot be read, and set those aside until {@link mend}.
     * Mails that wait for a budget MUST become due when it has room, as many as it has room for, the organisations in turn.
     */
    claim(options: {
      readonly lane: Lane
      readonly lease_id: string
      readonly lease: Duration.Duration
      readonly limit: number
    }): Effect.Effect<MailClaim>
    /**
     * Counts a mail whose sending begins toward its budgets, and holds it for as long as `lease` from now; where one has no
     * room, the mail waits as `Mail.delayMail` says. A mail that counts already draws on no budget again.
     * One of a lane without budgets MUST draw on none, and count toward none, as `Mail.hasBudgets` says. `address_hashes` are
     * those of the address that it goes to, one for each key of the ring, the newest first: it is counted under that one, and
     * MUST be compared with what was counted under any. MUST be exact, however many ask at the same moment.
     */
    admit(
      claimed: ClaimedMail,
      options: { readonly address_hashes: ReadonlyArray<string>; readonly lease: Duration.Duration }
    ): Effect.Effect<Admission>
    /** Records the outcome of an attempt. MUST leave alone a mail that is no longer held under the lease given. */
    settle(outcome: ClaimedMail): Effect.Effect<void>
    /**
     * Repairs impossible times, as after the clock was set back: a time that lies further ahead than any can MUST become the
     * furthest that can be, so that nothing comes early and nothing waits for the old time to come round. Mails that were
     * set aside as unreadable are due again.
     */
    readonly mend: Effect.Effect<void>
    /**
     * Deletes mails of all organisations that ended at or before `before`, the oldest first, at most `limit`, and returns how
     * many. MUST leave alone those that are pending.
     */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
    /** How long until a mail of a lane is due, a lease ends, or a budget has room that one waits for; none when none is pending. */
    nextDue(lane: Lane): Effect.Effect<Option.Option<Duration.Duration>>
    /** Waits for a hint that mails of a lane may be due. It comes from this process only, and may be lost: polling is the backstop. */
    wait(lane: Lane): Effect.Effect<void>
  }
>()("almoner/ports/MailOutbox") {}
