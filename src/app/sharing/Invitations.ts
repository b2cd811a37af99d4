import { type DateTime, Effect, Option, Schema } from "effect"
import { type Actor, RequestId } from "../../domain/access/Caller.ts"
import type { Integration } from "../../domain/access/Integration.ts"
import { mayEdit } from "../../domain/access/Membership.ts"
import { type Organisation, twinSlug } from "../../domain/access/Organisation.ts"
import { IntegrationId, OrganisationId, UserId } from "../../domain/kernel/Ids.ts"
import { birth, decide, GuardRefused } from "../../domain/kernel/Machine.ts"
import { Forbidden, NotFound } from "../../domain/kernel/Rejection.ts"
import * as Introduction from "../../domain/sharing/Introduction.ts"
import { Invitation } from "../../domain/sharing/Invitation.ts"
import * as InviteToken from "../../domain/sharing/InviteToken.ts"
import * as RecipientAccount from "../../domain/sharing/RecipientAccount.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { UserStore } from "../../ports/access/UserStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { IntroductionStore } from "../../ports/sharing/IntroductionStore.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { actingIn, makeOrganisationTime } from "../access/caller/CallerContext.ts"
import type { LockedRecord } from "../access/change/Change.ts"
import { body, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeIntroductionChange } from "./introduction/IntroductionChange.ts"
import { makeInviteUrls } from "./introduction/InviteUrls.ts"

type Stored = Introduction.Introduction

const visit = {
  token: Schema.String,
  /** The id of the request, as the audit records it. */
  request_id: RequestId
}

const Visit = Schema.Struct(visit)
/** A visitor with an invite token. */
export type Visit = typeof Visit.Type

/** A visitor who has signed in. The caller vouches for the user, and for the organisation that it accepts for. */
const Acceptance = Schema.Struct({ ...visit, user_id: UserId, organisation_id: OrganisationId })
/** A user who accepts, for one organisation. */
export type Acceptance = typeof Acceptance.Type

/** The same, with an account of the organisation that accepted. */
const Linking = Schema.Struct({ ...visit, user_id: UserId, integration_id: IntegrationId })
/** A user who links an account of the organisation that accepted. */
export type LinkRequest = typeof Linking.Type

/** The message repeats nothing of the token: whoever has it can act as the invitee. */
const unknownToken = () => new NotFound({ record: "invitation", id: "of this link" })

const visitor: Actor = { type: "SYSTEM", id: "invitee" }

const operations = Row.table("invitations", {
  open: Row.keeper("Open an invitation as its invitee does: the first time makes it viewed", [body(Visit)], Invitation),
  accept: Row.keeper(
    "Accept an invitation as a user, for one of the user's organisations",
    [body(Acceptance)],
    Invitation
  ),
  link: Row.keeper(
    "Link an account of the organisation that accepted: the inviter can recommend it from here on",
    [body(Linking)],
    Invitation
  )
})

const closedAccount = () =>
  new GuardRefused({
    machine: "Introduction",
    command: "Link",
    rule: "the account takes gifts",
    message: "This account takes no gifts any more, since it was deactivated. Link another one."
  })

/**
 * The invitee's side of introductions: everything here is authorised by the invite token, and emits its events to the
 * inviter. service-spec, States and transitions: Introduction; decisions, section 5.
 */
export class Invitations extends Service<Invitations>()("almoner/app/Invitations", function* () {
  const store = yield* IntroductionStore
  const organisations = yield* OrganisationStore
  const users = yield* UserStore
  const integrations = yield* IntegrationStore
  const accounts = yield* RecipientAccountStore
  const changing = yield* makeIntroductionChange
  const urls = yield* makeInviteUrls
  const tokens = yield* Tokens
  const timeOf = yield* makeOrganisationTime
  const transaction = yield* Transaction

  const refused = (operation: string, message: string) => Effect.fail(new Forbidden({ operation, message }))

  /** The introduction that the token is for, locked, with its inviter. */
  const admitted = Effect.fnUntraced(function* (token: string) {
    const said = InviteToken.read(token)
    const located = Option.isSome(said) ? yield* store.locate(said.value.id) : Option.none()
    if (Option.isNone(said) || Option.isNone(located)) return yield* unknownToken()
    if (!(yield* urls.vouches(located.value, said.value.mac))) return yield* unknownToken()
    const { id, organisation_id } = located.value
    const introduction = yield* store.findForUpdate(organisation_id, id)
    const inviter = yield* organisations.find(organisation_id)
    if (Option.isNone(introduction) || Option.isNone(inviter)) return yield* unknownToken()
    const at = yield* timeOf(organisation_id)(organisationNow)
    const held: LockedRecord<Stored> = { before: introduction.value, organisation: inviter.value, at }
    return held
  })

  const organisationOf = (id: OrganisationId) => organisations.find(id).pipe(orNotFound("organisation", id))

  const refuseStrangers = Effect.fnUntraced(function* (
    operation: string,
    organisation_id: OrganisationId,
    user_id: UserId
  ) {
    const membership = yield* users.findMembership(organisation_id, user_id)
    if (Option.isSome(membership) && mayEdit(membership.value)) return
    yield* refused(operation, "The user must be an ADMIN or EDITOR of the organisation that accepts.")
  })

  const isMember = (organisation_id: OrganisationId, user_id: UserId) =>
    Effect.map(users.findMembership(organisation_id, user_id), Option.isSome)

  /** Whether a user belongs to the inviter or its twin: a live organisation and its sandbox are the same people's. */
  const isOfInviter = Effect.fnUntraced(function* (inviter: Organisation, user_id: UserId) {
    if (yield* isMember(inviter.id, user_id)) return true
    const twin = yield* organisations.findBySlug(twinSlug(inviter))
    return Option.isSome(twin) && (yield* isMember(twin.value.id, user_id))
  })

  const shown = (state: Stored, inviter: Organisation, now: DateTime.Utc): Invitation => ({
    id: state.id,
    status: Introduction.statusAt(state, now),
    inviter_name: inviter.name,
    inviter_slug: inviter.slug,
    invitee_message: state.invitee_message,
    expires_at: state.expires_at,
    accepted_at: state.accepted_at,
    accepted_organisation_id: state.accepted_organisation_id
  })

  /** Shows an invitation. The first look at a pending one makes it VIEWED. Fails with {@link NotFound}. */
  const open = Effect.fn("Invitations.open")(function* ({ request_id, token }: Visit) {
    const held = yield* admitted(token)
    const { at, before, organisation: inviter } = held
    const opening = changing(null).settle("invitations.open", held, [{ _tag: "Open", at }])
    const opened = yield* Effect.option(opening.pipe(actingIn(inviter, visitor, request_id)))
    return shown(Option.isSome(opened) ? opened.value.state : before, inviter, at)
  }, transaction.run)

  /**
   * Accepts for an organisation. A PENDING invitation passes through VIEWED. Fails with {@link Forbidden} when the
   * user may not act for that organisation, and with {@link GuardRefused} when the user belongs to the inviter or its
   * twin, when the two organisations are not both live or both sandboxes, and when the time has run out.
   */
  const accept = Effect.fn("Invitations.accept")(function* (given: Acceptance) {
    const { organisation_id, request_id, token, user_id } = given
    const held = yield* admitted(token)
    const { at, before, organisation: inviter } = held
    yield* users.find(user_id).pipe(orNotFound("user", user_id))
    const organisation = yield* organisationOf(organisation_id)
    yield* refuseStrangers("invitations.accept", organisation_id, user_id)
    const accepting: Introduction.Command = {
      _tag: "Accept",
      at,
      user_id,
      organisation_id,
      is_inviter_member: yield* isOfInviter(inviter, user_id),
      inviter_in_sandbox: inviter.is_sandbox,
      in_sandbox: organisation.is_sandbox
    }
    const commands: ReadonlyArray<Introduction.Command> =
      before.status === "PENDING" ? [{ _tag: "Open", at }, accepting] : [accepting]
    const { state } = yield* changing(null)
      .settle("invitations.accept", held, commands)
      .pipe(actingIn(inviter, { type: "USER", id: user_id }, request_id))
    return shown(state, inviter, at)
  }, transaction.run)

  /** The inviter's link to the account: a new one, or the existing one, activated again where it was inactive. */
  const linkOf = Effect.fnUntraced(function* (
    { id: introduction_id, organisation_id }: Stored,
    recipient: Organisation,
    integration: Integration,
    at: DateTime.Utc
  ) {
    const id = yield* tokens.id("recipientAccountLink")
    const fresh = birth(RecipientAccount.machine, RecipientAccount.births.introduced, () =>
      RecipientAccount.create({ id, organisation_id, introduction_id, recipient, integration, at })
    )
    const { created, link } = yield* accounts.findOrInsert(fresh.state)
    if (created) return link
    const introduced = decide(RecipientAccount.machine, link, { _tag: "Introduce", at, introduction_id })
    const { state } = yield* Effect.orDie(Effect.fromResult(introduced))
    yield* accounts.update(state)
    return state
  })

  /**
   * Links an account of the organisation that accepted: from now on the inviter can recommend it. Fails with {@link
   * Forbidden} before the acceptance and where the user may not act for that organisation, and with {@link
   * GuardRefused} for an account that takes no payments, and when the time has run out.
   */
  const link = Effect.fn("Invitations.link")(function* (given: LinkRequest) {
    const { integration_id, request_id, token, user_id } = given
    const held = yield* admitted(token)
    const { at, before, organisation: inviter } = held
    const recipient_id = before.accepted_organisation_id
    if (recipient_id === null) {
      return yield* refused("invitations.link", "The invitation must be accepted before an account is linked.")
    }
    yield* refuseStrangers("invitations.link", recipient_id, user_id)
    const integration = yield* integrations
      .find(recipient_id, integration_id)
      .pipe(orNotFound("integration", integration_id))
    if (!integration.is_active) return yield* closedAccount()
    const account = yield* linkOf(before, yield* organisationOf(recipient_id), integration, at)
    const linking: Introduction.Command = {
      _tag: "Link",
      at,
      user_id,
      recipient_account_link_id: account.id,
      charges_enabled: integration.charges_enabled
    }
    const { state } = yield* changing(account)
      .settle("invitations.link", held, [linking])
      .pipe(actingIn(inviter, { type: "USER", id: user_id }, request_id))
    return shown(state, inviter, at)
  }, transaction.run)

  return checkedService(operations, { open, accept, link })
}) {}

/** The operations of {@link Invitations}. The host vouches for the user whom it names. */
export const invitationOperations = operationsOf(Invitations, operations)
