/**
 * Photographs every page of donors, on a phone and on a desk, into docs/pages: `npm run photographs`. It needs a Chromium, the one
 * that CHROMIUM names or one that is installed. People look at them; nothing compares them.
 */
import { randomUUID } from "node:crypto"
import { mkdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { chromium as driver } from "playwright-core"
import { serve } from "../dist/http.js"
import { Almoner } from "../dist/index.js"
import { memory } from "../dist/memory.js"
import { pages } from "../dist/pages.js"
import { stripe } from "../dist/stripe.js"
import { chromium, fill, give, next } from "./browser.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const folder = join(root, "docs", "pages")
const widths = { phone: { width: 320, height: 700 }, desk: { width: 1_440, height: 900 } }

/** A sandbox with a form, a link and a set, and the addresses of their pages. */
async function openSandbox(port, mailer) {
  const publicUrlTemplate = `http://{slug}.localhost:${port}`
  const almoner = await Almoner.open({ backend: memory(), publicUrlTemplate, mailer })
  const organisation = { timezone: "Australia/Sydney", default_currency: "AUD", plan: "ENTERPRISE" }
  const callers = []
  for (const [slug, name] of [
    ["riverside", "Riverside Rescue"],
    ["harbour", "Harbour Pantry"],
    ["hill", "Hill Library"]
  ]) {
    await almoner.organisations.create({ slug, name, ...organisation })
    callers.push(await almoner.caller({ organisation: `${slug}-sandbox`, user: "ada", scope: "WRITE" }))
  }
  const [caller, ...recipients] = callers
  await almoner.integrations.create(caller, { label: "Main" })
  const links = []
  for (const recipient of recipients) {
    const { passphrase } = await almoner.integrations.create(recipient, { label: "Main" })
    const { link } = await almoner.recipientAccounts.link(caller, { passphrase })
    links.push(link)
  }
  const form = await almoner.forms.create(caller, {
    name: "Winter appeal",
    status: "ACTIVE",
    description: "Boats go out in every weather. Your gift keeps them going.",
    disclaimer_text: "Riverside Rescue keeps your details to itself.",
    thank_you_message: "The crew thanks you.",
    recurring_frequencies: ["MONTHLY", "ANNUALLY"],
    address_visibility: "OPTIONAL"
  })
  const donor = await almoner.donors.create(caller, { first_name: "Bea", email: "bea@example.org" })
  const { url: own } = await almoner.forms.mintLink(caller, form.id, { donor_id: donor.id })
  const live = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
  const bank_account = { account_name: "Riverside Rescue", bsb: "062-000", account_number: "12345678" }
  const bank = { processor: "bank", processor_connect_account_id: "riverside", bank_account }
  await almoner.integrations.create(live, { label: "Main", ...bank })
  const { hosted_page_url: byBank } = await almoner.forms.create(live, { name: "Winter appeal", status: "ACTIVE" })
  const set = await almoner.recommendationSets.create(caller, {
    name: "Harvest",
    description: "Two neighbours that do good work.",
    amount_mode: "SUGGESTED",
    allocations: links.map(({ id }) => ({ recipient_org_account_link_id: id, amount_cents: 3_000 }))
  })
  const addresses = { form: form.hosted_page_url, own, byBank, set: set.giving_url }
  const place = { organisation: "riverside-sandbox", token: "4000 0000 0000 0002" }
  return { almoner, caller, form, place, addresses }
}

/** What stands for Stripe in the tests. It finds Stripe's own types from a folder as deep as its own. */
async function openDouble() {
  const outdir = join(root, "node_modules", ".photographs", "stripe")
  await build({
    absWorkingDir: root,
    entryPoints: ["StripeDouble", "BrowserScript"].map((name) => `test/support/stripe/${name}.ts`),
    bundle: true,
    format: "esm",
    outdir,
    outExtension: { ".js": ".mjs" },
    packages: "external",
    platform: "node"
  })
  const { openStripeDouble } = await import(join(outdir, "StripeDouble.mjs"))
  const { browserScript } = await import(join(outdir, "BrowserScript.mjs"))
  rmSync(dirname(outdir), { recursive: true })
  return { ...(await openStripeDouble()), browserScript }
}

/** An organisation at Stripe's double, with a form. */
async function openAtStripe(port, double) {
  const almoner = await Almoner.open({
    backend: memory(),
    publicUrlTemplate: `http://{slug}.localhost:${port}`,
    stripe: stripe({
      test: { secretKey: "sk_test_1", publishableKey: "pk_test_1", noticeSecrets: ["whsec_photographs"] },
      baseUrl: double.url
    })
  })
  const organisation = { timezone: "Australia/Sydney", default_currency: "AUD", plan: "ENTERPRISE" }
  await almoner.organisations.create({ slug: "lakeside", name: "Lakeside Library", ...organisation })
  const caller = await almoner.caller({ organisation: "lakeside-sandbox", user: "ada", scope: "WRITE" })
  const account = { label: "Main", processor: "stripe", processor_connect_account_id: "acct_1" }
  await almoner.integrations.create(caller, { ...account, is_default: true })
  const form = await almoner.forms.create(caller, { name: "Spring appeal", status: "ACTIVE" })
  const place = { organisation: "lakeside-sandbox", token: "pm_card_visa_chargeDeclined" }
  return { almoner, form, place, double, addresses: { form: form.hosted_page_url } }
}

/** A logo as base64: a boat. */
const drawLogo = (page) =>
  page.evaluate(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 96, height: 96 })
    const pen = canvas.getContext("2d")
    pen.fillStyle = "#7a1f5c"
    pen.fill(new Path2D("M48 8 L48 60 L16 60 Z M54 20 L80 60 L54 60 Z M8 66 L88 66 L72 86 L24 86 Z"))
    return canvas.toDataURL("image/png").split(",")[1]
  })

/** The pages in the order in which a donor comes to them; each leads to its photograph. */
const walk = async (page, { addresses, caller, almoner, form }, photograph) => {
  await page.goto(addresses.form)
  await photograph("form")
  await next(page)
  await photograph("form-faults")
  await fill(page, "Every month")
  await next(page)
  await photograph("pay")
  await give(page, "card", "4000 0000 0000 9995")
  await photograph("pay-declined")
  await give(page, "card", "4000 0027 6000 3184")
  await photograph("progress-approval")
  await page.getByRole("button", { name: "Refuse the payment" }).click()
  await photograph("progress-failed")
  await page.getByRole("button", { name: "Try again" }).click()
  await give(page, "au_becs_debit", "000-000 800123456")
  await photograph("progress-under-way")
  await page.goto(addresses.byBank)
  await fill(page)
  await next(page)
  await photograph("pay-transfer")
  await page.locator("button[value=bank_transfer]").click()
  await photograph("progress-transfer")
  await page.goto(addresses.own)
  await photograph("form-greeting")
  const prompts = []
  for (const text of ["May we write to you by mail?", "May we call you about our work?"]) {
    prompts.push(await almoner.consentPrompts.create(caller, { text }))
  }
  await almoner.forms.update(caller, form.id, { address_visibility: "REQUIRED", phone_visibility: "REQUIRED" })
  await page.goto(addresses.form)
  await photograph("form-address-consent")
  await next(page)
  await photograph("form-address-consent-faults")
  await almoner.forms.update(caller, form.id, { address_visibility: "OPTIONAL", phone_visibility: "OPTIONAL" })
  for (const { id } of prompts) await almoner.consentPrompts.archive(caller, id)
  await page.goto(addresses.set)
  await photograph("set")
  await page.getByLabel("Your full name").fill("Ada Lovelace")
  await page.getByLabel("E-mail address").fill("ada@example.org")
  await next(page)
  await photograph("set-pay")
  const makeLink = () =>
    almoner.checkoutLinks.create(caller, {
      donor_email: "bea@example.org",
      donor_first_name: "Bea",
      amount_cents: 7_000,
      description: "Your table at the gala.",
      payment_methods: ["card", "payto"]
    })
  const link = await makeLink()
  await page.goto(link.url)
  await photograph("link")
  await give(page, "payto", "waits@example.com")
  const waiting = page.url()
  await page.goto(link.url)
  await give(page, "card", "4242 4242 4242 4242")
  await page.goto(link.url)
  await photograph("link-paid")
  await almoner.settle()
  await page.goto(waiting)
  await photograph("progress-cancelled")
  const { url: unanswered } = await makeLink()
  await page.goto(unanswered)
  await give(page, "card", "4000 0000 0000 9417")
  await photograph("progress-looking")
  await page.goto(unanswered)
  await give(page, "card", "4242 4242 4242 4242")
  await photograph("pay-busy")
  await almoner.givingSettings.update(caller, { accent_color: "#7a1f5c", fund_abn: "51824753556" })
  await almoner.givingSettings.setLogo(caller, { data: await drawLogo(page) })
  await page.goto(addresses.form)
  await photograph("form-look")
  await almoner.givingSettings.removeLogo(caller)
  await almoner.givingSettings.update(caller, { accent_color: null, fund_abn: null })
  await page.goto(addresses.form)
  await fill(page, "Every month")
  await next(page)
  await give(page, "card", "4242 4242 4242 4242")
  await photograph("progress-thanks")
  await almoner.givingSettings.update(caller, { sends_receipts: false })
  await page.goto((await makeLink()).url)
  await give(page, "card", "4242 4242 4242 4242")
  await photograph("progress-thanks-no-receipt")
  await almoner.givingSettings.update(caller, { sends_receipts: true })
  await almoner.forms.update(caller, form.id, { status: "PAUSED" })
  await page.goto(addresses.form)
  await photograph("closed")
  await almoner.forms.update(caller, form.id, { status: "ACTIVE" })
  await page.goto(`${new URL(addresses.form).origin}/embed/${form.embed_token}`)
  await photograph("embed")
  for (const [path, name] of [
    ["/f/nothing", "nothing"],
    ["/p/ended", "ended"],
    ["/i/early", "not-yet"]
  ]) {
    await page.goto(new URL(path, addresses.form).href)
    await photograph(name)
  }
}

/** The pages of a form that takes no cards without a code. */
const walkClosed = async (page, { addresses, almoner }, codes, photograph) => {
  const press = (name) => page.getByRole("button", { name }).click()
  await page.goto(addresses.form)
  await fill(page)
  await next(page)
  await photograph("cards-closed")
  await press("Send me a code")
  await photograph("code-sent")
  await press("Use this code")
  await photograph("code-wrong")
  await almoner.sendMails()
  await page.getByLabel("Code from the e-mail").fill(codes.pop())
  await press("Use this code")
  await photograph("cards-opened")
}

/** Has so many cards declined that no more are taken. */
const closeCards = async ({ almoner, form, place }) => {
  const { organisation, token: payment_token } = place
  for (let tried = 0; tried < 40; tried++) {
    if ((await almoner.checkouts.open({ organisation, slug: form.slug })).cards_closed) return
    await almoner.checkouts.submit({
      organisation,
      slug: form.slug,
      submission_id: randomUUID(),
      amount_cents: 5_000,
      currency: "AUD",
      method: "card",
      payment_token,
      donor: { email: "di@example.org", first_name: "Di", last_name: "Lee" },
      request_id: "photographs"
    })
  }
}

/** Comes to the second screen at Stripe, whose script the double stands for. */
const toStripe = async (page, { addresses, double }) => {
  const body = double.browserScript
  await page.route("https://js.stripe.com/**", (route) => route.fulfill({ contentType: "text/javascript", body }))
  await page.goto(addresses.form)
  await fill(page)
  await next(page)
  await page.getByRole("button", { name: "Give $50" }).waitFor()
}

/** The pages at Stripe. */
const walkStripe = async (page, sandbox, photograph) => {
  await toStripe(page, sandbox)
  await photograph("pay-stripe")
  await page.getByLabel("Card number").fill("pm_redirects")
  await page.getByRole("button", { name: "Give $50" }).click()
  await page.getByRole("link", { name: "Go on to your bank" }).waitFor()
  await photograph("progress-redirect")
}

/** Those of a form that takes no cards without a code but in wallets. */
const walkWallets = async (page, sandbox, photograph) => {
  await toStripe(page, sandbox)
  await page.getByText("This browser has neither").waitFor()
  await photograph("wallets-none")
  await page.addInitScript(`window.wallet = "ctoken_apple_pay"`)
  await toStripe(page, sandbox)
  await page.getByRole("button", { name: "Donate with Apple Pay" }).waitFor()
  await photograph("wallets")
}

/** The answer to a form that one address sends more often than it may: soon after, it may again, so that the answer is kept. */
const crowd = async (page, { addresses }, photograph) => {
  await page.goto(addresses.form)
  const body = await page.evaluate(async () => {
    const send = () => fetch(location.href, { method: "POST", body: new URLSearchParams() })
    for (let sent = 0; sent < 20; sent++) {
      const answers = await Promise.all(Array.from({ length: 20 }, send))
      const refused = answers.find(({ status }) => status === 429)
      if (refused !== undefined) return refused.text()
    }
    throw new Error("400 forms were taken from one address")
  })
  await page.route(addresses.form, (route) => route.fulfill({ status: 429, contentType: "text/html", body }))
  await page.goto(addresses.form)
  await photograph("crowded")
}

const main = async () => {
  let listeners
  const server = createServer((request, response) =>
    listeners[request.headers.host.startsWith("lakeside-") ? 1 : 0](request, response)
  )
  await new Promise((resolve) => server.listen(0, resolve))
  const { port } = server.address()
  const codes = []
  const sandbox = await openSandbox(port, async ({ text }) => {
    codes.push(...(/^Code: (\d{6})$/m.exec(text)?.slice(1) ?? []))
    return { _tag: "Sent" }
  })
  const double = await openDouble()
  const atStripe = await openAtStripe(port, double)
  const served = [sandbox, atStripe].map(({ almoner }) => serve(almoner, { pages }))
  listeners = (await Promise.all(served)).map(({ listener }) => listener)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const browser = await driver.launch({ executablePath: chromium ?? "", args: ["--no-sandbox"] })
  const everyWidth = async (walked) => {
    for (const [name, viewport] of Object.entries(widths)) {
      const page = await browser.newPage({ viewport })
      await walked(page, (state) =>
        page.screenshot({ path: join(folder, `${state}-${name}.jpg`), type: "jpeg", quality: 45, fullPage: true })
      )
    }
  }
  await everyWidth((page, photograph) => walk(page, sandbox, photograph))
  await closeCards(sandbox)
  await everyWidth((page, photograph) => walkClosed(page, sandbox, codes, photograph))
  await everyWidth((page, photograph) => walkStripe(page, atStripe, photograph))
  await closeCards(atStripe)
  await everyWidth((page, photograph) => walkWallets(page, atStripe, photograph))
  await everyWidth((page, photograph) => crowd(page, sandbox, photograph))
  await browser.close()
  server.close()
  for (const { almoner } of [sandbox, atStripe]) await almoner.close()
  await double.close()
}

await main()
