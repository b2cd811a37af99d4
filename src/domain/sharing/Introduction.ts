import { type DateTime, Duration, Schema, Struct } from "effect"
import { IntroductionId, OrganisationId, RecipientAccountLinkId, UserId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, byField, type Condition, define, type MachineType, requires } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { nameOrNull, textOrNull } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { Introduction, meanings, type NewIntroduction, Status } from "./IntroductionFields.ts"
import { createdEventDataOf, type RecipientAccount } from "./RecipientAccount.ts"

export { Introduction, NewIntroduction, Status } from "./IntroductionFields.ts"

const hidden = [
  "organisation_id",
  "invitee_message",
  "token_key_id",
  "sent_at",
  "accepted_by_user_id",
  "linked_by_user_id"
] as const

const visible = Introduction.mapFields(Struct.omit(hidden))

/** An introduction as its inviter sees it, with the link to share. service-spec, Introduction. */
export const IntroductionRecord = visible
  .mapFields((fields) => ({
    ...fields,
    invite_url: Schema.String.annotate({
      description: "Link that acts for the invitee; the same for the introduction's whole life"
    })
  }))
  .annotate({ identifier: "Introduction", meanings })
export type IntroductionRecord = typeof IntroductionRecord.Type

/** The facts of a new introduction that the inviter does not give. */
export interface Origin extends Pick<Introduction, "id" | "organisation_id" | "token_key_id" | "sent_at"> {
  readonly at: DateTime.Utc
}

/** A new introduction: pending, for thirty days when its inviter gives no time. service-spec, POST /introductions. */
export const create = (
  input: NewIntroduction,
  { at, id, organisation_id, sent_at, token_key_id }: Origin
): Introduction => ({
  id,
  organisation_id,
  status: births.sent.to,
  invitee_email: input.invitee_email.trim(),
  invitee_org_name_hint: nameOrNull(input.invitee_org_name_hint),
  invitee_message: textOrNull(input.invitee_message),
  external_id: input.external_id ?? null,
  token_key_id,
  expires_at: addTime(at, Duration.days(input.ttl_days ?? Limits.introductionTtlDefaultDays)),
  viewed_at: null,
  accepted_at: null,
  linked_at: null,
  revoked_at: null,
  accepted_organisation_id: null,
  accepted_by_user_id: null,
  accepted_recipient_org_account_link_id: null,
  linked_by_user_id: null,
  resend_count: 0,
  last_resent_at: null,
  sent_at,
  created_at: at
})

const { every, hasPassed, is, lacks, liesAhead } = Rule.rulesOf<Introduction>()

/** The statuses of an introduction that has not ended. */
export const openStatuses = ["PENDING", "VIEWED", "ACCEPTED"] as const

const expiry = { from: openStatuses, to: "EXPIRED", when: hasPassed("expires_at") } as const

/** Introductions that have not ended otherwise and whose time has run out. decisions, section 4: Introductions. */
export const ranOut = Rule.ranOut(expiry)

/** Introductions that have not ended, expiry included: their link is still valid. */
export const open = every(is("status", ...openStatuses), liesAhead("expires_at"))

/**
 * Whether an introduction is EXPIRED, or has not ended otherwise and its time has run out. decisions, section 4:
 * Introductions.
 */
export const isExpired = (introduction: Introduction, now: DateTime.Utc): boolean =>
  introduction.status === expiry.to || Rule.holdsAt(ranOut, introduction, now)

/** The status at an instant: EXPIRED as soon as `expires_at` has passed, whether or not the sweep has written it. */
export const statusAt = (introduction: Introduction, now: DateTime.Utc): Status =>
  isExpired(introduction, now) ? expiry.to : introduction.status

/** An introduction as its inviter sees it at an instant. decisions, section 4: Introductions. */
export const recordOf = (introduction: Introduction, invite_url: string, now: DateTime.Utc): IntroductionRecord => ({
  ...Struct.omit(introduction, hidden),
  status: statusAt(introduction, now),
  invite_url
})

/** The list of introductions. service-spec, GET /introductions; decisions, section 4: Introductions. */
export const listing = {
  filters: {
    status: {
      kind: "enum",
      values: Status.literals.map((status) => status.toLowerCase()),
      fold: (status) => status.toUpperCase(),
      expires: expiry,
      description: "Status, in lower case; past `expires_at` an introduction is expired"
    },
    external_id: { kind: "text", filled: true, description: "Identifier in the inviter's own system; never empty" },
    created_at: { kind: "timestamp", description: "When the introduction was sent" }
  }
} as const satisfies ListSpec

/**
 * Introductions that count toward their inviter's limit at a real time: sent less than 24 hours before, not viewed and not
 * revoked. A shorter life is none's, so that one has expired only by the clock of a sandbox. decisions, section 4: Introductions.
 */
export const limitRule = every(
  is("status", "PENDING", "EXPIRED"),
  lacks("viewed_at"),
  liesAhead("sent_at", Duration.hours(Limits.introductionWindowHours))
)

/** Whether an introduction counts toward its inviter's limit. */
export const countsTowardLimit = (introduction: Introduction, now: DateTime.Utc): boolean =>
  Rule.holdsAt(limitRule, introduction, now)

/** The commands of the machine of an introduction. */
export const Command = Schema.TaggedUnion({
  Open: { at: Instant },
  /** `is_inviter_member`: whether the user belongs to the inviter or its twin, whichever organisation accepts. */
  Accept: {
    at: Instant,
    user_id: UserId,
    organisation_id: OrganisationId,
    is_inviter_member: Schema.Boolean,
    inviter_in_sandbox: Schema.Boolean,
    in_sandbox: Schema.Boolean
  },
  /** `charges_enabled`: of the account, at this moment. */
  Link: {
    at: Instant,
    user_id: UserId,
    recipient_account_link_id: RecipientAccountLinkId,
    charges_enabled: Schema.Boolean
  },
  Expire: { at: Instant },
  Revoke: { at: Instant },
  Resend: { at: Instant }
})
export type Command = typeof Command.Type

const rule = "decisions, section 5: Introduction"

const unexpired: Condition<Introduction, { readonly at: DateTime.Utc }> = [
  "`expires_at` has not passed",
  (self, { at }) => !isExpired(self, at)
]
type Acceptance = Extract<Command, { readonly _tag: "Accept" }>

const noMember: Condition<Introduction, Acceptance> = [
  "the user is no member of the inviter or its twin",
  (_, { is_inviter_member }) => !is_inviter_member
]
const sameSide: Condition<Introduction, Acceptance> = [
  "the organisation that accepts is live where the inviter is live, and a sandbox where the inviter is one",
  (_, { in_sandbox, inviter_in_sandbox }) => in_sandbox === inviter_in_sandbox
]
const eligible: Condition<Introduction, Extract<Command, { readonly _tag: "Link" }>> = [
  "the account's `charges_enabled` is true",
  (_, { charges_enabled }) => charges_enabled
]
const resendsLeft: Condition<Introduction, unknown> = [
  "it was resent less than three times",
  (self) => self.resend_count < Limits.introductionResends
]

/** The data of every introduction event: the record without the link to share. decisions, section 6. */
export const eventData = visible
  .mapFields((fields) => ({
    ...fields,
    external_id: Schema.NullOr(Schema.String).annotate({ description: "Identifier in the inviter's own system" }),
    accepted_organisation_id: Schema.NullOr(OrganisationId).annotate({
      description: "The organisation that the invitee accepted for; null before"
    }),
    accepted_recipient_org_account_link_id: Schema.NullOr(RecipientAccountLinkId).annotate({
      description: "The recipient account that the introduction led to; null before"
    }),
    resend_count: Schema.Int
  }))
  .annotate({ identifier: "IntroductionEventData" })

/** The data of an introduction's event in its present state. */
export const eventDataOf = (introduction: Introduction): (typeof eventData)["Type"] => Struct.omit(introduction, hidden)

const told = { data: eventData, of: eventDataOf }
/** The account that was linked is known to who links it: {@link emissionsOf}. */
const accountLinked = {
  data: Schema.Struct({ introduction_id: IntroductionId }),
  of: ({ id }: Introduction) => ({ introduction_id: id })
}
const events = {
  "introduction.created": told,
  "introduction.viewed": told,
  "introduction.accepted": told,
  "introduction.linked": told,
  "introduction.expired": told,
  "introduction.revoked": told,
  "recipient_org_account_link.created": accountLinked
}
/** The types of events of an introduction. */
export type IntroductionEvent = keyof typeof events

/** How introductions come to be. */
export const births = {
  sent: { by: "POST /introductions", to: "PENDING", emits: ["introduction.created"], rule }
} as const satisfies Births<Status, IntroductionEvent>

const defined = define({
  name: "Introduction",
  state: Introduction,
  command: Command,
  events,
  wording: Refusals.introduction,
  ...byField(Status),
  rule,
  births,
  table: {
    Open: {
      from: ["PENDING"],
      to: "VIEWED",
      emits: ["introduction.viewed"],
      ...requires(unexpired),
      patch: (_, { at }) => ({ viewed_at: at })
    },
    Accept: {
      from: ["VIEWED"],
      to: "ACCEPTED",
      emits: ["introduction.accepted"],
      ...requires(noMember, sameSide, unexpired),
      patch: (_, { at, organisation_id, user_id }) => ({
        accepted_at: at,
        accepted_organisation_id: organisation_id,
        accepted_by_user_id: user_id
      })
    },
    Link: {
      from: ["ACCEPTED"],
      to: "LINKED",
      emits: ["introduction.linked", "recipient_org_account_link.created"],
      ...requires(eligible, unexpired),
      patch: (_, { at, recipient_account_link_id, user_id }) => ({
        linked_at: at,
        accepted_recipient_org_account_link_id: recipient_account_link_id,
        linked_by_user_id: user_id
      })
    },
    Expire: {
      from: openStatuses,
      to: "EXPIRED",
      emits: ["introduction.expired"],
      when: "`expires_at` has passed",
      guard: (self, { at }) => isExpired(self, at)
    },
    Revoke: {
      from: openStatuses,
      to: "REVOKED",
      emits: ["introduction.revoked"],
      ...requires(unexpired),
      patch: (_, { at }) => ({ revoked_at: at })
    },
    Resend: {
      from: ["PENDING", "VIEWED"],
      to: "same",
      ...requires(unexpired, resendsLeft),
      patch: (self, { at }) => ({ resend_count: self.resend_count + 1, last_resent_at: at })
    }
  },
  milestones: { viewed_at: ["VIEWED"], accepted_at: ["ACCEPTED"], linked_at: ["LINKED"], revoked_at: ["REVOKED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** service-spec, States and transitions: Introduction; decisions, section 5: Introduction. */
export const machine: machine = defined

type AccountEvent = Extract<IntroductionEvent, `recipient_org_account_link.${string}`>

type Said =
  | { readonly type: Exclude<IntroductionEvent, AccountEvent>; readonly data: ReturnType<typeof eventDataOf> }
  | { readonly type: AccountEvent; readonly data: ReturnType<typeof createdEventDataOf> }

/** An introduction's events of these types. `account` is the one that was linked; without one, its event is left out. */
export const emissionsOf = (
  types: ReadonlyArray<IntroductionEvent>,
  introduction: Introduction,
  account: RecipientAccount | null
): ReadonlyArray<Said> => {
  const data = eventDataOf(introduction)
  return types.flatMap((type): ReadonlyArray<Said> => {
    if (type !== "recipient_org_account_link.created") return [{ type, data }]
    return account === null ? [] : [{ type, data: createdEventDataOf(account) }]
  })
}
