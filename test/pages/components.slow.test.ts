import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { documents } from "../../src/adapters/http/reference/Reference.ts"
import { chromium, openBrowser, sizes, themes } from "../support/Browser.ts"
import { serviceOver } from "../support/Late.ts"
import { memory } from "../support/Stores.ts"

describe.skipIf(chromium === undefined)("every component in each of its states", () => {
  const service = serviceOver({
    stores: memory,
    pages: { previews: true },
    documents: documents({ apiBaseUrl: "https://api.almoner.test", version: "1.2.3" })
  })
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let port: number

  beforeAll(async () => {
    port = await service.listen()
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const cases = ["en-AU", "ar", "en-XA"].flatMap((locale) =>
    Object.keys(sizes).flatMap((size) => Object.keys(themes).map((theme) => ({ locale, size, theme })))
  )

  it.each(cases)("can be used by everybody: $locale, $size, $theme", async ({ locale, size, theme }) => {
    const { complaints, page, violations } = await browser.open({ locale, ...sizes[size], ...themes[theme] })
    await page.goto(`http://localhost:${port}/_components`)
    assert.deepStrictEqual(await violations(), [])
    assert.isFalse(
      await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"),
      "it is wider than its window"
    )
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })
})
