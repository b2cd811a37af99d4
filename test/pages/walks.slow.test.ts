import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Page } from "playwright-core"
import { documents } from "../../src/adapters/http/reference/Reference.ts"
import { chromium, openBrowser } from "../support/Browser.ts"
import { closeCards, linkedRecipient, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { codesSentTo } from "../support/OutboxMails.ts"
import { memory } from "../support/Stores.ts"

/** More than any page has to be passed by. */
const mostTabs = 60

/** What has the focus: its kind and its name, as they are heard. */
const focused = async (page: Page): Promise<string> => {
  const place = page.locator(":focus")
  return (await place.count()) === 0 ? "" : place.ariaSnapshot()
}

/** Goes on by Tab until what is looked for has the focus, which is seen. */
const tabTo = async (page: Page, name: RegExp): Promise<void> => {
  for (let n = 0; n < mostTabs; n++) {
    if (name.test(await focused(page))) return
    await page.keyboard.press("Tab")
  }
  assert.fail(`Nothing that is named ${name} can be reached by keyboard`)
}

const type = async (page: Page, name: RegExp, text: string): Promise<void> => {
  await tabTo(page, name)
  await page.keyboard.type(text)
}

const enter = async (page: Page, name: RegExp): Promise<void> => {
  await tabTo(page, name)
  await page.keyboard.press("Enter")
}

/** Enters what leads to another page. */
const press = async (page: Page, name: RegExp): Promise<void> => {
  await tabTo(page, name)
  const loaded = page.waitForEvent("load")
  await page.keyboard.press("Enter")
  await loaded
}

const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).textContent()) ?? ""

const heading = (page: Page): Promise<string> => textOf(page, "h1")

describe.skipIf(chromium === undefined)("a donor's pages by keyboard, and enlarged", () => {
  const service = serviceOver({
    stores: memory,
    bucket: { perSecond: 1_000, burst: 300 },
    documents: documents({ apiBaseUrl: "https://api.almoner.test", version: "1.2.3" })
  })
  const giving = anew(() =>
    makeGivingSandbox(
      service,
      { suggested_amounts_cents: [2_500, 5_000] },
      { methods: ["card", "au_becs_debit", "payto", "bank_transfer"] }
    )
  )
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let port: number

  beforeAll(async () => {
    port = await service.listen()
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const at = (path: string) => `http://${giving.tenant.organisation.slug}.localhost:${port}${path}`

  const pathOfSet = async () => {
    const recipients = [(await linkedRecipient(service, giving)).link, (await linkedRecipient(service, giving)).link]
    const set = await giving.tenant.writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "SUGGESTED",
      allocations: recipients.map((id) => ({ recipient_org_account_link_id: id, amount_cents: 3_000 }))
    })
    return new URL(set.textAt("giving_url")).pathname
  }

  const pathOfLink = async () => {
    const link = await giving.tenant.writer.post("/checkout-links", {
      donor_email: "bea@example.org",
      amount_cents: 7_000
    })
    return new URL(link.textAt("url")).pathname
  }

  /** Chooses a number of the test bank's cards, and presses the button. */
  const payByCard = async (page: Page, number: string = numbers.succeeds) => {
    await tabTo(page, /^- combobox/)
    await page.keyboard.type(number)
    await press(page, /^- button .*by card/)
  }

  const who = async (page: Page) => {
    await type(page, /textbox "Your full name/, "Ada Lovelace")
    await type(page, /textbox "E-mail address/, "ada@example.org")
    await press(page, /^- button "Continue/)
  }

  describe.each([true, false])("with scripts: %s", (javaScriptEnabled) => {
    const opened = async () => {
      const { complaints, page } = await browser.open({ viewport: { width: 320, height: 700 }, javaScriptEnabled })
      return { complaints, page }
    }

    it("a form is given to from first to last, and an error takes the focus", async () => {
      const { complaints, page } = await opened()
      await page.goto(at(`/f/${giving.form.slug}`))
      await page.keyboard.press("Tab")
      assert.match(await focused(page), /link "Skip/)
      await press(page, /^- button "Continue/)
      if (javaScriptEnabled) assert.match(await focused(page), /alert/)
      await enter(page, /^- link "Enter your full name/)
      assert.match(await focused(page), /textbox "Your full name/)
      await page.reload()
      await tabTo(page, /^- radio/)
      await page.keyboard.press("ArrowDown")
      await who(page)
      assert.match(await heading(page), /^Give \$(25|50)$/)
      await payByCard(page)
      assert.strictEqual(await heading(page), "Thank you")
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    })

    it("a set and a link are given to from first to last", async () => {
      const { complaints, page } = await opened()
      await page.goto(at(await pathOfSet()))
      await who(page)
      assert.strictEqual(await heading(page), "Give $60")
      await payByCard(page)
      assert.strictEqual(await heading(page), "Thank you")
      await page.goto(at(await pathOfLink()))
      assert.strictEqual(await heading(page), "Give $70")
      await payByCard(page)
      assert.strictEqual(await heading(page), "Thank you")
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    })

    it("a gift that repeats is declined, changed, approved and made", async () => {
      const { complaints, page } = await opened()
      await page.goto(at(`/f/${giving.form.slug}`))
      await tabTo(page, /^- radio/)
      await page.keyboard.press("Space")
      await tabTo(page, /^- radio "Once"/)
      while (!/"Every month"/.test(await focused(page))) await page.keyboard.press("ArrowDown")
      await who(page)
      await payByCard(page, numbers.declined)
      assert.match(await textOf(page, "[role=alert]"), /was declined/)
      await press(page, /^- button "Change your gift/)
      await tabTo(page, /^- radio "\$25"/)
      await page.keyboard.press("ArrowDown")
      await press(page, /^- button "Continue/)
      assert.strictEqual(await heading(page), "Give $50 every month")
      await payByCard(page, numbers.waits)
      await press(page, /^- button "Approve the payment/)
      assert.strictEqual(await heading(page), "Thank you")
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    })

    it("a code that was mailed opens closed cards", async () => {
      await closeCards(giving)
      const { complaints, page } = await opened()
      await page.goto(at(`/f/${giving.form.slug}`))
      await tabTo(page, /^- radio/)
      await page.keyboard.press("Space")
      await who(page)
      await press(page, /^- button "Send me a code/)
      const [code = ""] = await codesSentTo(service, giving.tenant.organisation, "ada@example.org")
      await type(page, /textbox "Code from the e-mail/, code)
      await press(page, /^- button "Use this code/)
      await payByCard(page)
      assert.strictEqual(await heading(page), "Thank you")
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    })

    it("a bank transfer shows where to send the money and by which reference, and until when that is shown", async () => {
      const { complaints, page } = await opened()
      await page.goto(at(`/f/${giving.form.slug}`))
      await tabTo(page, /^- radio/)
      await page.keyboard.press("Space")
      await who(page)
      await press(page, /^- button .*bank transfer/)
      const [charge] = await giving.charges()
      const shown = await textOf(page, "main")
      assert.isString(charge?.reference)
      assert.include(shown.replaceAll(/\s/gu, ""), charge?.reference ?? assert.fail())
      assert.match(shown, /BSB[\s\S]*\$25/)
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    })
  })

  const enlarged = [
    ["text of twice the size", { width: 640, height: 900 }, "200%"],
    ["400 % of 1280", { width: 320, height: 256 }, "100%"]
  ] as const

  it.each(enlarged.flatMap((each) => ["en-AU", "ar", "en-XA"].map((locale) => [...each, locale] as const)))(
    "nothing is cut off or to be scrolled sideways: %s (%o, %s), %s",
    async (_, viewport, fontSize, locale) => {
      const { page } = await browser.open({ viewport, locale })
      const check = async (name: string) => {
        await page.evaluate(`document.documentElement.style.fontSize = "${fontSize}"`)
        const cut = await page.evaluate(
          `[document.documentElement, ...document.querySelectorAll("main *")].filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline" && each.clientWidth > 0 && !["INPUT","SELECT","OPTION"].includes(each.tagName)).map((each) => each.outerHTML.slice(0, 80))`
        )
        assert.deepStrictEqual(cut, [], name)
      }
      await page.goto(at(`/f/${giving.form.slug}`))
      await check("form")
      await page.locator("button[value=who]").click()
      await check("faults")
      await page.locator("[name=amount]").first().check()
      await page.locator("#name").fill("Wolfeschlegelsteinhausenbergerdorff".repeat(3))
      await page.locator("#email").fill("ada@example.org")
      await page.locator("button[value=who]").click()
      await check("paying")
      await page.locator("button[value=bank_transfer]").click()
      await check("transfer")
      await page.goto(at(await pathOfSet()))
      await check("set")
      await page.context().close()
    }
  )
})
