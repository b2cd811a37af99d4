import { Invitation } from "../../../domain/sharing/Invitation.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { Invitations, takes } from "../Invitations.ts"

const invitations = operationsOf(Invitations)

/** The operations of {@link Invitations}. The host vouches for the user whom it names. */
export const invitationOperations = {
  open: invitations.forInstallation({
    takes: takes.open,
    gives: Invitation,
    run: (use, given) => use.open(given)
  }),
  accept: invitations.forInstallation({
    takes: takes.accept,
    gives: Invitation,
    run: (use, given) => use.accept(given)
  }),
  link: invitations.forInstallation({
    takes: takes.link,
    gives: Invitation,
    run: (use, given) => use.link(given)
  })
}
