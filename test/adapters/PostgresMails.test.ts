import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Logger, type Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as Stores from "../../src/adapters/postgres/Stores.ts"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import { ChangeLog } from "../../src/app/access/change/Change.ts"
import { KeyCache } from "../../src/app/access/key/KeyCache.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { Attributions } from "../../src/app/kernel/reaction/Attributions.ts"
import { Reactions } from "../../src/app/kernel/reaction/Reactions.ts"
import { Mailer } from "../../src/app/outbox/Mailer.ts"
import { Mails } from "../../src/app/outbox/Mails.ts"
import { Introductions } from "../../src/app/sharing/Introductions.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as Mail from "../../src/domain/kernel/Mail.ts"
import { type MailMessage, type MailOutcome, MailTransport } from "../../src/ports/outbox/MailTransport.ts"
import { keyRing } from "../conformance/KeyRings.ts"
import { secretBox } from "../conformance/Seal.ts"
import { fieldsOf } from "../support/Answer.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { live } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"

const hour = 3_600_000

/** A process: the mails and the log lines that it was given, and how its transport answers. */
interface Watch {
  readonly sent: Array<MailMessage>
  readonly logs: Array<string>
  answer: Effect.Effect<MailOutcome>
}

type Parts = Introductions | Mails | Organisations | Mailer | SqlClient.SqlClient

/** The service's parts over a pool of their own. */
const layerOf = (url: Redacted.Redacted<string>, watch: Watch): Layer.Layer<Parts> => {
  const transport = Layer.succeed(MailTransport, {
    send: (message) =>
      Effect.suspend(() => {
        watch.sent.push(message)
        return watch.answer
      })
  })
  const logger = Logger.make<unknown, void>((entry) => {
    watch.logs.push(Logger.formatJson.log(entry))
  })
  return Layer.mergeAll(Introductions.layer, Mails.layer, Organisations.layer, Mailer.layer).pipe(
    Layer.provide(
      Layer.mergeAll(ChangeLog.layer, KeyCache.layer, Layer.mock(Reactions, {}), Layer.mock(Attributions, {}))
    ),
    Layer.provide(Layer.provide(Processors.layer(), secretBox)),
    Layer.provide(Layer.provide(Stores.layer, secretBox)),
    Layer.provide(transport),
    Layer.provide(Layer.merge(Tokens.layer, Layer.provide(EncryptionKeys.layerMacs, keyRing(["a"])))),
    Layer.provideMerge(Layer.provideMerge(Migrations.layer, Client.layerServer({ url, max_connections: 4 }))),
    Layer.provideMerge(Logger.layer([logger])),
    Layer.orDie
  )
}

const clockAhead = (ahead: number): Effect.Effect<Clock.Clock> =>
  Effect.clockWith((real) =>
    Effect.succeed<Clock.Clock>({
      currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + ahead,
      currentTimeMillis: Effect.map(real.currentTimeMillis, (millis) => millis + ahead),
      currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n,
      currentTimeNanos: Effect.map(real.currentTimeNanos, (nanos) => nanos + BigInt(ahead) * 1_000_000n),
      monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: real.monotonicTimeNanos,
      sleep: (duration) => real.sleep(duration)
    })
  )

/** A process whose clock is `ahead` of the machine's, milliseconds. */
const process = Effect.fnUntraced(function* (url: Redacted.Redacted<string>, ahead = 0) {
  const watch: Watch = { sent: [], logs: [], answer: Effect.succeed({ _tag: "Sent" }) }
  const context = yield* Layer.build(Layer.fresh(layerOf(url, watch)))
  const clock = yield* clockAhead(ahead)
  const run = <A, E>(effect: Effect.Effect<A, E, Parts>): Effect.Effect<A> =>
    Effect.orDie(Effect.provideContext(effect, Context.add(context, Clock.Clock, clock)))
  return { ...watch, watch, run, sendDue: run(Mailer.use((mailer) => mailer.sendDue)) }
})

type Process = Effect.Success<ReturnType<typeof process>>

const organisationIn = (by: Process, slug: string) =>
  by.run(
    Effect.map(
      Organisations.use((organisations) =>
        organisations.create(
          { slug, name: slug, timezone: "UTC", default_currency: "AUD", plan: "RAISE", sandbox_webhook_cidrs: [] },
          { actor: { type: "SYSTEM", id: "test" }, request_id: "req_test" }
        )
      ),
      ({ live }) => live
    )
  )

const invite = (by: Process, organisation: Organisation, invitee_email: string) =>
  by.run(Introductions.use((each) => each.send({ invitee_email })).pipe(asOperator(organisation)))

const listed = (by: Process, organisation: Organisation, ...query: ReadonlyArray<readonly [string, string]>) =>
  by.run(
    Mails.use((mails) => mails.list(Result.getOrThrow(parse(Mail.listing, [["limit", "100"], ...query])))).pipe(
      asOperator(organisation),
      Effect.map(({ data }) => data)
    )
  )

/** Statements that no store sends. */
const alter = (by: Process, statement: string) => by.run(SqlClient.SqlClient.use((sql) => sql.unsafe(statement)))

const addressed = (sent: ReadonlyArray<MailMessage>, to: string): number =>
  sent.filter((message) => message.to.toLowerCase() === to).length

describe("mails of several processes", () => {
  live("are as many to one address as its budget holds, and none to another is held up", function* () {
    const url = yield* freshUrl
    const all = [yield* process(url), yield* process(url), yield* process(url)]
    const [first] = all
    if (first === undefined) return assert.fail("there is a process")
    const organisations = yield* Effect.forEach(["a", "b", "c"], (slug) => organisationIn(first, slug))
    for (const organisation of organisations) {
      for (let count = 0; count < 12; count++) yield* invite(first, organisation, "BEA@example.org")
      yield* invite(first, organisation, `${organisation.slug}@example.org`)
    }
    yield* Effect.forEach(all, ({ sendDue }) => sendDue, { concurrency: "unbounded" })
    const sent = all.flatMap((each) => each.sent)
    assert.strictEqual(addressed(sent, "bea@example.org"), 10)
    for (const { slug } of organisations) assert.strictEqual(addressed(sent, `${slug}@example.org`), 1)
    assert.strictEqual(new Set(sent.map(({ id }) => id)).size, 13)
    assert.isAbove(all.flatMap(({ logs }) => logs).filter((line) => line.includes("waits until")).length, 25)
    // A day later, as far as the database can tell.
    yield* alter(first, "UPDATE mails SET begun_at = begun_at - interval '1 day'")
    yield* alter(first, "UPDATE mail_budgets SET opens_at = opens_at - interval '1 day'")
    yield* Effect.forEach(all, ({ sendDue }) => sendDue, { concurrency: "unbounded" })
    const later = all.flatMap((each) => each.sent)
    assert.strictEqual(addressed(later, "bea@example.org"), 20)
    const of = (slug: string) => later.filter(({ subject }) => subject.startsWith(`${slug} `)).length - 1
    for (const { slug } of organisations) assert.isAtLeast(of(slug), 4, "each organisation has its turn")
    const [some] = organisations
    if (some === undefined) return
    const waiting = yield* listed(first, some, ["delayed_by", "address_budget"])
    const now = yield* Clock.currentTimeMillis
    for (const { next_attempt_at } of waiting) {
      assert.isAbove(Number(next_attempt_at?.epochMilliseconds), now + 23 * hour)
      assert.isBelow(Number(next_attempt_at?.epochMilliseconds), now + 25 * hour)
    }
  })

  it.live("are sent once each and at once, however far apart the processes' clocks are", () =>
    Effect.gen(function* () {
      const url = yield* freshUrl
      const ahead = yield* process(url, 2 * hour)
      const behind = yield* process(url, -2 * hour)
      const organisation = yield* organisationIn(ahead, "a")
      const gate = yield* Deferred.make<void>()
      behind.watch.answer = Effect.as(Deferred.await(gate), { _tag: "Sent" })
      yield* invite(ahead, organisation, "bea@example.org")
      yield* invite(behind, organisation, "cy@example.org")
      const sending = yield* Effect.forkChild(behind.sendDue)
      const begun = Effect.sync(() => behind.sent.length)
      // Both are due, though they were made by a clock that says later.
      yield* Effect.repeat(Effect.andThen(Effect.sleep("10 millis"), begun), { until: (count) => count === 2 })
      assert.strictEqual(yield* ahead.sendDue, 0, "what another process holds is its own")
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(sending), 2)
      assert.deepStrictEqual(ahead.sent, [])
    }).pipe(Effect.scoped, Effect.timeout("30 seconds"))
  )

  live("go on when the database's clock was set back by an hour, and none comes early", function* () {
    const url = yield* freshUrl
    const before = yield* process(url)
    const organisation = yield* organisationIn(before, "a")
    for (let count = 0; count < 11; count++) yield* invite(before, organisation, "bea@example.org")
    before.watch.answer = Effect.succeed({ _tag: "Failed", reason: "ECONNECTION" })
    yield* before.sendDue
    yield* invite(before, organisation, "cy@example.org")
    // Makes every stored time lie an hour ahead, as after a clock was set back.
    const ahead = (column: string) => `${column} = ${column} + interval '1 hour'`
    yield* alter(before, `UPDATE mails SET ${["next_attempt_at", "begun_at", "created_at"].map(ahead).join(", ")}`)
    yield* alter(before, `UPDATE mail_budgets SET ${ahead("opens_at")}`)
    const after = yield* process(url)
    assert.strictEqual(yield* after.sendDue, 1)
    assert.deepStrictEqual(fieldsOf(after.sent, "to"), ["cy@example.org"])
    const now = yield* Clock.currentTimeMillis
    const rows = yield* listed(after, organisation, ["status", "PENDING"])
    for (const { delayed_by, next_attempt_at } of rows) {
      const wait = Number(next_attempt_at?.epochMilliseconds) - now
      if (delayed_by === null) assert.isAtMost(wait, 61_000)
      else assert.isTrue(wait > 23 * hour && wait < 25 * hour, `${wait}`)
    }
  })
})

describe("a hundred thousand mails that wait", () => {
  it.live("cost the others nothing: a claim reads what it hands out, and little more", () =>
    Effect.gen(function* () {
      const one = yield* process(yield* freshUrl)
      const flood = yield* organisationIn(one, "flood")
      const other = yield* organisationIn(one, "other")
      yield* alter(
        one,
        `INSERT INTO mails (organisation_id, id, template, subject_id, status, attempt_count, created_at, delayed_by, waits_for)
         SELECT '${flood.id}', 'mail_' || lpad(n::text, 26, '0'), 'introduction', 'intr_' || lpad(n::text, 26, '0'),
                'PENDING', 0, now(), 'organisation_budget', 'organisation_budget ${flood.id}'
         FROM generate_series(1, 100000) AS n`
      )
      // Its budget is used up.
      yield* alter(
        one,
        `INSERT INTO mails (organisation_id, id, template, subject_id, status, attempt_count, created_at, begun_at, completed_at)
         SELECT '${flood.id}', 'mail_' || lpad((200000 + n)::text, 26, '0'), 'introduction', 'intr_0', 'SENT', 1, now(), now(), now()
         FROM generate_series(1, 200) AS n`
      )
      yield* alter(one, `INSERT INTO mail_budgets VALUES ('organisation_budget ${flood.id}', now() + interval '1 day')`)
      const read = Effect.map(
        Effect.andThen(
          alter(one, "SELECT pg_stat_force_next_flush()"),
          one.run(
            SqlClient.SqlClient.use(
              (sql) => sql<{ readonly rows: bigint }>`
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_user_tables WHERE relname = 'mails'`
            )
          )
        ),
        ([row]) => Number(row?.rows)
      )
      for (let count = 0; count < 8; count++) yield* invite(one, other, `p${count}@example.org`)
      // The first look of a worker mends, and reads everything once.
      yield* one.sendDue
      assert.strictEqual(one.sent.length, 8)
      for (let count = 0; count < 8; count++) yield* invite(one, other, `q${count}@example.org`)
      const before = yield* read
      yield* one.sendDue
      const after = yield* read
      assert.strictEqual(one.sent.length, 16)
      assert.isBelow(after - before, 5_000)
    }).pipe(Effect.scoped, Effect.timeout("60 seconds"))
  )
})

describe("a lane of mails", () => {
  it.live("goes its way beside a hundred thousand that are due in another", () =>
    Effect.gen(function* () {
      const one = yield* process(yield* freshUrl)
      const flood = yield* organisationIn(one, "flood")
      // Reminders are owed; nothing is owed here, so that each is dropped when its turn comes.
      yield* alter(
        one,
        `INSERT INTO mails (organisation_id, id, template, subject_id, status, attempt_count, created_at, next_attempt_at, lane)
         SELECT '${flood.id}', 'mail_' || lpad(to_hex(n), 26, '0'), 'disclosure_duties', '2026-01-15', 'PENDING', 0, now(), now(), 'owed'
         FROM generate_series(1, 100000) AS n`
      )
      const working = yield* Effect.forkChild(one.run(Mailer.use((mailer) => mailer.run)))
      const ended = Effect.map(listed(one, flood, ["status", "DROPPED"]), (mails) => mails.length)
      yield* Effect.repeat(ended, { until: (count) => count > 0 })
      yield* invite(one, flood, "bea@example.org")
      yield* Effect.repeat(
        Effect.andThen(
          Effect.sleep("5 millis"),
          Effect.sync(() => one.sent.length)
        ),
        { until: (count) => count === 1 }
      )
      const [left] = yield* one.run(
        SqlClient.SqlClient.use(
          (sql) => sql<{ readonly mails: number }>`SELECT count(*)::int4 AS mails FROM mails WHERE completed_at IS NULL`
        )
      )
      assert.isAbove(left?.mails ?? 0, 90_000)
      yield* Fiber.interrupt(working)
    }).pipe(Effect.scoped, Effect.timeout("60 seconds"))
  )
})

/** Values that no version of the service writes, or that a later one may. */
const damages = [
  "template = 'receipt_of_the_future'",
  "status = 'QUEUED'",
  "attempt_count = -2147483648",
  "attempt_count = 2147483647",
  "subject_id = ''",
  "created_at = 'infinity'",
  "created_at = '-infinity'",
  "next_attempt_at = '-infinity'",
  "completed_at = 'infinity'",
  "delayed_by = 'nobody'",
  "lease_id = ''",
  "id = 'not an id but ' || subject_id"
] as const

describe("mails that cannot be read", () => {
  it.live("are set aside and told of once, and every other mail is sent", () =>
    Effect.gen(function* () {
      const one = yield* process(yield* freshUrl)
      const organisation = yield* organisationIn(one, "a")
      let made = 0
      yield* Effect.promise(() =>
        forEveryAsyncWith(
          { numRuns: 12, examples: [[[...damages, null, null]]] },
          fc.array(fc.option(fc.constantFrom(...damages)), { minLength: 1, maxLength: 14 }),
          (script) =>
            Effect.runPromise(
              Effect.gen(function* () {
                one.sent.splice(0)
                one.logs.splice(0)
                yield* alter(one, "DELETE FROM mails")
                yield* alter(one, "UPDATE introductions SET status = 'VIEWED'")
                const sound: Array<string> = []
                for (const damage of script) {
                  made += 1
                  const to = `p${made}@example.org`
                  const { id } = yield* invite(one, organisation, to)
                  if (damage === null) sound.push(to)
                  else yield* alter(one, `UPDATE mails SET ${damage} WHERE subject_id = '${id}'`)
                }
                yield* one.sendDue
                yield* one.sendDue
                const reached = one.sent.map(({ to }) => to)
                assert.includeMembers(reached, sound)
                const unreadable = yield* listed(one, organisation, ["status", "UNREADABLE"])
                const told = one.logs.filter((line) => line.includes("cannot be read"))
                assert.strictEqual(told.length, unreadable.length)
                for (const { id } of unreadable) assert.isTrue(told.some((line) => line.includes(id)))
                // Nothing is neither: sent, set aside, or waiting for a time of its own.
                assert.strictEqual((yield* listed(one, organisation)).length, script.length)
              })
            )
        )
      )
    }).pipe(Effect.scoped, Effect.timeout("90 seconds"))
  )

  live("are sent once they can be, by the next worker that starts", function* () {
    const url = yield* freshUrl
    const older = yield* process(url)
    const organisation = yield* organisationIn(older, "a")
    const { id } = yield* invite(older, organisation, "bea@example.org")
    yield* alter(older, `UPDATE mails SET template = 'pledge' WHERE subject_id = '${id}'`)
    yield* older.sendDue
    const [aside] = yield* listed(older, organisation)
    assert.deepInclude(aside, { status: "UNREADABLE", template: "pledge", next_attempt_at: null })
    yield* alter(older, "UPDATE mails SET template = 'introduction'")
    assert.strictEqual(yield* older.sendDue, 0)
    const newer = yield* process(url)
    assert.strictEqual(yield* newer.sendDue, 1)
    assert.strictEqual(newer.sent.length, 1)
  })

  live("because their record cannot be, are tried again and hold up no other", function* () {
    const one = yield* process(yield* freshUrl)
    const organisation = yield* organisationIn(one, "a")
    const { id } = yield* invite(one, organisation, "bea@example.org")
    yield* invite(one, organisation, "cy@example.org")
    yield* alter(one, `UPDATE introductions SET resend_count = 99 WHERE id = '${id}'`)
    assert.strictEqual(yield* one.sendDue, 2)
    assert.strictEqual(one.sent.length, 1)
    const waiting = yield* listed(one, organisation, ["status", "PENDING"])
    assert.strictEqual(waiting.length, 1)
    assert.isAbove(Number(waiting[0]?.next_attempt_at?.epochMilliseconds), yield* Clock.currentTimeMillis)
  })
})
