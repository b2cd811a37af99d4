import { Invitation } from "../../../domain/sharing/Invitation.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { Invitations, takes } from "../Invitations.ts"

const invitations = operationsOf(Invitations)

/** The operations of {@link Invitations}. The host vouches for the user whom it names. */
export const invitationOperations = {
  open: invitations.forInstallation({
    says: "Open an invitation as its invitee does: the first time makes it viewed",
    takes: takes.open,
    gives: Invitation,
    run: (use, given) => use.open(given)
  }),
  accept: invitations.forInstallation({
    says: "Accept an invitation as a user, for one of the user's organisations",
    takes: takes.accept,
    gives: Invitation,
    run: (use, given) => use.accept(given)
  }),
  link: invitations.forInstallation({
    says: "Link an account of the organisation that accepted: the inviter can recommend it from here on",
    takes: takes.link,
    gives: Invitation,
    run: (use, given) => use.link(given)
  })
}
