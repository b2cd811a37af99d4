import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, beforeEach, describe, it, vi } from "@effect/vitest"
import { Layer } from "effect"
import type { Page } from "playwright-core"
import { serve } from "../../src/http.ts"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { PageSettings, pages } from "../../src/pages.ts"
import { stripe } from "../../src/stripe.ts"
import { callerIn, charity, submissionTo } from "../facade/Charity.ts"
import { chromium, movedOf, type OpenedPage, openBrowser } from "../support/Browser.ts"
import { browserScript } from "../support/stripe/BrowserScript.ts"
import { openStripeDouble, signedNotice } from "../support/stripe/StripeDouble.ts"
import { openSite } from "./EmbedSite.ts"
import { checkerOf, looks } from "./PageCheck.ts"

const noticeSecret = "whsec_pages"

describe.skipIf(chromium === undefined)("a donor's pages at Stripe", () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let double: Awaited<ReturnType<typeof openStripeDouble>>
  let almoner: Almoner
  let close: () => Promise<void>
  let opened: OpenedPage
  let check: ReturnType<typeof checkerOf>
  let page: Page
  let base: string
  let caller: Awaited<ReturnType<typeof callerIn>>
  let form: { readonly embed_token: string | null }
  let site: Awaited<ReturnType<typeof openSite>>
  const siteOrigin = () => `http://site.localhost:${site.port}`

  beforeAll(async () => {
    double = await openStripeDouble()
    almoner = await Almoner.open({
      backend: memory(),
      stripe: stripe({
        live: { secretKey: "sk_live_1", publishableKey: "pk_live_1", noticeSecrets: ["whsec_live"] },
        test: { secretKey: "sk_test_1", publishableKey: "pk_test_1", noticeSecrets: [noticeSecret] },
        baseUrl: double.url
      })
    })
    caller = await callerIn(almoner, { slug: "harbour" })
    const account = { label: "Main", processor_connect_account_id: "acct_1", processor: "stripe" } as const
    await almoner.integrations.create(caller, { ...account, is_default: true })
    form = await almoner.forms.create(caller, { name: "Appeal", status: "ACTIVE" })
    const api = await serve(almoner, { pages })
    const server = createServer(api.listener).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    base = `http://harbour-sandbox.localhost:${(server.address() as AddressInfo).port}`
    site = await openSite(() => ({ embed_token: form.embed_token ?? "", url: `${base}/f/appeal` }))
    await almoner.givingSettings.update(caller, { embed_origins: [siteOrigin()] })
    browser = await openBrowser("--test-third-party-cookie-phaseout")
    close = async () => {
      await browser.close()
      site.close()
      server.close()
      await almoner.close()
      await double.close()
    }
  }, 60_000)
  afterAll(() => close())

  beforeEach(async () => {
    opened = await browser.open(looks["with scripts"])
    check = checkerOf(opened, "with scripts", true)
    page = opened.page
    await page.route("https://js.stripe.com/**", (route) =>
      route.fulfill({ contentType: "text/javascript", body: browserScript })
    )
    return () => page.context().close()
  })

  const toPay = async (slug = "appeal", { at = base, on = page } = {}) => {
    await on.goto(`${at}/f/${slug}`)
    await on.getByLabel("$50", { exact: true }).check()
    await on.getByLabel("Your full name").fill("Ada Lovelace")
    await on.getByLabel("E-mail address").fill("ada@example.org")
    await on.getByRole("button", { name: "Continue" }).click()
  }

  /** A page of a browser that runs no scripts, and what checks it. */
  const plain = async () => {
    const shown = await browser.open(looks["without scripts"])
    return { page: shown.page, check: checkerOf(shown, "without scripts", true) }
  }

  const give = async (number: string) => {
    await page.getByLabel("Card number").fill(number)
    await page.getByRole("button", { name: "Give $50", exact: true }).click()
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
  })

  it("takes a gift from a page that is gone back to as its browser kept it", async () => {
    await toPay()
    // An answer without content leaves the page as it is, as if its browser had left it and shown it again.
    await page.route("**/f/appeal", (route) => route.fulfill({ status: 204 }))
    const left = page.waitForRequest((request) => request.method() === "POST")
    await give("pm_card_visa")
    await left
    await page.unroute("**/f/appeal")
    await page.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
    await give("pm_card_visa")
    await page.getByRole("heading", { name: "Thank you" }).waitFor()
  })

  it("can be used by everybody, with scripts and without", async () => {
    const other = await plain()
    const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor()
    await page.goto(`${base}/f/appeal`)
    await check("form at Stripe")
    await other.page.goto(page.url())
    await other.check("form at Stripe, without scripts")
    await toPay()
    await page.getByRole("button", { name: "Give $50" }).waitFor()
    await check("paying at Stripe")
    await toPay("appeal", { on: other.page })
    await other.check("paying at Stripe, without scripts")
    await give("")
    await page.getByText("Your card number is incomplete.").waitFor()
    await check("paying at Stripe, with a fault")
    await give("pm_redirects")
    await heading("One more step")
    await check("redirect")
    await other.page.goto(page.url())
    await other.check("redirect")
    await toPay()
    await give("pm_card_authenticationRequired")
    await heading("One more step")
    await page.waitForSelector("body[data-asked]")
    await check("step at Stripe")
    await other.page.goto(page.url())
    await other.check("step at Stripe, without scripts")
    const payto = { method: "payto", payment_token: "ctoken_payto" } as const
    const { progress_token } = await almoner.checkouts.submit(
      submissionTo("harbour-sandbox", { slug: "appeal", donor: { email: "ada@example.org" }, ...payto })
    )
    await page.goto(`${base}/p/${progress_token}`)
    await check("approval at a bank")
    await other.page.goto(page.url())
    await other.check("approval at a bank")
    await other.page.context().close()
  })

  it("says nothing in another language than the page's, but for what Stripe says", async () => {
    opened = await browser.open(looks["in a language of longer words"])
    const { page: other } = opened
    await other.route("https://js.stripe.com/**", (route) =>
      route.fulfill({ contentType: "text/javascript", body: browserScript })
    )
    check = checkerOf(opened, "in a language of longer words", false)
    const pay = async (number: string) => {
      await other.goto(`${base}/f/appeal`)
      await check("the form")
      await other.locator("[name=amount][value='5000']").check()
      await other.locator("#name").fill("Ada Lovelace")
      await other.locator("#email").fill("ada@example.org")
      await other.locator("button[value=who]").click()
      await other.locator("#stripe-give").waitFor()
      await check("paying")
      await other.getByLabel("Card number").fill(number)
      await other.locator("#stripe-give").click()
      await other.waitForURL(/\/p\//u)
    }
    await pay("pm_redirects")
    await check("a redirect")
    await pay("pm_card_authenticationRequired")
    await other.waitForSelector("body[data-asked]")
    await check("a step at Stripe")
    await other.context().close()
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

  /** On the page of a payment with a tall field, where all of it is seen. */
  const assertStill = async (at = base) => {
    await page.setViewportSize({ width: 1_440, height: 2_400 })
    await page.addInitScript("window.tall = 900")
    await toPay("appeal", { at })
    await page.locator("[data-more]").waitFor()
    await page.getByRole("button", { name: "Give $50", exact: true }).waitFor()
    assert.match(String(await page.evaluate("document.body.dataset.order")), /^apple_pay,google_pay,card/)
    assert.strictEqual(await page.evaluate(movedOf), 0)
  }

  it("has room for Stripe's field before it comes, and moves nothing then", async () => {
    await almoner.givingSettings.update(caller, { fund_abn: "51824753556" })
    await assertStill()
    assert.isTrue(await page.getByText("ABN").isVisible())
    await almoner.givingSettings.update(caller, { fund_abn: null })
  })

  it("shows the outcome on the first page after the bank's question, though no notice of it has come", async () => {
    await page.exposeFunction("approveAtBank", () => {
      const intent = [...double.intents.values()].findLast(({ status }) => status === "requires_action")
      double.approve(intent?.metadata["almoner_charge_id"] ?? assert.fail("nothing was asked"))
    })
    await toPay()
    await give("pm_card_authenticationRequired")
    await page.getByRole("heading", { name: "Thank you" }).waitFor()
    await page.getByText("A receipt is sent to a…@example.org.").waitFor()
    assert.deepStrictEqual(opened.complaints, [])
  })

  it("has Stripe show the step that a bank asks for", async () => {
    await toPay()
    await give("pm_card_authenticationRequired")
    await page.getByRole("heading", { name: "One more step" }).waitFor()
    await page.waitForSelector("body[data-asked]")
    assert.match(String(await page.evaluate("document.body.dataset.asked")), /^secret_/)
  })

  it("says what Stripe says where its step fails, and does not open the page again and again", async () => {
    let opens = 0
    page.on("framenavigated", () => opens++)
    await page.exposeFunction("approveAtBank", () => ({ error: { message: "The network is away." } }))
    await toPay()
    await give("pm_card_authenticationRequired")
    await page.getByText("The network is away.").waitFor()
    const before = opens
    await page.waitForTimeout(1_000)
    assert.strictEqual(opens, before)
    const link = page.getByRole("link", { name: "Check the payment again" })
    assert.isTrue(await link.isVisible())
    await check("step at Stripe, which failed")
  })

  it("leads on to a bank whose page is another one", async () => {
    await toPay()
    await give("pm_redirects")
    const link = page.getByRole("link", { name: "Go on to your bank" })
    assert.strictEqual(await link.getAttribute("href"), "https://hooks.stripe.test/3ds")
  })

  describe("in the frame of another site, whose browser keeps no cookies of others", () => {
    const frame = () => page.frameLocator("iframe")
    const heading = (name: string) => frame().getByRole("heading", { level: 1, name }).waitFor()

    beforeEach(async () => {
      await page.setViewportSize({ width: 400, height: 700 })
      await page.goto(siteOrigin())
      await frame().getByLabel("$50", { exact: true }).check()
      await frame().getByLabel("Your full name").fill("Ada Lovelace")
      await frame().getByLabel("E-mail address").fill("ada@example.org")
      await frame().getByRole("button", { name: "Continue" }).click()
      await heading("Give $50")
      const kept = `document.cookie = "probe=1; SameSite=None; Secure"; document.cookie`
      assert.strictEqual(await page.frames()[1]?.evaluate(kept), "")
    })

    const giveInFrame = async (number: string) => {
      await frame().getByLabel("Card number").fill(number)
      // Both parts of the field have come, and the frame has room for them.
      const hasRoom = `document.querySelectorAll("[data-more]").length === 2 && document.documentElement.scrollHeight <= document.documentElement.clientHeight`
      await vi.waitFor(async () => assert.isTrue(await page.frames()[1]?.evaluate(hasRoom)), 10_000)
      assert.strictEqual(await page.evaluate("shift"), 0)
      await frame().getByRole("button", { name: "Give $50" }).click()
    }

    const assertGiven = async () => {
      await heading("Thank you")
      await page.waitForFunction("events.length === 2")
      assert.deepStrictEqual(await page.evaluate("events"), ["almoner:submitted", "almoner:completed"])
      assert.lengthOf(await page.context().cookies(), 0)
      assert.deepStrictEqual(opened.complaints, [])
    }

    it("takes a gift, and moves nothing that is seen while its field grows", async () => {
      await giveInFrame("pm_card_visa")
      await assertGiven()
    })

    it("has Stripe show the bank's question in the frame, and says there that it was answered", async () => {
      const asked: Array<string> = []
      await page.exposeFunction("approveAtBank", async (secret: string) => {
        asked.push(secret)
        const intent = [...double.intents.values()].findLast(({ status }) => status === "requires_action")
        double.approve(intent?.metadata["almoner_charge_id"] ?? assert.fail("nothing was asked"))
        const event = JSON.stringify(double.events.at(-1))
        await almoner.receiveNotice({ processor: "stripe", ...signedNotice(event, noticeSecret) })
        await almoner.settle()
      })
      await giveInFrame("pm_card_authenticationRequired")
      await assertGiven()
      assert.lengthOf(asked, 1)
      assert.match(asked[0] ?? "", /^secret_/)
    })
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
    await page.getByText("may keep js.stripe.com away").waitFor()
    assert.isFalse(await page.getByText("needs JavaScript").isVisible())
    assert.strictEqual(await page.getByRole("button", { name: "Give $50" }).count(), 0)
    await check("paying at Stripe, whose script is kept away")
    const other = await plain()
    await other.page.goto(`${base}/f/appeal`)
    assert.isTrue(await other.page.getByText("needs JavaScript").isVisible())
    await other.page.context().close()
  })

  describe("of an organisation that has a bank account as well", () => {
    let staff: typeof caller
    let account: Awaited<ReturnType<Almoner["integrations"]["create"]>>
    let at: string

    beforeAll(async () => {
      const { live } = await almoner.organisations.create({ ...charity, slug: "lantern", name: "Lantern" })
      staff = await almoner.caller({ organisation: live.id, user: "ada", scope: "WRITE" })
      const main = { label: "Main", processor_connect_account_id: "acct_1", processor: "stripe" } as const
      assert.isTrue((await almoner.integrations.create(staff, main)).is_default)
      account = await almoner.integrations.create(staff, {
        label: "Bank",
        processor_connect_account_id: "main",
        processor: "bank",
        bank_account: { account_name: "Lantern Fund", bsb: "062-000", account_number: "12345678" }
      })
      const repeats = { allow_recurring: true, recurring_frequencies: ["MONTHLY"] } as const
      await almoner.forms.create(staff, { name: "Appeal", status: "ACTIVE", allow_recurring: false })
      await almoner.forms.create(staff, { name: "Monthly", status: "ACTIVE", ...repeats })
      at = base.replace("harbour-sandbox", "lantern")
    })

    const byTransfer = () => page.getByRole("button", { name: "Give $50 by bank transfer" })

    const withoutScripts = async () => {
      opened = await browser.open({ viewport: { width: 320, height: 700 }, javaScriptEnabled: false })
      await page.context().close()
      page = opened.page
    }

    it("takes a gift by bank transfer from the first step to the last, where no script runs", async () => {
      await withoutScripts()
      await page.goto(`${at}/f/appeal`)
      assert.isFalse(await page.getByText("JavaScript").isVisible())
      await toPay("appeal", { at })
      await page.getByText("Turn it on, or give by bank transfer.").waitFor()
      await byTransfer().click()
      const told = await page.locator("main").textContent()
      assert.match(told ?? "", /Lantern Fund.*062-000.*12345678/su)
      const reference = await page.locator("dt:text-is('Reference') + dd").textContent()
      const day = new Intl.DateTimeFormat("en-CA", { timeZone: charity.timezone }).format(new Date())
      const line = { integration_id: account.id, day, amount_cents: 5_000, text: `ADA ${reference}` }
      await almoner.credits.record(staff, line)
      await almoner.settle()
      await page.reload()
      await page.getByRole("heading", { name: "Thank you" }).waitFor()
      const { data } = await almoner.donations.list(staff)
      assert.deepStrictEqual(
        data.map(({ amount_cents, payment_method, status }) => [amount_cents, payment_method, status]),
        [[5_000, "bank_transfer", "CONFIRMED"]]
      )
      assert.deepStrictEqual(opened.complaints, [])
      assert.sameMembers([...new Set(opened.requests.map((url) => new URL(url).origin))], [at])
    })

    it("says where no script runs that a gift which repeats needs one, and takes it once", async () => {
      await withoutScripts()
      await page.goto(`${at}/f/monthly`)
      const says = page.getByText("A gift that is repeated needs JavaScript")
      assert.isTrue(await says.isVisible())
      await page.getByLabel("Every month").check()
      await page.getByLabel("$50", { exact: true }).check()
      await page.getByLabel("Your full name").fill("Ada Lovelace")
      await page.getByLabel("E-mail address").fill("ada@example.org")
      await page.getByRole("button", { name: "Continue" }).click()
      assert.isTrue(await says.isVisible())
      assert.strictEqual(await page.getByRole("button", { name: "by bank transfer" }).count(), 0)
      await page.getByRole("button", { name: "Change your gift" }).click()
      await page.getByLabel("Once", { exact: false }).check()
      await page.getByRole("button", { name: "Continue" }).click()
      await byTransfer().click()
      await page.getByText("Lantern Fund").waitFor()
    })

    it("moves nothing when Stripe's field comes, and offers transfers where it is late", async () => {
      await assertStill(at)
      assert.isTrue(await byTransfer().isVisible())
      await page.unroute("https://js.stripe.com/**")
      await page.route("https://js.stripe.com/**", () => {})
      await toPay("appeal", { at })
      await byTransfer().click()
      await page.getByText("Lantern Fund").waitFor()
    })

    it("takes a card in Stripe's field beside it, and a transfer whether that field comes or not", async () => {
      await toPay("appeal", { at })
      await page.getByLabel("Card number").waitFor()
      await byTransfer().waitFor()
      assert.deepStrictEqual(await opened.violations(), [])
      await give("pm_card_visa")
      await page.getByRole("heading", { name: "Thank you" }).waitFor()
      await toPay("appeal", { at })
      await page.getByLabel("Card number").waitFor()
      await byTransfer().click()
      await page.getByText("Lantern Fund").waitFor()
      await page.unroute("https://js.stripe.com/**")
      await page.route("https://js.stripe.com/**", (route) => route.abort())
      await toPay("appeal", { at })
      await page.getByText("open this page again, or give by bank transfer.").waitFor()
      await byTransfer().click()
      await page.getByText("Lantern Fund").waitFor()
    })
  })

  describe("where many cards were declined", () => {
    beforeAll(async () => {
      await almoner.forms.create(caller, { name: "Spring", status: "ACTIVE" })
      for (let round = 0; round < 5; round += 1) {
        const tries = Array.from({ length: 8 }, (_, each) =>
          almoner.checkouts
            .submit(
              submissionTo("harbour-sandbox", {
                slug: "spring",
                donor: { email: `d${round}-${each}@example.org` },
                payment_token: "pm_card_visa_chargeDeclined"
              })
            )
            .catch(() => undefined)
        )
        await Promise.all(tries)
      }
    })

    it("takes a wallet's card, without a code", async () => {
      await page.addInitScript(`window.wallet = "ctoken_apple_pay"`)
      await toPay("spring")
      await page.getByText("a card needs a code").waitFor()
      await page.getByLabel("Account number of the bank").waitFor()
      assert.strictEqual(await page.getByLabel("Card number").count(), 0)
      const wallet = page.getByRole("button", { name: "Donate with Apple Pay" })
      await wallet.waitFor()
      await page.getByRole("button", { name: "Give $50" }).waitFor()
      await check("wallets")
      await wallet.click()
      await page.getByRole("heading", { name: "Thank you" }).waitFor()
      assert.deepStrictEqual(opened.complaints, [])
    })

    it("takes no other card, whatever the wallet's button says of it", async () => {
      const before = double.intents.size
      await page.addInitScript(`window.wallet = "ctoken_card"`)
      await toPay("spring")
      await page.getByRole("button", { name: "Donate with Apple Pay" }).click()
      await page.getByText("There is a problem").waitFor()
      await page.getByText("a card needs a code").waitFor()
      assert.strictEqual(double.intents.size, before)
    })

    it("says where the browser has no wallet, and where it runs no script", async () => {
      await toPay("spring")
      await page.getByText("This browser has neither").waitFor()
      await page.getByRole("button", { name: "Give $50" }).waitFor()
      await check("wallets, of which the browser has none")
      const other = await plain()
      await toPay("spring", { on: other.page })
      assert.isTrue(await other.page.getByText("These wallets need JavaScript").isVisible())
      assert.isFalse(await other.page.getByText("This browser has neither").isVisible())
      await other.check("wallets, without scripts")
      await other.page.context().close()
    })
  })
})
