import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Layer } from "effect"
import type { Page } from "playwright-core"
import { serve } from "../../src/http.ts"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { PageSettings, pages } from "../../src/pages.ts"
import { stripe } from "../../src/stripe.ts"
import { callerIn } from "../facade/Charity.ts"
import { chromium, type OpenedPage, openBrowser } from "../support/Browser.ts"
import { openStripeDouble } from "../support/stripe/StripeDouble.ts"

/**
 * What stands for Stripe's script: a field of its own into which a token is typed, instead of a card's number. Its methods are
 * those that the page uses, by Stripe's reference of the browser's library; another one is missed.
 */
const stripeScript = `const typed = () => document.querySelector("#number").value.replaceAll(" ", "")
window.Stripe = (key) => {
  if (key !== "pk_test_1") throw new Error("a strange key")
  return {
    elements: ({ amount, currency, mode, onBehalfOf, paymentMethodTypes }) => {
      if (mode !== "payment" || amount !== 5000 || currency !== "aud" || onBehalfOf !== "acct_1") throw new Error("strange elements")
      if (!paymentMethodTypes.includes("card")) throw new Error("no card")
      return {
        create: () => ({
          mount: (place) => {
            const input = document.createElement("input")
            input.id = "number"
            input.setAttribute("aria-label", "Card number")
            document.querySelector(place).append(input)
          }
        }),
        submit: async () => (document.querySelector("#number").value === "" ? { error: { message: "Your card number is incomplete." } } : {})
      }
    },
    createConfirmationToken: async () => ({
      confirmationToken: { id: typed() === "4242424242424242" ? "pm_card_visa" : typed(), payment_method_preview: { type: "card" } }
    }),
    handleNextAction: ({ clientSecret }) => {
      document.body.dataset.asked = clientSecret
      return new Promise(() => {})
    }
  }
}`

describe.skipIf(chromium === undefined)("a donor's pages at Stripe", () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let double: Awaited<ReturnType<typeof openStripeDouble>>
  let almoner: Almoner
  let close: () => Promise<void>
  let opened: OpenedPage
  let page: Page
  let base: string

  beforeAll(async () => {
    double = await openStripeDouble()
    almoner = await Almoner.open({
      backend: memory(),
      stripe: stripe({ test: { secretKey: "sk_test_1", publishableKey: "pk_test_1" }, baseUrl: double.url })
    })
    const caller = await callerIn(almoner, { slug: "harbour" })
    const account = { label: "Main", processor_connect_account_id: "acct_1", processor: "stripe" } as const
    await almoner.integrations.create(caller, { ...account, is_default: true })
    await almoner.forms.create(caller, { name: "Appeal", status: "ACTIVE" })
    const api = await serve(almoner, { pages })
    const server = createServer(api.listener).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    base = `http://harbour-sandbox.localhost:${(server.address() as AddressInfo).port}`
    browser = await openBrowser()
    close = async () => {
      await browser.close()
      server.close()
      await almoner.close()
      await double.close()
    }
  }, 60_000)
  afterAll(() => close())

  beforeEach(async () => {
    opened = await browser.open({ viewport: { width: 320, height: 700 } })
    page = opened.page
    await page.route("https://js.stripe.com/**", (route) =>
      route.fulfill({ contentType: "text/javascript", body: stripeScript })
    )
    return () => page.context().close()
  })

  const toPay = async () => {
    await page.goto(`${base}/f/appeal`)
    await page.getByLabel("$50", { exact: true }).check()
    await page.getByLabel("Your full name").fill("Ada Lovelace")
    await page.getByLabel("E-mail address").fill("ada@example.org")
    await page.getByRole("button", { name: "Continue" }).click()
  }

  const give = async (number: string) => {
    await page.getByLabel("Card number").fill(number)
    await page.getByRole("button", { name: "Give $50" }).click()
  }

  it("takes a gift with what Stripe's field made, and asks nobody but this host and Stripe", async () => {
    await toPay()
    await give("")
    await page.getByText("Your card number is incomplete.").waitFor()
    await give("pm_card_visa_chargeDeclined")
    await page.getByRole("alert").getByText("nothing was taken").waitFor()
    await give("pm_card_visa")
    await page.getByRole("heading", { name: "Thank you" }).waitFor()
    assert.deepStrictEqual(opened.complaints, [])
    const hosts = new Set(opened.requests.map((url) => new URL(url).origin))
    assert.sameMembers([...hosts], [base, "https://js.stripe.com"])
    assert.deepStrictEqual(await opened.violations(), [])
  })

  it("sends nothing of a card to this host", async () => {
    const sent: Array<string> = []
    page.on("request", (request) => {
      if (request.url().startsWith(base)) sent.push(`${request.url()} ${request.postData() ?? ""}`)
    })
    await toPay()
    await give("4242 4242 4242 4242")
    await page.getByRole("heading", { name: "Thank you" }).waitFor()
    assert.isTrue(sent.some((request) => request.includes("pm_card_visa")))
    assert.deepStrictEqual(
      sent.filter((request) => /4242/.test(decodeURIComponent(request.replaceAll("+", " ")))),
      []
    )
  })

  it("has Stripe show the step that a bank asks for", async () => {
    await toPay()
    await give("pm_card_authenticationRequired")
    await page.getByRole("heading", { name: "One more step" }).waitFor()
    await page.waitForFunction("document.body.dataset.asked !== undefined")
    assert.match(String(await page.evaluate("document.body.dataset.asked")), /^secret_/)
    assert.deepStrictEqual(await opened.violations(), [])
  })

  it("may ask what an operator adds for the page of a payment alone", async () => {
    const sources = Layer.succeed(PageSettings, { previews: false, stripeSources: ["https://*.more.example"] })
    const api = await serve(almoner, { pages: pages.pipe(Layer.provide(sources)) })
    const policyAt = async (init: RequestInit) => {
      const answer = await api.fetch(new Request(`${base}/f/appeal`, init))
      return { text: await answer.text(), policy: answer.headers.get("content-security-policy") ?? "" }
    }
    const first = await policyAt({})
    const [, token = ""] = /name="token" value="([^"]*)"/u.exec(first.text) ?? []
    const body = {
      token,
      step: "who",
      amount: "5000",
      cadence: "ONE_TIME",
      name: "Ada Lovelace",
      email: "ada@example.org"
    }
    const pay = await policyAt({ method: "POST", body: new URLSearchParams(body) })
    assert.notInclude(first.policy, "more.example")
    for (const directive of ["script-src", "frame-src", "connect-src", "img-src"]) {
      assert.match(pay.policy, new RegExp(`${directive} [^;]* https://\\*\\.more\\.example`))
    }
    assert.notMatch(pay.policy, /unsafe/u)
  })

  it("says what to do where Stripe's script does not come, or scripts do not run", async () => {
    await page.unroute("https://js.stripe.com/**")
    await page.route("https://js.stripe.com/**", (route) => route.abort())
    await toPay()
    await page.getByText("needs JavaScript").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Give $50" }).count(), 0)
    const plain = await browser.open({ javaScriptEnabled: false })
    await plain.page.goto(`${base}/f/appeal`)
    assert.isTrue(await plain.page.getByText("needs JavaScript").isVisible())
    await plain.page.context().close()
  })
})
