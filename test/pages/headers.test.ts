import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { GivingSettings } from "../../src/app/giving/GivingSettings.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { serve } from "../../src/http.ts"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pages } from "../../src/pages.ts"
import { stripe } from "../../src/stripe.ts"
import { callerIn } from "../facade/Charity.ts"
import { type GivingSandbox, linkedRecipient, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { byCard, firstScreen, type Send, type VisitedPage, visitorOf } from "../support/PageVisitor.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { openStripeDouble } from "../support/stripe/StripeDouble.ts"
import { asOperator, chargingAccount, makeTenants } from "../support/Tenant.ts"

/** Sends requests over a socket of loopback, whatever host they name. */
const sendTo =
  (port: number): Send =>
  (method, path, { body, headers = {} }) =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", method, path, headers }, (answer) => {
        const parts: Array<Buffer> = []
        answer.on("data", (part) => parts.push(part))
        answer.on("end", () => {
          const { rawHeaders: raw, statusCode: status = 0 } = answer
          const pairs = raw.flatMap(
            (name, index): ReadonlyArray<[string, string]> => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : [])
          )
          resolve({ status, headers: new Headers(pairs), text: Buffer.concat(parts).toString() })
        })
      })
      sent.on("error", reject)
      sent.end(body)
    })

const pathOf = (url: string): string => new URL(url).pathname

const directivesOf = (policy: string): ReadonlyMap<string, string> =>
  new Map(
    policy.split("; ").map((each): [string, string] => {
      const [name = "", ...values] = each.split(" ")
      return [name, values.join(" ")]
    })
  )

interface Expected {
  readonly ancestors?: string
  readonly payment?: string
  readonly robots?: string
}

/** What each page of donors is to be, whatever it shows. */
const assertGuarded = (
  name: string,
  { headers, html }: VisitedPage,
  { ancestors = "'none'", payment = "()", robots = "noindex" }: Expected = {}
) => {
  const said = (header: string) => headers.get(header)
  assert.isNull(said("set-cookie"), name)
  const policy = directivesOf(said("content-security-policy") ?? "")
  assert.notInclude(said("content-security-policy") ?? "", "unsafe-", name)
  const directives = ["default-src", "form-action", "base-uri", "frame-ancestors"].map((each) => policy.get(each))
  assert.deepStrictEqual(directives, ["'none'", "'self'", "'none'", ancestors], name)
  const nothing = "camera=(), microphone=(), geolocation=()"
  assert.strictEqual(said("permissions-policy"), `payment=${payment}, ${nothing}`, name)
  assert.strictEqual(said("x-robots-tag"), robots, name)
  assert.deepStrictEqual([said("referrer-policy"), said("x-content-type-options")], ["no-referrer", "nosniff"], name)
  assert.oneOf(said("cache-control"), ["no-store", "private, no-cache"], name)
  for (const [, action = ""] of html.matchAll(/action="([^"]*)"/gu)) assert.match(action, /^\/(?!\/)/u, name)
}

describeService(inMemory, "every page of donors, over a socket", (service) => {
  let giving: GivingSandbox
  let visit: ReturnType<typeof visitorOf>
  let send: Send
  let host: string

  beforeAll(async () => {
    service.pace = 0
    giving = await makeGivingSandbox(service, { address_visibility: "OPTIONAL", phone_visibility: "REQUIRED" })
    const { organisation } = giving.tenant
    const origins = GivingSettings.use((use) => use.update({ embed_origins: ["https://site.example"] }))
    await service.run(origins.pipe(asOperator(organisation)))
    send = sendTo(await service.listen())
    host = `${organisation.slug}.localhost`
    visit = visitorOf(send, host)
  })

  const donor = { ...firstScreen, phone: "0400 000 000" }
  const form = () => `/f/${giving.form.slug}`
  const makeSet = async () => {
    const { link } = await linkedRecipient(service, giving)
    return giving.tenant.writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "SUGGESTED",
      allocations: [{ recipient_org_account_link_id: link, amount_cents: 3_000 }]
    })
  }
  const makeLink = () =>
    giving.tenant.writer.post("/checkout-links", { donor_email: "bea@example.org", amount_cents: 7_000 })

  it("sets no cookie, sends its form to its own host alone, asks devices for nothing, and is not for search engines", async () => {
    const first = await visit(form())
    const second = await first.submit(donor)
    const waiting = await second.submit(byCard(numbers.waits))
    const failed = await waiting.submit({ answer: "refuse" })
    const link = await visit(pathOf((await makeLink()).textAt("url")))
    const set = await visit(pathOf((await makeSet()).textAt("giving_url")))
    const shown: Readonly<Record<string, VisitedPage>> = {
      "a form": first,
      "a form that looks like a donor's own": await visit(`${form()}?dt=nothing&cmp=spring`),
      "a form with faults": await first.submit({ step: "who" }),
      "the second screen": second,
      "a declined card": await second.submit(byCard(numbers.declined)),
      "an approval": waiting,
      "a failed payment": failed,
      "another try": await failed.submit({ answer: "again" }),
      "a checkout link": link,
      thanks: await link.submit(byCard(numbers.succeeds)),
      "a checkout link that is paid": await visit(link.path),
      "a set": set,
      "a set that is paid": await set.submit(donor),
      "a token that nobody signed": await first.submit({ token: "x.y.z" }),
      "an unknown form": await visit("/f/nothing"),
      "an unknown payment": await visit("/p/x.y.z.w"),
      "an invitation": await visit("/i/nothing"),
      "an organisation's own page": await visit("/")
    }
    assert.deepStrictEqual(
      Object.values(shown).map(({ heading }) => heading),
      [
        ...["Winter appeal", "Winter appeal", "Winter appeal", "Give $50", "Give $50", "One more step"],
        ...["The payment did not go through", "Give $50", "Give $70", "Thank you", "This was paid already"],
        ...["Harvest", "Give $30", "Winter appeal", "There is no such page", "This page is no longer here"],
        ...["This page is not available here yet", "This page is not available here yet"]
      ]
    )
    for (const [name, page] of Object.entries(shown)) assertGuarded(name, page)
    const frame = await visit(`/embed/${giving.form.embed_token}?origin=https://site.example`)
    const inFrame = { ancestors: "https://site.example" }
    assertGuarded("a form in a frame", frame, inFrame)
    const pay = await frame.submit(donor)
    assertGuarded("paying in a frame", pay, inFrame)
    assertGuarded("thanks in a frame", await pay.submit(byCard(numbers.succeeds)), inFrame)
    // No button is on these: whichever site has the frame, it shows what they say.
    const anywhere = { ancestors: "*" }
    assertGuarded("an unknown frame", await visit("/embed/nothing"), anywhere)
    assertGuarded("a payment in a frame that is shown no more", await visit("/p/x.y.z.w?form=x"), anywhere)
    const unread = await send("POST", frame.path, { headers: { host, "content-type": "text/plain" }, body: "x" })
    assertGuarded(
      "a form in a frame that was not read",
      { ...frame, html: unread.text, headers: unread.headers },
      anywhere
    )
    await giving.tenant.writer.patch(`/forms/${giving.form.id}`, { status: "PAUSED" })
    assertGuarded("a paused form", await visit(form()))
    await giving.tenant.writer.patch(`/forms/${giving.form.id}`, { status: "ACTIVE" })
  })

  it("refuses what another site or no form sent, as guarded as the rest, and no script of ours sets a cookie", async () => {
    const type = { "content-type": "application/x-www-form-urlencoded" }
    const foreign = await send("POST", form(), { headers: { host, ...type, origin: "https://evil.example" }, body: "" })
    const unread = await send("POST", form(), { headers: { host, "content-type": "text/plain" }, body: "x" })
    assert.deepStrictEqual([foreign.status, unread.status], [403, 400])
    for (const answer of [foreign, unread]) {
      assertGuarded("a refusal", { ...(await visit("/f/nothing")), headers: answer.headers, html: answer.text })
    }
    const script = await send("GET", "/embed.js", { headers: { host } })
    assert.isNull(script.headers.get("set-cookie"))
    // Wallets are asked for in the frame only where the site's page lets them be.
    assert.include(script.text, 'frame.allow="payment"')
  })

  it("is one for search engines where it is a form that takes real gifts, and nobody's own", async () => {
    const { live } = await makeTenants(service)
    const { organisation, writer } = live
    const account = chargingAccount(organisation)
    await service.run(Integrations.use((use) => use.create(account)).pipe(asOperator(organisation)))
    const made = await writer.post("/forms", { name: "Appeal", status: "ACTIVE" })
    const visitLive = visitorOf(send, `${organisation.slug}.localhost`)
    const path = pathOf(made.textAt("hosted_page_url"))
    const opened = await visitLive(path)
    assert.strictEqual(opened.heading, "Appeal")
    assertGuarded("a live form", opened, { robots: "all" })
    assertGuarded("a live form, by a donor's link", await visitLive(`${path}?dt=nothing`))
    assertGuarded("a live form, by a donor's link that is spelled otherwise", await visitLive(`${path}?%64t=nothing`))
    assertGuarded("a live form that was sent", await opened.submit(firstScreen))
  })

  it("has browsers fill in who gives, and show the keys that an amount, a number or an address needs", async () => {
    const first = await visit(form())
    const expected = {
      amount_other: ["text", "off", "decimal"],
      name: ["text", "name", undefined],
      email: ["email", "email", "email"],
      phone: ["tel", "tel", "tel"],
      address_line1: ["text", "address-line1", undefined],
      address_line2: ["text", "address-line2", undefined],
      suburb: ["text", "address-level2", undefined],
      state: ["text", "address-level1", undefined],
      postcode: ["text", "postal-code", undefined],
      country: ["text", "country-name", undefined]
    }
    for (const [field, attributes] of Object.entries(expected)) {
      const { autocomplete, inputmode, type } = first.field(field)
      assert.deepStrictEqual([type, autocomplete, inputmode], attributes, field)
    }
    const set = await visit(pathOf((await makeSet()).textAt("giving_url")))
    const [, part = ""] = /name="(part\.[^"]*)"/u.exec(set.html) ?? []
    assert.strictEqual(set.field(part)["inputmode"], "decimal")
    // Once cards are closed, a code that is mailed opens them.
    for (let each = 0; each < 40; each++) {
      const someone = { first_name: "Di", last_name: "Lee", email: `d${each}@example.org`, phone: "0" }
      await giving.submit({ payment_token: numbers.declined, donor: someone }).catch(() => "refused")
    }
    const code = await (await first.submit(donor)).submit({ step: "code" })
    const { autocomplete, inputmode } = code.field("email_code")
    assert.deepStrictEqual([autocomplete, inputmode], ["one-time-code", "numeric"])
  })
})

describeService(inMemory, "a form in a frame that is asked for too often", (service) => {
  it("says so in the frame", async () => {
    const { form, tenant } = await makeGivingSandbox(service)
    const headers = { host: `${tenant.organisation.slug}.localhost:1`, accept: "text/html" }
    const look = () => service.call("GET", `/embed/${form.embed_token}`, { headers })
    service.pace = 0
    let answer = await look()
    for (let n = 0; answer.status === 200 && n < 300; n++) answer = await look()
    assert.strictEqual(answer.status, 429)
    assert.include(answer.text, "Too many people are here at once")
    assert.include(answer.headers.get("content-security-policy"), "frame-ancestors *;")
  })
})

describe("the pages of a form at Stripe, over a socket", () => {
  let close: () => Promise<void>
  let visit: ReturnType<typeof visitorOf>

  beforeAll(async () => {
    const double = await openStripeDouble()
    const keys = { secretKey: "sk_test_1", publishableKey: "pk_test_1", noticeSecrets: ["whsec_pages"] }
    const almoner = await Almoner.open({ backend: memory(), stripe: stripe({ test: keys, baseUrl: double.url }) })
    const caller = await callerIn(almoner, { slug: "harbour" })
    const account = { label: "Main", processor_connect_account_id: "acct_1", processor: "stripe" } as const
    await almoner.integrations.create(caller, { ...account, is_default: true })
    await almoner.forms.create(caller, { name: "Appeal", status: "ACTIVE" })
    const server = createServer((await serve(almoner, { pages })).listener).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    visit = visitorOf(sendTo((server.address() as AddressInfo).port), "harbour-sandbox.localhost")
    close = async () => {
      server.close()
      await almoner.close()
      await double.close()
    }
  })
  afterAll(() => close())

  it("may ask for a wallet where it is paid, in Stripe's frame and their own, and nowhere else", async () => {
    const first = await visit("/f/appeal")
    assertGuarded("a form", first)
    const second = await first.submit(firstScreen)
    assert.strictEqual(second.heading, "Give $50")
    assertGuarded("the second screen", second, { payment: '(self "https://js.stripe.com")' })
  })
})
