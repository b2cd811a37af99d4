import { Schema } from "effect"
import { Introduction } from "./Introduction.ts"

/** An introduction as its invitee sees it. */
export const Invitation = Schema.Struct({
  id: Introduction.fields.id,
  status: Introduction.fields.status,
  inviter_name: Schema.String,
  inviter_slug: Schema.String,
  invitee_message: Introduction.fields.invitee_message,
  expires_at: Introduction.fields.expires_at,
  accepted_at: Introduction.fields.accepted_at,
  accepted_organisation_id: Introduction.fields.accepted_organisation_id
}).annotate({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type
