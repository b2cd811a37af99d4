import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { documents } from "../../src/adapters/http/reference/Reference.ts"
import { chromium, openBrowser } from "../support/Browser.ts"
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

  it.each(["en-AU", "ar", "en-XA"])("can be used by everybody, in every window and its colours: %s", async (locale) => {
    const { complaints, page, violationsEverywhere } = await browser.open({ locale })
    await page.goto(`http://localhost:${port}/_components`)
    assert.deepStrictEqual(await violationsEverywhere(), [])
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })
})
