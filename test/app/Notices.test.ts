import { assert, beforeEach, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import type { Move } from "../../src/app/payments/charge/TestChargeMove.ts"
import { Notices } from "../../src/app/payments/Notices.ts"
import { NoticeReceiver } from "../../src/app/payments/notice/NoticeReceiver.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { Integration } from "../../src/domain/access/Integration.ts"
import { ChargeId, IntegrationId } from "../../src/domain/kernel/Ids.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import type { Notice } from "../../src/domain/payments/Notice.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { IntegrationStore } from "../../src/ports/access/IntegrationStore.ts"
import { Tokens } from "../../src/ports/kernel/Tokens.ts"
import { NoticeStore } from "../../src/ports/payments/NoticeStore.ts"
import { PaymentProcessors } from "../../src/ports/payments/PaymentProcessors.ts"
import { type NoticeFacts, NoticeRefused } from "../../src/ports/payments/ProcessorNotices.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { fieldsOf } from "../support/Answer.ts"
import { makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { changedProcessors } from "../support/Processors.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, auditOf } from "../support/Tenant.ts"
import { changeNotice, hears, noticeBody, noticesOf, unclaimedOf } from "../support/TestNotices.ts"

/** What the tests count, and the notices of the installation's own account, which say their facts in plain JSON. */
const seen = { fetches: 0 }

const readFacts = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      event_id: Schema.String,
      account: Schema.NullOr(Schema.String),
      kind: Schema.Literals(["charge", "refund", "dispute", "account", "other"]),
      reference: Schema.NullOr(Schema.String),
      charge_id: Schema.NullOr(ChargeId)
    })
  )
)

const platformFacts = (body: Uint8Array): NoticeFacts => {
  const { account, charge_id, event_id, kind, reference } = readFacts(new TextDecoder().decode(body))
  const created_at = DateTime.makeUnsafe(0)
  return { event_id, type: `${kind}.changed`, object: { kind, reference, charge_id }, account, created_at }
}

/** The test processor, which has an account of the installation's own here. */
const processors = changedProcessors((inner) => ({
  ...inner,
  fetchCharge: (charging) =>
    Effect.suspend(() => {
      seen.fetches += 1
      return inner.fetchCharge(charging)
    }),
  verifyNotice: (received) => {
    if (Option.isSome(received.integration)) return inner.verifyNotice(received)
    return received.headers["x-signed"] === "yes"
      ? Effect.sync(() => platformFacts(received.body))
      : Effect.fail(new NoticeRefused({}))
  }
}))

const refundAll: Move = (charge, now) =>
  Result.map(
    Bank.refund(charge, { refund_id: null, idempotency_key: null, amount_cents: Bank.leftCents(charge) }, now),
    (refunded) => refunded.charge
  )

const disputeAll: Move = (charge, now) => Bank.dispute(charge, null, now)

/** The tag of what a use case refuses with. */
const refusalOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => "nothing was refused",
    (failure: unknown) => Reflect.get(Object(failure), "_tag")
  )

describe.each(everyKind)("notices over %s", (_name, stores) => {
  const service = serviceOver({ stores, processors })
  const giving = anew(() => makeGivingSandbox(service))
  let integration: Integration

  beforeEach(async () => {
    const { data } = await giving.tenant.staff(Integrations.use((use) => use.list(queryOf())))
    integration = data[0] ?? assert.fail()
    seen.fetches = 0
  })

  /** The workers, until nothing is due. Charges are looked at by notices alone. */
  const work = () => service.run(Settler.use(({ settleDue }) => settleDue))
  const all = () => noticesOf(service, integration.organisation_id)
  const only = async (): Promise<Notice> => {
    const [first, ...rest] = await all()
    assert.lengthOf(rest, 0)
    return first ?? assert.fail("there is no notice")
  }
  const freshCharge = async () => ChargeId.make(await service.run(Tokens.use((tokens) => tokens.id("charge"))))
  const operator = <A, E, R>(effect: Effect.Effect<A, E, R>) => effect.pipe(asOperator(giving.tenant.organisation))

  it("that name one charge ask for it together", async () => {
    const debit = await giving.submit({ method: "au_becs_debit", payment_token: numbers.debit })
    await work()
    const charge_id = (await giving.chargeOf(debit)).id
    for (const _ of [1, 2, 3, 4, 5]) await hears(service, integration.id, noticeBody({ object: { charge_id } }))
    seen.fetches = 0
    await work()
    assert.strictEqual(seen.fetches, 1)
  })

  it("find a charge by its reference where the metadata name none", async () => {
    const paid = await giving.submit()
    await work()
    await giving.move(paid, disputeAll)
    await work()
    const disputes = (await all()).filter(({ object }) => object === "dispute")
    assert.deepStrictEqual(fieldsOf(disputes, "charge_id", "status"), [[null, "APPLIED"]])
    const charge = await giving.chargeOf(paid)
    assert.strictEqual(disputes[0]?.reference, charge.reference)
  })

  it("that concern nothing of ours, or another integration's, are ignored", async () => {
    const paid = await giving.submit()
    const charge = await giving.chargeOf(paid)
    await work()
    const other = await makeGivingSandbox(service)
    // The same account at the processor, of another organisation.
    const { data } = await other.tenant.staff(Integrations.use((use) => use.list(queryOf())))
    const [theirs = assert.fail()] = data
    assert.strictEqual(theirs.processor_connect_account_id, integration.processor_connect_account_id)
    const about = [
      { charge_id: charge.id },
      { reference: charge.reference },
      { kind: "other" },
      { kind: "charge", reference: "pi_of_somebody" }
    ]
    for (const object of about) await hears(service, theirs.id, noticeBody({ object }))
    await hears(service, theirs.id, noticeBody({ object: { kind: "account" }, account: "acct_9" }))
    seen.fetches = 0
    await work()
    assert.strictEqual(seen.fetches, 0)
    const ended = await noticesOf(service, other.tenant.organisation.id)
    assert.deepStrictEqual(
      fieldsOf(ended, "status", "error"),
      [...about, null].map(() => ["IGNORED", null])
    )
  })

  it("wait a day for a charge that they name as ours, then are given up, and may be retried", async () => {
    const charge_id = await freshCharge()
    await hears(service, integration.id, noticeBody({ object: { charge_id, reference: "pi_later" } }))
    await work()
    const waiting = await only()
    assert.deepInclude(waiting, { status: "WAITING", error: null, attempts: 0 })
    assert.isNotNull(waiting.apply_at)
    const paid = await giving.submit()
    const { id: found } = await giving.chargeOf(paid)
    const long = DateTime.subtract(waiting.created_at, { hours: Limits.noticeWaitHours })
    const now = await service.run(NoticeStore.use((store) => store.now))
    await changeNotice(service, waiting, { created_at: long, apply_at: now })
    await work()
    const failed = (await all()).find(({ id }) => id === waiting.id) ?? assert.fail()
    assert.deepInclude(failed, { status: "FAILED", error: "no_such_charge", apply_at: null })
    await changeNotice(service, failed, { charge_id: found })
    const retried = await service.run(operator(Notices.use((use) => use.retry(failed.id))))
    assert.deepInclude(retried, { status: "RECEIVED", error: null, attempts: 0 })
    await work()
    assert.strictEqual((await all()).find(({ id }) => id === failed.id)?.status, "APPLIED")
    const audit = await auditOf(service, giving.tenant.organisation)
    assert.strictEqual(
      audit.filter(({ operation, subject_id }) => operation === "notices.retry" && subject_id === failed.id).length,
      1
    )
    const again = service.run(operator(Notices.use((use) => use.retry(failed.id))))
    assert.strictEqual(await refusalOf(again), "IllegalTransition")
  })

  it("are tried again while the processor is not reached, by a schedule, and fail with their error", async () => {
    const paid = await giving.submit()
    await giving.setAccount({ notices: "NEVER", reach: "LOST" })
    await work()
    const charge_id = (await giving.chargeOf(paid)).id
    await hears(service, integration.id, noticeBody({ id: "tnt_lost", object: { charge_id } }))
    const mine = async () => (await all()).find(({ event_id }) => event_id === "tnt_lost") ?? assert.fail()
    await work()
    for (const [attempt, seconds] of Limits.noticeDelaysSeconds.entries()) {
      const delayed = await mine()
      assert.deepInclude(delayed, { status: "RECEIVED", error: "processor_unreachable", attempts: attempt + 1 })
      const delay = DateTime.distance(delayed.updated_at, delayed.apply_at ?? assert.fail())
      assert.deepStrictEqual(delay, Duration.seconds(seconds))
      await changeNotice(service, delayed, { apply_at: delayed.updated_at })
      await work()
    }
    const failed = await mine()
    assert.deepInclude(failed, { status: "FAILED", error: "processor_unreachable", apply_at: null })
    await giving.setAccount({ notices: "NEVER" })
    await service.run(operator(Notices.use((use) => use.retry(failed.id))))
    await work()
    assert.deepInclude(await mine(), { status: "APPLIED", error: null })
  })

  it("of an account have what it can do looked at", async () => {
    const takes = () =>
      service.run(
        IntegrationStore.use((store) =>
          Effect.map(
            store.find(integration.organisation_id, integration.id),
            Option.map((each) => each.charges_enabled)
          )
        )
      )
    await giving.setAccount({ charges_enabled: false })
    await work()
    assert.deepStrictEqual(await takes(), Option.some(true))
    await hears(service, integration.id, noticeBody({ type: "account.updated", object: { kind: "account" } }))
    await work()
    assert.deepStrictEqual(await takes(), Option.some(false))
    assert.strictEqual((await only()).status, "APPLIED")
  })

  it("of the installation's own account find whose they are, by metadata, reference and connected account", async () => {
    const paid = await giving.submit()
    const charge = await giving.chargeOf(paid)
    await giving.setAccount({ notices: "NEVER" })
    const send = (event_id: string, facts: object) =>
      service.run(
        NoticeReceiver.use((intake) =>
          intake.receive(
            { _tag: "Platform", processor: "test" },
            { "x-signed": "yes" },
            new TextEncoder().encode(
              JSON.stringify({ event_id, account: null, kind: "charge", reference: null, charge_id: null, ...facts })
            )
          )
        )
      )
    const own = `acct_${charge.id}`
    await service.run(
      IntegrationStore.use((store) => store.update({ ...integration, processor_connect_account_id: own }))
    )
    const unknown = await freshCharge()
    await send(`by_id_${charge.id}`, { charge_id: charge.id })
    await send(`by_reference_${charge.id}`, { reference: charge.reference, kind: "dispute" })
    await send(`by_account_${charge.id}`, { kind: "account", account: own })
    await send(`of_other_account_${charge.id}`, { charge_id: charge.id, account: "acct_other" })
    await send(`unknown_${charge.id}`, { charge_id: unknown })
    await send(`unknown_of_account_${charge.id}`, { charge_id: unknown, account: own })
    await send(`nobodys_${charge.id}`, { reference: "pi_nobodys" })
    assert.isFalse(await send(`by_id_${charge.id}`, { charge_id: charge.id }))
    await work()
    const named = (found: ReadonlyArray<Notice>) =>
      Object.fromEntries(
        found
          .filter(({ event_id }) => event_id.endsWith(charge.id))
          .map(({ event_id, status }) => [event_id.replace(`_${charge.id}`, ""), status])
      )
    const theirs = (await all()).filter(({ integration_id }) => integration_id === null)
    assert.deepStrictEqual(named(theirs), {
      by_id: "APPLIED",
      by_reference: "APPLIED",
      by_account: "APPLIED",
      unknown_of_account: "WAITING"
    })
    const nobodys = await unclaimedOf(service)
    assert.deepStrictEqual(named(nobodys), { of_other_account: "IGNORED", unknown: "WAITING", nobodys: "IGNORED" })
    const waiting = nobodys.find(({ event_id }) => event_id === `unknown_${charge.id}`) ?? assert.fail()
    const long = DateTime.subtract(waiting.created_at, { hours: Limits.noticeWaitHours })
    await changeNotice(service, waiting, { created_at: long, apply_at: waiting.created_at })
    await work()
    const after = await unclaimedOf(service)
    assert.strictEqual(after.find(({ id }) => id === waiting.id)?.status, "IGNORED")
  })

  it("that somebody fetched are applied if they are unseen", async () => {
    const paid = await giving.submit()
    await work()
    const processor = await service.run(PaymentProcessors.use(({ find }) => Effect.fromOption(find("test"))))
    const unseen = async () => {
      const page = await service.run(processor.noticesSince(integration, null))
      return service.run(NoticeReceiver.use((intake) => intake.takeUnseen(integration, page.notices)))
    }
    assert.strictEqual(await unseen(), 0)
    await giving.setAccount({ notices: "NEVER" })
    await giving.move(paid, refundAll)
    await work()
    assert.strictEqual((await giving.giftOf(paid)).status, "CONFIRMED")
    assert.strictEqual(await unseen(), 1)
    assert.strictEqual(await unseen(), 0)
    await work()
    assert.strictEqual((await giving.giftOf(paid)).status, "REFUNDED")
  })

  it("are read page by page, without one between two pages", async () => {
    await giving.setAccount({ notices: "NEVER" })
    const paid = await giving.submit()
    await giving.move(paid, refundAll)
    const processor = await service.run(PaymentProcessors.use(({ find }) => Effect.fromOption(find("test"))))
    const first = await service.run(processor.noticesSince(integration, null))
    const types = first.notices.map(({ type }) => type)
    assert.includeMembers(types, ["charge.succeeded", "charge.fee_known", "refund.succeeded"])
    const next = await service.run(processor.noticesSince(integration, first.cursor))
    assert.deepStrictEqual(next, { notices: [], cursor: first.cursor, has_more: false })
  })

  it("of an integration that there is not are not taken in", async () => {
    const id = IntegrationId.make(await service.run(Tokens.use((tokens) => tokens.id("integration"))))
    assert.strictEqual(await refusalOf(hears(service, id, noticeBody())), "NotFound")
    const large = noticeBody({ object: { reference: "x".repeat(Limits.noticeBytes) } })
    assert.strictEqual(await refusalOf(hears(service, integration.id, large)), "NoticeTooLarge")
  })
})
