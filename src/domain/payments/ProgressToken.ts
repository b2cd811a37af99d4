import { DateTime, Duration, Option, Schema } from "effect"
import { ChargeId, OrganisationId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import type { Charge } from "./Charge.ts"

/** The charge that a token opens, and the MAC that vouches for it. */
export interface ProgressToken {
  readonly key_id: string
  readonly organisation_id: OrganisationId
  readonly charge_id: ChargeId
  readonly mac: string
}

/** The subject of a token: whoever has it sees how one submission is going. money, section 4. */
export type Subject = Omit<ProgressToken, "mac">

const readOrganisation = Schema.decodeUnknownOption(OrganisationId)
const readCharge = Schema.decodeUnknownOption(ChargeId)

/** The text that the MAC is made over. */
export const canonicalText = ({ charge_id, key_id, organisation_id }: Subject): string =>
  ["almoner checkout", key_id, organisation_id, charge_id].join("\n")

/** The token as text. It is derived each time and never stored. */
export const write = ({ charge_id, key_id, mac, organisation_id }: ProgressToken): string =>
  [key_id, organisation_id, charge_id, mac].join(".")

/** The parts of a token, not yet verified; none for a text that cannot be a token. */
export const read = (token: string): Option.Option<ProgressToken> => {
  const [key_id = "", organisation = "", charge = "", mac = "", ...rest] = token.split(".")
  return rest.length > 0 || key_id === "" || mac === ""
    ? Option.none()
    : Option.map(
        Option.all({ organisation_id: readOrganisation(organisation), charge_id: readCharge(charge) }),
        (ids) => ({ key_id, mac, ...ids })
      )
}

/**
 * The path of the page that a token opens.
 * @example ProgressToken.pagePath("t0k3n") // => "/p/t0k3n"
 */
export const pagePath = (token: string): string => `/p/${token}`

/** When a token of a charge opens it no more. */
export const endsAt = ({ created_at }: Pick<Charge, "created_at">): DateTime.Utc =>
  addTime(created_at, Duration.hours(Limits.progressTokenHours))

/**
 * Whether a token of a charge still opens it.
 * @example
 * ProgressToken.isOpenAt({ created_at: at }, DateTime.add(at, { hours: 23 })) // => true
 * ProgressToken.isOpenAt({ created_at: at }, DateTime.add(at, { hours: 24 })) // => false
 */
export const isOpenAt = (charge: Pick<Charge, "created_at">, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, endsAt(charge))
