import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { ConsentPrompts } from "../../src/app/giving/ConsentPrompts.ts"
import { Tariffs } from "../../src/app/payments/Tariffs.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { NewIntegration } from "../../src/domain/access/Integration.ts"
import { CampaignId, type RecommendationSetId } from "../../src/domain/kernel/Ids.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { EnteredAmount, Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { CampaignStore, PaymentStore } from "../../src/ports.ts"
import { campaignOf } from "../../src/testing/conformance/Insight.ts"
import { fieldsOf } from "../support/Answer.ts"
import { linkedRecipient, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, eventsOf, makeTenants } from "../support/Tenant.ts"

interface Set {
  readonly id: string
  readonly url_key: string
  readonly allocations: ReadonlyArray<EnteredAmount>
}

describe.each(everyKind)("the checkout of a recommendation set over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() => makeGivingSandbox(service))
  let recipients: ReadonlyArray<string>

  beforeEach(async () => {
    recipients = [(await linkedRecipient(service, giving)).link, (await linkedRecipient(service, giving)).link]
  })

  const make = async (given: object = {}, amounts: ReadonlyArray<number> = [3_000, 2_000]): Promise<Set> => {
    const made = await giving.tenant.writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "SUGGESTED",
      allocations: recipients.map((id, index) => ({
        recipient_org_account_link_id: id,
        amount_cents: amounts[index] ?? 0
      })),
      ...given
    })
    assert.strictEqual(made.status, 201, made.text)
    const allocations = made.at("allocations") as ReadonlyArray<EnteredAmount>
    return {
      id: made.textAt("id"),
      url_key: made.textAt("url_key"),
      allocations: allocations.map(({ amount_cents, id }) => ({ id, amount_cents }))
    }
  }

  const entering = ({ allocations }: Set, ...amounts: ReadonlyArray<number>) =>
    allocations.map(({ amount_cents, id }, index) => ({ id, amount_cents: amounts[index] ?? amount_cents }))

  const given = (set: Set, more: FieldsOf<Submission> = {}): FieldsOf<Submission> => {
    const allocations = more.allocations ?? set.allocations
    return {
      slug: null,
      url_key: set.url_key,
      allocations,
      amount_cents: allocations.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
      ...more
    }
  }
  const submit = (set: Set, more: FieldsOf<Submission> = {}) => giving.submit(given(set, more))
  const open = (set: Set, more: object = {}) =>
    service.run(
      Checkouts.use((all) => all.open({ organisation: giving.tenant.organisation.slug, url_key: set.url_key, ...more }))
    )
  const refusal = (set: Set, more: FieldsOf<Submission> = {}) => giving.attempt(given(set, more))
  const paymentOf = ({ recommendation_set_payment_id: id }: SubmittedCheckout) =>
    service.run(
      PaymentStore.use((store) =>
        Effect.map(id === null ? Effect.succeedNone : store.find(giving.tenant.organisation.id, id), Option.getOrThrow)
      )
    )
  const listed = async (set: Set) => {
    const page = await giving.tenant.reader.get(`/recommendation-sets/${set.id}/payments`)
    return page.at("data") as ReadonlyArray<Record<string, unknown>>
  }
  const events = () => eventsOf(giving.tenant)
  const told = async (submitted: SubmittedCheckout) =>
    (await events()).filter(
      ({ data }) => data["recommendation_set_payment_id"] === submitted.recommendation_set_payment_id
    )

  it("shows who is recommended, and what each is asked for", async () => {
    const set = await make({ min_total_cents: 4_000 })
    const page = await open(set)
    assert.deepInclude(page, { closed: null, currency: "AUD", form: null, link: null, donor: null })
    assert.deepInclude(page.set, {
      id: set.id as RecommendationSetId,
      amount_mode: "SUGGESTED",
      min_total_cents: 4_000
    })
    assert.deepStrictEqual(fieldsOf(page.set?.allocations ?? [], "recipient_org_name", "amount_cents"), [
      ["Food Bank", 3_000],
      ["Food Bank", 2_000]
    ])
    await giving.tenant.writer.post(`/recommendation-sets/${set.id}/deactivate`)
    assert.strictEqual((await open(set)).closed, "deactivated")
    assert.strictEqual(await refusal(set), "TakesNoPayment")
    await giving.tenant.writer.delete(`/recommendation-sets/${set.id}`)
    assert.strictEqual((await open(set)).closed, "archived")
    const short = await make({ expires_at: new Date(service.clock.now + 60_000).toISOString() })
    service.clock.advance(61_000)
    assert.strictEqual((await open(short)).closed, "expired")
    assert.strictEqual(await refusal(short), "TakesNoPayment")
  })

  it("is paid once, its donor known from then on, and its transfers wait", async () => {
    await service.run(Tariffs.use((tariffs) => tariffs.set({ plan: "ENTERPRISE", basis_points: 100, fixed_cents: 10 })))
    const set = await make()
    const debit = await submit(set, { method: "au_becs_debit", payment_token: numbers.debit })
    assert.deepInclude(debit, { status: "PROCESSING", donation_id: null, amount_cents: 5_000 })
    const before = await paymentOf(debit)
    assert.deepInclude(before, { payment_status: "PENDING", donor_id: null, payment_method_type: "au_becs_debit" })
    assert.deepInclude(before.submitted_donor, { email: "ada@example.org", first_name: "Ada" })
    assert.lengthOf((await giving.tenant.reader.get("/donors")).listAt("data"), 0)
    const summary = async () => (await giving.tenant.reader.get(`/recommendation-sets/${set.id}`)).at("payment_summary")
    const nothing = { referred_cents: 0, referred_count: 0, in_flight_cents: 0, in_flight_count: 0 }
    assert.deepStrictEqual(await summary(), { ...nothing, in_flight_cents: 5_000, in_flight_count: 1 })
    await giving.move(debit, Bank.settle)
    await giving.settle()
    const [paid = assert.fail()] = await listed(set)
    const { donor_id } = await paymentOf(debit)
    assert.isNotNull(donor_id)
    assert.deepInclude(paid, {
      payment_status: "SUCCEEDED",
      distribution_status: "PENDING",
      donor_id,
      total_amount_cents: 5_000,
      ask_total_cents: null
    })
    const charge = await giving.chargeOf(debit)
    const fees = (charge.processor_fee_cents ?? assert.fail()) + 60
    const shares = paid["allocations"] as ReadonlyArray<Record<string, unknown>>
    assert.deepStrictEqual(
      shares.map((each) => [each["gross_amount_cents"], each["transfer_status"], each["donation_id"] === null]),
      [
        [3_000, "pending", false],
        [2_000, "pending", false]
      ]
    )
    assert.strictEqual(
      shares.reduce((sum, each) => sum + Number(each["net_amount_cents"]), 0),
      5_000 - fees
    )
    assert.deepStrictEqual(await summary(), { ...nothing, referred_cents: 5_000, referred_count: 1 })
    const donor = await giving.tenant.reader.get(`/donors/${donor_id}`)
    assert.strictEqual(donor.at("email"), "ada@example.org")
    const [succeeded, ...more] = await told(debit)
    assert.lengthOf(more, 0)
    assert.strictEqual(succeeded?.type, "recommendation_set.payment_succeeded")
    assert.deepStrictEqual(succeeded?.data, {
      recommendation_set_payment_id: debit.recommendation_set_payment_id,
      recommendation_set_id: set.id,
      donor_id,
      payment_status: "SUCCEEDED",
      distribution_status: "PENDING",
      total_amount_cents: 5_000,
      ask_total_cents: null,
      payment_method_type: "au_becs_debit",
      failure_code: null
    })
    assert.strictEqual((await events()).filter(({ type }) => type === "donor.created").length, 1)
    await giving.settle()
    assert.lengthOf(await told(debit), 1)
    await giving.balanced()
  })

  it("takes the amounts of its mode, and says which is wrong", async () => {
    const fixed = await make({ amount_mode: "FIXED" })
    const suggested = await make({ min_total_cents: 1_000 })
    const wrong: ReadonlyArray<readonly [refusal: string, set: typeof fixed, given: Parameters<typeof refusal>[1]]> = [
      ["InvalidInput allocations[1].amount_cents", fixed, { allocations: entering(fixed, 3_000, 2_001) }],
      ["InvalidInput amount_cents", suggested, { allocations: entering(suggested, 999, 0) }],
      ["InvalidInput amount_cents", suggested, { amount_cents: 4_999 }],
      ["InvalidInput allocations", suggested, { allocations: null, amount_cents: 5_000 }],
      ["InvalidInput allocations", suggested, { allocations: suggested.allocations.slice(0, 1) }],
      ["InvalidInput allocations[0].id", suggested, { allocations: suggested.allocations.toReversed() }],
      ["InvalidInput donor.email", suggested, { donor: { first_name: "Ada" } }],
      ["InvalidInput donor.organisation_name", suggested, { donor: { email: "a@example.org", donor_type: "TRUST" } }],
      ["InvalidInput currency", suggested, { currency: "NZD" }],
      ["NotFound", suggested, { url_key: "nobody-has-this" }]
    ]
    for (const [tag, set, given] of wrong) assert.strictEqual(await refusal(set, given), tag, JSON.stringify(given))
    const openSet = await make({ amount_mode: "OPEN" }, [0, 0])
    const paid = await submit(openSet, { allocations: entering(openSet, 0, 4_200) })
    assert.strictEqual(paid.status, "SUCCEEDED")
    assert.deepStrictEqual(fieldsOf((await paymentOf(paid)).allocations, "gross_amount_cents"), [0, 4_200])
    await giving.balanced()
  })

  it("tells what has changed since the page was shown, and charges nothing", async () => {
    const set = await make({ amount_mode: "FIXED" })
    await giving.tenant.writer.patch(`/recommendation-sets/${set.id}`, {
      allocations: recipients
        .toReversed()
        .map((id, index) => ({ recipient_org_account_link_id: id, amount_cents: [3_000, 2_000][index] }))
    })
    assert.strictEqual(await refusal(set), "InvalidInput allocations[0].id")
  })

  it("is paid by the donor of the link, archived or merged meanwhile or not", async () => {
    const { writer } = giving.tenant
    const set = await make()
    const donor = async (json: object) => (await writer.post("/donors", json)).textAt("id")
    const own = async (donor_id: string) => {
      const link = await writer.post(`/recommendation-sets/${set.id}/personalised-links`, { donor_id })
      return new URL(link.textAt("url")).searchParams.get("dt") ?? assert.fail()
    }
    const bea = await donor({ first_name: "Bea", email: "bea@example.org" })
    const dt = await own(bea)
    assert.deepStrictEqual((await open(set, { dt })).donor, { first_name: "Bea" })
    assert.isNull((await open(set, { dt: `${dt}x` })).donor)
    const debit = { method: "au_becs_debit", payment_token: numbers.debit, dt, donor: null } as const
    const [kept, moved] = [await submit(set, debit), await submit(set, debit)]
    assert.isNull((await paymentOf(kept)).donor_id)
    await giving.move(kept, Bank.settle)
    await writer.delete(`/donors/${bea}`)
    await giving.settle()
    assert.strictEqual((await paymentOf(kept)).donor_id, bea)
    const cy = await donor({ first_name: "Cy", email: "cy@example.org" })
    const third = await submit(set, { ...debit, dt: await own(cy) })
    const survivor = await donor({ first_name: "Cyrus" })
    await writer.post(`/donors/${survivor}/merge`, { duplicate_donor_id: cy })
    await giving.move(third, Bank.settle)
    await giving.move(moved, Bank.settle)
    await giving.settle()
    assert.strictEqual((await paymentOf(third)).donor_id, survivor)
    assert.strictEqual((await paymentOf(moved)).donor_id, bea)
  })

  it("is tried again by the donor's own link as that was, and by none once it has run out or was revoked", async () => {
    const { form, tenant } = giving
    const { writer } = tenant
    const set = await make()
    const made = async () =>
      (await writer.post("/donors", { first_name: "Bea", email: "bea@example.org" })).textAt("id")
    const link = async (page: string, donor_id: string) => {
      const answer = await writer.post(`${page}/personalised-links`, { donor_id })
      return new URL(answer.textAt("url")).searchParams.get("dt") ?? assert.fail()
    }
    const resume = ({ progress_token }: SubmittedCheckout) =>
      service.run(Checkouts.use((all) => all.resume(progress_token)))
    const pages = [
      [`/recommendation-sets/${set.id}`, (given: FieldsOf<Submission>) => submit(set, given)],
      [`/forms/${form.id}`, (given: FieldsOf<Submission>) => giving.submit(given)]
    ] as const
    const revocations: ReadonlyArray<(donor_id: string) => Promise<unknown>> = [
      (id) => writer.patch(`/donors/${id}`, { first_name: "Beatrice" }),
      (id) => writer.delete(`/donors/${id}`),
      async (id) => writer.post(`/donors/${await made()}/merge`, { duplicate_donor_id: id })
    ]
    for (const [page, give] of pages) {
      for (const revoke of revocations) {
        const donor_id = await made()
        const dt = await link(page, donor_id)
        const declined = await give({ dt, donor: null, payment_token: numbers.declined })
        assert.strictEqual((await resume(declined)).dt, dt)
        await revoke(donor_id)
        assert.deepInclude(await resume(declined), { dt: null, donor: null })
      }
      const dt = await link(page, await made())
      service.clock.advance(29.5 * 86_400_000)
      const declined = await give({ dt, donor: null, payment_token: numbers.declined })
      assert.strictEqual((await resume(declined)).dt, dt)
      service.clock.advance(0.5 * 86_400_000)
      assert.deepInclude(await resume(declined), { dt: null, donor: null })
      assert.isNull((await resume(await give({ payment_token: numbers.declined }))).dt)
    }
  })

  it("is attributed to the campaign whose reference it came with", async () => {
    const set = await make()
    const campaign = await service.run(
      Effect.map(campaignOf(giving.tenant.organisation.id), (made) => ({ ...made, public_ref: "winter-26" }))
    )
    await service.run(CampaignStore.use((store) => store.insert(campaign)))
    const paid = await submit(set, { campaign: "winter-26" })
    assert.strictEqual((await paymentOf(paid)).campaign_id, CampaignId.make(campaign.id))
    assert.isNull((await paymentOf(await submit(set, { campaign: "unheard-of" }))).campaign_id)
    const gift = await giving.giftOf(await giving.submit({ campaign: "winter-26" }))
    assert.strictEqual(gift.campaign_id, campaign.id)
    const created = (await events()).find(({ data, type }) => data["id"] === gift.id && type === "donation.created")
    assert.strictEqual(created?.data["campaign_id"], campaign.id)
  })

  it("has every consent prompt answered as it was shown, and keeps the answers with their wording", async () => {
    const operator = asOperator(giving.tenant.organisation)
    const ask = (text: string, position?: number) =>
      service.run(
        ConsentPrompts.use((use) => use.create(position === undefined ? { text } : { text, position })).pipe(operator)
      )
    const set = await make()
    const call = await ask("May we call you?")
    const write = await ask("May we write to you?", 1)
    const gone = await ask("May we visit you?")
    await service.run(ConsentPrompts.use((use) => use.archive(gone.id)).pipe(operator))
    const { prompts } = await open(set)
    assert.deepStrictEqual(prompts, [
      { id: call.id, text: "May we call you?" },
      { id: write.id, text: "May we write to you?" }
    ])
    const answers = prompts.map(({ id, text }, index) => ({ prompt_id: id, text, accepted: index === 1 }))
    assert.strictEqual(await refusal(set), "InvalidInput consent")
    assert.strictEqual(await refusal(set, { consent: answers.slice(0, 1) }), "InvalidInput consent")
    const [first = assert.fail(), second = assert.fail()] = answers
    assert.strictEqual(await refusal(set, { consent: [first, first] }), "InvalidInput consent")
    assert.strictEqual(
      await refusal(set, { consent: [first, { ...second, text: "May we?" }] }),
      "InvalidInput consent[1]"
    )
    const paid = await submit(set, { consent: answers.toReversed() })
    const kept = await paymentOf(paid)
    assert.strictEqual(kept.consent_given, false)
    assert.deepStrictEqual(
      kept.consent_responses.map(({ accepted, prompt_id, text }) => ({ accepted, prompt_id, text })),
      answers
    )
    const form = await giving.submit({ consent: answers })
    const gift = await giving.giftOf(form)
    assert.deepInclude(gift, { consent_given: false })
    await service.run(ConsentPrompts.use((use) => use.update(call.id, { text: "May we ring you?" })).pipe(operator))
    const [created] = (await events()).filter(({ data, type }) => data["id"] === gift.id && type === "donation.created")
    assert.strictEqual(created?.data["consent_given"], false)
    assert.deepStrictEqual(fieldsOf([Object(created?.data["consent_responses"])].flat(), "text"), [
      "May we call you?",
      "May we write to you?"
    ])
    const told = await service.run(
      Effect.result(Checkouts.use((all) => all.submit(giving.submission(given(set, { consent: answers })))))
    )
    assert.isTrue(Result.isFailure(told) && "param" in told.failure && told.failure.param === "consent[0]")
  })

  it("asks at most ten prompts, of its own organisation, and archived ones are asked no more", async () => {
    const operator = asOperator(giving.tenant.organisation)
    const ask = (text: string) =>
      service.run(Effect.result(ConsentPrompts.use((use) => use.create({ text })).pipe(operator)))
    const made = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(`Prompt ${index}`)))
    const asked = made.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
    assert.lengthOf(asked, 10)
    for (const each of made) if (Result.isFailure(each)) assert.strictEqual(each.failure._tag, "LimitReached")
    const [first = assert.fail()] = asked
    const archive = () => service.run(ConsentPrompts.use((use) => use.archive(first.id)).pipe(operator))
    const archived = await archive()
    service.clock.advance(1_000)
    assert.deepStrictEqual(await archive(), archived)
    const changed = await service.run(
      Effect.result(ConsentPrompts.use((use) => use.update(first.id, { text: "?" })).pipe(operator))
    )
    assert.isTrue(Result.isFailure(changed) && changed.failure._tag === "RecordArchived")
    assert.isTrue(Result.isSuccess(await ask("Another")))
    assert.strictEqual((await open(await make())).prompts.length, 10)
    const { sandbox: other } = await makeTenants(service)
    const foreign = await other.staff(Effect.result(ConsentPrompts.use((use) => use.read(first.id))))
    assert.isTrue(Result.isFailure(foreign) && foreign.failure._tag === "NotFound")
  })

  it("stands on accounts at its organisation's processor alone", async () => {
    const { live } = await makeTenants(service)
    const { live: other } = await makeTenants(service)
    const named = { label: "Main", processor_connect_account_id: "acct_1" }
    const account = (organisation: typeof live.organisation, given: NewIntegration) =>
      service.run(Integrations.use((all) => all.create(given)).pipe(asOperator(organisation)))
    const { passphrase } = await account(other.organisation, { ...named, processor: "stripe" })
    const link = (await live.writer.post("/recipient-accounts", { passphrase })).textAt("id")
    const bank_account = { account_name: "A", bsb: "062000", account_number: "12345678" }
    await account(live.organisation, { ...named, processor: "bank", bank_account })
    const refused = await live.writer.post("/recommendation-sets", {
      name: "Harvest",
      allocations: [{ recipient_org_account_link_id: link, amount_cents: 1 }]
    })
    assert.strictEqual(refused.status, 400)
    assert.strictEqual(refused.at("error.code"), "invalid_request")
  })
})
