import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Struct } from "effect"
import { ConsentPrompts } from "../../src/app/giving/ConsentPrompts.ts"
import { Subscriptions } from "../../src/app/payments/Subscriptions.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { SubscriptionId } from "../../src/domain/kernel/Ids.ts"
import { parse, within } from "../../src/domain/kernel/Listing.ts"
import type { Answer } from "../../src/domain/payments/DonorCancellation.ts"
import * as Invoice from "../../src/domain/payments/Invoice.ts"
import * as Subscription from "../../src/domain/payments/Subscription.ts"
import { decline, dispute, disputeLost } from "../../src/domain/payments/TestBank.ts"
import { mandateSet } from "../../src/domain/payments/TestMandates.ts"
import type { Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { CampaignStore, InvoiceStore, MandateStore, PaymentExceptionStore, SubscriptionStore } from "../../src/ports.ts"
import { campaignOf } from "../../src/testing/conformance/Insight.ts"
import { fieldsOf } from "../support/Answer.ts"
import { makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { start } from "../support/Service.ts"
import { everyKind } from "../support/Stores.ts"
import { eventsOf } from "../support/Tenant.ts"

const day = 86_400_000

describe.each(everyKind)("a recurring gift over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() => {
    service.clock.now = start
    return makeGivingSandbox(service, { recurring_frequencies: ["WEEKLY", "MONTHLY"] })
  })

  const organisation_id = () => giving.tenant.organisation.id
  const give = (more: FieldsOf<Submission> = {}) => giving.submit({ frequency: "MONTHLY", ...more })
  const idOf = ({ subscription_id }: SubmittedCheckout) =>
    SubscriptionId.make(subscription_id ?? assert.fail("gives once"))
  const stored = async (gift: SubmittedCheckout): Promise<Subscription.Subscription> =>
    service.run(
      SubscriptionStore.use((store) => Effect.map(store.find(organisation_id(), idOf(gift)), Option.getOrThrow))
    )
  const held = async (gift: SubmittedCheckout): Promise<object> => stored(gift)
  const status = async (gift: SubmittedCheckout) => (await stored(gift)).status

  const refusal = (more: FieldsOf<Submission>) => giving.attempt({ frequency: "MONTHLY", ...more })

  const renew = async () => {
    await service.run(renewNow(organisation_id()))
    await giving.settle()
  }

  /** The instant at noon of a day in Sydney. */
  const at = async (date: string) => {
    service.clock.now = Date.parse(`${date}T02:00:00Z`)
    await renew()
  }

  const invoicesOf = async (gift: SubmittedCheckout) => {
    const { data } = await service.run(
      InvoiceStore.use((store) =>
        Effect.flatMap(Effect.fromResult(parse(Invoice.listing, [["limit", "100"]])), (query) =>
          store.list(organisation_id(), within(query, "subscription_id", idOf(gift)))
        )
      ).pipe(Effect.orDie)
    )
    return data.toSorted((a, b) => (a.due_on < b.due_on ? -1 : 1))
  }

  const paidOn = async (gift: SubmittedCheckout) =>
    (await invoicesOf(gift)).map(({ due_on, status: state }) => `${due_on} ${state}`)

  const events = () => eventsOf(giving.tenant)

  /** The types of what was told of the recurring gift and its gifts since the last look, in order. */
  const told = async (gift: SubmittedCheckout, since = 0) =>
    (await events())
      .filter(({ data }) => data["id"] === gift.subscription_id || data["subscription_id"] === gift.subscription_id)
      .map(({ type }) => type)
      .slice(since)

  const gifts = async (gift: SubmittedCheckout) => {
    const page = await giving.tenant.reader.get(
      `/donations?subscription_id=${gift.subscription_id}&status[in]=PENDING,CONFIRMED,FAILED,REFUNDED`
    )
    return (page.at("data") as ReadonlyArray<Readonly<Record<string, unknown>>>).toReversed()
  }

  const setMandate = (gift: SubmittedCheckout, mandate: "WORKING" | "DECLINING" | "REVOKED") =>
    giving.move(gift, (charge, now) => mandateSet(charge, mandate, now))

  const afterSetUp = ["subscription.created", "donation.created", "donation.succeeded"]
  const afterFailure = ["donation.created", "donation.failed", "subscription.payment_failed"]

  it("is set up by its first charge, and offered where the processor keeps means of payment", async () => {
    const page = await service.run(
      Checkouts.use((all) => all.open({ organisation: giving.tenant.organisation.slug, slug: giving.form.slug }))
    )
    assert.deepStrictEqual([page.frequencies, page.default_cadence], [["WEEKLY", "MONTHLY"], "ONE_TIME"])
    const gift = await give()
    assert.deepInclude(gift, { status: "SUCCEEDED" })
    assert.deepInclude(await held(gift), {
      status: "ACTIVE",
      anchor_day: "2026-01-15",
      next_charge_on: "2026-02-15",
      donation_form_id: giving.form.id,
      revenue_code: "WINTER"
    })
    assert.deepStrictEqual(await told(gift), afterSetUp)
    assert.deepStrictEqual(await paidOn(gift), ["2026-01-15 PAID"])
    const [donation, ...more] = await gifts(gift)
    assert.lengthOf(more, 0)
    assert.deepInclude(donation, { id: gift.donation_id, status: "CONFIRMED", is_recurring: true })
    const created = (await events()).find(({ type }) => type === "subscription.created")
    assert.hasAllKeys(created?.data ?? {}, Object.keys(Subscription.eventData.subscription.fields))
    await giving.balanced()
  })

  it("is refused where the page does not offer it", async () => {
    assert.strictEqual(await refusal({ frequency: "QUARTERLY" }), "InvalidInput frequency")
    assert.strictEqual(await refusal({ retries: "none" }), "InvalidInput retries")
    await giving.tenant.writer.patch(`/forms/${giving.form.id}`, { allow_recurring: false })
    assert.strictEqual(await refusal({}), "InvalidInput frequency")
  })

  it("is listed, read and cancelled over REST, and charged no more", async () => {
    const gift = await give()
    const { reader, writer } = giving.tenant
    const { donor_id } = await stored(gift)
    const listed = await reader.get(`/subscriptions?donor_id=${donor_id}&status=ACTIVE`)
    const record = (listed.at("data") as ReadonlyArray<unknown>)[0]
    assert.deepStrictEqual((await reader.get(`/subscriptions/${gift.subscription_id}`)).at(""), record)
    const cancelled = await writer.post(`/subscriptions/${gift.subscription_id}/cancel`)
    assert.strictEqual(cancelled.status, 200, cancelled.text)
    assert.deepStrictEqual(
      ["status", "cancel_reason", "next_charge_on", "donor_cancel_reason_code"].map((field) => cancelled.at(field)),
      ["CANCELLED", "cancellation_requested", null, null]
    )
    assert.strictEqual((await writer.post(`/subscriptions/${gift.subscription_id}/cancel`)).status, 409)
    await at("2026-02-15")
    assert.deepStrictEqual(await told(gift), [...afterSetUp, "subscription.cancelled"])
    assert.strictEqual((await giving.bank(gift)).mandate, "REVOKED")
    const { mandate_id } = await stored(gift)
    const mandate = await service.run(MandateStore.use((store) => store.find(organisation_id(), mandate_id)))
    assert.strictEqual(Option.getOrThrow(mandate).status, "REVOKED")
  })

  it("is ended by its donor in a portal, who may say why", async () => {
    const [answered, silent, wordless] = [await give(), await give(), await give()]
    const endedByDonor = (gift: SubmittedCheckout, answer: Answer) =>
      giving.tenant.staff(Effect.result(Subscriptions.use((all) => all.cancelByDonor(idOf(gift), answer))))
    const reason = { donor_cancel_reason_code: "cost", donor_cancel_reason: "We give less this year." } as const
    const words = { donor_cancel_reason: reason.donor_cancel_reason }
    const refused = await endedByDonor(wordless, words)
    assert.deepInclude(Result.isFailure(refused) ? refused.failure : assert.fail("it ended"), {
      _tag: "InvalidInput",
      param: "donor_cancel_reason_code"
    })
    assert.strictEqual(await status(wordless), "ACTIVE")
    assert.isTrue(Result.isSuccess(await endedByDonor(answered, reason)))
    assert.isTrue(Result.isSuccess(await endedByDonor(silent, {})))
    const again = await endedByDonor(answered, reason)
    assert.deepInclude(Result.isFailure(again) ? again.failure : assert.fail("it ended twice"), {
      _tag: "IllegalTransition"
    })
    const cancelled = (await events()).filter(({ type }) => type === "subscription.cancelled")
    const none = { donor_cancel_reason_code: null, donor_cancel_reason: null }
    const told = [
      { id: answered.subscription_id, cancel_reason: "cancellation_requested", ...reason },
      { id: silent.subscription_id, cancel_reason: "cancellation_requested", ...none }
    ]
    assert.lengthOf(cancelled, told.length)
    for (const [index, data] of told.entries()) assert.deepInclude(cancelled[index]?.data, data)
  })

  it("may be tried again on the page when its first charge fails, and ends a day after the last failure", async () => {
    const first = await give({ payment_token: numbers.declined })
    assert.strictEqual(first.status, "FAILED")
    assert.strictEqual(await status(first), "PAST_DUE")
    assert.deepStrictEqual(await told(first), [
      "subscription.created",
      "donation.created",
      "donation.failed",
      "subscription.payment_failed"
    ])
    const failure = (await events()).at(-1)
    assert.deepInclude(failure?.data, { status: "PAST_DUE", donation_id: first.donation_id, cancel_reason: null })
    const retries = first.progress_token
    assert.strictEqual(await refusal({ retries, amount_cents: 6_000 }), "InvalidInput retries")
    service.clock.advance(day / 2)
    await renew()
    const second = await give({ retries, payment_token: numbers.declined })
    assert.strictEqual(second.subscription_id, first.subscription_id)
    assert.deepStrictEqual(await told(first, 4), ["donation.created", "donation.failed"])
    service.clock.advance(day / 2)
    await renew()
    assert.strictEqual(await status(first), "PAST_DUE")
    const third = await give({ retries: second.progress_token })
    assert.strictEqual(third.status, "SUCCEEDED")
    assert.deepInclude(await held(first), { status: "ACTIVE", next_charge_on: "2026-02-15" })
    assert.deepStrictEqual(await told(first, 6), ["donation.created", "donation.succeeded"])
    assert.strictEqual(await refusal({ retries: second.progress_token }), "InvalidInput retries")
    const lost = await give({ payment_token: numbers.declined, amount_cents: 7_000 })
    service.clock.advance(day)
    await renew()
    assert.deepInclude(await held(lost), { status: "CANCELLED", cancel_reason: "payment_failed" })
    assert.strictEqual(await refusal({ retries: lost.progress_token, amount_cents: 7_000 }), "InvalidInput retries")
    await giving.balanced()
  })

  it("is not said to be over while another try of it is under way, and is set up once", async () => {
    const first = await give({ payment_token: numbers.declined })
    const { progress_token: retries } = first
    const waiting = await give({ retries, payment_token: numbers.waits })
    assert.strictEqual(await refusal({ retries }), "GuardRefused")
    await giving.move(waiting, decline)
    await giving.settle()
    assert.strictEqual((await give({ retries })).subscription_id, first.subscription_id)
    assert.strictEqual(await refusal({ retries }), "InvalidInput retries")
    await giving.balanced()
  })

  it("is renewed for the donor and with the answers of the try that was paid", async () => {
    const prompt = await giving.tenant.staff(ConsentPrompts.use((use) => use.create({ text: "May we write?" })))
    const campaign = await service.run(
      Effect.map(campaignOf(organisation_id()), (made) => ({ ...made, public_ref: "winter-26" }))
    )
    await service.run(CampaignStore.use((store) => store.insert(campaign)))
    const typed = (email: string, accepted: boolean) => ({
      donor: { email, first_name: "Ada", last_name: "Lovelace" },
      consent: [{ prompt_id: prompt.id, text: prompt.text, accepted }]
    })
    const first = await give({ ...typed("typo@example.org", true), payment_token: numbers.declined })
    const again = { retries: first.progress_token, campaign: campaign.public_ref }
    const paid = await give({ ...typed("right@example.org", false), ...again })
    assert.strictEqual(paid.subscription_id, first.subscription_id)
    const { donor_id } = await giving.giftOf(paid)
    assert.notStrictEqual(donor_id, (await giving.giftOf(first)).donor_id)
    const shown = await giving.tenant.reader.get(`/subscriptions?donor_id=${donor_id}`)
    assert.strictEqual(shown.at("data.0.id"), paid.subscription_id)
    assert.notInclude(await told(paid), "subscription.cancelled")
    await at("2026-02-15")
    const [failed, tried, renewed] = await gifts(paid)
    const kept = ["donor_id", "consent_given", "campaign_id", "revenue_code_id", "payment_method"]
    assert.deepStrictEqual(Struct.pick(renewed ?? {}, kept), Struct.pick(tried ?? {}, kept))
    assert.deepInclude(renewed, { status: "CONFIRMED", donor_id, consent_given: false })
    assert.notStrictEqual(renewed?.["campaign_id"], failed?.["campaign_id"])
  })

  it("is renewed on each due day, once, with what it keeps", async () => {
    service.clock.now = Date.parse("2026-01-31T02:00:00Z")
    const gift = await give()
    await at("2026-02-27")
    assert.lengthOf(await gifts(gift), 1)
    await at("2026-02-28")
    await renew()
    assert.deepStrictEqual(await paidOn(gift), ["2026-01-31 PAID", "2026-02-28 PAID"])
    await at("2026-03-31")
    const [first, , third] = await gifts(gift)
    assert.deepInclude(third, {
      status: "CONFIRMED",
      source: "PAYMENT_PROCESSOR",
      amount_cents: 5_000,
      donation_date: "2026-03-31T02:00:00.000Z",
      donor_id: first?.["donor_id"],
      donation_form_id: giving.form.id,
      revenue_code_id: first?.["revenue_code_id"],
      is_recurring: true
    })
    assert.deepStrictEqual(await told(gift, 5), ["donation.created", "donation.succeeded"])
    const refunded = await giving.tenant.writer.post(`/donations/${third?.["id"]}/refund`, {})
    assert.strictEqual(refunded.status, 200, refunded.text)
    await giving.settle()
    assert.strictEqual((await gifts(gift))[2]?.["status"], "REFUNDED")
    await giving.balanced()
  })

  it("is tried again 3, 5 and 7 days after each failure, told of once, and recovers", async () => {
    const gift = await give()
    await setMandate(gift, "DECLINING")
    await at("2026-02-15")
    assert.strictEqual(await status(gift), "PAST_DUE")
    assert.deepStrictEqual(await told(gift, 3), afterFailure)
    const failed = (await gifts(gift))[1]
    assert.deepInclude((await events()).at(-1)?.data, { donation_id: failed?.["id"], status: "PAST_DUE" })
    await at("2026-02-17")
    await at("2026-02-18")
    await at("2026-02-22")
    assert.lengthOf(await giving.charges(), 3)
    await setMandate(gift, "WORKING")
    await at("2026-02-23")
    assert.strictEqual(await status(gift), "ACTIVE")
    assert.deepStrictEqual(await told(gift, 6), ["donation.created", "donation.succeeded"])
    assert.deepStrictEqual(await paidOn(gift), ["2026-01-15 PAID", "2026-02-15 PAID"])
    await at("2026-03-15")
    assert.lengthOf(await gifts(gift), 4)
    await giving.balanced()
  })

  it("goes on after an outage: the latest invoice, those of the last week one a day, and a person for the rest", async () => {
    const gift = await give({ frequency: "WEEKLY" })
    await at("2026-02-12")
    assert.deepStrictEqual(await paidOn(gift), ["2026-01-15 PAID", "2026-02-05 OPEN", "2026-02-12 PAID"])
    await renew()
    assert.lengthOf(await giving.charges(), 2)
    await at("2026-02-13")
    assert.deepStrictEqual(await paidOn(gift), ["2026-01-15 PAID", "2026-02-05 PAID", "2026-02-12 PAID"])
    const raised = await service.run(
      PaymentExceptionStore.use((store) => store.ofSubject(organisation_id(), idOf(gift)))
    )
    assert.deepStrictEqual(fieldsOf(raised, "kind"), ["skipped_invoice", "skipped_invoice"])
    await giving.balanced()
  })

  it("ends by a lost dispute, and without a reason when its mandate is revoked at the bank", async () => {
    const gift = await give()
    await at("2026-02-15")
    const renewal = (await gifts(gift))[1]
    const submitted = { ...gift, donation_id: null, recommendation_set_payment_id: null }
    const charge = (await giving.charges()).find(({ purpose }) => purpose === "invoice")
    const byInvoice = { ...submitted, donation_id: charge?.subject_id as typeof gift.donation_id }
    await giving.move(byInvoice, (held, now) => dispute(held, null, now))
    await giving.settle()
    assert.strictEqual(await status(gift), "ACTIVE")
    await at("2026-03-15")
    assert.lengthOf(await gifts(gift), 2, "nothing is charged beside an open dispute")
    await giving.move(byInvoice, disputeLost)
    await giving.settle()
    assert.deepInclude(await held(gift), { status: "CANCELLED", cancel_reason: "payment_disputed" })
    assert.deepInclude((await gifts(gift))[1], { id: renewal?.["id"], status: "REFUNDED" })
    const other = await give({ amount_cents: 6_000 })
    await setMandate(other, "REVOKED")
    await at("2026-04-15")
    assert.deepInclude(await held(other), { status: "CANCELLED", cancel_reason: null })
    assert.lengthOf(await gifts(other), 1)
    await giving.balanced()
  })

  it("goes to the survivor of a merge, and ends when its donor is archived", async () => {
    const gift = await give()
    const { donor_id } = await stored(gift)
    const { writer } = giving.tenant
    const survivor = (await writer.post("/donors", { first_name: "Ada", last_name: "King" })).textAt("id")
    await writer.post(`/donors/${survivor}/merge`, { duplicate_donor_id: donor_id })
    assert.strictEqual((await stored(gift)).donor_id, survivor)
    await at("2026-02-15")
    assert.deepStrictEqual(fieldsOf(await gifts(gift), "donor_id"), [survivor, survivor])
    await writer.delete(`/donors/${survivor}`)
    assert.deepInclude(await held(gift), { status: "CANCELLED", cancel_reason: "cancellation_requested" })
    assert.strictEqual((await told(gift)).at(-1), "subscription.cancelled")
  })
})
