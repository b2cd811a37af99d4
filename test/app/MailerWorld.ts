import { Context, DateTime, Effect, Layer } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import { ChangeLog } from "../../src/app/access/change/Change.ts"
import { KeyCache } from "../../src/app/access/key/KeyCache.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { Attributions } from "../../src/app/kernel/reaction/Attributions.ts"
import { Reactions } from "../../src/app/kernel/reaction/Reactions.ts"
import { Mailer } from "../../src/app/outbox/Mailer.ts"
import { Mails } from "../../src/app/outbox/Mails.ts"
import { Introductions } from "../../src/app/sharing/Introductions.ts"
import { Invitations } from "../../src/app/sharing/Invitations.ts"
import type { Role } from "../../src/domain/access/Membership.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { UserId } from "../../src/domain/kernel/Ids.ts"
import { type MailMessage, type MailOutcome, MailTransport, UserStore } from "../../src/ports.ts"
import { newUser } from "../../src/testing/conformance/Users.ts"
import { keyRing } from "../conformance/KeyRings.ts"
import { secretBox } from "../conformance/Seal.ts"
import { harbourTrust } from "../support/HarbourTrust.ts"

/** A transport that does what the test says, and remembers what it was given. */
export class Post extends Context.Service<
  Post,
  { answer: Effect.Effect<MailOutcome>; readonly sent: Array<MailMessage> }
>()("test/Post") {}

export const sentMail: MailOutcome = { _tag: "Sent" }
export const failingTransport: MailOutcome = { _tag: "Failed", reason: "ECONNECTION" }

const post = Layer.sync(Post, () => ({ answer: Effect.succeed(sentMail), sent: [] }))

const transport = Layer.effect(
  MailTransport,
  Effect.map(Post, (state) =>
    MailTransport.of({
      send: (message) =>
        Effect.suspend(() => {
          state.sent.push(message)
          return state.answer
        })
    })
  )
)

/** The mailer and what mails are about, over a memory. */
export const world = Layer.mergeAll(
  Introductions.layer,
  Invitations.layer,
  Mails.layer,
  Organisations.layer,
  Mailer.layer
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(ChangeLog.layer, KeyCache.layer, Layer.mock(Reactions, {}), Layer.mock(Attributions, {}))
  ),
  Layer.provide(Layer.provide(Processors.layer(), secretBox)),
  Layer.provideMerge(Layer.provide(Stores.layer, secretBox)),
  Layer.provideMerge(Layer.provideMerge(transport, post)),
  Layer.provideMerge(Layer.merge(Tokens.layer, Layer.provide(EncryptionKeys.layerMacs, keyRing(["a"]))))
)

/** An organisation that invites partners. */
export const inviter = Effect.map(harbourTrust, ({ live }) => live)

/** Sends what is due, and answers how many mails that were. */
export const sendDue = Mailer.use((mailer) => mailer.sendDue)

export const setRole = Effect.fnUntraced(function* (organisation: Organisation, user_id: UserId, role: Role) {
  const at = yield* DateTime.now
  const membership = { organisation_id: organisation.id, user_id, role, created_at: at, updated_at: at }
  yield* UserStore.use((store) => store.putMembership(membership))
})

export const addMember = Effect.fnUntraced(function* (organisation: Organisation, email: string, role: Role) {
  const { id } = yield* newUser({ email })
  yield* setRole(organisation, id, role)
  return id
})

/** Whom mails were sent to. */
export const sentTo = Effect.map(Post, ({ sent }) => sent.map(({ to }) => to).toSorted())
