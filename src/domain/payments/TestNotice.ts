import { type DateTime, Result, Schema } from "effect"
import { ChargeId, IntegrationId, OrganisationId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { Instant, Timestamp } from "../kernel/Timestamp.ts"
import { ObjectKind } from "./Notice.ts"
import type { TestAccount, TestCharge } from "./TestCharge.ts"

// The notices of the simulated bank of the test processor: of what, when, and how they are signed.

/** A webhook of the simulated bank. It is kept whether or not it is sent, so that the bank can be asked for it. */
export class TestNotice extends Schema.Opaque<TestNotice>()(
  Schema.Struct({
    /** The bank's own identifier of the event. */
    id: Schema.String,
    organisation_id: OrganisationId,
    integration_id: IntegrationId,
    type: Schema.String,
    object: ObjectKind,
    reference: Schema.String,
    /** The metadata; null where the object has none. */
    charge_id: Schema.NullOr(ChargeId),
    /** When it is sent next; null where it is not sent, or no more. */
    send_at: Schema.NullOr(Instant),
    /** How often it is sent still. */
    sends: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    created_at: Instant
  }).annotate({ identifier: "TestNotice" })
) {}

/** An occurrence, before it is decided when its notice is sent. */
export type BankEvent = Pick<TestNotice, "type" | "object" | "reference" | "charge_id">

/** How long the bank holds notices back that are late, or that others shall overtake. */
export const lateSeconds = { LATE: 60, REORDERED: 20 } as const

const reversedIn = ({ transfers }: TestCharge, reference: string): boolean =>
  transfers.some((each) => each.reference === reference && each.reversal !== undefined)

/**
 * The occurrences of a charge between two of its states, and of its mandate. Disputes and mandates name the bank's
 * own object alone, as those of real processors do; everything else names our charge.
 */
export const bankEventsBetween = (before: TestCharge, after: TestCharge): ReadonlyArray<BankEvent> => {
  const { charge_id, id: reference } = after
  const of = (object: ObjectKind, type: string): BankEvent => ({
    type: `${object}.${type}`,
    object,
    reference,
    charge_id: object === "dispute" || object === "mandate" ? null : charge_id
  })
  const changed = <A extends { readonly reference: string; readonly status: string }>(
    earlier: ReadonlyArray<A>,
    later: ReadonlyArray<A>
  ) => later.filter((each) => !earlier.some((one) => one.reference === each.reference && one.status === each.status))
  return [
    ...(after.status === before.status ? [] : [of("charge", after.status)]),
    ...(after.fee_cents === before.fee_cents ? [] : [of("charge", "fee_known")]),
    ...changed(before.refunds, after.refunds).map(({ status }) => of("refund", status)),
    ...changed(before.disputes, after.disputes).map(({ status }) => of("dispute", status)),
    ...after.transfers
      .filter(({ reference, reversal }) => reversal !== undefined && !reversedIn(before, reference))
      .map(() => of("transfer", "reversed")),
    ...(after.mandate === "REVOKED" && before.mandate !== "REVOKED" ? [of("mandate", "revoked")] : [])
  ]
}

/** The occurrences of an account. */
export const accountHappening = ({ integration_id }: TestAccount): BankEvent => ({
  type: "account.updated",
  object: "account",
  reference: integration_id,
  charge_id: null
})

/** The notice of what happened, as the account is set to tell of it. */
export const noticeOf = (
  { integration_id, notices, organisation_id }: TestAccount,
  happening: BankEvent,
  id: string,
  now: DateTime.Utc
): TestNotice => {
  // The first of a series of events is overtaken by its outcome.
  const isHeld = notices === "LATE" || (notices === "REORDERED" && !isLast(happening))
  const seconds = isHeld ? lateSeconds[notices] : 0
  return {
    ...happening,
    id,
    organisation_id,
    integration_id,
    send_at: notices === "NEVER" ? null : addTime(now, { seconds }),
    sends: notices === "NEVER" ? 0 : notices === "TWICE" ? 2 : 1,
    created_at: now
  }
}

const lasting = ["charge.succeeded", "charge.failed", "charge.cancelled", "refund.succeeded", "refund.failed"]

const isLast = ({ object, type }: BankEvent): boolean =>
  lasting.includes(type) || object === "dispute" || object === "mandate" || object === "transfer"

/** A notice after it was sent. One that is sent twice is sent again at once. */
export const markSent = (notice: TestNotice): TestNotice => {
  const sends = Math.max(0, notice.sends - 1)
  return { ...notice, sends, send_at: sends === 0 ? null : notice.created_at }
}

/** The body of a notice, as JSON. */
export const TestNoticeBody = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    type: Schema.String,
    created_at: Timestamp,
    account: Schema.NullOr(Schema.String),
    object: Schema.Struct({
      kind: ObjectKind,
      reference: Schema.NullOr(Schema.String),
      charge_id: Schema.NullOr(ChargeId)
    })
  })
).annotate({ identifier: "TestNoticeBody" })
export type TestNoticeBody = typeof TestNoticeBody.Type

/** The bank's description of itself. */
export const bodyOf = ({ charge_id, created_at, id, object, reference, type }: TestNotice): TestNoticeBody => ({
  id,
  type,
  created_at,
  account: null,
  object: { kind: object, reference, charge_id }
})

/** The header with the signature of the test processor. */
export const signatureHeader = "almoner-test-signature"

/**
 * The text that is signed: for one integration, at one time.
 * @example TestNotice.signedText(integration_id, 1_000, "{}") // => `${integration_id}.1000.{}`
 */
export const signedText = (integration_id: IntegrationId, seconds: number, body: string): string =>
  `${integration_id}.${seconds}.${body}`

/**
 * The value of the header, from the time and the signatures, one for each secret.
 * @example TestNotice.signatureValue(1_000, ["ab", "cd"]) // => "t=1000,v1=ab,v1=cd"
 */
export const signatureValue = (seconds: number, signatures: ReadonlyArray<string>): string =>
  [`t=${seconds}`, ...signatures.map((each) => `v1=${each}`)].join(",")

/** The parts of the signature header. */
export interface Signatures {
  readonly seconds: number
  readonly signatures: ReadonlyArray<string>
}

/** Signatures that are looked at: there is one for each secret, and a ring has few keys. */
const signaturesAtMost = 8

/**
 * Reads the header; nothing where it is none, or its time is too far from the present.
 * @example
 * const now = DateTime.makeUnsafe("1970-01-01T00:10:00Z")
 * TestNotice.readSignature("t=300,v1=ab", now) // => Result.succeed({ seconds: 300, signatures: ["ab"] })
 * TestNotice.readSignature("t=299,v1=ab", now) // => Result.fail(null)
 */
export const readSignature = (value: string | undefined, now: DateTime.Utc): Result.Result<Signatures, null> => {
  const [time = "", ...rest] = (value ?? "").split(",")
  const [, digits] = /^t=(\d{1,12})$/.exec(time) ?? []
  const signatures = rest.flatMap((part) => (part.startsWith("v1=") ? [part.slice(3)] : []))
  if (digits === undefined || signatures.length === 0 || signatures.length > signaturesAtMost) return Result.fail(null)
  const seconds = Number(digits)
  const away = Math.abs(now.epochMilliseconds - seconds * 1000)
  return away > Limits.noticeToleranceSeconds * 1000 ? Result.fail(null) : Result.succeed({ seconds, signatures })
}
