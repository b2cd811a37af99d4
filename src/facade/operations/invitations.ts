import { Schema } from "effect"
import { Invitations } from "../../app/Invitations.ts"
import { IntegrationId, IntroductionId, OrganisationId, UserId } from "../../domain/Ids.ts"
import { Status } from "../../domain/Introduction.ts"
import { Instant } from "../../domain/Timestamp.ts"
import { body, operationsOf } from "../Declare.ts"

const invitations = operationsOf(Invitations)

const Invitation = Schema.Struct({
  id: IntroductionId,
  status: Status,
  inviter_name: Schema.String,
  inviter_slug: Schema.String,
  invitee_message: Schema.NullOr(Schema.String),
  expires_at: Instant,
  accepted_at: Schema.NullOr(Instant),
  accepted_organisation_id: Schema.NullOr(OrganisationId)
})

const visit = {
  token: Schema.String,
  /** The host's id of the request, as the audit keeps it. */
  request_id: Schema.String
}

/** The operations of {@link Invitations}. The host vouches for the user whom it names. */
export const invitationOperations = {
  open: invitations.forInstallation({
    takes: [body(Schema.Struct(visit))],
    gives: Invitation,
    run: (use, given) => use.open(given)
  }),
  accept: invitations.forInstallation({
    takes: [body(Schema.Struct({ ...visit, user_id: UserId, organisation_id: OrganisationId }))],
    gives: Invitation,
    run: (use, given) => use.accept(given)
  }),
  link: invitations.forInstallation({
    takes: [body(Schema.Struct({ ...visit, user_id: UserId, integration_id: IntegrationId }))],
    gives: Invitation,
    run: (use, given) => use.link(given)
  })
}
