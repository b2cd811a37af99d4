import { brotliCompressSync } from "node:zlib"
import { afterAll, assert, beforeAll, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { documents } from "../../src/adapters/http/reference/Reference.ts"
import { languageFor } from "../../src/adapters/pages/texts/Languages.ts"
import { Caps } from "../../src/app/compliance/Caps.ts"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { ConsentPrompts } from "../../src/app/giving/ConsentPrompts.ts"
import { GivingSettings } from "../../src/app/giving/GivingSettings.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { ClosedReason } from "../../src/domain/sharing/Checkout.ts"
import type { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import { chromium, movedOf, type OpenedPage, openBrowser, phone } from "../support/Browser.ts"
import { closeCards, linkedRecipient, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { codesSentTo } from "../support/OutboxMails.ts"
import { pictures } from "../support/Pictures.ts"
import { memory } from "../support/Stores.ts"
import { asOperator, eventsOf } from "../support/Tenant.ts"
import { assertHeard, checkerOf, heardOf, type Look, looks, usabilityOf } from "./PageCheck.ts"

interface Tried {
  readonly javaScriptEnabled: boolean
  readonly looks: ReadonlyArray<Look>
  /** Whether what does not depend on scripts is tried, too, and every page in each window and its colours. */
  readonly isWhole: boolean
}

// biome-ignore lint/performance/useDomNodeTextContent: what is seen is asked for, and not what is hidden.
const textOf = (page: Page, selector: string) => page.locator(selector).innerText()

const heading = (page: Page) => textOf(page, "h1")

const press = async (page: Page, name: string) => page.getByRole("button", { name }).click()

const fill = async (page: Page, { amount = "50", email = "ada@example.org", name = "Ada Lovelace" } = {}) => {
  await page.getByLabel("Amount in AUD").fill(amount)
  await page.getByLabel("Another amount").check()
  await page.getByLabel("Your full name").fill(name)
  await page.getByLabel("E-mail address").fill(email)
}

const give = async (page: Page, number: string = numbers.succeeds, way = "by card") => {
  const section = page.locator("section.way", { has: page.getByRole("button", { name: way }) })
  await section.locator("select").selectOption(number)
  await press(page, way)
}

/** Tries the pages of donors in a real browser. */
export const describePages = (tried: Tried) => {
  describe.skipIf(chromium === undefined)("a donor's pages in a browser", () => {
    // The clock of the service stands still, and so would its buckets.
    const service = serviceOver({
      stores: memory,
      readiness: Effect.succeed({ database: "ok", writes: "ok", migrations: "ok", key_ring: "ok" }),
      bucket: { perSecond: 1_000, burst: 300 },
      documents: documents({ apiBaseUrl: "https://api.almoner.test", version: "1.2.3" })
    })
    const giving = anew(() =>
      makeGivingSandbox(
        service,
        { suggested_amounts_cents: [2_500, 5_000], thank_you_message: "Well done." },
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
    const pathOf = (address: string): string => new URL(address).pathname
    const makeLink = (given: object = {}) =>
      giving.tenant.writer.post("/checkout-links", {
        donor_email: "bea@example.org",
        donor_first_name: "Bea",
        amount_cents: 7_000,
        description: "For the roof.",
        ...given
      })
    const makeSet = async (amount_mode = "SUGGESTED", amount_cents = 3_000) => {
      const recipients = [(await linkedRecipient(service, giving)).link, (await linkedRecipient(service, giving)).link]
      return giving.tenant.writer.post("/recommendation-sets", {
        name: "Harvest",
        amount_mode,
        min_total_cents: 1_000,
        allocations: recipients.map((id) => ({ recipient_org_account_link_id: id, amount_cents }))
      })
    }
    const toPay = async (page: Page, path = `/f/${giving.form.slug}`) => {
      await page.goto(at(path))
      await fill(page)
      await press(page, "Continue")
    }

    const gifts = async () => {
      const answer = await giving.tenant.reader.get("/donations")
      return answer.at("data") as ReadonlyArray<Record<string, unknown>>
    }

    const settings = <A, E>(use: (settings: GivingSettings["Service"]) => Effect.Effect<A, E, CurrentCaller>) =>
      giving.tenant.staff(GivingSettings.use(use))

    const opened = async (options: Parameters<typeof browser.open>[0] = {}): Promise<OpenedPage> =>
      browser.open({ viewport: phone, ...options })

    /** Nothing was complained of, and nobody else was asked for anything. */
    const assertQuiet = ({ complaints, requests }: OpenedPage) => {
      assert.deepStrictEqual(complaints, [])
      assert.deepStrictEqual(
        requests.filter((url) => new URL(url).host !== new URL(at("/")).host),
        []
      )
    }

    const { javaScriptEnabled } = tried
    describe(javaScriptEnabled ? "with scripts" : "without scripts", () => {
      let shown: OpenedPage
      let page: Page

      beforeEach(async () => {
        shown = await opened({ javaScriptEnabled })
        page = shown.page
        return () => page.context().close()
      })

      it("takes a gift by card, and its donor is who was typed", async () => {
        await page.goto(at(`/f/${giving.form.slug}`))
        await fill(page, { amount: "$1,234.50", name: "Mary Ann O'Brien", email: "mary+gift@example.org" })
        await press(page, "Continue")
        assert.strictEqual(await heading(page), "Give $1,234.50")
        await give(page)
        assert.strictEqual(await heading(page), "Thank you")
        assert.include(await textOf(page, "main"), "Well done.")
        const [gift] = await gifts()
        assert.deepInclude(gift, { status: "CONFIRMED", amount_cents: 123_450, source: "PAYMENT_PROCESSOR" })
        const donor = await giving.tenant.reader.get(`/donors/${gift?.["donor_id"]}`)
        assert.deepStrictEqual(
          [donor.at("first_name"), donor.at("last_name"), donor.at("email")],
          ["Mary Ann", "O'Brien", "mary+gift@example.org"]
        )
        const types = (await eventsOf(giving.tenant)).map(({ type }) => type)
        assert.includeMembers(types, ["donor.created", "donation.succeeded"])
        assertQuiet(shown)
      })

      it("says of every field what is wrong, keeps what was typed, and asks about an address that looks mistyped", async () => {
        await page.goto(at(`/f/${giving.form.slug}`))
        await press(page, "Continue")
        assert.match(await page.title(), /^Error: Winter appeal/)
        const links = page.getByRole("alert").getByRole("link")
        assert.deepStrictEqual(await links.allInnerTexts(), [
          "Choose an amount",
          "Enter your full name",
          "Enter your e-mail address"
        ])
        await fill(page, { amount: "1.000", email: "ada@gmial.com" })
        await press(page, "Continue")
        assert.deepStrictEqual(await links.allInnerTexts(), [
          "Enter an amount, such as 50 or 12.50",
          "Did you mean ada@gmail.com? If your address is right, continue as it is."
        ])
        assert.strictEqual(await page.getByLabel("Your full name").inputValue(), "Ada Lovelace")
        await page.getByLabel("Amount in AUD").fill("20")
        await press(page, "Continue")
        assert.strictEqual(await heading(page), "Give $20")
        assert.deepStrictEqual(await gifts(), [])
        assertQuiet(shown)
      })

      it("keeps what was typed when a card is declined, and changes it when asked", async () => {
        await toPay(page)
        await give(page, "4000 0000 0000 9995")
        assert.match(await textOf(page, "[role=alert]"), /not enough money, and nothing was taken/)
        await press(page, "Change your gift")
        assert.strictEqual(await page.getByLabel("E-mail address").inputValue(), "ada@example.org")
        assert.isTrue(await page.getByLabel("$50", { exact: true }).isChecked())
        await page.getByLabel("$25", { exact: true }).check()
        await press(page, "Continue")
        await give(page)
        assert.strictEqual(await heading(page), "Thank you")
        const made = await giving.charges()
        assert.sameMembers(
          made.map(({ amount_cents, status }) => `${amount_cents} ${status}`),
          ["5000 FAILED", "2500 SUCCEEDED"]
        )
        await giving.balanced()
      })

      it("waits for the donor's approval, which a sandbox asks for itself", async () => {
        await toPay(page)
        await give(page, numbers.waits)
        assert.strictEqual(await heading(page), "One more step")
        await press(page, "Approve the payment")
        assert.strictEqual(await heading(page), "Thank you")
        await toPay(page)
        await give(page, numbers.waits)
        await press(page, "Refuse the payment")
        assert.strictEqual(await heading(page), "The payment did not go through")
        await press(page, "Try again")
        assert.strictEqual(await heading(page), "Give $50")
        await give(page)
        assert.strictEqual(await heading(page), "Thank you")
        assert.lengthOf(await gifts(), 2)
        assertQuiet(shown)
      })

      it("takes a gift that repeats, and says when and how it ends before it is given", async () => {
        await page.goto(at(`/f/${giving.form.slug}`))
        await fill(page)
        await page.getByLabel("Every month").check()
        await press(page, "Continue")
        assert.strictEqual(await heading(page), "Give $50 every month")
        assert.match(await textOf(page, "main"), /first payment is today, .* repeats every month, until you end it/)
        await give(page, "4000 0000 0000 0002")
        await give(page)
        assert.strictEqual(await heading(page), "Thank you")
        const tries = await giving.charges()
        assert.lengthOf(tries, 2)
        assert.isNotNull(tries[0]?.mandate_id)
        assert.strictEqual(tries[0]?.mandate_id, tries[1]?.mandate_id)
        assert.lengthOf(await gifts(), 1)
      })

      it("takes another amount or rhythm than the recurring gift that was declined", async () => {
        await page.goto(at(`/f/${giving.form.slug}`))
        await fill(page)
        await page.getByLabel("Every month").check()
        await press(page, "Continue")
        await give(page, "4000 0000 0000 0002")
        await press(page, "Change your gift")
        await page.getByLabel("Amount in AUD").fill("30")
        await press(page, "Continue")
        if (!javaScriptEnabled) {
          assert.match(await textOf(page, "[role=alert]"), /You chose an amount and typed another one, 30/)
          await page.getByLabel("Another amount").check()
          await press(page, "Continue")
        }
        assert.strictEqual(await heading(page), "Give $30 every month")
        await give(page)
        assert.strictEqual(await heading(page), "Thank you")
        const [gift, ...more] = await gifts()
        assert.deepInclude(gift, { status: "CONFIRMED", amount_cents: 3_000 })
        assert.lengthOf(more, 0)
      })

      it("shows the way of a payment that takes its time", async () => {
        await toPay(page)
        await give(page, "000-000 800123456", "by direct debit")
        assert.strictEqual(await heading(page), "Your payment is under way")
        await toPay(page)
        await give(page, "approves@example.com", "by PayTo")
        assert.strictEqual(await heading(page), "One more step")
      })

      it("opens closed cards with the code that it mails, and keeps what was typed", async () => {
        await closeCards(giving)
        await toPay(page)
        assert.match(await textOf(page, "main"), /a card needs a code, which we send to ada@example\.org/)
        assert.strictEqual(await page.getByRole("button", { name: "by card" }).count(), 0)
        await press(page, "Send me a code")
        await page.getByLabel("Code from the e-mail").fill("12")
        await page.keyboard.press("Enter")
        assert.match(await textOf(page, "[role=alert]"), /Enter the 6 digits of the latest e-mail/)
        assert.match(await page.title(), /^Error: Give \$50/)
        const [code = ""] = await codesSentTo(service, giving.tenant.organisation, "ada@example.org")
        await page.getByLabel("Code from the e-mail").fill(`${code.slice(0, 3)} ${code.slice(3)}`)
        await press(page, "Use this code")
        assert.match(await textOf(page, "main"), /Your code was right/)
        await give(page, numbers.declined)
        // It was for that gift alone.
        assert.match(await textOf(page, "main"), /card needs a code/)
        await press(page, "Send me a code")
        const [, second = ""] = await codesSentTo(service, giving.tenant.organisation, "ada@example.org")
        await page.getByLabel("Code from the e-mail").fill(second)
        await press(page, "Use this code")
        await give(page)
        assert.strictEqual(await heading(page), "Thank you")
        const [gift] = await gifts()
        const donor = await giving.tenant.reader.get(`/donors/${gift?.["donor_id"]}`)
        assert.deepStrictEqual([donor.at("first_name"), donor.at("email")], ["Ada", "ada@example.org"])
        assertQuiet(shown)
      })

      it("gives through a checkout link, which knows its donor and counts its visits", async () => {
        const link = await makeLink()
        const path = pathOf(link.textAt("url"))
        await page.goto(at(path))
        assert.strictEqual(await heading(page), "Give $70")
        assert.match(await textOf(page, "main"), /Hello Bea[\s\S]*For the roof\./)
        await give(page, "4000 0000 0000 0002")
        await give(page)
        assert.strictEqual(await heading(page), "Thank you")
        await page.goto(at(path))
        assert.strictEqual(await heading(page), "This was paid already")
        const after = await giving.tenant.reader.get(`/checkout-links/${link.textAt("id")}`)
        assert.strictEqual(after.at("status"), "COMPLETED")
      })

      it("gives to every recipient of a set what was entered", async () => {
        const set = await makeSet()
        await page.goto(at(pathOf(set.textAt("giving_url"))))
        const parts = page.getByLabel(/^To /)
        await parts.nth(0).fill("0")
        await parts.nth(1).fill("5")
        if (javaScriptEnabled) assert.match(await textOf(page, "output"), /\$5/)
        await page.getByLabel("Your full name").fill("Ada Lovelace")
        await page.getByLabel("E-mail address").fill("ada@example.org")
        await press(page, "Continue")
        assert.match(await textOf(page, "[role=alert]"), /together must be \$10 or more/)
        assert.strictEqual(await textOf(page, "output"), "$5")
        if (javaScriptEnabled) {
          for (const [typed, total] of [
            ["1,000.50", "$1,000.50"],
            ["$50", "$50"],
            ["12,5", "$12.50"],
            ["٥٠", "$50"],
            ["５０", "$50"],
            ["A$ 1 000", "$1,000"],
            ["1.000", ""],
            ["5²", ""],
            ["-5", ""],
            ["", ""]
          ] as const) {
            await page.getByLabel(/^To /).nth(1).fill(typed)
            assert.strictEqual(await textOf(page, "output"), total, typed)
          }
        }
        await page.getByLabel(/^To /).nth(1).fill("12,50")
        await press(page, "Continue")
        assert.strictEqual(await heading(page), "Give $12.50")
        await give(page)
        assert.strictEqual(await heading(page), "Thank you")
        const payments = await giving.tenant.reader.get(`/recommendation-sets/${set.textAt("id")}/payments`)
        const [payment] = payments.at("data") as ReadonlyArray<Record<string, unknown>>
        assert.strictEqual(payment?.["total_amount_cents"] ?? payment?.["amount_cents"], 1_250)
      })
    })

    if (tried.isWhole)
      describe("however they are looked at", () => {
        it("makes one gift of two presses, of going back, and of a page that is sent again; two of two tabs", async () => {
          const { page } = await opened()
          await toPay(page)
          const token = await page.locator("input[name=token]").inputValue()
          await page.getByRole("button", { name: "by card" }).dblclick()
          await page.waitForURL(/\/p\//)
          await page.goBack()
          await give(page)
          assert.strictEqual(await heading(page), "Thank you")
          const again = await service.call("POST", `/f/${giving.form.slug}`, {
            headers: { host: new URL(at("/")).host, "content-type": "application/x-www-form-urlencoded" },
            body: String(new URLSearchParams({ token, method: "card", "payment_token.card": numbers.succeeds }))
          })
          assert.strictEqual(again.headers.get("location"), new URL(page.url()).pathname)
          assert.lengthOf(await gifts(), 1)
          const tabs = [await page.context().newPage(), await page.context().newPage()]
          for (const tab of tabs) await toPay(tab)
          for (const tab of tabs) await give(tab)
          assert.lengthOf(await gifts(), 3)
        })

        it("takes no token that somebody wrote, and starts again with what was typed", async () => {
          const { page } = await opened()
          await page.goto(at(`/f/${giving.form.slug}`))
          await fill(page)
          const forged = async (change: (token: string) => string) => {
            await page
              .locator("input[name=token]")
              .evaluate(
                (input, value) => input.setAttribute("value", value),
                change(await page.locator("input[name=token]").inputValue())
              )
            await press(page, "Continue")
            assert.match(await textOf(page, "main"), /open for a long time/)
            assert.strictEqual(await page.getByLabel("Your full name").inputValue(), "Ada Lovelace")
          }
          await forged((token) => token.replace(/.$/, (last) => (last === "A" ? "B" : "A")))
          await forged(() => "x.y.z")
          service.clock.advance(25 * 3_600_000)
          await press(page, "Continue")
          service.clock.advance(25 * 3_600_000)
          await give(page)
          assert.match(await textOf(page, "main"), /open for a long time/)
          assert.deepStrictEqual(await gifts(), [])
          await give(page)
          assert.strictEqual(await heading(page), "Thank you")
        })

        it("greets whoever follows their own link by the first name alone, and keeps the campaign; a dead link is a plain page", async () => {
          const { page } = await opened()
          const donor = await giving.tenant.writer.post("/donors", {
            first_name: "Zoë",
            last_name: "Quill-Secret",
            email: "zoe.secret@example.org"
          })
          const link = await giving.tenant.writer.post(`/forms/${giving.form.id}/personalised-links`, {
            donor_id: donor.textAt("id")
          })
          const { pathname, search } = new URL(link.textAt("url"))
          await page.goto(at(`${pathname}${search}&cmp=spring`))
          assert.match(await textOf(page, "main"), /Hello Zoë/)
          assert.notMatch(await page.content(), /Quill-Secret|zoe\.secret/)
          assert.strictEqual(await page.getByLabel("E-mail address").count(), 0)
          await page.getByLabel("$25", { exact: true }).check()
          await press(page, "Continue")
          await give(page, numbers.waits)
          await press(page, "Refuse the payment")
          // The payment is taken up again by the same donor, who is asked for nothing anew.
          await press(page, "Try again")
          await give(page)
          assert.strictEqual(await heading(page), "Thank you")
          for (const gift of await gifts()) assert.strictEqual(gift["donor_id"], donor.textAt("id"))
          await page.goto(at(`${pathname}${search}`))
          await page.getByLabel("$25", { exact: true }).check()
          await press(page, "Continue")
          await give(page, numbers.waits)
          await press(page, "Refuse the payment")
          await giving.tenant.writer.patch(`/donors/${donor.textAt("id")}`, { last_name: "Quill" })
          // The link was revoked meanwhile: whoever tries again is asked who gives.
          await press(page, "Try again")
          assert.strictEqual(await page.getByLabel("E-mail address").count(), 1)
          assert.notMatch(await textOf(page, "main"), /Hello|Zoë/)
          await page.goto(at(`${pathname}${search}`))
          assert.strictEqual(await page.getByLabel("E-mail address").count(), 1)
          assert.notMatch(await textOf(page, "main"), /Hello|Zoë/)
        })

        it("shows an organisation's logo, accent and ABN, and nothing of what else was in the logo's file", async () => {
          await settings(({ update }) => update({ accent_color: "#7a1f5c", fund_abn: "51824753556" }))
          for (const [kind, data] of Object.entries(pictures)) {
            await settings(({ setLogo }) => setLogo({ data }))
            for (const colorScheme of ["light", "dark"] as const) {
              const shown = await opened({ colorScheme })
              // It comes after the page is seen.
              await shown.page.route("**/logo/*", async (route) => {
                await new Promise((resolve) => setTimeout(resolve, 100))
                await route.continue()
              })
              await shown.page.goto(at(`/f/${giving.form.slug}`))
              const logo = () =>
                shown.page.evaluate(`(async () => {
                  const logo = document.querySelector("header img")
                  await logo.decode()
                  return [logo.naturalWidth, logo.naturalHeight, logo.alt]
                })()`)
              assert.deepStrictEqual(await logo(), [24, 16, ""], kind)
              assert.strictEqual(await shown.page.evaluate(movedOf), 0)
              const color = await shown.page.evaluate(
                `getComputedStyle(document.querySelector("button[value=who]")).backgroundColor`
              )
              if (colorScheme === "light") assert.strictEqual(color, "rgb(122, 31, 92)")
              else assert.notInclude(["rgb(122, 31, 92)", "rgb(127, 209, 189)"], color)
              assert.match(await textOf(shown.page, "footer"), /^ABN 51.824.753.556$/)
              assert.deepStrictEqual(await shown.violations(), [])
              assertQuiet(shown)
              if (kind === "png") {
                await fill(shown.page)
                await press(shown.page, "Continue")
                await give(shown.page)
                assert.strictEqual(await heading(shown.page), "Thank you")
                assert.deepStrictEqual(await logo(), [24, 16, ""])
                assertQuiet(shown)
              }
              await shown.page.context().close()
            }
          }
          const { logo } = await settings(({ read }) => read())
          const answer = await service.call("GET", `/logo/${logo}`, { headers: { host: new URL(at("/")).host } })
          assert.deepStrictEqual(
            ["content-type", "x-content-type-options", "cache-control", "content-security-policy"].map((name) =>
              answer.headers.get(name)
            ),
            ["image/webp", "nosniff", "public, max-age=31536000, immutable", "default-src 'none'; sandbox"]
          )
          const gone = await service.call("GET", "/logo/0.png", { headers: { host: new URL(at("/")).host } })
          assert.strictEqual(gone.status, 404)
        })

        it("keeps a payment that waits on the screen while something else answers for the service, and goes on by itself", async () => {
          const { page } = await opened()
          await toPay(page)
          await give(page, numbers.waits)
          const looks: Array<string> = []
          let isAway = true
          await page.route(page.url(), (route) => {
            const method = route.request().method()
            looks.push(method)
            return method === "HEAD" && isAway ? route.fulfill({ status: 502 }) : route.continue()
          })
          await vi.waitFor(() => assert.isAtLeast(looks.length, 2), 20_000)
          assert.strictEqual(await heading(page), "One more step")
          assert.notInclude(looks, "GET")
          isAway = false
          const progress_token = pathOf(page.url()).slice("/p/".length)
          await service.run(Checkouts.use(({ approve }) => approve({ progress_token, is_approved: true })))
          await page.getByRole("heading", { level: 1, name: "Thank you" }).waitFor()
        })

        it("tells of what its policy refuses, which the service counts, whatever else is sent there", async () => {
          const { page } = await opened()
          await page.goto(at(`/f/${giving.form.slug}`))
          const violations = () => service.logs.filter((line) => line.includes("policy was violated"))
          await page.evaluate(
            `document.body.append(Object.assign(document.createElement("img"), { src: "https://pixel.example/?ada" }))`
          )
          await vi.waitFor(() => assert.isNotEmpty(violations()), 10_000)
          assert.match(violations()[0] ?? "", /\(1 since the start\): img-src refused https:\/\/pixel\.example"/)
          const send = async (body: string, method = "POST") => {
            const headers = { host: new URL(at("/")).host, "content-type": "application/reports+json" }
            return (await service.call(method, "/_policy", { headers, body })).status
          }
          const report = {
            type: "csp-violation",
            body: { effectiveDirective: "img-src", blockedURL: "https://pixel.example/2" }
          }
          assert.strictEqual(await send(JSON.stringify([report, report])), 204)
          assert.lengthOf(violations(), 2)
          for (const body of [
            "",
            "{",
            "7",
            "null",
            `["x",{"body":{"effectiveDirective":"<b>\\n"}}]`,
            "x".repeat(17_000)
          ]) {
            assert.strictEqual(await send(body), 204)
          }
          assert.lengthOf(violations(), 3)
          assert.match(violations()[2] ?? "", /: other refused other"/)
          assert.strictEqual(await send("", "PUT"), 405)
          const ready = await service.call("GET", "/ready")
          assert.deepStrictEqual(ready.at("policy_violations"), { "img-src": 3, other: 1 })
        })

        it("takes no cards for some hours once many were declined, and says how else to give; each address is paced", async () => {
          const path = `/f/${giving.form.slug}`
          const post = (fields: Readonly<Record<string, string>>, address: string) =>
            service.call("POST", path, {
              headers: {
                host: new URL(at("/")).host,
                "content-type": "application/x-www-form-urlencoded",
                "x-test-address": address
              },
              body: String(new URLSearchParams(fields))
            })
          const tokenIn = (text: string) => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail("no token")
          const attempt = async (address: string) => {
            const opened = await service.call("GET", path, { headers: { host: new URL(at("/")).host } })
            const typed = { amount: "2500", cadence: "ONE_TIME", name: "Di Lee", email: `${address}@example.org` }
            const pay = await post({ ...typed, step: "who", token: tokenIn(opened.text) }, address)
            const means = { method: "card", "payment_token.card": "4000 0000 0000 0002" }
            return post({ token: tokenIn(pay.text), ...means }, address)
          }
          for (let each = 1; each <= 60; each++) await attempt(`192.0.2.${each}`)
          assert.lengthOf(await giving.charges(), Limits.cardCredit)
          const { page } = await opened()
          await toPay(page)
          assert.include(await textOf(page, "main"), "Many cards were declined here")
          assert.strictEqual(await page.getByRole("button", { name: "by card" }).count(), 0)
          await give(page, "000-000 800123456", "by direct debit")
          assert.strictEqual(await heading(page), "Your payment is under way")
          let answer = await post({}, "192.0.2.99")
          for (let each = 0; each <= Limits.pagePostBurst && answer.status !== 429; each++) {
            service.pace = 0
            answer = await post({}, "192.0.2.99")
          }
          service.pace = 10
          assert.strictEqual(answer.status, 429)
          assert.strictEqual((await post({}, "192.0.2.98")).status, 200)
        })

        it("counts the visits of a checkout link by people, and of nobody who only fetches it", async () => {
          const link = await giving.tenant.writer.post("/checkout-links", {
            donor_email: "bea@example.org",
            amount_cents: 7_000
          })
          const person = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" }
          const visited = async (method: string, headers: Readonly<Record<string, string>>) => {
            const { pathname } = new URL(link.textAt("url"))
            const answer = await service.call(method, pathname, {
              headers: { host: new URL(at("/")).host, ...headers }
            })
            assert.strictEqual(answer.status, 200)
            return (await giving.tenant.reader.get(`/checkout-links/${link.textAt("id")}`)).at("visit_count")
          }
          assert.strictEqual(await visited("GET", person), 1)
          assert.strictEqual(await visited("HEAD", person), 1)
          assert.strictEqual(await visited("GET", { ...person, "sec-purpose": "prefetch;prerender" }), 1)
          assert.strictEqual(await visited("GET", { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" }), 1)
          assert.strictEqual(await visited("GET", person), 2)
        })

        it("asks for what the form needs, records consent as it was shown, and says when the form has changed", async () => {
          const { page } = await opened()
          const text = "May we write to you <b>by mail</b>?"
          await giving.tenant.staff(ConsentPrompts.use((use) => use.create({ text })))
          const form = (change: object) => giving.tenant.writer.patch(`/forms/${giving.form.id}`, change)
          await form({ address_visibility: "REQUIRED", phone_visibility: "REQUIRED" })
          await page.goto(at(`/f/${giving.form.slug}`))
          await fill(page)
          await press(page, "Continue")
          assert.deepStrictEqual(await page.getByRole("alert").getByRole("link").allInnerTexts(), [
            "Enter a telephone number",
            "Enter a street address",
            "Enter a suburb or town",
            "Enter a state or territory",
            "Enter a postcode"
          ])
          for (const [label, value] of [
            ["Telephone number", "0400 000 000"],
            ["Street address", "1 Long St"],
            ["Suburb or town", "Perth"],
            ["State or territory", "WA"],
            ["Postcode", "6000"]
          ] as const) {
            await page.getByLabel(label).fill(value)
          }
          assert.isFalse(await page.getByLabel(text).isChecked())
          await page.getByLabel(text).check()
          await press(page, "Continue")
          await form({ minimum_amount_cents: 60_00, suggested_amounts_cents: [60_00] })
          await give(page)
          assert.match(await textOf(page, "main"), /has changed since you opened it/)
          await fill(page, { amount: "60" })
          await press(page, "Continue")
          await give(page)
          assert.strictEqual(await heading(page), "Thank you")
          const [gift] = await gifts()
          const shown = await giving.tenant.reader.get(`/donations/${gift?.["id"]}`)
          assert.match(shown.text, /"consent_given":true/)
          assert.notInclude(await page.content(), "<b>by mail")
        })

        it("shows a fixed set as it is and an open one to be filled in, and each of three recipients has its part", async () => {
          const linked = () => linkedRecipient(service, giving)
          const recipients = [await linked(), await linked(), await linked()]
          const setOf = async (amount_mode: string, parts: ReadonlyArray<number>) => {
            const allocations = parts.map((amount_cents, index) => ({
              recipient_org_account_link_id: recipients[index]?.link,
              amount_cents
            }))
            const made = await giving.tenant.writer.post("/recommendation-sets", {
              name: "Three",
              amount_mode,
              allocations
            })
            return at(pathOf(made.textAt("giving_url")))
          }
          const { page } = await opened()
          const typeWho = async () => {
            await page.getByLabel("Your full name").fill("Ada Lovelace")
            await page.getByLabel("E-mail address").fill("ada@example.org")
            await press(page, "Continue")
          }
          await page.goto(await setOf("FIXED", [1_000, 2_000, 3_050]))
          assert.strictEqual(await page.getByLabel(/^To /).count(), 0)
          assert.match(await textOf(page, "main"), /In total\s+\$60\.50/)
          await typeWho()
          assert.strictEqual(await heading(page), "Give $60.50")
          await give(page)
          assert.strictEqual(await heading(page), "Thank you")
          await page.goto(await setOf("OPEN", [0, 0, 0]))
          for (const [index, typed] of ["5", "0", "7,50"].entries())
            await page.getByLabel(/^To /).nth(index).fill(typed)
          await typeWho()
          await give(page)
          assert.strictEqual(await heading(page), "Thank you")
          await giving.distribute()
          const seenBy = async ({ tenant }: (typeof recipients)[number]) => {
            const seen = (await tenant.reader.get("/donations")).at("data") as ReadonlyArray<Record<string, unknown>>
            return seen.map(({ amount_cents }) => amount_cents)
          }
          assert.deepStrictEqual(await Promise.all(recipients.map(seenBy)), [[500, 1_000], [2_000], [750, 3_050]])
          await giving.balanced()
        })

        it("has a page for each reason for which no gift is taken, in its organisation's name, with its sentence", async () => {
          const { page } = await opened()
          const { writer } = giving.tenant
          const expires_at = service.clock.iso(3_600_000)
          const path = async (made: ReturnType<typeof makeSet>) => pathOf((await made).textAt("url"))
          const changed = async (made: ReturnType<typeof makeSet>, by: string, act: string) => {
            const record = await made
            assert.strictEqual((await writer.post(`/${by}/${record.textAt("id")}/${act}`, {})).status, 200)
            return pathOf(record.textAt(by === "checkout-links" ? "url" : "giving_url"))
          }
          const paused = await writer.post("/forms", { name: "Paused", status: "ACTIVE" })
          await writer.patch(`/forms/${paused.textAt("id")}`, { status: "PAUSED" })
          const shut = await makeLink({ payment_methods: ["card"] })
          const code = pathOf(shut.textAt("url")).slice("/c/".length)
          const onLink = { slug: null, code, amount_cents: 7_000, donor: null } as const
          await closeCards({ submit: (given) => giving.submit({ ...given, ...onLink }) })
          const paths: { [C in ClosedReason]: string } = {
            draft: `/f/${(await writer.post("/forms", { name: "Hidden" })).textAt("slug")}`,
            cards_closed: pathOf(shut.textAt("url")),
            expired: await path(makeLink({ expires_at })),
            cancelled: await changed(makeLink(), "checkout-links", "cancel"),
            completed: await path(makeLink()),
            in_progress: await path(makeLink({ payment_methods: ["card", "au_becs_debit"] })),
            deactivated: await changed(makeSet(), "recommendation-sets", "deactivate"),
            paused: `/f/${paused.textAt("slug")}`,
            archived: `/f/${giving.form.slug}`,
            no_processor: `/f/${(await writer.post("/forms", { name: "Later", status: "ACTIVE" })).textAt("slug")}`
          }
          await page.goto(at(paths.completed))
          await give(page)
          await page.goto(at(paths.in_progress))
          await give(page, "000-000 800123456", "by direct debit")
          const shownIn = async (look: Look, reason: ClosedReason) => {
            const shown = await opened(looks[look])
            const answer = await shown.page.goto(at(paths[reason]))
            // A draft is as little there as what nobody made.
            assert.strictEqual(answer?.status(), reason === "draft" ? 404 : 200)
            const { closed } = languageFor(look === "in Arabic" ? "ar" : "en")
            if (reason !== "draft") {
              assert.include(await textOf(shown.page, "main"), closed[reason])
              assert.strictEqual(await textOf(shown.page, "header"), giving.tenant.organisation.name)
            }
            assert.strictEqual(await shown.page.locator("form").count(), 0)
            await usabilityOf(shown, look, look === "with scripts")(reason)
            const heard = await heardOf(shown.page)
            await shown.page.context().close()
            return `${reason}:\n${heard}\n`
          }
          const heard: Record<string, string> = {}
          const listen = async (reasons: ReadonlyArray<ClosedReason>) => {
            for (const look of ["with scripts", "without scripts", "in Arabic"] as const)
              for (const reason of reasons) heard[look] = `${heard[look] ?? ""}${await shownIn(look, reason)}\n`
          }
          await listen(["cards_closed"])
          await writer.delete(`/forms/${giving.form.id}`)
          await giving.setAccount({ charges_enabled: false })
          await giving.tenant.staff(Integrations.use((use) => use.check(giving.integration_id)))
          service.clock.advance(2 * 3_600_000)
          await listen(ClosedReason.literals.filter((reason) => reason !== "cards_closed"))
          assert.strictEqual(heard["with scripts"], heard["without scripts"])
          await assertHeard("closed for each reason", heard["with scripts"] ?? "")
          await assertHeard("closed for each reason, in Arabic", heard["in Arabic"] ?? "")
        })

        it("tells of a page that takes no gift why, in its organisation's name, and nothing of one that is not there", async () => {
          const { page } = await opened()
          const form = (change: object) => giving.tenant.writer.patch(`/forms/${giving.form.id}`, change)
          const titleAt = async (path: string) => {
            const answer = await page.goto(at(path))
            return `${answer?.status()} ${await heading(page)}`
          }
          const path = `/f/${giving.form.slug}`
          await form({ status: "PAUSED" })
          assert.strictEqual(await titleAt(path), "200 No gifts can be made here at the moment")
          assert.include(await textOf(page, "header"), giving.tenant.organisation.name)
          await form({ status: "ACTIVE" })
          await giving.tenant.writer.delete(`/forms/${giving.form.id}`)
          assert.strictEqual(await titleAt(path), "200 No gifts can be made here at the moment")
          const draft = await giving.tenant.writer.post("/forms", { name: "Hidden" })
          const unknown = await titleAt("/f/nothing")
          assert.strictEqual(unknown, "404 There is no such page")
          const nothing = await page.content()
          assert.strictEqual(await titleAt(`/f/${draft.textAt("slug")}`), unknown)
          assert.strictEqual(await page.content(), nothing)
          assert.strictEqual(await titleAt("/p/x.y.z.w"), "404 This page is no longer here")
          assert.strictEqual(await titleAt("/c/%F0%9F%98%80%00"), unknown)
          assert.strictEqual(
            await titleAt(`${path}?dt=%00&cmp=${"a".repeat(3_000)}`),
            "200 No gifts can be made here at the moment"
          )
          const headers = { host: new URL(at("/")).host, accept: "text/html", "x-test-address": "192.0.2.7" }
          let crowded = await service.call("GET", "/f/nothing", { headers })
          for (let asked = 0; crowded.status === 404 && asked < 400; asked++) {
            service.pace = 0
            crowded = await service.call("GET", "/f/nothing", { headers })
          }
          service.pace = 10
          assert.strictEqual(crowded.status, 429)
          assert.include(crowded.text, "Too many people are here at once")
        })
      })

    const next = (page: Page) => page.locator("button[value=who]").click()

    /** Fills the first screen of a form in whichever language, and goes on. */
    const typeGift = async (page: Page, { amount = "50", name = "Ada Lovelace" } = {}) => {
      await page.locator("#amount_other").fill(amount)
      await page.locator("[name=amount][value=other]").check()
      await page.locator("#name").fill(name)
      await page.locator("#email").fill("ada@example.org")
      await next(page)
    }

    const payIn = async (page: Page, number: string, way = "card") => {
      await page.locator(`[id='payment_token.${way}']`).selectOption(number)
      await page.locator(`button[value=${way}]`).click()
    }

    it.each(tried.looks)("can be used by everybody: %s", async (look) => {
      const shown = await opened(looks[look])
      const { page } = shown
      const check = checkerOf(shown, look, tried.isWhole)
      const first = await page.goto(at(`/f/${giving.form.slug}`))
      // The whole of the first view, as it is sent. pages, section 1.
      const bytes = (await first?.body()) ?? assert.fail("the page is empty")
      assert.isBelow(brotliCompressSync(bytes).length, 14 * 1_024)
      await check("form")
      await next(page)
      await check("form with faults")
      await typeGift(page, { name: "Ada Lovelace".repeat(9) })
      await check("paying")
      await payIn(page, "4000 0000 0000 0002")
      await check("declined")
      await payIn(page, numbers.waits)
      await check("approval")
      await page.locator("button[value=refuse]").click()
      await check("failed")
      await page.locator("button[value=again]").click()
      await payIn(page, "000-000 800123456", "au_becs_debit")
      await check("under way")
      await closeCards(giving)
      await page.goto(at(`/f/${giving.form.slug}`))
      await typeGift(page)
      await check("cards closed")
      await page.locator("button[value=code]").click()
      await check("code sent")
      await page.locator("button[value=open]").click()
      await check("code wrong")
      const [code = ""] = (await codesSentTo(service, giving.tenant.organisation, "ada@example.org")).slice(-1)
      // As Arabic keyboards type them.
      await page
        .locator("#email_code")
        .fill(code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x0660 + Number(digit))))
      await page.locator("button[value=open]").click()
      await check("cards opened")
      await page.goto(at("/f/nothing"))
      await check("nothing there")
      await page.goto(at("/p/x.y.z.w"))
      await check("ended")
    })

    it.each(tried.looks)("can be used by everybody, a set and a checkout link: %s", async (look) => {
      const shown = await opened(looks[look])
      const { page } = shown
      const check = checkerOf(shown, look, tried.isWhole)
      await page.goto(at(pathOf((await makeSet()).textAt("giving_url"))))
      await check("set")
      await page.locator("#name").fill("Ada Lovelace")
      await page.locator("#email").fill("ada@example.org")
      await next(page)
      await check("paying for a set")
      const link = at(pathOf((await makeLink()).textAt("url")))
      await page.goto(link)
      await check("checkout link")
      await payIn(page, numbers.succeeds)
      await check("thanks")
      await page.goto(link)
      await check("checkout link paid")
      await giving.tenant.writer.patch(`/forms/${giving.form.id}`, { status: "PAUSED" })
      await page.goto(at(`/f/${giving.form.slug}`))
      await check("closed")
    })

    it.each(tried.looks)("can be used by everybody, a payment that takes its time: %s", async (look) => {
      const shown = await opened(looks[look])
      const { page } = shown
      const check = checkerOf(shown, look, tried.isWhole)
      const link = at(pathOf((await makeLink()).textAt("url")))
      await page.goto(link)
      await payIn(page, "4000 0000 0000 9417")
      await check("looking")
      await page.goto(link)
      await payIn(page, numbers.succeeds)
      await check("busy")
      await page.goto(at(`/f/${giving.form.slug}`))
      await typeGift(page)
      await page.locator("button[value=bank_transfer]").click()
      await check("transfer")
      await settings(({ update }) => update({ sends_receipts: false }))
      await page.goto(at(pathOf((await makeLink()).textAt("url"))))
      await payIn(page, numbers.succeeds)
      await check("thanks without a receipt")
      const later = at(pathOf((await makeLink({ payment_methods: ["card", "payto"] })).textAt("url")))
      await page.goto(later)
      await payIn(page, "waits@example.com", "payto")
      const waiting = page.url()
      await page.goto(later)
      await payIn(page, numbers.succeeds)
      await giving.settle()
      await page.goto(waiting)
      await check("cancelled")
      service.pace = 0
      const address = { "x-test-address": "192.0.2.77" }
      await page.setExtraHTTPHeaders(address)
      const headers = { host: new URL(at("/")).host, ...address }
      for (let asked = 0, status = 404; status === 404 && asked < 400; asked++) {
        status = (await service.call("GET", "/f/nothing", { headers })).status
      }
      await page.goto(at("/f/nothing"))
      await check("crowded")
      service.pace = 10
    })

    if (tried.isWhole)
      it.each(tried.looks)("can be used by everybody, whatever a form asks, and whatever changed: %s", async (look) => {
        const shown = await opened(looks[look])
        const { page } = shown
        const check = checkerOf(shown, look, true)
        const { organisation, writer } = giving.tenant
        const path = at(`/f/${giving.form.slug}`)
        const change = (form: object) => writer.patch(`/forms/${giving.form.id}`, form)
        const donor = await writer.post("/donors", { first_name: "Zoë", last_name: "Quill", email: "zoe@example.org" })
        const own = await writer.post(`/forms/${giving.form.id}/personalised-links`, { donor_id: donor.textAt("id") })
        await page.goto(at(pathOf(own.textAt("url")) + new URL(own.textAt("url")).search))
        await check("form that greets its donor")
        await page.goto(at(`/embed/${giving.form.embed_token}`))
        await check("form in a frame")
        await page.goto(path)
        service.clock.advance(25 * 3_600_000)
        await next(page)
        await check("form that was open for long")
        await typeGift(page)
        service.clock.advance(25 * 3_600_000)
        await payIn(page, numbers.succeeds)
        await check("paying after a long time")
        await change({ minimum_amount_cents: 6_000, suggested_amounts_cents: [6_000] })
        await payIn(page, numbers.succeeds)
        await check("form that has changed")
        const prompt = ConsentPrompts.use((use) => use.create({ text: "May we write to you by mail?" }))
        await service.run(prompt.pipe(asOperator(organisation)))
        await change({ minimum_amount_cents: 200, suggested_amounts_cents: [5_000], address_visibility: "OPTIONAL" })
        await page.goto(path)
        await check("form that may be told an address, and asks for consent")
        await change({ address_visibility: "REQUIRED", phone_visibility: "REQUIRED" })
        await page.goto(path)
        await next(page)
        await check("form that needs an address, with faults")
        await change({ address_visibility: "NONE", phone_visibility: "NONE" })
        await settings(({ update }) => update({ accent_color: "#7a1f5c", fund_abn: "51824753556" }))
        await settings(({ setLogo }) => setLogo({ data: pictures.png }))
        await page.goto(path)
        await check("form with a logo, an accent and an ABN")
        await page.locator("[name=cadence][value=MONTHLY]").check()
        await typeGift(page)
        await check("paying every month")
        await payIn(page, numbers.waits)
        await page.locator("button[value=refuse]").click()
        await check("failed every month")
        const failed = page.url()
        await page.locator("button[value=again]").click()
        const { page: other } = await opened(looks[look])
        await other.goto(failed)
        await other.locator("button[value=again]").click()
        await payIn(other, numbers.succeeds)
        await other.context().close()
        await payIn(page, numbers.succeeds)
        await check("form whose recurring gift was paid meanwhile")
      })

    if (tried.isWhole)
      it.each(tried.looks)("can be used by everybody, what declines say, and a gift over a cap: %s", async (look) => {
        const shown = await opened(looks[look])
        const { page } = shown
        const said: Array<string> = []
        const hear = async (number: string, selector: string) => {
          if (look === "in a language of longer words") await usabilityOf(shown, look, false)(number)
          said.push(`${number}:\n${await heardOf(page, selector)}\n`)
        }
        const path = at(`/f/${giving.form.slug}`)
        await page.goto(path)
        await typeGift(page)
        for (const number of [
          numbers.declined,
          "4000 0000 0000 9995",
          "4000 0000 0000 0069",
          "4000 0000 0000 0127",
          "4000 0000 0000 0119"
        ]) {
          await payIn(page, number)
          await hear(number, "[role=alert]")
        }
        await payIn(page, numbers.waits)
        await page.locator("button[value=refuse]").click()
        await hear(numbers.waits, "main")
        for (const [way, number] of [
          ["au_becs_debit", "000-000 111111113"],
          ["au_becs_debit", "000-000 222222227"],
          ["au_becs_debit", "000-000 333333335"],
          ["payto", "rejects@example.com"],
          ["payto", "dishonours@example.com"]
        ] as const) {
          await page.goto(path)
          await typeGift(page)
          await payIn(page, number, way)
          service.clock.advance(60_000)
          await giving.settle()
          await page.reload()
          await hear(number, "main")
        }
        const { organisation, writer } = giving.tenant
        for (const day of ["2026-12-01", "2027-02-10"])
          await writer.post("/sandbox/advance", { to: `${day}T03:00:00Z` })
        const capped = CodeAssignments.use((use) => use.assign({ code: "WINTER", jurisdiction: "AU" }))
        await service.run(capped.pipe(asOperator(organisation)))
        await service.run(Caps.use((use) => use.update({ is_blocking: true })).pipe(asOperator(organisation)))
        await page.goto(path)
        await typeGift(page, { amount: "50001" })
        await payIn(page, numbers.succeeds)
        await checkerOf(shown, look, true)("form over a cap")
        const dear = await makeLink({ amount_cents: 5_000_100, revenue_code: "WINTER" })
        await page.goto(at(pathOf(dear.textAt("url"))))
        await payIn(page, numbers.succeeds)
        await hear("a checkout link over a cap", "[role=alert]")
        if (look.endsWith("scripts")) await assertHeard("what declines say", said.join("\n"))
        if (look === "in Arabic") await assertHeard("what declines say, in Arabic", said.join("\n"))
      })

    if (tried.isWhole)
      it.each(tried.looks)("can be used by everybody, other sets, and what no page is: %s", async (look) => {
        const shown = await opened(looks[look])
        const { page } = shown
        const check = checkerOf(shown, look, true)
        const path = at(`/f/${giving.form.slug}`)
        await page.goto(at(pathOf((await makeSet("OPEN", 0)).textAt("giving_url"))))
        await page.getByRole("textbox").first().fill("")
        await next(page)
        await check("set with faults")
        await page.goto(at(pathOf((await makeSet("FIXED")).textAt("giving_url"))))
        await check("set with fixed amounts")
        await page.locator("#name").fill("Ada Lovelace")
        await page.locator("#email").fill("ada@example.org")
        await next(page)
        await settings(({ update }) => update({ sends_receipts: false }))
        await payIn(page, numbers.succeeds)
        await check("thanks for a set")
        await page.goto(at("/i/early"))
        await check("invitation")
        await page.goto(at("/"))
        await check("organisation")
        await page.goto(`data:text/html,<form method=post action="${path}"><button>Send</button></form>`)
        await page.getByRole("button").click()
        await check("form of another site")
        await page.goto(path)
        await page.route(path, (route) =>
          route.continue({ headers: { ...route.request().headers(), "content-type": "text/plain" } })
        )
        await next(page)
        await check("form that did not arrive in full")
        await page.unroute(path)
        await page.goto(path)
        await typeGift(page)
        service.faults.writesBreak = true
        await payIn(page, numbers.succeeds)
        service.faults.writesBreak = false
        await check("broken")
      })
  })
}
