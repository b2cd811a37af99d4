import { Schema } from "effect"
import { clearable } from "../kernel/Fields.ts"
import { IntroductionId, OrganisationId, RecipientAccountLinkId, UserId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import { Email, LongText, Name, TextUpTo } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The meanings of an introduction's fields. */
export const meanings = {
  status: "Where the introduction stands; EXPIRED as soon as `expires_at` has passed.",
  invitee_email: "Where the invitation is mailed to.",
  invitee_org_name_hint: "What the inviter takes for the name of the invited organisation.",
  external_id:
    "The introduction's identifier in the inviter's own system; no other introduction of the inviter has it.",
  expires_at: "When the invitation ends, unless it was linked or revoked before.",
  viewed_at: "When the invitation was first opened; null before.",
  accepted_at: "When the invitee accepted; null before.",
  linked_at: "When the invitee linked a payment account; null before.",
  revoked_at: "When the inviter revoked the introduction; null when they did not.",
  accepted_organisation_id: "The organisation that the invitee accepted for; null before.",
  accepted_recipient_org_account_link_id: "The recipient account that the introduction led to; null before.",
  resend_count: "How often the invitation was mailed again.",
  last_resent_at: "When the invitation was mailed again last; null when it was not.",
  invitee_message: "Shown to the invitee in the mail and on the page behind the link, and in no answer.",
  ttl_days: "Days for which the invitation can be taken up, 1 to 90; 30 when not given."
}

/** The states of an introduction. */
export const Status = Schema.Literals(["PENDING", "VIEWED", "ACCEPTED", "LINKED", "EXPIRED", "REVOKED"]).annotate({
  identifier: "IntroductionStatus"
})
export type Status = typeof Status.Type

const nullableText = Schema.NullOr(Schema.String)
const nullableInstant = Schema.NullOr(Instant)

/** An invitation to a partner organisation to become a recipient. service-spec, Introduction. */
export class Introduction extends Schema.Opaque<Introduction>()(
  Schema.Struct({
    id: IntroductionId,
    /** The inviter. */
    organisation_id: OrganisationId,
    status: Status,
    invitee_email: Schema.String,
    invitee_org_name_hint: nullableText,
    /** Shown to the invitee alone. */
    invitee_message: nullableText,
    external_id: nullableText,
    /** The id of the ring's key that the invite's token is derived with. decisions, section 4: Introductions. */
    token_key_id: Schema.String,
    expires_at: Instant,
    viewed_at: nullableInstant,
    accepted_at: nullableInstant,
    linked_at: nullableInstant,
    revoked_at: nullableInstant,
    accepted_organisation_id: Schema.NullOr(OrganisationId),
    accepted_by_user_id: Schema.NullOr(UserId),
    accepted_recipient_org_account_link_id: Schema.NullOr(RecipientAccountLinkId),
    linked_by_user_id: Schema.NullOr(UserId),
    resend_count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.introductionResends })),
    last_resent_at: nullableInstant,
    /** When it was sent by the real time, which the clock of a sandbox may be ahead of. */
    sent_at: Instant,
    created_at: Instant
  }).annotate({ identifier: "StoredIntroduction" })
) {}

/** The body of POST /introductions. service-spec, POST /introductions. */
export const NewIntroduction = Schema.Struct({
  invitee_email: Email,
  invitee_org_name_hint: clearable(Name),
  invitee_message: clearable(LongText),
  ttl_days: clearable(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.introductionTtlDays }))),
  external_id: clearable(TextUpTo(Limits.nameCharacters).check(Schema.isMinLength(1)))
}).annotate({
  identifier: "NewIntroduction",
  meanings: {
    ...meanings,
    external_id:
      "The introduction's identifier in the inviter's own system; it stays taken whatever becomes of the introduction."
  }
})
export type NewIntroduction = typeof NewIntroduction.Type
