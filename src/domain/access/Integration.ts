import { Schema, Struct } from "effect"
import { IntegrationId, OrganisationId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { Name } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

/**
 * An organisation's account at a payment processor, which can receive distributions. Its passphrase lets other
 * organisations link it; only a keyed hash is stored. decisions, section 4: Recipient accounts.
 */
export class Integration extends Schema.Opaque<Integration>()(
  Schema.Struct({
    id: IntegrationId,
    organisation_id: OrganisationId,
    label: Schema.String,
    /** The name of the processor's adapter. */
    processor: Schema.String,
    processor_connect_account_id: Schema.String,
    charges_enabled: Schema.Boolean,
    /** Keyed hash of the normalised passphrase; null while there is none. */
    passphrase_hash: Schema.NullOr(Schema.String),
    /** The id of the ring's key that the hash was made with. */
    passphrase_key_id: Schema.NullOr(Schema.String),
    passphrase_rotated_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredIntegration" })
) {}

/** An integration as its own organisation sees it. */
export const IntegrationRecord = Integration.mapFields(
  Struct.omit(["organisation_id", "passphrase_hash", "passphrase_key_id"])
).annotate({ identifier: "Integration" })

/** An integration with its passphrase, which is shown once. */
export const DisclosedIntegration = IntegrationRecord.mapFields((fields) => ({
  ...fields,
  passphrase: Schema.String
})).annotate({ identifier: "DisclosedIntegration" })

/** The input of a new integration. */
export const NewIntegration = Schema.Struct({
  label: Name,
  processor_connect_account_id: Name
}).annotate({ identifier: "NewIntegration" })
export type NewIntegration = typeof NewIntegration.Type

/** The list of integrations. */
export const listing = {
  filters: { created_at: { kind: "timestamp", description: "When the integration was made" } }
} as const satisfies ListSpec
