import { Schema, Struct } from "effect"
import { Timezone } from "../kernel/CalendarDate.ts"
import { OrganisationId, RecipientAccountLinkId } from "../kernel/Ids.ts"
import { noLongerThan } from "../kernel/Length.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { Currency } from "../kernel/Money.ts"
import { Name, WebUrlOrBlank } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { Plan } from "./Plan.ts"

const meanings = {
  name: "Name of the organisation.",
  is_sandbox: "Whether this is the sandbox of an organisation.",
  abn: "Australian Business Number.",
  website_url: "Address of the organisation's website.",
  recipient_org_account_link_ids: "Active links to the organisation's accounts, oldest first.",
  timezone: "IANA time zone, in which calendar days are read."
}

/** An organisation: a tenant. Live or sandbox for its whole life. service-spec, Organisation. */
export class Organisation extends Schema.Opaque<Organisation>()(
  Schema.Struct({
    id: OrganisationId,
    /** Unique over the installation; a sandbox's ends in `-sandbox`. */
    slug: Schema.String,
    name: Schema.String,
    is_sandbox: Schema.Boolean,
    timezone: Schema.String,
    default_currency: Currency,
    abn: Schema.NullOr(Schema.String),
    website_url: Schema.NullOr(Schema.String),
    plan: Plan,
    /** Networks that an operator opened to this organisation's webhooks, CIDR. The demo's sandbox has loopback. */
    webhook_allowed_cidrs: Schema.Array(Schema.String),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredOrganisation" })
) {}

/** An organisation as it reads itself. service-spec, Organisation; decisions, section 4: Organisations. */
export const OwnOrganisation = Organisation.mapFields(
  Struct.pick(["id", "slug", "name", "is_sandbox", "timezone", "default_currency", "abn", "website_url", "created_at"])
).annotate({ identifier: "Organisation", meanings })

/**
 * An organisation that another one has active links to, as the other one sees it. service-spec, Organisation: Linked organisation.
 */
export class LinkedOrganisation extends Schema.Opaque<LinkedOrganisation>()(
  Organisation.mapFields((fields) => ({
    ...Struct.pick(fields, ["id", "name", "slug", "abn", "website_url", "is_sandbox", "created_at"]),
    recipient_org_account_link_ids: Schema.Array(RecipientAccountLinkId)
  })).annotate({ identifier: "StoredLinkedOrganisation" })
) {}

/** A linked organisation as the API shows it. service-spec, Organisation: Linked organisation. */
export const LinkedOrganisationRecord = LinkedOrganisation.mapFields(Struct.omit(["created_at"])).annotate({
  identifier: "LinkedOrganisation",
  meanings
})

/** The list of linked organisations. */
export const linkedListing = { filters: {} } as const satisfies ListSpec

const Abn = Schema.String.check(
  noLongerThan(11, "an ABN of 11 digits"),
  Schema.isPattern(/^(?:\d{11}|\s*)$/u, { expected: "an ABN of 11 digits", description: "an ABN of 11 digits" })
)

/** The body of PATCH /organisations/me. decisions, section 3. */
export const OrganisationPatch = Schema.Struct({
  name: Schema.optionalKey(Name),
  timezone: Schema.optionalKey(Timezone),
  abn: Schema.optionalKey(Schema.NullOr(Abn)),
  website_url: Schema.optionalKey(Schema.NullOr(WebUrlOrBlank))
}).annotate({ identifier: "OrganisationPatch", meanings })
export type OrganisationPatch = typeof OrganisationPatch.Type

/** The suffix of a sandbox twin's slug. service-spec, Events. */
export const sandboxSuffix = "-sandbox"

/**
 * The slug of a live organisation's sandbox, or of the live organisation that a sandbox belongs to.
 * @example
 * Organisation.twinSlug({ is_sandbox: false, slug: "sea" }) // => "sea-sandbox"
 * Organisation.twinSlug({ is_sandbox: true, slug: "sea-sandbox" }) // => "sea"
 */
export const twinSlug = ({ is_sandbox, slug }: Pick<Organisation, "is_sandbox" | "slug">): string =>
  is_sandbox && slug.endsWith(sandboxSuffix) ? slug.slice(0, -sandboxSuffix.length) : slug + sandboxSuffix

/** A slug: lower-case letters, digits and inner hyphens, 1 to 63 characters: a DNS label. */
export const Slug = Schema.String.check(
  noLongerThan(63, "lower-case letters, digits and hyphens, at most 63"),
  Schema.isPattern(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, {
    expected: "lower-case letters, digits and hyphens",
    description: "lower-case letters, digits and hyphens"
  })
)

/** A slug that leaves room for its sandbox twin's. */
export const LiveSlug = Slug.check(
  Schema.isMaxLength(63 - sandboxSuffix.length),
  Schema.makeFilter((slug) => !slug.endsWith(sandboxSuffix), {
    expected: `a slug that does not end in ${sandboxSuffix}`
  })
)
