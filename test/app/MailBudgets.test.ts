import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, type Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { Mails } from "../../src/app/outbox/Mails.ts"
import { Introductions } from "../../src/app/sharing/Introductions.ts"
import { Invitations } from "../../src/app/sharing/Invitations.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as Mail from "../../src/domain/kernel/Mail.ts"
import * as InviteToken from "../../src/domain/sharing/InviteToken.ts"
import { MailOutbox } from "../../src/ports/kernel/MailOutbox.ts"
import { makeManualClock } from "../support/ManualClock.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { cases } from "../support/Rounds.ts"
import { withFresh } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { failingTransport, inviter, Post, sendDue, sentMail, world } from "./MailerWorld.ts"

const day = 86_400_000

const another = (slug: string) =>
  Organisations.use((organisations) =>
    organisations.create(
      { slug, name: slug, timezone: "UTC", default_currency: "AUD", plan: "RAISE", sandbox_webhook_cidrs: [] },
      { actor: { type: "SYSTEM", id: "test" }, request_id: "req_test" }
    )
  ).pipe(
    Effect.orDie,
    Effect.map(({ live }) => live)
  )

const invite = (organisation: Organisation, invitee_email: string) =>
  Introductions.use((introductions) => introductions.send({ invitee_email, ttl_days: 90 })).pipe(
    asOperator(organisation),
    Effect.orDie
  )

/** The fiftieth that is pending is the last of a day: those that were looked at do not count, and are mailed all the same. */
const inviteAndView = Effect.fnUntraced(function* (organisation: Organisation, address: string) {
  const { invite_url } = yield* invite(organisation, address)
  const token = InviteToken.tokenIn(invite_url)
  yield* Effect.orDie(Invitations.use((invitations) => invitations.open({ token, request_id: "req_test" })))
})

const revoke = (organisation: Organisation, { id }: Effect.Success<ReturnType<typeof invite>>) =>
  Introductions.use((introductions) => introductions.revoke(id)).pipe(asOperator(organisation), Effect.orDie)

const listed = (organisation: Organisation, ...query: ReadonlyArray<readonly [string, string]>) =>
  Mails.use((mails) => mails.list(Result.getOrThrow(parse(Mail.listing, [["limit", "100"], ...query])))).pipe(
    asOperator(organisation),
    Effect.orDie,
    Effect.map(({ data }) => data)
  )

/** The most that lie within any day, said without the rule that is tested: of each sending, those less than a day before. */
const mostInADay = (times: ReadonlyArray<number>): number =>
  Math.max(0, ...times.map((at) => times.filter((each) => each <= at && at - each < day).length))

const { effect } = withFresh(world)

describe("mail budgets", () => {
  it.effect("hold in every window of a day, for addresses however they are written, and lose no mail", () =>
    Effect.promise(() =>
      forEveryAsyncWith(
        { numRuns: cases(25) },
        fc.array(
          fc.record({
            organisation: fc.nat(1),
            address: fc.constantFrom("bea@example.org", "BEA@Example.ORG", "Bea@example.org", "cy@example.org"),
            mails: fc.integer({ min: 1, max: 9 }),
            fails: fc.boolean(),
            waits: fc.integer({ min: 0, max: 9 * 3_600_000 })
          }),
          { minLength: 1, maxLength: 8 }
        ),
        (script) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const organisations = [yield* inviter, yield* another("quay")]
              const state = yield* Post
              const begun: Array<{ readonly to: string; readonly id: string; readonly at: number }> = []
              const watched = Effect.gen(function* () {
                const at = yield* Clock.currentTimeMillis
                for (const { id, to } of state.sent.splice(0)) begun.push({ to: to.toLowerCase(), id, at })
              })
              const work = Effect.andThen(sendDue, watched)
              let made = 0
              for (const { address, fails, mails, organisation, waits } of script) {
                const by = organisations[organisation] ?? organisations[0]
                if (by === undefined) throw new Error("there is an inviter")
                for (let count = 0; count < mails; count++) yield* inviteAndView(by, address)
                made += mails
                state.answer = Effect.succeed(fails ? failingTransport : sentMail)
                yield* work
                yield* TestClock.adjust(waits)
                yield* work
              }
              state.answer = Effect.succeed(sentMail)
              const outbox = yield* MailOutbox
              for (
                let next = yield* outbox.nextDue("written");
                Option.isSome(next);
                next = yield* outbox.nextDue("written")
              ) {
                yield* TestClock.adjust(Duration.max(next.value, Duration.millis(1)))
                yield* work
              }
              assert.strictEqual(new Set(begun.map(({ id }) => id)).size, made)
              for (const to of ["bea@example.org", "cy@example.org"]) {
                // Each mail once: what is tried again is the same mail.
                const last = new Map(begun.filter((each) => each.to === to).map(({ at, id }) => [id, at]))
                assert.isAtMost(mostInADay([...last.values()]), 10)
              }
            }).pipe(Effect.provide(world), Effect.provide(TestClock.layer()), Effect.scoped)
          )
      )
    )
  )

  effect("drop what was revoked while it waited, which then takes nobody's place", function* () {
    const organisation = yield* inviter
    const state = yield* Post
    for (let count = 0; count < 10; count++) yield* invite(organisation, "bea@example.org")
    yield* sendDue
    const revoked = []
    for (let count = 0; count < 25; count++) revoked.push(yield* invite(organisation, "bea@example.org"))
    const last = yield* invite(organisation, "bea@example.org")
    yield* sendDue
    yield* Effect.forEach(revoked, (each) => revoke(organisation, each))
    assert.strictEqual(state.sent.length, 10)
    yield* TestClock.adjust(day)
    yield* sendDue
    assert.strictEqual(state.sent.length, 11)
    assert.include(state.sent.at(-1)?.text ?? "", last.invite_url)
    assert.strictEqual((yield* listed(organisation, ["status", "DROPPED"])).length, 25)
  })

  effect("take 200 mails of an organisation a day, and the next one when the first is a day old", function* () {
    const organisation = yield* inviter
    const state = yield* Post
    for (let count = 0; count < 230; count++) yield* inviteAndView(organisation, `p${count}@example.org`)
    yield* sendDue
    assert.strictEqual(state.sent.length, 200)
    assert.strictEqual((yield* listed(organisation, ["delayed_by", "organisation_budget"])).length, 30)
    yield* invite(yield* another("quay"), "p1@example.org")
    yield* sendDue
    assert.strictEqual(state.sent.length, 201)
    yield* TestClock.adjust(day)
    yield* sendDue
    assert.strictEqual(state.sent.length, 231)
  })
})

describe("mails and clocks that are set", () => {
  const withClock = (
    test: (clock: ReturnType<typeof makeManualClock>) => Effect.Effect<void, never, Layer.Success<typeof world>>
  ) => {
    const clock = makeManualClock(Date.UTC(2026, 0, 15))
    return Effect.provideService(
      Effect.provide(
        Effect.suspend(() => test(clock)),
        world
      ),
      Clock.Clock,
      clock
    )
  }

  it.live("back by an hour hold up neither new mails nor those that wait for another attempt", () =>
    withClock((clock) =>
      Effect.gen(function* () {
        const organisation = yield* inviter
        const state = yield* Post
        state.answer = Effect.succeed(failingTransport)
        yield* invite(organisation, "bea@example.org")
        assert.strictEqual(yield* sendDue, 1)
        state.answer = Effect.succeed(sentMail)
        yield* invite(organisation, "cy@example.org")
        clock.now -= 3_600_000
        assert.strictEqual(yield* sendDue, 1, "the new one")
        clock.advance(59_000)
        assert.strictEqual(yield* sendDue, 0, "not early")
        clock.advance(2_000)
        assert.strictEqual(yield* sendDue, 1, "the one that failed")
        assert.strictEqual(state.sent.length, 3)
      })
    )
  )

  it.live("years ahead and back keep a budget for a day at most, and let nothing through early", () =>
    withClock((clock) =>
      Effect.gen(function* () {
        const organisation = yield* inviter
        const state = yield* Post
        yield* sendDue
        clock.now += 1_000 * day
        for (let count = 0; count < 12; count++) yield* invite(organisation, "bea@example.org")
        yield* sendDue
        assert.strictEqual(state.sent.length, 10)
        clock.now -= 1_000 * day
        yield* sendDue
        clock.advance(day - 2_000)
        yield* sendDue
        assert.strictEqual(state.sent.length, 10)
        clock.advance(3_000)
        yield* sendDue
        assert.strictEqual(state.sent.length, 12)
      })
    )
  )
})
