import { DateTime, Result, Struct } from "effect"
import fc from "fast-check"
import { IntroductionId, OrganisationId, RecipientAccountLinkId, UserId } from "../../domain/kernel/Ids.ts"
import * as Introduction from "../../domain/sharing/Introduction.ts"
import * as InviteToken from "../../domain/sharing/InviteToken.ts"
import * as RecipientAccount from "../../domain/sharing/RecipientAccount.ts"
import * as RecommendationSet from "../../domain/sharing/RecommendationSet.ts"
import { patchOf } from "../Arbitraries.ts"
import { isReached } from "../InTime.ts"
import {
  again,
  type Charity,
  changeCommand,
  charity,
  editorOf,
  eventsOf,
  hour,
  modelOf,
  noChange,
  patchFields,
  real,
  type ServiceUnderTest,
  start,
  stateOf,
  timedCommand
} from "./Charity.ts"

/** A link of the organisation to an account of another one, by its passphrase. */
const linkedAccount = async (driven: ServiceUnderTest, { calls, id: organisation_id }: Charity) => {
  const recipient = await charity(driven)
  const { id: integration_id, passphrase } = await driven.almoner.integrations.create(recipient.caller, {
    label: "Main account",
    processor_connect_account_id: "acct_1"
  })
  const { link } = await calls.recipientAccounts.link({ passphrase })
  const state = stateOf(RecipientAccount.RecipientAccount, await calls.recipientAccounts.read(link.id), {
    organisation_id,
    recipient_organisation_id: recipient.id,
    updated_at: "2026-01-01T00:00:00.000Z"
  })
  return { state, passphrase, recipient, integration_id }
}

/** An introduction of the organisation's that a user has accepted for a recipient; `link` links the recipient's account. */
const accepted = async (driven: ServiceUnderTest, { calls }: Charity, recipient: string, integration_id: string) => {
  const { invitations } = driven.almoner
  const { id, invite_url } = await calls.introductions.send({ invitee_email: "kim@example.org" })
  const visit = { token: InviteToken.tokenIn(invite_url), request_id: "model" }
  const user_id = await editorOf(driven, [recipient])
  await invitations.accept({ ...visit, user_id, organisation_id: recipient })
  return { id: IntroductionId.make(id), link: () => invitations.link({ ...visit, user_id, integration_id }) }
}

/** Stands for an introduction until it is made. */
const placeholder = IntroductionId.make("intr_00000000000000000000000000")

const commands: fc.Arbitrary<RecipientAccount.Command> = fc.oneof(
  fc.record({ _tag: fc.constant("Introduce" as const), at: hour, introduction_id: fc.constant(placeholder) }),
  timedCommand("Deactivate", "Reactivate"),
  fc.record({ _tag: fc.constant("Rename" as const), at: hour, label: fc.constantFrom("Shelter", "Riverside Shelter") })
)

/**
 * Links to recipients' accounts that are deactivated, made active again by their passphrase or by an introduction, and
 * renamed, beside {@link RecipientAccount.machine}.
 */
export const recipientAccounts = modelOf(RecipientAccount.machine, (driven) => ({
  commands,
  fields: Object.keys(Struct.omit(RecipientAccount.RecipientAccountDetail.fields, ["charges_enabled"])),
  open: async () => {
    const linking = await charity(driven)
    const { integration_id, passphrase, recipient, state: born } = await linkedAccount(driven, linking)
    let introduced: () => Promise<unknown> = () => Promise.reject(new RangeError("no introduction was accepted"))
    const { deactivate, link, read, update } = linking.calls.recipientAccounts
    const prepare = async (command: RecipientAccount.Command): Promise<RecipientAccount.Command> => {
      if (command._tag !== "Introduce") return command
      driven.clock.set(command.at)
      const { id, link } = await accepted(driven, linking, recipient.id, integration_id)
      introduced = link
      return { ...command, introduction_id: id }
    }
    const account = real(driven, linking.calls, born, read, (command: RecipientAccount.Command) => {
      if (command._tag === "Introduce") return introduced()
      if (command._tag === "Rename") return update(born.id, { label: command.label })
      return command._tag === "Reactivate" ? link({ passphrase }) : deactivate(born.id)
    })
    return { ...account, prepare }
  },
  answers: (decides, state, command) => {
    // The introduction's own machine tells of the account that it leads to.
    if (command._tag === "Introduce") {
      return Result.map(decides(state, command), (introduced) => ({
        ...introduced,
        events: [RecipientAccount.emissionOf("recipient_org_account_link.created", introduced.state)]
      }))
    }
    if (command._tag === "Deactivate" && !state.is_active) {
      return again(RecipientAccount.machine, "recipient_org_account_link.deactivated", state, command)
    }
    const isNothing =
      (command._tag === "Reactivate" && state.is_active) || (command._tag === "Rename" && command.label === state.label)
    return isNothing ? noChange(state) : decides(state, command)
  }
}))

/** The one recipient is asked for 3: a floor above it breaks the rules of a FIXED set, and OPEN asks for nothing. */
const asked = 3

const changes = patchOf({
  name: fc.constantFrom("Winter", "Spring"),
  description: fc.constantFrom(null, "For the cold months."),
  amount_mode: fc.constantFrom("FIXED" as const, "SUGGESTED" as const, "OPEN" as const),
  min_total_cents: fc.constantFrom(null, 2, asked + 1),
  expires_at: fc.constantFrom(null, DateTime.add(start, { hours: 120 }))
})

/** Recommendation sets that are changed, deactivated, made active again and archived, beside their machine. */
export const recommendationSets = modelOf(RecommendationSet.machine, (driven) => ({
  commands: fc.oneof(
    { weight: 4, arbitrary: changeCommand("Change", changes) },
    { weight: 3, arbitrary: changeCommand("Reactivate", changes) },
    { weight: 3, arbitrary: timedCommand("Deactivate") },
    { weight: 1, arbitrary: timedCommand("Archive") }
  ),
  fields: ["description", "url_key", ...Object.keys(RecommendationSet.RecommendationSetRecord.fields)],
  shown: (set) => ({
    ...set,
    allocation_count: set.allocations.length,
    total_amount_cents: set.allocations.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  }),
  open: async () => {
    const recommending = await charity(driven)
    const { state: link } = await linkedAccount(driven, recommending)
    const { archive, create, deactivate, read, update } = recommending.calls.recommendationSets
    const allocations = [{ recipient_org_account_link_id: link.id, amount_cents: asked }]
    const shown = await create({ name: "Winter", allocations })
    const hidden = { organisation_id: recommending.id, updated_at: DateTime.formatIso(start) }
    const born = stateOf(RecommendationSet.RecommendationSet, shown, hidden)
    return real(driven, recommending.calls, born, read, (command: RecommendationSet.Command) => {
      switch (command._tag) {
        case "Change":
          return update(born.id, command.changes)
        case "Reactivate":
          return update(born.id, { ...command.changes, is_active: true })
        case "Deactivate":
          return deactivate(born.id)
        case "Archive":
          return archive(born.id)
      }
    })
  },
  answers: (decides, state, command) => {
    const isArchived = state.archived_at !== null
    switch (command._tag) {
      case "Archive":
        return isArchived
          ? again(RecommendationSet.machine, "recommendation_set.archived", state, command)
          : decides(state, command)
      case "Deactivate":
        return !isArchived && !state.is_active ? noChange(state) : decides(state, command)
      default: {
        const changes = patchFields(state, command.changes)
        const isActivation = command._tag === "Reactivate" && !state.is_active
        if (isArchived || isActivation) return decides(state, { ...command, changes })
        return Object.keys(changes).length === 0
          ? noChange(state)
          : decides(state, { _tag: "Change", at: command.at, changes })
      }
    }
  },
  refusal: ({ _tag }) => (_tag === "GuardRefused" ? "InvalidInput" : "RecordArchived")
}))

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
