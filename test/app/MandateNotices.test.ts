import { assert, beforeEach, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { Renewer } from "../../src/app/payments/Renewer.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { TestProcessor } from "../../src/app/payments/TestProcessor.ts"
import { ChargeId, SubscriptionId } from "../../src/domain/kernel/Ids.ts"
import type { Mandate } from "../../src/domain/payments/Mandate.ts"
import type { Notice } from "../../src/domain/payments/Notice.ts"
import type { Subscription } from "../../src/domain/payments/Subscription.ts"
import { settle } from "../../src/domain/payments/TestBank.ts"
import { NoticeManner, type TestMandate } from "../../src/domain/payments/TestCharge.ts"
import type { Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import * as Ports from "../../src/ports.ts"
import { fieldsOf } from "../support/Answer.ts"
import { makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { changedProcessors } from "../support/Processors.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { start } from "../support/Service.ts"
import { everyKind } from "../support/Stores.ts"
import { eventsOf } from "../support/Tenant.ts"
import { changeNotice, hears, noticeBody, noticesOf } from "../support/TestNotices.ts"

/** What the tests count, and what happens once a processor has said that a mandate stands, before anybody has heard it. */
const seen = { asked: 0, isKnown: true, meanwhile: Effect.void }

const missing = new Ports.ProcessorUnreachable({ reason: Ports.mandateMissing })

const processors = changedProcessors(({ fetchMandate = () => assert.fail(), revokeMandate, ...inner }) => ({
  ...inner,
  revokeMandate: (...given) => (seen.isKnown ? (revokeMandate ?? assert.fail())(...given) : Effect.fail(missing)),
  fetchMandate: (integration, mandate) =>
    Effect.tap(seen.isKnown ? fetchMandate(integration, mandate) : Effect.fail(missing), () => {
      seen.asked += 1
      const { meanwhile } = seen
      seen.meanwhile = Effect.void
      return meanwhile
    })
}))

describe.each(everyKind)("a processor that tells of a mandate, over %s", (_name, stores) => {
  const service = serviceOver({ stores, processors })
  const giving = anew(() => {
    service.clock.now = start
    return makeGivingSandbox(service, { recurring_frequencies: ["MONTHLY"] })
  })

  beforeEach(async () => {
    seen.asked = 0
    seen.isKnown = true
    seen.meanwhile = Effect.void
  })

  const organisation_id = () => giving.tenant.organisation.id
  const give = (more: FieldsOf<Submission> = {}) => giving.submit({ frequency: "MONTHLY", ...more })
  const stored = ({ subscription_id }: SubmittedCheckout): Promise<{ mandate: Mandate; subscription: Subscription }> =>
    service.run(
      Effect.gen(function* () {
        const id = SubscriptionId.make(subscription_id ?? assert.fail("gives once"))
        const found = yield* Ports.SubscriptionStore.use((store) => store.find(organisation_id(), id))
        const subscription = Option.getOrThrow(found)
        const mandate = yield* Ports.MandateStore.use((store) => store.find(organisation_id(), subscription.mandate_id))
        return { subscription, mandate: Option.getOrThrow(mandate) }
      })
    )
  const statuses = async (gift: SubmittedCheckout) => {
    const { mandate, subscription } = await stored(gift)
    return [subscription.status, mandate.status]
  }
  /** As `almoner test-processor set-mandate` has it. */
  const setMandate = async (gift: SubmittedCheckout, mandate: TestMandate) => {
    const { id } = await giving.chargeOf(gift)
    await giving.tenant.staff(TestProcessor.use((bank) => bank.setMandate(id, { mandate })))
  }
  const hear = () => service.run(Settler.use(({ settleDue }) => settleDue))
  /** The worker looks at what is due, and at nothing before its time. */
  const renewDue = () => service.run(Renewer.use((renewer) => renewer.renewDue))
  /** What is told at the beginning has come, and the first look is over. */
  const setUp = async (more: FieldsOf<Submission> = {}) => {
    const gift = await give(more)
    await hear()
    await renewDue()
    seen.asked = 0
    return gift
  }
  const told = async ({ subscription_id }: SubmittedCheckout) => {
    return (await eventsOf(giving.tenant))
      .filter(({ data }) => data["id"] === subscription_id || data["subscription_id"] === subscription_id)
      .map(({ type }) => type)
      .slice(1)
  }
  const gifts = ["donation.created", "donation.succeeded"]
  const ended = [...gifts, "subscription.cancelled"]
  const ofMandates = async (): Promise<ReadonlyArray<Notice>> =>
    (await noticesOf(service, organisation_id())).filter(({ object }) => object === "mandate")
  const about = (object: object) =>
    hears(
      service,
      giving.integration_id,
      noticeBody({ type: "mandate.revoked", object: { kind: "mandate", ...object } })
    )
  const isOver = async (gift: SubmittedCheckout) => {
    const { mandate, subscription } = await stored(gift)
    assert.deepInclude(
      { ...subscription },
      { status: "CANCELLED", cancel_reason: null, donor_cancel_reason_code: null }
    )
    assert.strictEqual(mandate.status, "REVOKED")
    assert.deepStrictEqual(await told(gift), ended)
  }

  it.each(NoticeManner.literals)("has its recurring gift ended once, without a reason, %s", async (notices) => {
    const gift = await setUp()
    await giving.setAccount({ notices })
    await setMandate(gift, "REVOKED")
    service.clock.now += 61_000
    for (const _ of [1, 2]) {
      await hear()
      await renewDue()
    }
    if (notices === "NEVER" || notices === "LATE") {
      // The stores of databases have the real time, in which what is late has not come. The next renewal asks anyway.
      await service.run(renewNow(organisation_id()))
    }
    await isOver(gift)
    await hear()
    await renewDue()
    await isOver(gift)
    await giving.balanced()
  })

  it("has nothing ended where what is kept only fails for a while", async () => {
    const gift = await setUp()
    const { subscription: before } = await stored(gift)
    await setMandate(gift, "DECLINING")
    await hear()
    await renewDue()
    assert.deepStrictEqual([await ofMandates(), seen.asked], [[], 0])
    const { reference } = (await stored(gift)).mandate
    await about({ reference })
    await hear()
    await renewDue()
    assert.strictEqual(seen.asked, 1)
    const { subscription: after } = await stored(gift)
    assert.deepStrictEqual({ ...after, look_at: null }, { ...before, look_at: null })
    assert.isAbove(Number(after.look_at?.epochMilliseconds), service.clock.now + 86_400_000)
    assert.deepStrictEqual(await told(gift), gifts)
    await setMandate(gift, "REVOKED")
    await hear()
    await renewDue()
    await isOver(gift)
  })

  it("has nothing ended or forgotten where it does not know what is kept: staff are told, once", async () => {
    const [gift, other] = [await setUp(), await setUp()]
    seen.isKnown = false
    const before = await stored(gift)
    for (let turn = 0; turn < 2; turn += 1) await service.run(renewNow(organisation_id()))
    const { id, status } = (await stored(gift)).subscription
    assert.deepStrictEqual([status, await statuses(gift)], ["ACTIVE", ["ACTIVE", "ACTIVE"]])
    assert.deepStrictEqual((await stored(gift)).mandate, before.mandate)
    assert.deepStrictEqual(await told(gift), gifts)
    const opened = () =>
      service.run(
        Ports.PaymentExceptionStore.use((store) => store.ofSubject(organisation_id(), SubscriptionId.make(id)))
      )
    assert.deepStrictEqual(fieldsOf(await opened(), "kind", "status"), [["mismatch", "OPEN"]])
    await giving.tenant.writer.post(`/subscriptions/${other.subscription_id}/cancel`)
    await service.run(renewNow(organisation_id()))
    assert.deepStrictEqual(await statuses(other), ["CANCELLED", "ACTIVE"])
    seen.isKnown = true
    await service.run(renewNow(organisation_id()))
    assert.deepStrictEqual(await statuses(other), ["CANCELLED", "REVOKED"])
    assert.deepStrictEqual(await statuses(gift), ["ACTIVE", "ACTIVE"])
    assert.lengthOf(await opened(), 1)
  })

  it("is heard while the gift is renewed that it has just called sound", async () => {
    const gift = await setUp()
    const { reference } = (await stored(gift)).mandate
    const meanwhile = async () => {
      await setMandate(gift, "REVOKED")
      await hear()
    }
    await about({ reference })
    await hear()
    seen.meanwhile = Effect.promise(meanwhile)
    await renewDue()
    await renewDue()
    await isOver(gift)
  })

  it("may tell it before anybody here knows of the mandate", async () => {
    const debit = await give({ method: "au_becs_debit", payment_token: numbers.debit })
    await hear()
    await setMandate(debit, "REVOKED")
    await hear()
    await renewDue()
    assert.deepStrictEqual(fieldsOf(await ofMandates(), "status"), ["IGNORED"])
    assert.deepStrictEqual(await statuses(debit), ["INCOMPLETE", "PENDING"])
    await giving.move(debit, settle)
    await hear()
    assert.deepStrictEqual(await statuses(debit), ["ACTIVE", "ACTIVE"])
    await renewDue()
    const { subscription } = await stored(debit)
    assert.deepInclude({ ...subscription }, { status: "CANCELLED", cancel_reason: null })
    assert.strictEqual((await told(debit)).filter((type) => type === "subscription.cancelled").length, 1)
  })

  it("names a charge that saved it, and is waited for with it", async () => {
    const charge_id = ChargeId.make(await service.run(Ports.Tokens.use((tokens) => tokens.id("charge"))))
    await about({ charge_id })
    await hear()
    const [waiting = assert.fail()] = await ofMandates()
    assert.strictEqual(waiting.status, "WAITING")
    const gift = await setUp()
    await giving.setAccount({ notices: "NEVER" })
    await setMandate(gift, "REVOKED")
    const now = await service.run(Ports.NoticeStore.use((store) => store.now))
    await changeNotice(service, waiting, { charge_id: (await giving.chargeOf(gift)).id, apply_at: now })
    await hear()
    await renewDue()
    assert.strictEqual((await ofMandates())[0]?.status, "APPLIED")
    await isOver(gift)
  })

  it("is not heard of another account's mandate, nor of what nobody has, nor of a charge that keeps nothing", async () => {
    const gift = await setUp()
    const { reference } = (await stored(gift)).mandate
    const { subscription: before } = await stored(gift)
    const other = await makeGivingSandbox(service, { recurring_frequencies: ["MONTHLY"] })
    const once = await giving.submit()
    await hear()
    seen.asked = 0
    await hears(service, other.integration_id, noticeBody({ object: { kind: "mandate", reference } }))
    await about({ reference: "pm_of_somebody" })
    await about({ charge_id: (await giving.chargeOf(once)).id })
    await about({})
    await hear()
    await renewDue()
    assert.strictEqual(seen.asked, 0)
    const theirs = await noticesOf(service, other.tenant.organisation.id)
    assert.deepStrictEqual(
      fieldsOf([...(await ofMandates()), ...theirs], "status", "error"),
      [1, 2, 3, 4].map(() => ["IGNORED", null])
    )
    assert.deepStrictEqual((await stored(gift)).subscription, before)
  })

  it("is heard of a gift that has ended, of which nothing follows", async () => {
    const gift = await setUp()
    const { reference } = (await stored(gift)).mandate
    const cancelled = await giving.tenant.writer.post(`/subscriptions/${gift.subscription_id}/cancel`)
    assert.strictEqual(cancelled.status, 200, cancelled.text)
    // The processor is asked to forget what it keeps, and tells of that.
    await renewDue()
    const { subscription: before } = await stored(gift)
    await about({ reference })
    await hear()
    await renewDue()
    assert.deepStrictEqual(fieldsOf(await ofMandates(), "status"), ["APPLIED", "APPLIED"])
    assert.deepInclude({ ...before }, { status: "CANCELLED", cancel_reason: "cancellation_requested", look_at: null })
    assert.deepStrictEqual((await stored(gift)).subscription, before)
    assert.deepStrictEqual(await told(gift), ended)
  })

  it("is heard where it cannot be asked, and asked once it can", async () => {
    const gift = await setUp()
    const { reference } = (await stored(gift)).mandate
    await giving.setAccount({ notices: "NEVER" })
    await setMandate(gift, "REVOKED")
    await giving.setAccount({ reach: "LOST" })
    await about({ reference })
    await hear()
    await renewDue()
    const { subscription } = await stored(gift)
    assert.strictEqual(subscription.status, "ACTIVE")
    const soon = DateTime.add(DateTime.makeUnsafe(subscription.look_at ?? assert.fail()), { minutes: -2 })
    const now = await service.run(Ports.NoticeStore.use((store) => store.now))
    assert.isTrue(DateTime.isLessThan(soon, now), "it is asked again within minutes")
    await giving.setAccount({})
    await service.run(renewNow(organisation_id()))
    await isOver(gift)
  })
})
