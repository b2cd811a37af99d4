import { Schema } from "effect"
import { AuditEntryId, OrganisationId } from "../kernel/Ids.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { Actor } from "./Caller.ts"

/** Who did what to which record, when and by which request. It holds no personal data. decisions, section 1: Audit. */
export class AuditEntry extends Schema.Opaque<AuditEntry>()(
  Schema.Struct({
    id: AuditEntryId,
    organisation_id: OrganisationId,
    actor_type: Actor.fields.type,
    actor_id: Schema.String,
    /** The operation's name, e.g. `donations.create`. */
    operation: Schema.String,
    /** The id of the record that was written. */
    subject_id: Schema.String,
    request_id: Schema.String,
    created_at: Instant
  }).annotate({ identifier: "AuditEntry" })
) {}
