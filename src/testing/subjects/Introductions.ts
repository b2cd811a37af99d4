import { DateTime, Duration } from "effect"
import fc from "fast-check"
import { Limits } from "../../domain/kernel/Limits.ts"
import { type Command, Introduction, machine } from "../../domain/sharing/Introduction.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { isReached } from "../InTime.ts"
import { type ContractSubject, subjectOf } from "../SubjectOf.ts"
import { hourWithin } from "./Month.ts"

const start = DateTime.makeUnsafe("2026-01-01T00:00:00Z")

/** Whole hours of some days: `expires_at`, the end of a window and a command's time often coincide. */
const hours = (max: number): fc.Arbitrary<Duration.Duration> => fc.integer({ min: 0, max }).map(Duration.hours)

/**
 * Introductions of every status, made within one day, for a day or two. One that was accepted has been viewed, and says
 * by whom and for which organisation.
 */
const states: fc.Arbitrary<Introduction> = fc
  .record({
    given: arbitraryOf(Introduction),
    created: hours(24),
    days: fc.integer({ min: 1, max: 2 }),
    viewed: hours(23),
    resend_count: fc.integer({ min: 0, max: Limits.introductionResends })
  })
  .map(({ created, days, given, resend_count, viewed }): Introduction => {
    const created_at = DateTime.addDuration(start, created)
    const at = DateTime.addDuration(created_at, viewed)
    const wasAccepted =
      given.status === "ACCEPTED" ||
      given.status === "LINKED" ||
      (given.viewed_at !== null && given.accepted_at !== null)
    return {
      ...given,
      created_at,
      sent_at: created_at,
      expires_at: DateTime.add(created_at, { days }),
      viewed_at: wasAccepted || given.viewed_at !== null ? at : null,
      accepted_at: wasAccepted ? at : null,
      accepted_organisation_id: wasAccepted ? given.organisation_id : null,
      resend_count,
      last_resent_at: resend_count > 0 ? at : null
    }
  })

const isInTime = ({ expires_at }: Introduction, { at }: Command): boolean => !isReached(expires_at, at)

/** Introductions of every status, for the laws. */
export const introductions: ContractSubject<Introduction, Command> = subjectOf(machine, {
  states,
  commandFields: { at: hourWithin(96) },
  // service-spec, States and transitions: Introduction; decisions, sections 4 and 5: Introduction.
  rows: `
    * → PENDING [introduction.created]
    Open: PENDING → VIEWED [introduction.viewed] ?; viewed_at = at
    Accept: VIEWED → ACCEPTED [introduction.accepted] ?; accepted_at = at, accepted_organisation_id = organisation_id,
      accepted_by_user_id = user_id
    Link: ACCEPTED → LINKED [introduction.linked, recipient_org_account_link.created] ?; linked_at = at,
      accepted_recipient_org_account_link_id = recipient_account_link_id, linked_by_user_id = user_id
    Expire: PENDING, VIEWED, ACCEPTED → EXPIRED [introduction.expired] ?
    Revoke: PENDING, VIEWED, ACCEPTED → REVOKED [introduction.revoked] ?; revoked_at = at
    Resend: PENDING, VIEWED → same ?; resend_count + 1, last_resent_at = at
    viewed_at: VIEWED, ACCEPTED, LINKED, EXPIRED, REVOKED or none
    accepted_at, accepted_organisation_id, accepted_by_user_id: ACCEPTED, LINKED, EXPIRED, REVOKED or none
    linked_at, accepted_recipient_org_account_link_id, linked_by_user_id: LINKED
    revoked_at: REVOKED
    [introduction.created, introduction.viewed, introduction.accepted, introduction.linked, introduction.expired,
      introduction.revoked]: ...record, -organisation_id, -invitee_message, -token_key_id, -sent_at, -accepted_by_user_id,
      -linked_by_user_id
    [recipient_org_account_link.created]: introduction_id = its id`,
  when: {
    Open: isInTime,
    Accept: (self, command) =>
      isInTime(self, command) && !command.is_inviter_member && command.in_sandbox === command.inviter_in_sandbox,
    Link: (self, command) => isInTime(self, command) && command.charges_enabled,
    Expire: (self, { at }) => isReached(self.expires_at, at),
    Revoke: isInTime,
    Resend: (self, command) => isInTime(self, command) && self.resend_count < 3
  },
  invariants: {
    "who accepted is known exactly from the acceptance on": (self) =>
      (self.accepted_at === null) === (self.accepted_organisation_id === null)
  }
})
