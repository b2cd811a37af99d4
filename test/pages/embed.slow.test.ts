import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { embedScript } from "../../src/adapters/pages/views/EmbedScript.ts"
import { GivingSettings } from "../../src/app/giving/GivingSettings.ts"
import { chromium, type OpenedPage, openBrowser } from "../support/Browser.ts"
import { makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { memory } from "../support/Stores.ts"
import { openSite } from "./EmbedSite.ts"

describe.skipIf(chromium === undefined)("a form on another site's page", () => {
  const service = serviceOver({ stores: memory, bucket: { perSecond: 1_000, burst: 300 } })
  const giving = anew(() => makeGivingSandbox(service, { suggested_amounts_cents: [2_500, 5_000] }))
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let port: number
  let sitePort: number
  let shown: OpenedPage
  let close: () => unknown
  let embedded: { readonly url?: string; readonly shows?: string }

  const ours = () => `http://${giving.tenant.organisation.slug}.localhost:${port}`
  const listed = () => `http://site.localhost:${sitePort}`
  const unlisted = () => `http://other.localhost:${sitePort}`

  beforeAll(async () => {
    port = await service.listen()
    browser = await openBrowser()
    const site = await openSite(() => ({
      embed_token: giving.form.embed_token,
      url: `${ours()}/f/${giving.form.slug}`,
      ...embedded
    }))
    sitePort = site.port
    close = site.close
  })
  afterAll(async () => {
    close()
    await browser.close()
  })

  beforeEach(async () => {
    embedded = {}
    await giving.tenant.staff(GivingSettings.use((use) => use.update({ embed_origins: [listed()] })))
    shown = await browser.open({ viewport: { width: 400, height: 700 } })
    return () => shown.page.context().close()
  })

  const frame = () => shown.page.frameLocator("iframe")
  const heading = (name: string | RegExp) => frame().getByRole("heading", { level: 1, name }).waitFor()
  const press = (name: string | RegExp) => frame().getByRole("button", { name }).click()

  const toPay = async () => {
    await frame().getByLabel("$50", { exact: true }).check()
    await frame().getByLabel("Your full name").fill("Ada Lovelace")
    await frame().getByLabel("E-mail address").fill("ada@example.org")
    await press("Continue")
    await heading("Give $50")
  }

  const pay = async (number: string) => {
    await frame().locator("[id='payment_token.card']").selectOption(number)
    await press(/by card/)
  }

  const events = () => shown.page.evaluate("events")

  it("takes a gift, tells the site of it once, and moves nothing that is seen", async () => {
    const { complaints, page } = shown
    await page.goto(listed())
    await heading("Winter appeal")
    await page.waitForFunction("document.querySelector('iframe').style.height !== ''")
    const isWhole = "document.documentElement.scrollHeight <= document.documentElement.clientHeight"
    // The frame's policy refuses what a browser would wait by.
    while ((await page.frames()[1]?.evaluate(isWhole)) !== true) await page.waitForTimeout(20)
    await press("Continue")
    await frame().getByRole("alert").getByText("Enter your full name").waitFor()
    await toPay()
    assert.deepStrictEqual(await events(), [])
    await pay(numbers.succeeds)
    await heading("Thank you")
    await page.waitForFunction("events.length === 2")
    assert.deepStrictEqual(await events(), ["almoner:submitted", "almoner:completed"])
    assert.strictEqual(await page.evaluate("shift"), 0)
    assert.lengthOf(await page.context().cookies(), 0)
    assert.deepStrictEqual(complaints, [])
    const gifts = (await giving.tenant.reader.get("/donations")).at("data") as ReadonlyArray<object>
    assert.lengthOf(gifts, 1)
    assert.deepInclude(gifts[0], { status: "CONFIRMED", amount_cents: 5_000, donation_form_id: giving.form.id })
  })

  it("waits for an approval, and takes a payment up again, in the frame as on a page of its own", async () => {
    await shown.page.goto(listed())
    await toPay()
    await pay(numbers.waits)
    await heading("One more step")
    await press("Refuse the payment")
    await heading("The payment did not go through")
    assert.deepStrictEqual(await events(), ["almoner:submitted"])
    await press("Try again")
    await heading("Give $50")
    await pay(numbers.succeeds)
    await heading("Thank you")
    await shown.page.waitForFunction("events.length === 2")
    assert.deepStrictEqual(shown.complaints, [])
  })

  it("is refused by the browser on a site that the organisation does not list, and in a frame of its other pages", async () => {
    await shown.page.goto(unlisted())
    await shown.page.waitForFunction("document.querySelector('iframe') !== null")
    for (let n = 0; n < 100 && shown.complaints.length === 0; n++) await shown.page.waitForTimeout(50)
    assert.match(shown.complaints.join(" "), /frame-ancestors/)
    assert.strictEqual(await frame().getByRole("heading").count(), 0)
    const policyAt = async (path: string) =>
      (await service.call("GET", path, { headers: { host: new URL(ours()).host } })).headers.get(
        "content-security-policy"
      ) ?? ""
    assert.include(await policyAt(`/embed/${giving.form.embed_token}`), `frame-ancestors ${listed()}`)
    assert.include(await policyAt(`/f/${giving.form.slug}?origin=${listed()}&form=x`), "frame-ancestors 'none'")
    // A page that tells nothing is shown anywhere, so that no site shows the browser's own words for a form that is gone.
    assert.include(await policyAt("/embed/nothing"), "frame-ancestors *;")
    assert.include(await policyAt("/f/nothing"), "frame-ancestors 'none'")
  })

  it("is the form of a link with a slash at its end, too, and is named by the picture that the link shows", async () => {
    const { page } = shown
    embedded = { url: `${ours()}/f/${giving.form.slug}/`, shows: `<img src="${ours()}/favicon.svg" alt="Our appeal">` }
    await page.goto(listed())
    await heading("Winter appeal")
    assert.strictEqual(await page.locator("iframe").getAttribute("title"), "Our appeal")
  })

  it("is a link where scripts are off", async () => {
    const { page } = await browser.open({ javaScriptEnabled: false })
    await page.goto(listed())
    await page.getByRole("link", { name: "Give to the appeal" }).click()
    assert.strictEqual(new URL(page.url()).pathname, `/f/${giving.form.slug}`)
    await page.context().close()
  })

  it("hears nobody but the frame", async () => {
    await shown.page.goto(listed())
    await heading("Winter appeal")
    await shown.page.evaluate(`postMessage({ type: "almoner:completed" }, "*")`)
    await shown.page.evaluate("new Promise((resolve) => setTimeout(resolve, 0))")
    assert.deepStrictEqual(await events(), [])
  })

  it("needs a script of at most 2 KB", () => {
    assert.isAtMost(Buffer.byteLength(embedScript), 2_048)
  })
})
