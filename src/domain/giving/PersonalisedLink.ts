import { DateTime, Duration, Option, Schema } from "effect"
import { DonationFormId, DonorId, OrganisationId, RecommendationSetId } from "../kernel/Ids.ts"
import { addTime, readInstant } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { GivenId } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import type { Donor } from "./Donor.ts"

const meanings = {
  expires_at: "When the link ends, unless the donor's archiving, merge or edit ends it before.",
  donor_id: "The donor whom the link is for: of the organisation, and not archived."
}

/** The set or form that a personalised link opens. service-spec, Personalised links. */
export const Target = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("recommendation_set"), id: RecommendationSetId }),
  Schema.Struct({ kind: Schema.Literal("donation_form"), id: DonationFormId })
])
export type Target = typeof Target.Type

/**
 * The page that a token is presented on. It comes from the page and not from the token, so that the token is worth
 * nothing on any other page.
 */
export const LinkPage = Schema.Struct({ organisation_id: OrganisationId, target: Target })
export type LinkPage = typeof LinkPage.Type

/** The id of a key of the ring. */
const KeyId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/u))

/** Everything that a link's token vouches for. decisions, section 4: Personalised links. */
export const Claims = Schema.Struct({
  ...LinkPage.fields,
  donor_id: DonorId,
  /** The revision of the donor's profile when the link was made: any later one revokes the link. */
  profile_revision: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  expires_at: Instant,
  /** The id of the ring's key that signs. */
  key_id: KeyId
}).annotate({ identifier: "PersonalisedLinkClaims" })
export type Claims = typeof Claims.Type

/** The query parameter that carries the token. service-spec, Personalised links. */
export const parameter = "dt"

const version = "v1"

/** The claims of a link that is minted now: for thirty days. service-spec, Limits: Personalised link life. */
export const claim = (
  { organisation_id, target }: LinkPage,
  donor: Donor,
  key_id: string,
  now: DateTime.Utc
): Claims => ({
  organisation_id,
  target,
  donor_id: donor.id,
  profile_revision: donor.profile_revision,
  expires_at: addTime(now, Duration.days(Limits.personalisedLinkDays)),
  key_id
})

const shortest = (number: number): string => number.toString(36)

/** The parts of a token that can be read without a key. */
const spoken = (claims: Claims): ReadonlyArray<string> => [
  version,
  claims.key_id,
  claims.donor_id,
  shortest(claims.profile_revision),
  shortest(claims.expires_at.epochMilliseconds)
]

/** The text that the MAC is made over. Each claim is a line of its own, so that no two lists of claims make the same text. */
export const canonicalText = (claims: Claims): string =>
  ["almoner personalised link", ...spoken(claims), claims.organisation_id, claims.target.kind, claims.target.id].join(
    "\n"
  )

/** The token of some claims; `mac` is the MAC over their {@link canonicalText} in base64url. */
export const encode = (claims: Claims, mac: string): string => [...spoken(claims), mac].join(".")

const claimsShape = /^v1\.([A-Za-z0-9_-]{1,64})\.([a-z0-9_]+)\.([0-9a-z]+)\.([0-9a-z]+)$/u
const tokenShape = /^(.+)\.([A-Za-z0-9_-]+)$/u

const decodeClaims = Schema.decodeUnknownOption(Schema.toType(Claims))

/** The claims of a token, and the MAC that has to vouch for them. */
export interface TokenParts {
  readonly claims: Claims
  readonly mac: string
}

/** A token without what proves it: its claims as text, which opens nothing. */
export const claimsTextOf = (token: string): string => token.slice(0, token.lastIndexOf("."))

/** The claims on a page that a text says, {@link claimsTextOf} a token; none when it says none. */
export const readClaims = ({ organisation_id, target }: LinkPage, text: string): Option.Option<Claims> => {
  const [, key_id, donor_id, revision = "", expiry = ""] = claimsShape.exec(text) ?? []
  return Option.flatMap(readInstant(Number.parseInt(expiry, 36)), (expires_at) =>
    decodeClaims({
      organisation_id,
      target,
      donor_id,
      profile_revision: Number.parseInt(revision, 36),
      expires_at,
      key_id
    })
  )
}

/**
 * Reads a token that is presented on a page; none when the text is no token. The claims are unproven until the MAC is
 * checked.
 */
export const decode = (page: LinkPage, token: string): Option.Option<TokenParts> => {
  const [, text = "", mac = ""] = tokenShape.exec(token) ?? []
  return readClaims(page, text).pipe(
    Option.map((claims) => ({ claims, mac })),
    // A token has one spelling only: a text that would be written differently is refused.
    Option.filter((presented) => encode(presented.claims, presented.mac) === token)
  )
}

/** The reasons for which a link with a valid MAC is no longer accepted. */
export type Lapse = "another_donor" | "expired" | "archived" | "profile_changed"

/**
 * The reason for which claims no longer hold for a donor; none if they hold. A merged duplicate is archived, so a merge
 * revokes its links. service-spec, Personalised links: expires_at.
 */
export const lapseOf = (claims: Claims, donor: Donor, now: DateTime.Utc): Option.Option<Lapse> => {
  if (donor.organisation_id !== claims.organisation_id || donor.id !== claims.donor_id) {
    return Option.some("another_donor")
  }
  if (DateTime.isLessThanOrEqualTo(claims.expires_at, now)) return Option.some("expired")
  if (donor.archived_at !== null) return Option.some("archived")
  return donor.profile_revision === claims.profile_revision ? Option.none() : Option.some("profile_changed")
}

/**
 * A page's address with the token: a live credential. service-spec, Personalised links: url.
 * @example
 * PersonalisedLink.urlOf("https://sea.example.org/f/appeal?c=1", "t0k3n")
 * // => "https://sea.example.org/f/appeal?c=1&dt=t0k3n"
 */
export const urlOf = (page_url: string, token: string): string =>
  `${page_url}${page_url.includes("?") ? "&" : "?"}${parameter}=${token}`

/** The body of POST …/personalised-links. service-spec, Personalised links. */
export const NewPersonalisedLink = Schema.Struct({ donor_id: GivenId }).annotate({
  identifier: "NewPersonalisedLink",
  meanings
})
export type NewPersonalisedLink = typeof NewPersonalisedLink.Type

const url = Schema.String.annotate({ description: "Live credential: for this donor alone, and for no log" })

/** A donor's own link to a recommendation set. service-spec, Personalised links. */
export const PersonalisedSetLink = Schema.Struct({
  url,
  donor_id: DonorId,
  recommendation_set_id: RecommendationSetId,
  expires_at: Instant
}).annotate({ identifier: "PersonalisedSetLink", meanings })
export type PersonalisedSetLink = typeof PersonalisedSetLink.Type

/** A donor's own link to a form. service-spec, Personalised links. */
export const PersonalisedFormLink = Schema.Struct({
  url,
  donor_id: DonorId,
  form_id: DonationFormId,
  expires_at: Instant
}).annotate({
  identifier: "PersonalisedFormLink",
  meanings: { expires_at: "The end of the link's life, unless the donor is archived, merged or edited before." }
})
export type PersonalisedFormLink = typeof PersonalisedFormLink.Type

/** The fields that both kinds of link share, from the link's claims. */
export const commonRecordOf = (claims: Claims, link_url: string) => ({
  url: link_url,
  donor_id: claims.donor_id,
  expires_at: claims.expires_at
})
