import { DateTime, Duration } from "effect"
import fc from "fast-check"
import { OrganisationId, RecipientAccountLinkId, UserId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { Command, Introduction, type Status } from "../../domain/sharing/Introduction.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { isReached } from "./Month.ts"

const start = DateTime.makeUnsafe("2026-01-01T00:00:00Z")

/** Whole hours of some days: `expires_at`, the end of a window and a command's time often coincide. */
const hours = (max: number): fc.Arbitrary<Duration.Duration> => fc.integer({ min: 0, max }).map(Duration.hours)

/** How many of the three steps (view, accept, link) an introduction of a status has behind it. */
const stepsOf = (status: Status, ended: number): number =>
  ({ PENDING: 0, VIEWED: 1, ACCEPTED: 2, LINKED: 3, EXPIRED: ended, REVOKED: ended })[status]

const visited = fc.record({
  viewed: hours(23),
  organisation_id: arbitraryOf(OrganisationId),
  user_id: arbitraryOf(UserId),
  link_id: arbitraryOf(RecipientAccountLinkId)
})

/**
 * Introductions of every status, made within one day, for a day or two; they have the dates of exactly the steps behind
 * them.
 */
const states: fc.Arbitrary<Introduction> = fc
  .record({
    given: arbitraryOf(Introduction),
    created: hours(24),
    days: fc.integer({ min: 1, max: 2 }),
    ended: fc.integer({ min: 0, max: 2 }),
    resent: fc.integer({ min: 0, max: Limits.introductionResends }),
    visit: visited
  })
  .map(({ created, days, ended, given, resent, visit }): Introduction => {
    const steps = stepsOf(given.status, ended)
    const created_at = DateTime.addDuration(start, created)
    const at = DateTime.addDuration(created_at, visit.viewed)
    return {
      ...given,
      created_at,
      expires_at: DateTime.add(created_at, { days }),
      viewed_at: steps > 0 ? at : null,
      accepted_at: steps > 1 ? at : null,
      accepted_organisation_id: steps > 1 ? visit.organisation_id : null,
      accepted_by_user_id: steps > 1 ? visit.user_id : null,
      linked_at: steps > 2 ? at : null,
      accepted_recipient_org_account_link_id: steps > 2 ? visit.link_id : null,
      linked_by_user_id: steps > 2 ? visit.user_id : null,
      revoked_at: given.status === "REVOKED" ? at : null,
      resend_count: resent,
      last_resent_at: resent > 0 ? at : null
    }
  })

const commands: fc.Arbitrary<Command> = fc
  .tuple(arbitraryOf(Command), hours(96))
  .map(([command, after]): Command => ({ ...command, at: DateTime.addDuration(start, after) }))

const isInTime = ({ expires_at }: Introduction, { at }: Command): boolean => !isReached(expires_at, at)

/** Introductions of every status, for the laws. */
export const introductions: Subject<Introduction, Command> = {
  schema: Introduction,
  states,
  commands,
  // service-spec, States and transitions: Introduction; decisions, sections 4 and 5: Introduction.
  expect: {
    Open: {
      from: ["PENDING"],
      to: "VIEWED",
      events: ["introduction.viewed"],
      when: isInTime,
      changes: (_, { at }) => ({ viewed_at: at })
    },
    Accept: {
      from: ["VIEWED"],
      to: "ACCEPTED",
      events: ["introduction.accepted"],
      when: (self, command) =>
        isInTime(self, command) && !command.is_inviter_member && command.in_sandbox === command.inviter_in_sandbox,
      changes: (_, { at, organisation_id, user_id }) => ({
        accepted_at: at,
        accepted_organisation_id: organisation_id,
        accepted_by_user_id: user_id
      })
    },
    Link: {
      from: ["ACCEPTED"],
      to: "LINKED",
      events: ["introduction.linked", "recipient_org_account_link.created"],
      when: (self, command) => isInTime(self, command) && command.charges_enabled,
      changes: (_, { at, recipient_account_link_id, user_id }) => ({
        linked_at: at,
        accepted_recipient_org_account_link_id: recipient_account_link_id,
        linked_by_user_id: user_id
      })
    },
    Expire: {
      from: ["PENDING", "VIEWED", "ACCEPTED"],
      to: "EXPIRED",
      events: ["introduction.expired"],
      when: (self, { at }) => isReached(self.expires_at, at),
      changes: () => ({})
    },
    Revoke: {
      from: ["PENDING", "VIEWED", "ACCEPTED"],
      to: "REVOKED",
      events: ["introduction.revoked"],
      when: isInTime,
      changes: (_, { at }) => ({ revoked_at: at })
    },
    Resend: {
      from: ["PENDING", "VIEWED"],
      to: "same",
      when: (self, command) => isInTime(self, command) && self.resend_count < 3,
      changes: ({ resend_count }, { at }) => ({ resend_count: resend_count + 1, last_resent_at: at })
    }
  },
  invariants: {
    "who accepted is known exactly from the acceptance on": (self) =>
      (self.accepted_at === null) === (self.accepted_organisation_id === null),
    "an account is linked exactly where it is LINKED": (self) =>
      (self.status === "LINKED") === (self.accepted_recipient_org_account_link_id !== null)
  },
  steps: {
    "what has ended takes nothing": ({ before }) => !["LINKED", "EXPIRED", "REVOKED"].includes(before.status),
    "the invitation stays the same through its whole life": ({ after, before }) =>
      after.invitee_email === before.invitee_email && after.token_key_id === before.token_key_id
  }
}
