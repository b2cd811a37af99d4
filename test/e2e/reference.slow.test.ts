import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { documents } from "../../src/adapters/http/reference/Reference.ts"
import { chromium, type OpenedPage, openBrowser } from "../support/Browser.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

/** Waits in the page until something holds, and answers whether it came to hold. */
const until = (condition: string) => `new Promise((resolve) => {
  const from = Date.now()
  const look = () => (${condition}) ? resolve(true) : Date.now() - from > 30000 ? resolve(false) : setTimeout(look, 20)
  look()
})`

describe.skipIf(chromium === undefined)("in a browser", () => {
  let service: Service
  let tenant: Tenant
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let opened: OpenedPage
  let base: string

  beforeAll(async () => {
    service = await startService({
      stores: memory,
      documents: documents({ apiBaseUrl: "https://api.example.org", version: "1.2.3" })
    })
    tenant = await makeTenant(service)
    base = `http://127.0.0.1:${await service.listen()}`
    browser = await openBrowser()
    opened = await browser.open()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  const evaluate = (expression: string): Promise<unknown> => opened.page.evaluate(expression)

  const elsewhere = () => opened.requests.filter((url) => !url.startsWith(base) && !url.startsWith("data:"))

  it("the reference runs its script as its policy allows, and asks nobody else for anything", async () => {
    await opened.page.goto(`${base}/docs`)
    assert.deepStrictEqual(opened.complaints, [])
    assert.deepStrictEqual(elsewhere(), [])
    const pres = await evaluate("document.querySelectorAll('pre').length")
    assert.strictEqual(await evaluate("document.querySelectorAll('.framed > pre + button.copy').length"), pres)
    assert.isAbove(Number(pres), 200)
    assert.isTrue(await evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
  })

  const typed = async (text: string): Promise<unknown> =>
    evaluate(`(() => {
      const input = document.getElementById("search")
      input.value = ${JSON.stringify(text)}
      input.dispatchEvent(new Event("input", { bubbles: true }))
      return [...document.querySelectorAll("#contents .results a")].map((each) => each.hash)
    })()`)

  it("a search finds titles first, and whatever stands in a section", async () => {
    const [first] = Object(await typed("merge donor"))
    assert.strictEqual(first, "#operation-donors_merge")
    assert.include(Object(await typed("OVERLAP_hours")), "#operation-webhook_endpoints_rotate_secret")
    assert.include(Object(await typed("idempotency_conflict backoff")), "#errors")
    assert.deepStrictEqual(await typed("donor xyzzy"), [])
    assert.strictEqual(await evaluate("document.querySelector('[role=status]').textContent"), "Nothing found")
    assert.deepStrictEqual(await typed(""), [])
    assert.strictEqual(await evaluate("document.querySelectorAll('#contents > details[hidden]').length"), 0)
  })

  it("the contents are open where the reader is, and every heading is a link to itself", async () => {
    await evaluate("location.hash = '#operation-forms_create'")
    const here = "document.querySelector('#contents [aria-current]')"
    assert.isTrue(await evaluate(until(`${here}.hash === '#operation-forms_create'`)))
    assert.isTrue(await evaluate(`${here}.closest('details').open`))
    await evaluate("location.hash = '#operation-campaigns_list'")
    assert.isTrue(await evaluate(until(`${here}.hash === '#operation-campaigns_list'`)))
    assert.strictEqual(await evaluate("document.querySelectorAll('#contents > details[open]').length"), 2)
    const headings = "[...document.querySelectorAll('main [id]:is(h2,h3,h4)')]"
    assert.isTrue(await evaluate(`${headings}.every((each) => each.querySelector('a').hash === '#' + each.id)`))
  })

  it("a language that is chosen is that of every sample, and stays under the pointer", async () => {
    const [moved, open] = Object(
      await evaluate(`(() => {
        const sample = document.querySelector("#donors_merge-example").parentNode.querySelector("[data-language=python]")
        sample.scrollIntoView()
        const before = sample.getBoundingClientRect().top
        sample.querySelector("summary").click()
        const open = [...document.querySelectorAll("details.sample[open]")]
        return [sample.getBoundingClientRect().top - before, open.map(({ dataset }) => dataset.language)]
      })()`)
    )
    assert.isAtMost(Math.abs(moved), 1)
    assert.deepStrictEqual([...new Set(open)], ["python"])
    assert.isAbove(open.length, 50)
  })

  it("a button copies what stands in its block", async () => {
    const copied = await evaluate(`(async () => {
      let held
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { held = text } } })
      const button = document.querySelector("button.copy")
      button.click()
      await new Promise((resolve) => setTimeout(resolve))
      return [held === button.previousSibling.textContent, button.textContent]
    })()`)
    assert.deepStrictEqual(copied, [true, "Copied"])
  })

  it("the interactive reference runs as its policy allows, and sends what it is told to", async () => {
    await opened.page.goto(`${base}/docs/try`)
    assert.isTrue(await evaluate(until("document.querySelectorAll('.opblock').length > 50")))
    assert.deepStrictEqual(elsewhere(), [])
    assert.deepStrictEqual(opened.complaints, [])
    await evaluate(`ui.preauthorizeApiKey("bearer", ${JSON.stringify(tenant.readKey.secret)})`)
    for (const selector of [".opblock-summary-control", ".try-out__btn", ".execute"]) {
      const place = `document.querySelector("#operations-meta-meta_whoami ${selector}")`
      assert.isTrue(await evaluate(until(`${place} !== null`)), selector)
      await evaluate(`${place}.click()`)
    }
    const answer = "document.querySelector('#operations-meta-meta_whoami .live-responses-table .microlight')"
    assert.isTrue(await evaluate(until(`${answer} !== null`)))
    assert.deepStrictEqual(JSON.parse(String(await evaluate(`${answer}.innerText`))), {
      organisation_id: tenant.organisation.id,
      scope: "READ"
    })
    assert.deepStrictEqual([elsewhere(), opened.complaints], [[], []])
  })

  it("a page that is not there is one to read", async () => {
    const { port } = new URL(base)
    for (const url of [`${base}/nowhere`, `http://riverside.localhost:${port}/f/spring-appeal?dt=secret`]) {
      await opened.page.goto(url)
      assert.strictEqual(await evaluate("document.title"), await evaluate("document.querySelector('h1').innerText"))
      assert.isTrue(await evaluate("getComputedStyle(document.querySelector('main')).maxWidth !== 'none'"))
    }
    // Of the two, the browser itself tells that they are 404.
    assert.strictEqual(opened.complaints.filter((each) => !each.includes("404")).length, 0)
  })
})
