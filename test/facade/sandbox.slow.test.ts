import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import {
  Almoner,
  type Backend,
  type Caller,
  type Options,
  type SandboxAdvance,
  type WebhookRequest
} from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pglite } from "../../src/pglite.ts"
import { postgres } from "../../src/postgres.ts"
import { stripe } from "../../src/stripe.ts"
import { fieldsOf } from "../support/Answer.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { openStripeDouble } from "../support/stripe/StripeDouble.ts"
import { callerIn, charity, keys, submissionTo } from "./Charity.ts"

const year = 365 * 86_400_000

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

const eventsOf = (sent: ReadonlyArray<WebhookRequest>): ReadonlyArray<{ readonly type: string; readonly at: number }> =>
  sent.map(({ body }) => {
    const { occurred_at, type } = JSON.parse(body)
    return { type, at: Date.parse(occurred_at) }
  })

/** A sandbox that takes monthly gifts, whose webhooks a receiver keeps as they come. */
const opened = async <H>(backend: Backend<H>, answers: () => number = () => 204, options: Partial<Options<H>> = {}) => {
  const sent: Array<WebhookRequest> = []
  const almoner = await Almoner.open({
    ...options,
    backend,
    keys,
    operatorCidrs: ["192.0.2.0/24"],
    webhookTransport: (request) => {
      sent.push(request)
      const answer = { response_excerpt: null, retry_after: null, error: null, duration_ms: 1 }
      return Promise.resolve({ ...answer, response_status: answers() })
    }
  })
  const given = { slug: "harbour", plan: "RAISE", sandbox_webhook_cidrs: ["192.0.2.0/24"] } as const
  const { live, sandbox } = await almoner.organisations.create({ ...charity, ...given })
  const caller = await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" })
  const liveCaller = await almoner.caller({ organisation: live.id, user: "ada", scope: "WRITE" })
  await almoner.integrations.create(caller, { label: "Main", processor_connect_account_id: "acct_1" })
  await almoner.forms.create(caller, {
    name: "Appeal",
    status: "ACTIVE",
    recurring_frequencies: ["MONTHLY"]
  })
  return { almoner, caller, liveCaller, sent }
}

const giveMonthly = <H>(almoner: Almoner<H>) =>
  almoner.checkouts.submit(submissionTo("harbour-sandbox", { frequency: "MONTHLY" }))

const advance = async <H>(almoner: Almoner<H>, caller: Caller, duration: string) => {
  let clock = await almoner.sandbox.advance(caller, { duration })
  while (!clock.reached) clock = await almoner.sandbox.advance(caller, { to: clock.until })
  return clock
}

const backends = [
  ["in memory", Effect.succeed(memory())],
  ["on the embedded database", Effect.sync(() => pglite())],
  ["on PostgreSQL", Effect.map(freshUrl, (url) => postgres({ url: Redacted.value(url) }))]
] as const

describe.each(backends)("the clock of a sandbox, %s", (_, backend) => {
  it.live(
    "is moved on by a year, in which a monthly gift is charged as it would have been, and its card fails in between",
    () =>
      Effect.scoped(
        Effect.flatMap(backend, (made) =>
          Effect.promise(async () => {
            const { almoner, caller, sent } = await opened(made)
            await almoner.webhookEndpoints.create(caller, {
              url: "http://192.0.2.1/hook",
              event_types: ["donation.succeeded", "subscription.payment_failed"]
            })
            const began = Date.now()
            const { subscription_id } = await giveMonthly(almoner)
            const id = subscription_id ?? assert.fail()
            await advance(almoner, caller, "70d")
            const { data: charges } = await almoner.charges.list(caller, { limit: 100 })
            const first = charges.at(-1) ?? assert.fail()
            await almoner.testProcessor.setMandate(caller, first.id, { mandate: "DECLINING" })
            await advance(almoner, caller, "24d")
            await almoner.testProcessor.setMandate(caller, first.id, { mandate: "WORKING" })
            const clock = await advance(almoner, caller, "271d")
            assert.isAtLeast(Date.parse(clock.now) - began, year)
            const events = eventsOf(sent)
            const months = events.filter(({ type }) => type === "donation.succeeded")
            assert.isAtLeast(months.length, 12)
            assert.isAtLeast(events.filter(({ type }) => type.endsWith("payment_failed")).length, 1)
            // Each is told once, and in the order in which it happened.
            assert.deepStrictEqual(
              fieldsOf(events, "at"),
              events.map(({ at }) => at).toSorted((a, b) => a - b)
            )
            const { data: invoices } = await almoner.subscriptions.listInvoices(caller, id, { limit: 100 })
            assert.deepStrictEqual([...new Set(invoices.map(({ status }) => status))], ["PAID"])
            assert.strictEqual(invoices.length, months.length)
            for (const { faults } of (await almoner.ledger.check()).data) assert.deepStrictEqual(faults, [])
            await almoner.close()
          })
        )
      ),
    120_000
  )
})

const refusal = async (asked: PromiseLike<unknown>): Promise<string> =>
  asked.then(
    () => "nothing",
    (error) => `${error._tag} ${error.param ?? ""}: ${error.message}`
  )

describe("moving the clock of a sandbox", () => {
  it("is refused to live organisations, for accounts where time is real, and out of its bounds", async () => {
    const { almoner, caller, liveCaller } = await opened(memory())
    const asked = (given: object) => refusal(almoner.sandbox.advance(caller, given as SandboxAdvance))
    assert.match(
      await refusal(almoner.sandbox.advance(liveCaller, { duration: "1d" })),
      /^GuardRefused : .* it is live/
    )
    assert.match(await asked({}), /^InvalidInput duration: /)
    assert.match(await asked({ duration: "1 day" }), /^InvalidInput duration: /)
    assert.match(await asked({ duration: "0d" }), /^InvalidInput duration: /)
    assert.match(await asked({ duration: "999999999w" }), /^InvalidInput duration: .*366 days/)
    assert.match(await asked({ to: "9999-12-31T23:59:59Z" }), /^InvalidInput to: .*366 days/)
    assert.match(await asked({ to: "0001-01-01" }), /^GuardRefused : .* cannot be set back/)
    assert.match(await asked({ duration: "367d" }), /^InvalidInput duration: .*366 days/)
    assert.match(await asked({ to: "2999-01-01" }), /^InvalidInput to: .*366 days/)
    assert.match(await asked({ duration: "1d", to: "2026-01-01T00:00:00Z" }), /^InvalidInput to: /)
    for (let years = 0; years < 10; years += 1) await almoner.sandbox.advance(caller, { duration: "366d" })
    assert.match(await asked({ duration: "1d" }), /^InvalidInput duration: .*3660 days/)
    await almoner.close()
    const double = await openStripeDouble()
    const other = await opened(memory(), () => 204, {
      stripe: stripe({ test: { secretKey: "sk_test_1", publishableKey: "pk_test_1" }, baseUrl: double.url })
    })
    const account = { label: "Real", processor_connect_account_id: "acct_2", processor: "stripe" } as const
    await other.almoner.integrations.create(other.caller, account)
    const advancing = other.almoner.sandbox.advance(other.caller, { duration: "1d" })
    assert.match(await refusal(advancing), /^GuardRefused : .* is at stripe, whose time is real/)
    await other.almoner.close()
    await double.close()
  })

  it("has links and invitations run out, debits arrive and webhooks be tried again, each at its time", async () => {
    let status = 500
    const { almoner, caller, liveCaller, sent } = await opened(memory(), () => status)
    await almoner.webhookEndpoints.create(caller, {
      url: "http://192.0.2.1/hook",
      event_types: ["donor.created", "introduction.expired", "donation.succeeded"]
    })
    const { id: donor_id } = await almoner.donors.create(caller, { email: "ada@example.org" })
    const link = await almoner.checkoutLinks.create(caller, {
      donor_id,
      amount_cents: 1_000,
      currency: "AUD",
      expires_at: inDays(3)
    })
    await almoner.introductions.send(caller, { invitee_email: "bob@example.org", ttl_days: 5 })
    await almoner.dispatch()
    assert.deepStrictEqual(fieldsOf(eventsOf(sent), "type"), ["donor.created"])
    await advance(almoner, caller, "7m")
    // Tried again after one minute, and after five more.
    assert.deepStrictEqual(fieldsOf(eventsOf(sent), "type"), ["donor.created", "donor.created", "donor.created"])
    status = 204
    const debit = { method: "au_becs_debit", payment_token: "000-000 000123456" } as const
    await almoner.checkouts.submit(submissionTo("harbour-sandbox", debit))
    await advance(almoner, caller, "10d")
    assert.deepStrictEqual(
      eventsOf(sent)
        .slice(3)
        .map(({ type }) => type),
      ["donation.succeeded", "donor.created", "introduction.expired"]
    )
    const audit = await almoner.audit.list(caller, 100)
    const expired = audit.find(({ operation }) => operation === "checkout_links.expire")
    const late = Date.parse(expired?.created_at ?? "") - Date.parse(link.expires_at ?? "")
    assert.isTrue(late >= 0 && late < 60_000, `${late} ms after it ran out`)
    // The live organisation's time is the real one.
    assert.strictEqual((await almoner.sandbox.read(liveCaller)).ahead_seconds, 0)
    const donor = await almoner.donors.create(liveCaller, { email: "eve@example.org" })
    assert.isBelow(Math.abs(Date.parse(donor.created_at) - Date.now()), 60_000)
    await almoner.close()
  })

  it("goes on where nobody sends webhooks, which wait", async () => {
    const almoner = await Almoner.open({ backend: memory(), keys, operatorCidrs: ["192.0.2.0/24"] })
    const caller = await callerIn(almoner, { sandbox_webhook_cidrs: ["192.0.2.0/24"] })
    await almoner.webhookEndpoints.create(caller, { url: "http://192.0.2.1/hook", event_types: ["donor.created"] })
    await almoner.donors.create(caller, { email: "ada@example.org" })
    assert.isTrue((await almoner.sandbox.advance(caller, { duration: "366d" })).reached)
    const { data } = await almoner.webhookDeliveries.list(caller)
    assert.deepStrictEqual(fieldsOf(data, "status"), ["PENDING"])
    await almoner.close()
  })
})
