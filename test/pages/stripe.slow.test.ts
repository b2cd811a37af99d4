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
import { openStripeDouble, signedNotice } from "../support/stripe/StripeDouble.ts"
import { openSite } from "./EmbedSite.ts"

/**
 * What stands for Stripe's script: a field of its own into which a token is typed, instead of a card's number, and the button of a
 * wallet where the browser has one (`window.wallet`). It refuses what the real one does: a token of elements that were not
 * submitted, two elements of a kind in one group, wallets without cards, options and events that it does not know. Its methods are
 * those that the page uses, by Stripe's reference of the browser's library.
 */
const stripeScript = `const only = (what, given, known) => {
  const strange = Object.keys(given ?? {}).find((key) => !known.includes(key))
  if (strange !== undefined) throw new Error(what + " does not know " + strange)
}
const events = { payment: ["ready", "loaderror"], expressCheckout: ["ready", "confirm", "loaderror"] }
const fieldOf = (types, tell, options) => only("the field", options, ["paymentMethodOrder"]) ?? ({
  mount: (place) => {
    const input = document.createElement("input")
    input.id = "number"
    input.setAttribute("aria-label", types.includes("card") ? "Card number" : "Account number of the bank")
    document.querySelector(place).append(input)
    // It comes in parts, and asks for more while it is filled in.
    const grow = () => {
      const more = document.createElement("div")
      more.style.height = (window.tall ?? 180) + "px"
      more.dataset.more = ""
      document.querySelector(place).append(more)
    }
    document.body.dataset.order = options.paymentMethodOrder
    setTimeout(() => (grow(), setTimeout(() => tell("ready", { elementType: "payment" }), 50)), 150)
    input.addEventListener("input", grow, { once: true })
  },
  token: () => {
    const typed = document.querySelector("#number").value.replaceAll(" ", "")
    if (typed === "") return { error: { message: "Your card number is incomplete." } }
    return { id: typed === "4242424242424242" ? "pm_card_visa" : typed, type: types[0] }
  }
})
const walletOf = (types, tell, options) => {
  only("the wallets", options, ["buttonHeight", "buttonTheme", "buttonType", "layout", "paymentMethodOrder", "paymentMethods"])
  let asked = false
  return {
    mount: (place) => setTimeout(() => {
      const isThere = window.wallet !== undefined && types.includes("card")
      tell("ready", { elementType: "expressCheckout", availablePaymentMethods: isThere ? { applePay: true, googlePay: false } : undefined })
      if (!isThere) return
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = "Donate with Apple Pay"
      button.onclick = () => {
        asked = true
        tell("confirm", { expressPaymentType: "apple_pay", paymentFailed: (why) => { document.body.dataset.failed = why.reason } })
      }
      document.querySelector(place).append(button)
    }, 100),
    destroy: () => {},
    token: () => {
      if (!asked) throw new Error("nobody approved")
      return { id: window.wallet, type: "card" }
    }
  }
}
window.Stripe = (key) => {
  if (!["pk_live_1", "pk_test_1"].includes(key)) throw new Error("a strange key")
  return {
    elements: ({ amount, currency, mode, onBehalfOf, paymentMethodTypes, ...more }) => {
      if (mode !== "payment" || amount !== 5000 || currency !== "aud" || onBehalfOf !== "acct_1") throw new Error("strange elements")
      if (paymentMethodTypes.some((type) => !["card", "au_becs_debit", "payto"].includes(type))) throw new Error("no such method")
      only("the elements", more, ["setupFutureUsage", "locale", "appearance"])
      const made = new Map()
      let isSubmitted = false
      return {
        create: (kind, options) => {
          if (made.has(kind)) throw new Error("there is one already")
          const heard = new Map()
          const tell = (event, facts) => heard.get(event)?.(facts)
          const element = kind === "payment" ? fieldOf(paymentMethodTypes, tell, options) : walletOf(paymentMethodTypes, tell, options)
          made.set(kind, element)
          return { ...element, on: (event, run) => {
            if (!events[kind].includes(event)) throw new Error("a strange event")
            heard.set(event, run)
          } }
        },
        submit: async () => {
          const { error } = [...made.values()][0].token()
          isSubmitted = error === undefined
          return error === undefined ? {} : { error }
        },
        token: () => {
          if (!isSubmitted) throw new Error("submit the elements first")
          return [...made.values()][0].token()
        }
      }
    },
    createConfirmationToken: async ({ elements }) => {
      const { id, type } = elements.token()
      return { confirmationToken: { id, payment_method_preview: { type } } }
    },
    handleNextAction: ({ clientSecret }) => {
      document.body.dataset.asked = clientSecret
      return window.approveAtBank === undefined ? new Promise(() => {}) : window.approveAtBank(clientSecret).then((said) => said ?? {})
    }
  }
}`

const noticeSecret = "whsec_pages"

describe.skipIf(chromium === undefined)("a donor's pages at Stripe", () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let double: Awaited<ReturnType<typeof openStripeDouble>>
  let almoner: Almoner
  let close: () => Promise<void>
  let opened: OpenedPage
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
    opened = await browser.open({ viewport: { width: 320, height: 700 } })
    page = opened.page
    await page.route("https://js.stripe.com/**", (route) =>
      route.fulfill({ contentType: "text/javascript", body: stripeScript })
    )
    return () => page.context().close()
  })

  const toPay = async (slug = "appeal", at = base) => {
    await page.goto(`${at}/f/${slug}`)
    await page.getByLabel("$50", { exact: true }).check()
    await page.getByLabel("Your full name").fill("Ada Lovelace")
    await page.getByLabel("E-mail address").fill("ada@example.org")
    await page.getByRole("button", { name: "Continue" }).click()
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
    assert.deepStrictEqual(await opened.violationsEverywhere(), [])
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
  const assertStill = async (at?: string) => {
    await page.setViewportSize({ width: 1_440, height: 2_400 })
    await page.addInitScript("window.tall = 900")
    await toPay("appeal", at)
    await page.locator("[data-more]").waitFor()
    await page.getByRole("button", { name: "Give $50", exact: true }).waitFor()
    assert.match(String(await page.evaluate("document.body.dataset.order")), /^apple_pay,google_pay,card/)
    assert.strictEqual(await page.evaluate(movedOf), 0)
  }

  it("has room for Stripe's field before it comes, and moves nothing then", async () => {
    await almoner.givingSettings.update(caller, { fund_abn: "51824753556" })
    await assertStill()
    assert.isTrue(await page.getByText("ABN").isVisible())
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
    await page.waitForFunction("document.body.dataset.asked !== undefined")
    assert.match(String(await page.evaluate("document.body.dataset.asked")), /^secret_/)
    assert.deepStrictEqual(await opened.violationsEverywhere(), [])
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
  })

  it("leads on to a bank whose page is another one", async () => {
    await toPay()
    await give("pm_redirects")
    const link = page.getByRole("link", { name: "Go on to your bank" })
    assert.strictEqual(await link.getAttribute("href"), "https://hooks.stripe.test/3ds")
    assert.deepStrictEqual(await opened.violationsEverywhere(), [])
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
    const plain = await browser.open({ javaScriptEnabled: false })
    await plain.page.goto(`${base}/f/appeal`)
    assert.isTrue(await plain.page.getByText("needs JavaScript").isVisible())
    await plain.page.context().close()
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
      await toPay("appeal", at)
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
      await toPay("appeal", at)
      await byTransfer().click()
      await page.getByText("Lantern Fund").waitFor()
    })

    it("takes a card in Stripe's field beside it, and a transfer whether that field comes or not", async () => {
      await toPay("appeal", at)
      await page.getByLabel("Card number").waitFor()
      assert.isTrue(await byTransfer().isVisible())
      assert.deepStrictEqual(await opened.violations(), [])
      await give("pm_card_visa")
      await page.getByRole("heading", { name: "Thank you" }).waitFor()
      await toPay("appeal", at)
      await page.getByLabel("Card number").waitFor()
      await byTransfer().click()
      await page.getByText("Lantern Fund").waitFor()
      await page.unroute("https://js.stripe.com/**")
      await page.route("https://js.stripe.com/**", (route) => route.abort())
      await toPay("appeal", at)
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
      assert.deepStrictEqual(await opened.violationsEverywhere(), [])
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
      const plain = await browser.open({ javaScriptEnabled: false })
      page = plain.page
      await toPay("spring")
      assert.isTrue(await page.getByText("These wallets need JavaScript").isVisible())
      assert.isFalse(await page.getByText("This browser has neither").isVisible())
    })
  })
})
