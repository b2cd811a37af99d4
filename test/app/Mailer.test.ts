import { assert, describe } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import { Mailer } from "../../src/app/outbox/Mailer.ts"
import { Introductions } from "../../src/app/sharing/Introductions.ts"
import { makeInviteUrls } from "../../src/app/sharing/introduction/InviteUrls.ts"
import type { EmailCode } from "../../src/domain/access/EmailCode.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { EmailCodeId, type IntroductionId } from "../../src/domain/kernel/Ids.ts"
import * as Mail from "../../src/domain/kernel/Mail.ts"
import * as InviteToken from "../../src/domain/sharing/InviteToken.ts"
import { EmailCodeStore, type MailMessage, MailOutbox } from "../../src/ports.ts"
import { freshId } from "../../src/testing/conformance/Records.ts"
import { keyRing } from "../conformance/KeyRings.ts"
import { withFresh } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { failingTransport, inviter, Post, sendDue, sentMail, world } from "./MailerWorld.ts"

const invite = (organisation: Organisation) =>
  Introductions.use((introductions) =>
    introductions.send({ invitee_email: "bea@example.org", invitee_message: "Join us", ttl_days: 90 })
  ).pipe(asOperator(organisation), Effect.orDie)

const revoke = (organisation: Organisation, id: IntroductionId) =>
  Introductions.use((introductions) => introductions.revoke(id)).pipe(asOperator(organisation), Effect.orDie)

const mailOf = Effect.fnUntraced(function* (organisation: Organisation, message: MailMessage | undefined) {
  const outbox = yield* MailOutbox
  const id = Mail.Mail.fields.id.make(message?.id ?? "")
  return Option.getOrThrow(yield* outbox.find(organisation.id, id))
})

const { effect } = withFresh(world)

describe("the mailer", () => {
  effect("sends each mail once, made from the introduction as it is", function* () {
    const organisation = yield* inviter
    const introduction = yield* invite(organisation)
    const state = yield* Post
    assert.strictEqual(yield* sendDue, 1)
    assert.strictEqual(yield* sendDue, 0)
    const [message, ...rest] = state.sent
    assert.deepStrictEqual(rest, [])
    assert.strictEqual(message?.to, "bea@example.org")
    assert.include(message?.text, introduction.invite_url)
    assert.include(message?.text, "Join us")
    const mail = yield* mailOf(organisation, message)
    assert.deepInclude(mail, { status: "SENT", attempt_count: 1, next_attempt_at: null })
    assert.notInclude(JSON.stringify(mail), "bea@")
  })

  effect("tries what somebody asked for again for 15 minutes, and never sends it later", function* () {
    const { id: organisation_id } = yield* inviter
    const state = yield* Post
    const mailCode = Effect.gen(function* () {
      const now = yield* DateTime.now
      const [id, mail_id] = [yield* freshId("emailCode"), yield* freshId("mail")]
      const code: EmailCode = {
        id: EmailCodeId.make(id),
        organisation_id,
        subject: "a gift",
        email: "ada@example.org",
        email_key: "ada@example.org",
        language: null,
        token_key_id: "a",
        tries: 0,
        created_at: now
      }
      yield* EmailCodeStore.use((store) => store.add(code, now))
      const about = { organisation_id, template: "card_code", subject_id: id, recipient_id: null } as const
      yield* MailOutbox.use((outbox) =>
        outbox.add(Mail.create({ id: Mail.Mail.fields.id.make(mail_id), ...about }, now))
      )
    })
    yield* mailCode
    assert.strictEqual(yield* sendDue, 1)
    const [sent] = state.sent
    assert.strictEqual(sent?.to, "ada@example.org")
    assert.match(sent?.text ?? "", /^Code: \d{6}$/m)
    state.answer = Effect.succeed(failingTransport)
    yield* mailCode
    for (let minute = 0; minute < 60; minute++) {
      yield* sendDue
      yield* TestClock.adjust("1 minute")
    }
    assert.lengthOf(state.sent, 5)
    // Nobody was there to send the last one in time.
    state.answer = Effect.succeed(sentMail)
    yield* mailCode
    yield* TestClock.adjust("15 minutes")
    assert.strictEqual(yield* sendDue, 1)
    assert.lengthOf(state.sent, 5)
    assert.strictEqual(yield* sendDue, 0)
  })

  effect("sends nothing when there is nothing left to say, and stops at a refusal for good", function* () {
    const organisation = yield* inviter
    const revoked = yield* invite(organisation)
    yield* revoke(organisation, revoked.id)
    const state = yield* Post
    assert.strictEqual(yield* sendDue, 1)
    assert.deepStrictEqual(state.sent, [])
    yield* invite(organisation)
    state.answer = Effect.succeed({ _tag: "Refused", reason: "EENVELOPE 550" })
    assert.strictEqual(yield* sendDue, 1)
    assert.deepInclude(yield* mailOf(organisation, state.sent[0]), { status: "FAILED", attempt_count: 1 })
    assert.isTrue(Option.isNone(yield* (yield* MailOutbox).nextDue("written")))
  })

  effect("sends what is due again when a worker went away, or broke", function* () {
    const organisation = yield* inviter
    yield* invite(organisation)
    const state = yield* Post
    state.answer = Effect.die(new Error("broken"))
    assert.strictEqual(yield* sendDue, 1)
    state.answer = Effect.succeed(sentMail)
    assert.strictEqual(yield* sendDue, 0)
    yield* TestClock.adjust(Duration.seconds(Mail.leaseSeconds))
    assert.strictEqual(yield* sendDue, 1)
    assert.deepInclude(yield* mailOf(organisation, state.sent[0]), { status: "SENT", attempt_count: 2 })
  })

  effect("sends at once what is committed while it runs, and what is due while nobody hints", function* () {
    const organisation = yield* inviter
    const state = yield* Post
    const running = yield* Effect.forkChild(Mailer.use((mailer) => mailer.run))
    const settled = Effect.gen(function* () {
      for (let turn = 0; turn < 500; turn++) yield* Effect.yieldNow
    })
    yield* settled
    yield* invite(organisation)
    yield* settled
    assert.strictEqual(state.sent.length, 1)
    state.answer = Effect.succeed(failingTransport)
    yield* invite(organisation)
    yield* settled
    assert.strictEqual(state.sent.length, 2)
    yield* TestClock.adjust("70 seconds")
    yield* settled
    assert.strictEqual(state.sent.length, 3)
    yield* Fiber.interrupt(running)
  })

  effect("lets what is under way end when it is told to stop", function* () {
    const organisation = yield* inviter
    const state = yield* Post
    const gate = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    state.answer = Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as(sentMail))
    yield* invite(organisation)
    const running = yield* Effect.forkChild(Mailer.use((mailer) => mailer.run))
    yield* Deferred.await(begun)
    const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
    yield* Effect.yieldNow
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(stopping)
    assert.deepInclude(yield* mailOf(organisation, state.sent[0]), { status: "SENT" })
  })
})

describe("invite addresses", () => {
  const urlsWith = (ring: ReadonlyArray<string>) =>
    Effect.provide(makeInviteUrls, Layer.provide(Layer.fresh(EncryptionKeys.layerMacs), keyRing(ring)))

  effect("stay as they are through rotations, and end with their key", function* () {
    const organisation = yield* inviter
    const { id } = yield* invite(organisation)
    const old = yield* urlsWith(["a"])
    const introduction = { id, token_key_id: old.newestKey }
    const url = yield* old.shared(introduction, organisation)
    const rotated = yield* urlsWith(["b", "a"])
    assert.strictEqual(rotated.newestKey, "b")
    assert.strictEqual(yield* rotated.shared(introduction, organisation), url)
    const { mac } = Option.getOrThrow(InviteToken.read(InviteToken.tokenIn(url)))
    assert.isTrue(yield* rotated.vouches(introduction, mac))
    const without = yield* urlsWith(["b"])
    assert.isTrue(Option.isNone(yield* without.working(introduction, organisation)))
    assert.notInclude(yield* without.shared(introduction, organisation), mac)
    assert.isFalse(yield* without.vouches(introduction, mac))
  })

  effect("are not mailed again once their key is gone", function* () {
    const organisation = yield* inviter
    const { id } = yield* invite(organisation)
    const retired = Layer.provide(Layer.fresh(EncryptionKeys.layerMacs), keyRing(["b"]))
    const without = Layer.provide(Layer.fresh(Introductions.layer), retired)
    const failure = yield* Introductions.use((introductions) => introductions.resendEmail(id)).pipe(
      asOperator(organisation),
      Effect.provide(without),
      Effect.flip
    )
    assert.deepInclude(failure, { _tag: "KeyRetired", id })
  })
})
