import { DateTime, Duration, Option } from "effect"
import type { OrganisationId } from "../kernel/Ids.ts"
import { addTime, instantAt } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"

/** What a pass opens cards for: one submission on one page, of the donor who typed one address. docs/decisions/0085. */
export interface Subject {
  readonly organisation_id: OrganisationId
  /** The page's record. */
  readonly page_id: string
  readonly submission_id: string
  /** The address as addresses are compared. */
  readonly email_key: string
}

/** A pass before it is verified. */
export interface CardPass {
  readonly key_id: string
  /** When it opens nothing any more. */
  readonly expires_at: DateTime.Utc
  readonly mac: string
}

/** The text that the MAC is made over. */
export const canonicalText = (subject: Subject, { expires_at, key_id }: Omit<CardPass, "mac">): string => {
  const { email_key, organisation_id, page_id, submission_id } = subject
  const expires = expires_at.epochMilliseconds
  return JSON.stringify(["almoner card pass", key_id, organisation_id, page_id, submission_id, email_key, expires])
}

/** The pass as text. It is derived and never stored. */
export const write = ({ expires_at, key_id, mac }: CardPass): string =>
  [key_id, expires_at.epochMilliseconds, mac].join(".")

/** The parts of a pass, not yet verified; none for a text that cannot be one. */
export const read = (token: string): Option.Option<CardPass> => {
  const [key_id = "", expires = "", mac = "", ...rest] = token.split(".")
  return rest.length > 0 || key_id === "" || mac === "" || !/^\d{1,13}$/u.test(expires)
    ? Option.none()
    : Option.some({ key_id, mac, expires_at: instantAt(Number(expires)) })
}

/**
 * When a pass that is made now opens nothing any more.
 * @example
 * DateTime.formatIso(CardPass.endsAt(DateTime.makeUnsafe("2026-04-02T09:00:00Z"))) // => "2026-04-02T09:30:00.000Z"
 */
export const endsAt = (now: DateTime.Utc): DateTime.Utc => addTime(now, Duration.minutes(Limits.cardPassMinutes))

/** Whether a pass still opens anything. */
export const isOpenAt = ({ expires_at }: Pick<CardPass, "expires_at">, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, expires_at)
