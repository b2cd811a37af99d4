import { DateTime, Result } from "effect"
import fc from "fast-check"
import { OrganisationId, RecipientAccountLinkId, UserId } from "../../domain/kernel/Ids.ts"
import * as Introduction from "../../domain/sharing/Introduction.ts"
import * as InviteToken from "../../domain/sharing/InviteToken.ts"
import { isReached } from "../InTime.ts"
import {
  again,
  type Charity,
  charity,
  editorOf,
  eventsOf,
  hour,
  modelOf,
  noChange,
  real,
  type ServiceUnderTest,
  start,
  stateOf,
  timedCommand
} from "./Charity.ts"

/** Stand for a user of the invitee until it is made: for one of the invitee alone, of the inviter, of the inviter's twin. */
const users = {
  outsider: UserId.make("usr_00000000000000000000000000"),
  insider: UserId.make("usr_00000000000000000000000001"),
  ofTwin: UserId.make("usr_00000000000000000000000002")
}

const acceptance = fc
  .record({
    at: hour,
    user_id: fc.constantFrom(users.outsider, users.outsider, users.outsider, users.insider, users.ofTwin),
    in_sandbox: fc.constantFrom(true, true, true, false)
  })
  .map((drawn) => ({
    ...drawn,
    _tag: "Accept" as const,
    is_inviter_member: drawn.user_id !== users.outsider,
    inviter_in_sandbox: true,
    organisation_id: OrganisationId.make("org_00000000000000000000000000")
  }))

const linking = fc.record({
  _tag: fc.constant("Link" as const),
  at: hour,
  user_id: fc.constant(users.outsider),
  recipient_account_link_id: fc.constant(RecipientAccountLinkId.make("roal_00000000000000000000000000")),
  charges_enabled: fc.constant(true)
})

const resends = 3

/** An organisation that is invited, with its people, an account, and the inviter's link to it. */
const inviteeOf = async (driven: ServiceUnderTest, inviter: Charity) => {
  const { caller, id, live } = await charity(driven)
  const { id: integration_id, passphrase } = await driven.almoner.integrations.create(caller, {
    label: "Main account",
    processor_connect_account_id: "acct_1"
  })
  const { link } = await inviter.calls.recipientAccounts.link({ passphrase })
  const people = new Map<UserId, UserId>()
  const memberships = { outsider: [], insider: [inviter.id], ofTwin: [inviter.live] }
  for (const [who, elsewhere] of Object.entries(memberships)) {
    people.set(users[who as keyof typeof users], UserId.make(await editorOf(driven, [id, live, ...elsewhere])))
  }
  return { id, live, integration_id, people, link_id: RecipientAccountLinkId.make(link.id) }
}

/**
 * Introductions that are sent, opened, accepted, linked, sent again, revoked, and expired by a sweep, beside
 * {@link Introduction.machine}. Every read shows an expiry before the sweep writes it. An account that takes no charges is
 * not drawn: whether one does is its processor's to say.
 */
export const introductions = modelOf(Introduction.machine, (driven) => ({
  commands: fc.oneof(
    { weight: 3, arbitrary: timedCommand("Open") },
    { weight: 5, arbitrary: acceptance },
    { weight: 5, arbitrary: linking },
    { weight: 10, arbitrary: timedCommand("Resend") },
    { weight: 1, arbitrary: timedCommand("Revoke") },
    { weight: 2, arbitrary: timedCommand("Expire") }
  ),
  maxLength: 10,
  fields: Object.keys(Introduction.eventData.fields),
  shown: (introduction, at = start) => {
    const { expires_at, linked_at, revoked_at } = introduction
    const isOver = revoked_at === null && linked_at === null && isReached(expires_at, at)
    return { ...introduction, status: isOver ? "EXPIRED" : introduction.status }
  },
  open: async () => {
    const inviter = await charity(driven)
    const { calls, id: organisation_id } = inviter
    const invitee = await inviteeOf(driven, inviter)
    const shown = await calls.introductions.send({ invitee_email: "kim@example.org", ttl_days: 3 })
    const born = stateOf(Introduction.Introduction, shown, {
      organisation_id,
      token_key_id: "",
      sent_at: DateTime.formatIso(start)
    })
    const token = InviteToken.tokenIn(shown.invite_url)
    const { read, resendEmail, revoke } = calls.introductions
    const { invitations, sweep } = driven.almoner
    const visit = { token, request_id: "model" }
    const perform = (command: Introduction.Command) => {
      switch (command._tag) {
        case "Open":
          return invitations.open(visit)
        case "Accept":
          return invitations.accept({ ...visit, user_id: command.user_id, organisation_id: command.organisation_id })
        case "Link":
          return invitations.link({ ...visit, user_id: command.user_id, integration_id: invitee.integration_id })
        case "Expire":
          return sweep()
        case "Resend":
          return resendEmail(born.id)
        case "Revoke":
          return revoke(born.id)
      }
    }
    const prepare = async (command: Introduction.Command): Promise<Introduction.Command> => {
      if (command._tag !== "Accept" && command._tag !== "Link") return command
      const user_id = invitee.people.get(command.user_id) ?? command.user_id
      if (command._tag === "Link") return { ...command, user_id, recipient_account_link_id: invitee.link_id }
      const organisation_id = OrganisationId.make(command.in_sandbox ? invitee.id : invitee.live)
      return { ...command, user_id, organisation_id }
    }
    return {
      ...real(driven, calls, born, read, perform),
      prepare,
      events: () => eventsOf(calls, ({ id, introduction_id }) => id === born.id || introduction_id === born.id)
    }
  },
  answers: (decides, state, command) => {
    // A user who accepts what nobody has looked at looks at it.
    if (command._tag === "Accept" && state.status === "PENDING") {
      return Result.flatMap(decides(state, { _tag: "Open", at: command.at }), (opened) =>
        Result.map(decides(opened.state, command), (accepted) => ({
          ...accepted,
          events: [...opened.events, ...accepted.events]
        }))
      )
    }
    const decision = decides(state, command)
    // An invitee is shown what there is, and the sweep finds what there is to do: nothing is refused.
    if (command._tag === "Open" || command._tag === "Expire") {
      return Result.isFailure(decision) ? noChange(state) : decision
    }
    return command._tag === "Revoke" && state.status === "REVOKED"
      ? again(Introduction.machine, "introduction.revoked", state, command)
      : decision
  },
  refusal: ({ _tag }, { accepted_organisation_id, expires_at, resend_count, status }, { _tag: command, at }) => {
    if (command === "Link" && accepted_organisation_id === null) return "Forbidden"
    const isOpen = status === "PENDING" || status === "VIEWED"
    const isFull = command === "Resend" && isOpen && resend_count >= resends && !isReached(expires_at, at)
    return isFull ? "LimitReached" : _tag
  }
}))
