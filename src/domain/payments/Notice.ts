import { DateTime, Duration, Schema, Struct } from "effect"
import type { Integration } from "../access/Integration.ts"
import { ChargeId, IntegrationId, NoticeId, OrganisationId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, byField, define, type MachineType } from "../kernel/Machine.ts"
import { Rejection } from "../kernel/Rejection.ts"
import { Instant } from "../kernel/Timestamp.ts"
import type { Charge } from "./Charge.ts"
import * as PaymentMessages from "./PaymentMessages.ts"

/** How far a notice is. */
export const Status = Schema.Literals(["RECEIVED", "WAITING", "APPLIED", "IGNORED", "FAILED"]).annotate({
  identifier: "NoticeStatus"
})
export type Status = typeof Status.Type

/** The subject of a notice. */
export const ObjectKind = Schema.Literals([
  "charge",
  "refund",
  "dispute",
  "transfer",
  "mandate",
  "account",
  "other"
]).annotate({
  identifier: "NoticeObjectKind"
})
export type ObjectKind = typeof ObjectKind.Type

const nullableText = Schema.NullOr(Schema.String)

const meanings = {
  organisation_id: "Whose money it is about; null while nobody knows.",
  integration_id: "The integration at whose address it came; null at the address of the installation's own account.",
  processor: "The processor that sent it.",
  event_id: "The processor's identifier of the event: one is applied at most once for each address.",
  type: "What happened, in the processor's words.",
  object: "What it is about.",
  reference: "The processor's identifier of that; null where the webhook does not say.",
  charge_id: "The charge that its metadata names as ours; null where they name none.",
  account: "The connected account that it is about; null where that is the account's own.",
  status:
    "RECEIVED; WAITING for the charge that it names as ours, at most a day; APPLIED once the processor was asked; IGNORED where nothing of ours is concerned; FAILED after the last attempt.",
  error: "Why it could not be applied the last time; null otherwise.",
  attempts: "Attempts that failed.",
  apply_at: "When it is tried next; null once it has ended.",
  sent_at: "When the event happened, as the processor says.",
  ended_at: "When it was applied, ignored or given up; null before."
}

/**
 * A webhook of a payment processor, as it came in. It is a hint, never a fact: the processor is asked about what it names.
 * money, sections 1 and 2.
 */
export class Notice extends Schema.Opaque<Notice>()(
  Schema.Struct({
    id: NoticeId,
    organisation_id: Schema.NullOr(OrganisationId),
    integration_id: Schema.NullOr(IntegrationId),
    processor: Schema.String,
    event_id: Schema.String,
    type: Schema.String,
    object: ObjectKind,
    reference: nullableText,
    charge_id: Schema.NullOr(ChargeId),
    account: nullableText,
    status: Status,
    error: nullableText,
    attempts: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    apply_at: Schema.NullOr(Instant),
    sent_at: Instant,
    ended_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredNotice" })
) {}

/** A webhook of a processor as staff see it. */
export const NoticeRecord = Notice.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "Notice",
  meanings
})

/** A webhook that is larger than any that a processor sends. */
export class NoticeTooLarge extends Rejection.extend<NoticeTooLarge>("NoticeTooLarge")({
  _tag: Schema.tag("NoticeTooLarge")
}) {
  override get message(): string {
    return `The webhook has more than ${Limits.noticeBytes} bytes.`
  }
}

/** The list of processors' webhooks. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "How far it is" },
    charge_id: { kind: "text", description: "The charge that its metadata name" },
    created_at: { kind: "timestamp", description: "When it came" }
  }
} as const satisfies ListSpec

/** The commands of the machine of a notice. */
export const Command = Schema.TaggedUnion({
  Apply: { at: Instant },
  Ignore: { at: Instant },
  Wait: { at: Instant, apply_at: Instant },
  Delay: { at: Instant, apply_at: Instant, error: Schema.String },
  Fail: { at: Instant, error: Schema.String },
  Retry: { at: Instant }
})
export type Command = typeof Command.Type

const rule = "money, section 2: Notice"
const open = ["RECEIVED", "WAITING"] as const

const ended = ({ at }: { readonly at: DateTime.Utc }) => ({ error: null, apply_at: null, ended_at: at, updated_at: at })

/** How notices come to be. */
export const births = {
  received: { by: "a processor tells of a change, or is found to have told of it", to: "RECEIVED", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Notice",
  state: Notice,
  command: Command,
  wording: PaymentMessages.notice,
  ...byField(Status),
  rule,
  births,
  table: {
    Apply: { from: open, to: "APPLIED", emits: [], patch: (_, command) => ended(command) },
    Ignore: { from: open, to: "IGNORED", emits: [], patch: (_, command) => ended(command) },
    Wait: {
      from: open,
      to: "WAITING",
      patch: (_, { apply_at, at }) => ({ error: null, apply_at, updated_at: at })
    },
    Delay: {
      from: open,
      to: "same",
      patch: ({ attempts }, { apply_at, at, error }) => ({ attempts: attempts + 1, error, apply_at, updated_at: at }),
      rule: "money, section 2: applied by a worker with retries"
    },
    Fail: {
      from: open,
      to: "FAILED",
      patch: (_, { at, error }) => ({ error, apply_at: null, ended_at: at, updated_at: at })
    },
    Retry: {
      from: ["IGNORED", "FAILED"],
      to: "RECEIVED",
      patch: (_, { at }) => ({ error: null, attempts: 0, apply_at: at, ended_at: null, updated_at: at })
    }
  }
})

export interface machine extends MachineType<typeof defined> {}
/** money, section 2: Notice. */
export const machine: machine = defined

/** How a charge that nobody has is told of. */
export const noSuchCharge = "no_such_charge"

/**
 * Whether a notice may be about a charge or a mandate, which this integration takes or has: not where it came for another one,
 * and not where the platform was told of what it has no part in.
 */
export const concerns = (
  { account, integration_id, processor }: Pick<Notice, "account" | "integration_id" | "processor">,
  its: Pick<Charge, "integration_id">,
  integration: Pick<Integration, "id" | "is_own" | "processor" | "processor_connect_account_id">
): boolean =>
  its.integration_id === integration.id &&
  integration.processor === processor &&
  (integration_id === null ? !integration.is_own : integration_id === integration.id) &&
  (account === null || account === integration.processor_connect_account_id)

/**
 * When a notice gives up waiting for the charge that it names.
 * @example Notice.waitsUntil({ created_at: at }) // => DateTime.add(at, { hours: 24 })
 */
export const waitsUntil = ({ created_at }: Pick<Notice, "created_at">): DateTime.Utc =>
  addTime(created_at, Duration.hours(Limits.noticeWaitHours))

/** Looks for the charge grow rarer: each comes after a tenth of the time that has passed, and a second at least. */
const rarer = 10

/** The outcome of a notice whose charge is not here: it waits, or was given up. `isKnown`: whether it is known whose it is. */
export const withoutCharge = (notice: Notice, at: DateTime.Utc, isKnown: boolean): Command => {
  const until = waitsUntil(notice)
  if (DateTime.isLessThanOrEqualTo(until, at)) {
    return isKnown ? { _tag: "Fail", at, error: noSuchCharge } : { _tag: "Ignore", at }
  }
  const waited = at.epochMilliseconds - notice.created_at.epochMilliseconds
  const next = addTime(at, Duration.millis(Math.max(1_000, Math.ceil(waited / rarer))))
  return { _tag: "Wait", at, apply_at: DateTime.min(next, until) }
}

/**
 * The outcome of a notice that could not be applied.
 * @example
 * Notice.afterRefusal({ attempts: 0 }, at, "timeout")
 * // => { _tag: "Delay", at, apply_at: DateTime.add(at, { seconds: 10 }), error: "timeout" }
 * Notice.afterRefusal({ attempts: 6 }, at, "timeout") // => { _tag: "Fail", at, error: "timeout" }
 */
export const afterRefusal = ({ attempts }: Pick<Notice, "attempts">, at: DateTime.Utc, error: string): Command => {
  const delay = Limits.noticeDelaysSeconds[attempts]
  return delay === undefined
    ? { _tag: "Fail", at, error }
    : { _tag: "Delay", at, apply_at: addTime(at, { seconds: delay }), error }
}
