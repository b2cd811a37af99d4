import { type DateTime, Effect, Option } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { entitlements } from "../../domain/access/Plan.ts"
import { IntroductionId } from "../../domain/kernel/Ids.ts"
import { asOf, type ListQuery } from "../../domain/kernel/Listing.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import * as Mail from "../../domain/kernel/Mail.ts"
import { KeyRetired } from "../../domain/kernel/Rejection.ts"
import * as Introduction from "../../domain/sharing/Introduction.ts"
import { IntroductionRecord, listing, NewIntroduction } from "../../domain/sharing/Introduction.ts"
import * as IntroductionLimits from "../../domain/sharing/IntroductionLimits.ts"
import { organisationNow, realNow } from "../../ports/kernel/AheadClock.ts"
import { MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { IntroductionStore } from "../../ports/sharing/IntroductionStore.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeIntroductionChange } from "./introduction/IntroductionChange.ts"
import { makeInviteUrls } from "./introduction/InviteUrls.ts"

type Stored = Introduction.Introduction

const introductionId = id(IntroductionId, "introduction")

const operations = Row.table("introductions", {
  send: Row.change("Send an introduction", [body(NewIntroduction, IntroductionRecord)], IntroductionRecord, {
    plan: entitlements["introductions.send"],
    secret: true
  }),
  read: Row.read("Read an introduction", [introductionId], IntroductionRecord),
  list: Row.list("List introductions", listing, IntroductionRecord),
  resendEmail: Row.change("Mail an introduction again", [introductionId], IntroductionRecord, { secret: true }),
  revoke: Row.end("Revoke an introduction", [introductionId], IntroductionRecord)
})

/** Invites partner organisations. decisions, section 4: Introductions. */
export class Introductions extends Service<Introductions>()("almoner/app/Introductions", function* () {
  const store = yield* IntroductionStore
  const mails = yield* MailOutbox
  const change = (yield* makeIntroductionChange)(null)
  const urls = yield* makeInviteUrls
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const shown = Effect.fnUntraced(function* (introduction: Stored, inviter: Organisation, now: DateTime.Utc) {
    return Introduction.recordOf(introduction, yield* urls.shared(introduction, inviter), now)
  })

  const post = Effect.fnUntraced(function* ({ id, organisation_id }: Stored) {
    const about = { organisation_id, template: "introduction", subject_id: id, recipient_id: null } as const
    yield* mails.add(Mail.create({ id: yield* tokens.id("mail"), ...about }, yield* realNow))
  })

  /**
   * Invites a partner and mails them. Fails with {@link LimitReached} at the 51st pending one within 24 hours, and
   * with {@link AlreadyTaken} when another introduction has the `external_id`, in whichever status.
   */
  const send = Effect.fn("Introductions.send")(function* (input: Introduction.NewIntroduction) {
    const { organisation } = yield* requireScope(operations.send)
    const [at, sent_at] = [yield* organisationNow, yield* realNow]
    yield* Effect.fromResult(IntroductionLimits.checkLimit(yield* store.countForUpdate(organisation.id, sent_at)))
    const origin = {
      id: yield* tokens.id("introduction"),
      organisation_id: organisation.id,
      token_key_id: urls.newestKey,
      sent_at,
      at
    }
    const born = birth(Introduction.machine, Introduction.births.sent, () => Introduction.create(input, origin))
    yield* store.insert(born.state)
    yield* post(born.state)
    yield* change.announce(operations.send.requires.name, born, { organisation, at })
    return yield* shown(born.state, organisation, at)
  }, transaction.run)

  const read = Effect.fn("Introductions.read")(function* (id: IntroductionId) {
    const { organisation } = yield* requireScope(operations.read)
    const found = yield* store.find(organisation.id, id).pipe(orNotFound("introduction", id))
    return yield* shown(found, organisation, yield* organisationNow)
  })

  const list = Effect.fn("Introductions.list")(function* (query: ListQuery) {
    const { organisation } = yield* requireScope(operations.list)
    const now = yield* organisationNow
    const page = yield* store.list(organisation.id, asOf(query, now))
    const data = yield* Effect.forEach(page.data, (each) => shown(each, organisation, now))
    return { data, has_more: page.has_more }
  })

  /**
   * Mails the invitation again, with the same address. Fails with {@link LimitReached} at the fourth resend, and with
   * {@link KeyRetired} when the address can no longer be derived.
   */
  const resendEmail = Effect.fn("Introductions.resendEmail")(function* (id: IntroductionId) {
    const { at, before, organisation, state } = yield* change.revise(operations.resendEmail, id, ({ at, before }) =>
      Effect.as(Effect.fromResult(IntroductionLimits.checkResends(before, at)), [{ _tag: "Resend", at }])
    )
    if (Option.isNone(yield* urls.working(before, organisation))) {
      return yield* new KeyRetired({ record: "introduction", id })
    }
    yield* post(state)
    return yield* shown(state, organisation, at)
  }, transaction.run)

  /** Revokes an introduction that has not ended. Repeating it leaves the record as it is. */
  const revoke = Effect.fn("Introductions.revoke")(function* (id: IntroductionId) {
    const { at, organisation, state } = yield* change.perform(operations.revoke, id, (at) => ({ _tag: "Revoke", at }), {
      repeat: "told again"
    })
    return yield* shown(state, organisation, at)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { send, read, list, resendEmail, revoke })
}) {}

/** The operations of {@link Introductions}. */
export const introductionOperations = operationsOf(Introductions, operations)
