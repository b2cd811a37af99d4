import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import { ChangeLog } from "../../src/app/access/change/Change.ts"
import { Plan, Sweeper } from "../../src/app/outbox/Sweeper.ts"
import { CheckoutLinkId, DonationId } from "../../src/domain/kernel/Ids.ts"
import * as Mail from "../../src/domain/kernel/Mail.ts"
import { lineOf, type Swept, standardPlan } from "../../src/domain/outbox/Sweep.ts"
import * as Ports from "../../src/ports.ts"
import { checkoutLinkOf } from "../../src/testing/conformance/DonationForms.ts"
import { deliveryOf, endpointOf, eventOf, freshId, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { secretBox } from "../conformance/Seal.ts"
import { valueAt } from "../support/Answer.ts"
import { changePort } from "../support/ChangePort.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { type Service, startService } from "../support/Service.ts"
import { withFresh } from "../support/Steps.ts"
import { everyKind, memory, server } from "../support/Stores.ts"
import { auditOf, makeTenant } from "../support/Tenant.ts"

const hour = 3_600_000
const day = 24 * hour

const nothing: Swept = {
  introductions_expired: 0,
  checkout_links_expired: 0,
  webhook_endpoints_disabled: 0,
  organisations_reminded: 0,
  yearly_summaries_written: 0,
  idempotency_records_forgotten: 0,
  deliveries_trimmed: 0,
  mails_trimmed: 0,
  notices_trimmed: 0,
  passphrase_failures_trimmed: 0,
  card_guards_trimmed: 0,
  email_codes_trimmed: 0,
  donors_reindexed: 0,
  records_unreadable: 0
}

const sweepOf = (service: Service) => service.run(Sweeper.use(({ sweepOnce }) => sweepOnce))

/** The sums of several sweeps. */
const together = (sweeps: ReadonlyArray<Swept>): Readonly<Record<string, number>> => {
  const counts = Object.keys(nothing) as ReadonlyArray<keyof Swept>
  return Object.fromEntries(counts.map((count) => [count, sweeps.reduce((sum, each) => sum + each[count], 0)]))
}

describe.each(everyKind)("the sweeper over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const tenant = anew(async () => {
    // Sweeps the records of earlier tests.
    service.clock.advance(100 * day)
    await sweepOf(service)
    return makeTenant(service, "RAISE")
  })

  const sweep = () => sweepOf(service)
  const now = () => DateTime.makeUnsafe(service.clock.now)
  const instantIn = (millis: number) => DateTime.makeUnsafe(service.clock.now + millis)

  const link = async (hours: number) => {
    const expires_at = DateTime.formatIso(instantIn(hours * hour))
    const body = { donor_email: "ada@example.org", amount_cents: 5_000, expires_at }
    return CheckoutLinkId.make((await tenant.writer.post("/checkout-links", body)).textAt("id"))
  }

  const invite = async (ttl_days: number) =>
    (await tenant.writer.post("/introductions", { invitee_email: "bea@example.org", ttl_days })).textAt("id")

  const told = async (owner = tenant) =>
    (await owner.reader.get("/events?limit=100"))
      .listAt("data")
      .map((each) => `${valueAt(each, "type")} ${valueAt(each, "data.status")} ${valueAt(each, "data.id")}`)

  const statusOf = async (id: string) => (await tenant.reader.get(`/checkout-links/${id}`)).at("status")

  const storedLink = (id: CheckoutLinkId) =>
    service.run(
      Ports.CheckoutLinkStore.use((store) => Effect.map(store.find(tenant.organisation.id, id), Option.getOrThrow))
    )

  it("writes and tells each expiry once, to its organisation, however many sweep at once", async () => {
    const other = await makeTenant(service, "RAISE")
    const [first, second] = [await link(1), await link(24)]
    const [theirs, ours] = [
      (await other.writer.post("/introductions", { invitee_email: "cy@example.org", ttl_days: 1 })).textAt("id"),
      await invite(1)
    ]
    const [later, many] = [await link(25), await Promise.all(Array.from({ length: 20 }, () => link(2)))]
    await invite(2)
    const before = [(await told()).length, (await told(other)).length]
    service.clock.advance(day)
    const swept = together(await Promise.all(Array.from({ length: 5 }, sweep)))
    assert.deepStrictEqual(swept, { ...nothing, introductions_expired: 2, checkout_links_expired: 22 })
    const [mine, foreign] = [await told(), await told(other)]
    assert.sameMembers(mine.slice(0, mine.length - (before[0] ?? 0)), [
      ...[first, second, ...many].map((id) => `checkout_link.updated EXPIRED ${id}`),
      `introduction.expired EXPIRED ${ours}`
    ])
    assert.deepStrictEqual(foreign.slice(0, foreign.length - (before[1] ?? 0)), [
      `introduction.expired EXPIRED ${theirs}`
    ])
    assert.strictEqual(await statusOf(later), "ACTIVE")
    const audited = (await auditOf(service, tenant.organisation)).filter(({ actor_id }) => actor_id === "sweeper")
    assert.lengthOf(audited, 23)
    assert.isTrue(audited.every(({ actor_type }) => actor_type === "SYSTEM"))
    assert.deepStrictEqual(await sweep(), nothing)
    const line = service.logs.find((each) => each.includes(lineOf(nothing)))
    assert.isDefined(line)
    assert.isFalse(service.logs.some((each) => each.includes("@example.org")))
  })

  it("writes of an archived link what its reads show, and leaves one with a gift in progress", async () => {
    const [archived, paying] = [await link(1), await link(1)]
    await tenant.writer.delete(`/checkout-links/${archived}`)
    const pending_donation_id = DonationId.make("don_01jh00000000000000000000zz")
    const facts = { ...(await storedLink(paying)), pending_donation_id }
    await service.run(Ports.CheckoutLinkStore.use((store) => store.update(facts)))
    service.clock.advance(hour)
    const before = await tenant.reader.get(`/checkout-links/${archived}`)
    assert.strictEqual(before.at("status"), "EXPIRED")
    assert.strictEqual((await storedLink(archived)).status, "ACTIVE")
    assert.deepStrictEqual(await sweep(), { ...nothing, checkout_links_expired: 1 })
    const after = await storedLink(archived)
    assert.deepInclude(after, { status: "EXPIRED" })
    assert.strictEqual(
      (await tenant.reader.get(`/checkout-links/${archived}`)).at("archived_at"),
      before.at("archived_at")
    )
    assert.strictEqual((await told())[0], `checkout_link.updated EXPIRED ${archived}`)
    assert.deepStrictEqual([await statusOf(paying), (await sweep()).checkout_links_expired], ["ACTIVE", 0])
  })

  it("leaves nothing half done when it breaks, and finishes the next time", async () => {
    const id = await link(1)
    await invite(1)
    service.clock.advance(day)
    const before = await told()
    service.faults.writesBreak = true
    await sweep().then(
      () => assert.fail("the sweep did not tell that it broke"),
      () => undefined
    )
    service.faults.writesBreak = false
    assert.strictEqual((await storedLink(id)).status, "ACTIVE")
    assert.deepStrictEqual(await told(), before)
    assert.deepStrictEqual(await sweep(), { ...nothing, introductions_expired: 1, checkout_links_expired: 1 })
  })

  it("disables endpoints that have failed for five days, and ends their deliveries", async () => {
    const organisation_id = tenant.organisation.id
    const dead = await service.run(
      Effect.gen(function* () {
        const failing = { failing_since: instantIn(-5 * day - hour), exhausted_at: instantIn(-hour) }
        const endpoint = yield* endpointOf(organisation_id, failing)
        yield* (yield* Ports.WebhookEndpointStore).insert(endpoint)
        const alive = yield* endpointOf(organisation_id, { ...failing, failing_since: instantIn(1 - 5 * day - hour) })
        yield* (yield* Ports.WebhookEndpointStore).insert(alive)
        const delivery = yield* deliveryOf(yield* eventOf(organisation_id), endpoint)
        yield* (yield* Ports.DeliveryStore).insert(delivery)
        return { endpoint: endpoint.id, delivery: delivery.id }
      })
    )
    const swept = together(await Promise.all([sweep(), sweep(), sweep()]))
    assert.deepStrictEqual(swept, { ...nothing, webhook_endpoints_disabled: 1 })
    const read = await tenant.reader.get(`/webhook-endpoints/${dead.endpoint}`)
    assert.deepStrictEqual([read.at("is_active"), read.at("disabled_reason")], [false, "delivery_failures"])
    assert.strictEqual((await tenant.reader.get(`/webhook-deliveries/${dead.delivery}`)).at("status"), "FAILED")
    const [entry] = (await auditOf(service, tenant.organisation)).filter(
      ({ subject_id }) => subject_id === dead.endpoint
    )
    assert.deepInclude(entry, { actor_id: "sweeper", operation: "webhook_endpoints.disable_failing" })
  })

  it("forgets what is kept no longer, to the millisecond, and never events or the audit", async () => {
    const organisation_id = tenant.organisation.id
    service.pace = 0
    await tenant.writer.post("/donors", { first_name: "Ada" }, { "idempotency-key": "k" })
    const made = service.clock.now
    const events = await told()
    const audit = await auditOf(service, tenant.organisation)
    await service.run(
      Effect.gen(function* () {
        const failures = yield* Ports.PassphraseFailures
        const write = Effect.andThen(
          failures.findForUpdate(organisation_id),
          failures.replace(organisation_id, [instantIn(-1), now()])
        )
        yield* (yield* Ports.Transaction).run(write)
        const id = yield* freshId("mail")
        const subject_id = yield* freshId("introduction")
        const about = { organisation_id, template: "introduction", subject_id, recipient_id: null } as const
        const mail = Mail.create({ id, ...about }, now())
        yield* (yield* Ports.MailOutbox).add(Mail.endMail(mail, "FAILED", now()))
        const endpoint = yield* endpointOf(organisation_id)
        yield* (yield* Ports.WebhookEndpointStore).insert(endpoint)
        const ended = { status: "DELIVERED", next_attempt_at: null, completed_at: now() } as const
        yield* (yield* Ports.DeliveryStore).insert(yield* deliveryOf(yield* eventOf(organisation_id), endpoint, ended))
      })
    )
    const steps: ReadonlyArray<readonly [millis: number, swept: Partial<Swept>]> = [
      [hour - 1, {}],
      [hour, { passphrase_failures_trimmed: 1 }],
      [day - 1, {}],
      [day, { idempotency_records_forgotten: 1 }],
      [30 * day - 1, {}],
      [30 * day, { mails_trimmed: 1 }],
      [90 * day - 1, {}],
      [90 * day, { deliveries_trimmed: 1 }]
    ]
    for (const [millis, swept] of steps) {
      service.clock.now = made + millis
      assert.deepStrictEqual(await sweep(), { ...nothing, ...swept }, `after ${millis} ms`)
    }
    assert.deepStrictEqual((await tenant.reader.get("/webhook-deliveries")).at("data"), [])
    assert.deepStrictEqual(await told(), events)
    assert.deepStrictEqual(await auditOf(service, tenant.organisation), audit)
    service.pace = 10
  })
})

describe("an answer that is replaced while it is forgotten", () => {
  it("is not waited for, and stays", async () => {
    const service = await startService({ stores: server })
    const organisation_id = "org_test"
    const scope = { organisation_id, api_key_id: "k", generation: 1, method: "POST", path: "/", key: "k" }
    const answer = { status: 201, content_type: "application/json", body: new Uint8Array([123, 125]) }
    const [old, renewed] = [DateTime.makeUnsafe(0), DateTime.makeUnsafe(2 * day)]
    const forget = () => service.run(Ports.IdempotencyStore.use((store) => store.forget(old, 10)))
    const keep = (at: DateTime.Utc, meanwhile: () => Promise<unknown>) =>
      service.run(
        Effect.gen(function* () {
          const store = yield* Ports.IdempotencyStore
          const replace = Effect.gen(function* () {
            yield* store.reserve(scope, ["body"], at)
            yield* store.keep(scope, "body", answer, { secret: false, now: at })
            return yield* Effect.promise(meanwhile)
          })
          return yield* (yield* Ports.Transaction).run(replace)
        })
      )
    await keep(old, async () => undefined)
    assert.strictEqual(await keep(renewed, forget), 0)
    assert.strictEqual(await forget(), 0)
    const again = service.run(
      Effect.gen(function* () {
        const store = yield* Ports.IdempotencyStore
        return yield* (yield* Ports.Transaction).run(store.reserve(scope, ["body"], renewed))
      })
    )
    assert.deepInclude(await again, { _tag: "Replay" })
    await service.stop()
  })
})

/** A sweeper over a memory that a test can take away, and what it logs. */
const away = { is: false }
const lines: Array<string> = []

/** A link whose every change breaks. */
const poison = { id: "" }

const breakableLinks = changePort(Ports.CheckoutLinkStore, (good) => ({
  update: (link) => (link.id === poison.id ? Effect.die("a row that the store refuses") : good.update(link))
}))

const breakable = changePort(Ports.MailOutbox, (good) => ({
  trim: (...given) => Effect.suspend(() => (away.is ? Effect.die("the store is away") : good.trim(...given)))
}))

const world = Sweeper.layer.pipe(
  Layer.provide(Layer.succeed(Plan, { ...standardPlan, interval_minutes: 30 })),
  Layer.provideMerge(ChangeLog.layer),
  Layer.provideMerge(Layer.merge(breakable, breakableLinks)),
  Layer.provideMerge(Layer.provide(memory, secretBox)),
  Layer.provideMerge(Tokens.layer),
  Layer.provideMerge(
    Logger.layer([
      Logger.make<unknown, void>(({ message }) => {
        lines.push(String(message))
      })
    ])
  )
)

const isSweep = (line: string): boolean => line.startsWith("Swept: ")

const settleDown = Effect.repeat(Effect.yieldNow, { times: 200 })

const pass = (minutes: number) =>
  Effect.andThen(settleDown, Effect.andThen(TestClock.adjust(minutes * 60_000), settleDown))

const { effect } = withFresh(world)

describe("a record that breaks", () => {
  effect("holds up no other, and is tried again", function* () {
    const { sweepOnce } = yield* Sweeper
    const links = yield* Ports.CheckoutLinkStore
    const { id } = yield* newOrganisation()
    const made = yield* Effect.forEach([1, 2, 3], (second) =>
      Effect.tap(checkoutLinkOf(id, { expires_at: DateTime.makeUnsafe(second) }), links.insert)
    )
    const statuses = Effect.forEach(made, (link) =>
      Effect.map(links.find(id, link.id), (found) => Option.getOrThrow(found).status)
    )
    poison.id = made[0]?.id ?? ""
    yield* TestClock.adjust("1 hour")
    assert.isTrue(Exit.isFailure(yield* Effect.exit(sweepOnce)))
    assert.deepStrictEqual(yield* statuses, ["ACTIVE", "EXPIRED", "EXPIRED"])
    poison.id = ""
    assert.strictEqual((yield* sweepOnce).checkout_links_expired, 1)
  })
})

describe("a sweeper that runs", () => {
  effect(
    "sweeps within a minute, then at every interval, through an outage, and until it is told to stop",
    function* () {
      lines.length = 0
      const running = yield* Effect.forkChild(Sweeper.use(({ run }) => run))
      const sweeps = () => lines.filter(isSweep).length
      yield* settleDown
      assert.strictEqual(sweeps(), 0)
      yield* pass(1)
      assert.strictEqual(sweeps(), 1)
      yield* pass(28)
      assert.strictEqual(sweeps(), 1)
      yield* pass(2)
      assert.strictEqual(sweeps(), 2)
      away.is = true
      yield* pass(40)
      assert.strictEqual(sweeps(), 2)
      assert.lengthOf(
        lines.filter((line) => line.includes("cannot be used")),
        1
      )
      away.is = false
      yield* pass(1)
      assert.strictEqual(sweeps(), 3)
      assert.lengthOf(
        lines.filter((line) => line.includes("answers again")),
        1
      )
      yield* Fiber.interrupt(running)
      yield* pass(90)
      assert.strictEqual(sweeps(), 3)
    }
  )
})
