import { Schema } from "effect"
import { IntegrationId, OrganisationId, UserId } from "../../../domain/kernel/Ids.ts"
import { Invitation } from "../../../domain/sharing/Invitation.ts"
import { body, operationsOf } from "../../access/steps/Operation.ts"
import { Invitations } from "../Invitations.ts"

const invitations = operationsOf(Invitations)

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
