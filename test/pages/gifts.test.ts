import { assert, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { Caps } from "../../src/app/compliance/Caps.ts"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { ConsentPrompts } from "../../src/app/giving/ConsentPrompts.ts"
import { PaymentId } from "../../src/domain/kernel/Ids.ts"
import { CampaignStore, ChargeStore, PaymentStore } from "../../src/ports.ts"
import { campaignOf } from "../../src/testing/conformance/Insight.ts"
import { fieldsOf } from "../support/Answer.ts"
import {
  closeCards,
  type GivingSandbox,
  linkedRecipient,
  makeGivingSandbox,
  numbers
} from "../support/GivingSandbox.ts"
import { mailsOf } from "../support/OutboxMails.ts"
import { byCard, firstScreen, type VisitedPage, visitorOf } from "../support/PageVisitor.ts"
import type { Service } from "../support/Service.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { asOperator } from "../support/Tenant.ts"

const visitor = (service: Service, { tenant }: GivingSandbox) =>
  visitorOf(service.call, `${tenant.organisation.slug}.localhost:1`)

const isPayment = Schema.is(PaymentId)

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

describeService(inMemory, "a gift over what the law lets one donor give", (service) => {
  it("is refused with that reason, on a form and on a link, whatever its donor gave before", async () => {
    service.pace = 0
    const giving = await makeGivingSandbox(service)
    const { organisation, writer } = giving.tenant
    for (const day of ["2026-12-01", "2027-02-10"]) await writer.post("/sandbox/advance", { to: `${day}T03:00:00Z` })
    const capped = CodeAssignments.use((use) => use.assign({ code: "WINTER", jurisdiction: "AU" }))
    await service.run(capped.pipe(asOperator(organisation)))
    await service.run(Caps.use((use) => use.update({ is_blocking: true })).pipe(asOperator(organisation)))
    const visit = visitor(service, giving)
    const give = async (amount_other: string, email: string) => {
      const first = await visit(`/f/${giving.form.slug}`)
      const second = await first.submit({ ...firstScreen, amount_other, email })
      return second.submit(byCard(numbers.succeeds))
    }
    assert.strictEqual((await give("50000", "ada@example.org")).heading, "Thank you")
    const again = await give("1", "ada@example.org")
    const stranger = await give("50001", "bea@example.org")
    const says =
      "There is a problem This is more than can be taken: the law lets one donor give only so much here. Give less, or ask the organisation."
    assert.deepStrictEqual([again.problems, stranger.problems], [says, says])
    // What was typed is there to be made less.
    assert.strictEqual(stranger.field("amount_other")["value"], "50001")
    const less = await stranger.submit({ ...firstScreen, amount_other: "50000", email: "bea@example.org" })
    assert.strictEqual((await less.submit(byCard(numbers.succeeds))).heading, "Thank you")

    const link = await writer.post("/checkout-links", {
      donor_email: "ada@example.org",
      amount_cents: 100,
      revenue_code: "WINTER"
    })
    const onLink = await (await visit(pathOf(link.textAt("url")))).submit(byCard(numbers.succeeds))
    assert.deepStrictEqual([onLink.heading, onLink.problems], ["Give $1", says])
    assert.lengthOf(await giving.charges(), 2)
  })
})

describeService(inMemory, "the language of a page", (service) => {
  it("is that of the receipts of what is given on it, and of the code that it asks for", async () => {
    service.pace = 0
    const giving = await makeGivingSandbox(service)
    const { organisation } = giving.tenant
    const host = `${organisation.slug}.localhost:1`
    const visit = visitorOf(service.call, host, { "accept-language": "ar-SY, en;q=0.5" })
    const second = async () => (await visit(`/f/${giving.form.slug}`)).submit(firstScreen)
    assert.strictEqual((await (await second()).submit(byCard(numbers.succeeds))).heading, "شكراً لك")
    await closeCards(giving)
    await (await second()).submit({ step: "code" })
    const mails = (await mailsOf(service, organisation)).flatMap(Option.toArray)
    assert.deepStrictEqual(
      mails.map(({ language, subject }) => [language, subject.split(" ", 1)[0]]),
      [
        ["ar", "إيصال"],
        ["ar", "رمزك"]
      ]
    )
  })
})

describeService(inMemory, "the campaign that a page's address names", (service) => {
  /** A sandbox with a campaign whose reference is `spring`, and the campaigns of the gifts that it has. */
  const world = async () => {
    const giving = await makeGivingSandbox(service)
    const { organisation, reader } = giving.tenant
    const campaign = await service.run(
      Effect.map(campaignOf(organisation.id), (made) => ({ ...made, public_ref: "spring" }))
    )
    await service.run(CampaignStore.use((store) => store.insert(campaign)))
    const gifts = async () => {
      const ids = fieldsOf((await reader.get("/donations")).listAt("data"), "id")
      return Promise.all(ids.map(async (id) => (await reader.get(`/donations/${id}`)).at("campaign_id")))
    }
    return { giving, campaign: campaign.id, gifts, visit: visitor(service, giving) }
  }
  type World = Awaited<ReturnType<typeof world>>

  /** The address of a page with the campaign, and whether the page knows its donor. */
  const pages: Readonly<Record<string, (world: World) => Promise<readonly [path: string, isKnown: boolean]>>> = {
    "on a form": async ({ giving }) => [`/f/${giving.form.slug}?cmp=spring`, false],
    "on a form, by a donor's own link": async (made) => [await ownLink(made), true],
    "on a form, by a link that is dead": async (made) => {
      const link = await ownLink(made)
      const id = (await made.giving.tenant.reader.get("/donors")).textAt("data.0.id")
      await made.giving.tenant.writer.patch(`/donors/${id}`, { last_name: "Changed" })
      return [link, false]
    },
    "in the frame of another site": async ({ giving }) => [
      `/embed/${giving.form.embed_token}?cmp=spring&origin=${encodeURIComponent("https://site.example")}`,
      false
    ]
  }

  const ownLink = async ({ giving: { form, tenant } }: World): Promise<string> => {
    const donor = await tenant.writer.post("/donors", { first_name: "Zoë", last_name: "Quill", email: "z@example.org" })
    const link = await tenant.writer.post(`/forms/${form.id}/personalised-links`, { donor_id: donor.textAt("id") })
    return `${pathOf(link.textAt("url"))}&cmp=spring`
  }

  it.each(Object.entries(pages))("is kept after a decline, a refused approval and another try: %s", async (_, at) => {
    const made = await world()
    const [path, isKnown] = await at(made)
    const first = await made.visit(path)
    assert.strictEqual(first.html.includes("Hello Zoë"), isKnown)
    const second = await first.submit(isKnown ? { amount: "other", amount_other: "50", step: "who" } : firstScreen)
    const declined = await second.submit(byCard(numbers.declined))
    assert.match(declined.problems, /declined/u)
    const approval = await declined.submit(byCard(numbers.waits))
    assert.strictEqual(approval.heading, "One more step")
    const failed = await approval.submit({ answer: "refuse" })
    assert.strictEqual(failed.heading, "The payment did not go through")
    const again = await failed.submit({ answer: "again" })
    assert.strictEqual(again.heading, "Give $50")
    const changed = await (await again.submit({ step: "change" })).submit({
      ...firstScreen,
      amount_other: "60"
    })
    assert.strictEqual((await changed.submit(byCard(numbers.succeeds))).heading, "Thank you")
    assert.deepStrictEqual(await made.gifts(), [made.campaign])
  })

  it("is kept by another try of a set, and of a checkout link", async () => {
    const { campaign, gifts, giving, visit } = await world()
    const { writer } = giving.tenant
    const waits = async (path: string, fields: Readonly<Record<string, string>> | null) => {
      const opened = await visit(path)
      const second = fields === null ? opened : await opened.submit(fields)
      const failed = await (await second.submit(byCard(numbers.waits))).submit({ answer: "refuse" })
      const again = await failed.submit({ answer: "again" })
      assert.strictEqual((await again.submit(byCard(numbers.succeeds))).heading, "Thank you")
    }
    const link = await writer.post("/checkout-links", { donor_email: "bea@example.org", amount_cents: 7_000 })
    await waits(`${pathOf(link.textAt("url"))}?cmp=spring`, null)
    assert.deepStrictEqual(await gifts(), [campaign])
    const set = await writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "FIXED",
      allocations: [{ recipient_org_account_link_id: (await linkedRecipient(service, giving)).link, amount_cents: 900 }]
    })
    await waits(`${pathOf(set.textAt("giving_url"))}?cmp=spring`, firstScreen)
    const subjects = (await giving.charges()).flatMap(({ subject_id: id }) => (isPayment(id) ? [id] : []))
    const paid = await service.run(
      PaymentStore.use((store) =>
        Effect.forEach(subjects, (id) => Effect.map(store.find(giving.tenant.organisation.id, id), Option.getOrThrow))
      )
    )
    assert.deepStrictEqual(fieldsOf(paid, "campaign_id"), [campaign, campaign])
  })
})

describeService(inMemory, "a payment whose processor has not answered yet", (service) => {
  it("is not said to have brought nothing, though its link was cancelled: its money may have come first", async () => {
    const giving = await makeGivingSandbox(service)
    const { writer } = giving.tenant
    const link = await writer.post("/checkout-links", { donor_email: "bea@example.org", amount_cents: 7_000 })
    const visit = visitor(service, giving)
    const waiting = await (await visit(pathOf(link.textAt("url")))).submit(byCard(numbers.waits))
    assert.strictEqual(waiting.heading, "One more step")
    await giving.setAccount({ reach: "LOST" })
    assert.strictEqual((await writer.post(`/checkout-links/${link.textAt("id")}/cancel`)).status, 200)
    await giving.settle()
    const asked = await visit(waiting.path)
    assert.strictEqual(asked.heading, "Your payment is being made")
    assert.include(asked.html, "Do not pay again")
    await giving.setAccount({})
    await giving.settle()
    assert.strictEqual((await visit(waiting.path)).heading, "The payment was cancelled")
  })

  it("is taken up again at once where it was declined", async () => {
    const giving = await makeGivingSandbox(service)
    const visit = visitor(service, giving)
    const waiting = await (await (await visit(`/f/${giving.form.slug}`)).submit(firstScreen)).submit(
      byCard(numbers.waits)
    )
    const [charge = assert.fail()] = await giving.charges()
    await service.run(ChargeStore.use((store) => store.update({ ...charge, ending: "card_declined" })))
    const failed = await visit(waiting.path)
    assert.strictEqual(failed.heading, "The payment did not go through")
    assert.strictEqual((await failed.submit({ answer: "again" })).heading, "Give $50")
  })
})

describeService(inMemory, "a payment that failed", (service) => {
  const details = { name: "Zoë Quill-Secret", email: "zoe.secret@gmail.com", phone: "0400 999 888", suburb: "Hidden" }
  /** All that a page says, and what its token says. */
  const told = ({ field, html }: VisitedPage): string =>
    `${html} ${Buffer.from(field("token")["value"]?.split(".")[1] ?? "", "base64url").toString()}`

  it("is taken up again by its donor, of whom whoever has its address is told nothing", async () => {
    const asks = { address_visibility: "OPTIONAL", phone_visibility: "OPTIONAL" }
    const giving = await makeGivingSandbox(service, asks, { methods: ["card", "au_becs_debit"] })
    const first = await visitor(service, giving)(`/f/${giving.form.slug}`)
    const waiting = await (await first.submit({ ...firstScreen, amount_other: "60", ...details })).submit(
      byCard(numbers.waits)
    )
    const failed = await waiting.submit({ answer: "refuse" })
    const again = await failed.submit({ answer: "again" })
    const declined = await again.submit(byCard(numbers.declined))
    const changed = await declined.submit({ step: "change" })
    assert.strictEqual(changed.field("amount_other")["value"], "60")
    for (const page of [again, declined, changed]) {
      for (const detail of Object.values(details)) assert.notInclude(told(page), detail)
      assert.notMatch(told(page), /Secret|0400/u)
    }
    await closeCards(giving)
    const closed = await declined.submit({})
    assert.include(closed.html, "which we send to z…@gmail.com")
    await closed.submit({ step: "code" })
    const mails = (await mailsOf(service, giving.tenant.organisation)).flatMap(Option.toArray)
    assert.strictEqual(mails.at(-1)?.to, details.email)
    const another = await changed.submit({ ...firstScreen, email: "bea@example.org", step: "who" })
    assert.include(told(another), "bea@example.org")
    const given = await declined.submit({ method: "au_becs_debit", "payment_token.au_becs_debit": "000-000 000123456" })
    assert.strictEqual(given.heading, "Your payment is under way")
    const charge = (await giving.charges()).find(({ method }) => method === "au_becs_debit")
    const donor_id = (await giving.tenant.reader.get(`/donations/${charge?.subject_id}`)).textAt("donor_id")
    assert.strictEqual((await giving.tenant.reader.get(`/donors/${donor_id}`)).at("email"), details.email)
  })
})

describeService(inMemory, "a set that changes while its page is open", (service) => {
  const modes = [
    ["with amounts that are fixed", "FIXED"],
    ["with amounts that the donor may change", "SUGGESTED"]
  ] as const

  it.each(modes)("is shown anew, and told to have changed: %s", async (_, amount_mode) => {
    const giving = await makeGivingSandbox(service)
    const { writer } = giving.tenant
    const [one, two] = [(await linkedRecipient(service, giving)).link, (await linkedRecipient(service, giving)).link]
    const to = (recipient_org_account_link_id: string, amount_cents: number) => ({
      recipient_org_account_link_id,
      amount_cents
    })
    const allocations = [to(one, 1_000), to(two, 2_000)]
    const set = await writer.post("/recommendation-sets", { name: "Harvest", amount_mode, allocations })
    const { amount: __, amount_other: ___, ...who } = firstScreen
    const first = await visitor(service, giving)(pathOf(set.textAt("giving_url")))
    const changed = { allocations: [to(one, 4_000)] }
    assert.strictEqual((await writer.patch(`/recommendation-sets/${set.textAt("id")}`, changed)).status, 200)
    const again = await first.submit(who)
    assert.strictEqual(again.heading, "Harvest")
    assert.include(again.problems, "This page has changed since you opened it.")
    assert.strictEqual(again.field("name")["value"], firstScreen.name)
    assert.include((await again.submit(who)).heading, "Give $40")
  })
})

describeService(inMemory, "answers to consent prompts", (service) => {
  it("are to what the first screen showed: whatever has changed since is asked anew", async () => {
    const giving = await makeGivingSandbox(service)
    const { reader, staff } = giving.tenant
    const prompt = await staff(ConsentPrompts.use((use) => use.create({ text: "May we write to you?" })))
    const field = `consent.${prompt.id}`
    const wordingIn = (page: VisitedPage, tick: string) => page.field(tick)["value"] ?? assert.fail()
    const visit = visitor(service, giving)
    const first = await visit(`/f/${giving.form.slug}`)
    await staff(ConsentPrompts.use((use) => use.update(prompt.id, { text: "May we sell your address?" })))
    const other = await staff(ConsentPrompts.use((use) => use.create({ text: "May we call you?" })))
    const again = await first.submit({ ...firstScreen, [field]: wordingIn(first, field) })
    assert.strictEqual(again.heading, "Winter appeal")
    assert.include(again.html, "This page has changed since you opened it.")
    assert.strictEqual(again.field("name")["value"], firstScreen.name)
    assert.notProperty(again.field(field), "checked")
    const second = await again.submit({
      ...firstScreen,
      [`consent.${other.id}`]: wordingIn(again, `consent.${other.id}`)
    })
    assert.strictEqual((await second.submit(byCard(numbers.succeeds))).heading, "Thank you")
    const [event] = (await reader.get("/events?type=donation.succeeded")).listAt("data")
    const answers = (event as { data: { consent_responses: ReadonlyArray<object> } }).data.consent_responses
    assert.deepStrictEqual(
      answers.map((each) => [each["text" as keyof typeof each], each["accepted" as keyof typeof each]]),
      [
        ["May we sell your address?", false],
        ["May we call you?", true]
      ]
    )
  })
})

describeService(inMemory, "a page that somebody has given on, and goes back to", (service) => {
  it("takes what its button says then: the same gift once, and each other one, whoever gives", async () => {
    const giving = await makeGivingSandbox(service)
    const first = await visitor(service, giving)(`/f/${giving.form.slug}`)
    const gift = { ...firstScreen, cadence: "ONE_TIME" }
    const pay = await first.submit(gift)
    const given = await pay.submit(byCard(numbers.succeeds))
    // By going back in the browser, and by the page's own button, with a name that was mended.
    assert.strictEqual((await pay.submit(byCard(numbers.succeeds))).path, given.path)
    const changed = await pay.submit({ step: "change" })
    const same = await changed.submit({ ...gift, name: "Ada King", email: " ADA@example.org" })
    assert.strictEqual((await same.submit(byCard(numbers.succeeds))).path, given.path)
    const others = [
      { amount_other: "70" },
      { name: "Bea Quill", email: "bea@example.org" },
      { cadence: "MONTHLY" }
    ] as const
    for (const other of others) {
      const again = await (await changed.submit({ ...gift, ...other })).submit(byCard(numbers.succeeds))
      assert.strictEqual(again.heading, "Thank you")
      assert.notStrictEqual(again.path, given.path)
    }
    const amounts = (await giving.charges()).map(({ amount_cents }) => amount_cents)
    assert.sameMembers(amounts, [5_000, 7_000, 5_000, 5_000])
  })
})

describeService(inMemory, "what is sent to a page by mistake, or by somebody who means harm", (service) => {
  it("leads to the page where a slash stands at the end of its address, which has nothing beneath it", async () => {
    const giving = await makeGivingSandbox(service)
    const visit = visitor(service, giving)
    const page = await visit(`/f/${giving.form.slug}/?cmp=spring`)
    assert.deepStrictEqual([page.path, page.heading], [`/f/${giving.form.slug}?cmp=spring`, "Winter appeal"])
    assert.strictEqual((await visit(`/f/${giving.form.slug}/logo`)).status, 404)
    const given = await (await page.submit(firstScreen)).submit(byCard(numbers.waits))
    assert.strictEqual((await visit(`${given.path}/`)).heading, "One more step")
  })

  it("names a donor without what no field of a form has: words stay apart, and nothing turns the text after it around", async () => {
    const giving = await makeGivingSandbox(service)
    const first = await visitor(service, giving)(`/f/${giving.form.slug}`)
    const name = "Ada\u202e \u0000\u0085علي\u200f\r\n\u2066O'Brien\u2069"
    const second = await first.submit({ ...firstScreen, name, phone: "0400\t000\u009b\u2028000" })
    assert.strictEqual((await second.submit(byCard(numbers.succeeds))).heading, "Thank you")
    const [donor = assert.fail()] = (await giving.tenant.reader.get("/donors")).listAt("data")
    assert.deepInclude(donor, { first_name: "Ada علي\u200f", last_name: "O'Brien", phone: "0400 000 000" })
  })

  it("approves no payment at the address of another organisation", async () => {
    const [giving, other] = [await makeGivingSandbox(service), await makeGivingSandbox(service)]
    const first = await visitor(service, giving)(`/f/${giving.form.slug}`)
    const waiting = await (await first.submit(firstScreen)).submit(byCard(numbers.waits))
    assert.strictEqual(waiting.heading, "One more step")
    const answer = await service.call("POST", waiting.path, {
      headers: {
        host: `${other.tenant.organisation.slug}.localhost:1`,
        "content-type": "application/x-www-form-urlencoded"
      },
      body: "answer=approve"
    })
    assert.strictEqual(answer.status, 303)
    assert.deepStrictEqual(fieldsOf(await giving.charges(), "status"), ["WAITING"])
    assert.strictEqual((await waiting.submit({ answer: "approve" })).heading, "Thank you")
  })
})
