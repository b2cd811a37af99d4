import { assert, describe, it } from "@effect/vitest"
import { verifyWebhook } from "../../src/client.ts"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { webhookTransport } from "../../src/webhooks.ts"
import { callerIn, openReceiver } from "./Charity.ts"

const types = [
  "checkout_link.updated",
  "donation.created",
  "donation.succeeded",
  "donation.failed",
  "recommendation_set.payment_succeeded",
  "recommendation_set.payment_failed"
] as const

describe("webhooks of what donors pay", () => {
  it("arrive signed at a receiver, for a link and a set, with everything that they say", async () => {
    const { arrived, server, url } = await openReceiver()
    await using almoner = await Almoner.open({
      backend: memory(),
      webhookTransport,
      operatorCidrs: ["127.0.0.0/8"],
      logger: () => undefined
    })
    const caller = await callerIn(almoner, { plan: "ENTERPRISE" })
    const sandbox = caller.organisation
    const hill = await callerIn(almoner, { slug: "hillside" })
    const ada = almoner.as(caller)
    await almoner.integrations.create(caller, { label: "Main", processor_connect_account_id: "acct_1" })
    const { passphrase } = await almoner.integrations.create(hill, {
      label: "Hillside",
      processor_connect_account_id: "acct_2"
    })
    const { link: account } = await ada.recipientAccounts.link({ passphrase })
    const link = await ada.checkoutLinks.create({ donor_email: "bea@example.org", amount_cents: 7_000 })
    const set = await ada.recommendationSets.create({
      name: "Spring",
      allocations: [{ recipient_org_account_link_id: account.id, amount_cents: 4_000 }]
    })
    const prompt = await almoner.consentPrompts.create(caller, { text: "May we write to you?" })
    const { secret } = await ada.webhookEndpoints.create({ url, event_types: [...types] })
    const common = {
      organisation: sandbox.slug,
      currency: "AUD",
      method: "card",
      request_id: "req_page",
      payment_token: "4242 4242 4242 4242"
    } as const
    const gift = await almoner.checkouts.submit({
      ...common,
      code: link.code,
      amount_cents: 7_000,
      submission_id: "018f6e7a-0000-7000-8000-000000000001"
    })
    const page = await almoner.checkouts.open({ organisation: sandbox.slug, url_key: set.url_key })
    assert.deepStrictEqual(page.prompts, [{ id: prompt.id, text: "May we write to you?" }])
    const onSet = {
      ...common,
      url_key: set.url_key,
      amount_cents: 4_000,
      allocations: page.set?.allocations.map(({ amount_cents, id }) => ({ id, amount_cents })) ?? [],
      donor: { email: "cy@example.org" },
      consent: [{ prompt_id: prompt.id, text: "May we write to you?", accepted: true }]
    }
    const paid = await almoner.checkouts.submit({ ...onSet, submission_id: "018f6e7a-0000-7000-8000-000000000002" })
    const declined = await almoner.checkouts.submit({
      ...onSet,
      submission_id: "018f6e7a-0000-7000-8000-000000000003",
      payment_token: "4000 0000 0000 0002"
    })
    await almoner.dispatch()
    server.close()
    const events = await Promise.all(arrived.map((each) => verifyWebhook({ ...each, secret })))
    const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => Object(data))
    assert.lengthOf(events, 5)
    assert.deepInclude(of("checkout_link.updated")[0], {
      id: link.id,
      status: "COMPLETED",
      donation_id: gift.donation_id
    })
    assert.notProperty(of("checkout_link.updated")[0], "code")
    const told = { source: "CHECKOUT_LINK", consent_given: null, differs_from_record: null, donation_form_id: null }
    assert.deepInclude(of("donation.created")[0], { id: gift.donation_id, status: "PENDING", ...told })
    assert.deepInclude(of("donation.succeeded")[0], { id: gift.donation_id, status: "CONFIRMED", ...told })
    const payment = { recommendation_set_id: set.id, total_amount_cents: 4_000, payment_method_type: "card" }
    const [succeeded] = of("recommendation_set.payment_succeeded")
    assert.deepInclude(succeeded, {
      ...payment,
      recommendation_set_payment_id: paid.recommendation_set_payment_id,
      payment_status: "SUCCEEDED",
      distribution_status: "PENDING",
      failure_code: null
    })
    assert.match(succeeded.donor_id, /^dnr_/)
    assert.deepInclude(of("recommendation_set.payment_failed")[0], {
      ...payment,
      recommendation_set_payment_id: declined.recommendation_set_payment_id,
      payment_status: "FAILED",
      donor_id: null,
      failure_code: "card_declined"
    })
  })
})
