import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Locator, Page } from "playwright-core"
import { chromium, openBrowser, phone } from "../support/Browser.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { memory } from "../support/Stores.ts"

/** A script: whether two pictures differ, PNGs as base64. */
const differ = `async (pictures) => {
  const [a, b] = await Promise.all(pictures.map(async (picture) => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + picture)).blob())
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")
    pen.drawImage(bitmap, 0, 0)
    return pen.getImageData(0, 0, bitmap.width, bitmap.height)
  }))
  return a.width !== b.width || a.height !== b.height || a.data.some((value, index) => Math.abs(value - b.data[index]) > 48)
}`

const margin = 8

/** A picture of an element with what is around it, of its upper edge alone, or of what is above that. */
const pictureOf = async (page: Page, place: Locator, part: "above" | "edge" | "whole"): Promise<string> => {
  await place.scrollIntoViewIfNeeded()
  const box = (await place.boundingBox()) ?? assert.fail("it is not shown")
  const height = { above: margin - 1, edge: margin + 4, whole: box.height + 2 * margin }[part]
  const clip = { x: Math.max(0, box.x - margin), y: box.y - margin, width: box.width + 2 * margin, height }
  return (await page.screenshot({ clip })).toString("base64")
}

const hide = (place: Locator, isHidden: boolean) =>
  place.evaluate((element, value) => element.toggleAttribute("data-away", value), isHidden)

const blur = (page: Page) => page.evaluate("document.activeElement.blur()")

/** Two pictures, with what has to be seen and without it. */
type Pictures = (page: Page) => Promise<readonly [string, string]>

const edgeOf =
  (selector: string): Pictures =>
  async (page) => {
    const place = page.locator(selector).first()
    const there = await pictureOf(page, place, "edge")
    await hide(place, true)
    const away = await pictureOf(page, place, "edge")
    await hide(place, false)
    return [there, away]
  }

/** Around what has the focus: browsers change the colour of its border by themselves, which few see. */
const focusOf =
  (selector: string): Pictures =>
  async (page) => {
    const place = page.locator(selector).first()
    // Whoever uses the keyboard is shown where they are.
    await page.keyboard.press("Tab")
    await place.focus()
    const focused = await pictureOf(page, place, "above")
    await blur(page)
    return [focused, await pictureOf(page, place, "above")]
  }

/** The edge of an amount: its radio button is the browser's own, and shows it besides. */
const chosen: Pictures = async (page) => {
  const [first, second] = [page.locator("label.choice").nth(0), page.locator("label.choice").nth(1)]
  await first.click()
  await blur(page)
  const chosen = await pictureOf(page, first, "edge")
  await second.click()
  await blur(page)
  return [chosen, await pictureOf(page, first, "edge")]
}

const wrong: Pictures = async (page) => {
  const field = page.locator(".field", { has: page.locator("#email") })
  const asked = await pictureOf(page, field, "whole")
  await page.locator("button[value=who]").click()
  await blur(page)
  return [await pictureOf(page, field, "whole"), asked]
}

/** What has to be seen on a form, and a style sheet by which it is not, as it tells it by colours that are taken away. */
const facts: Readonly<Record<string, readonly [Pictures, string]>> = {
  "the amount that is chosen": [chosen, ".choice:has(:checked){outline:0;background:#cde;border-color:#05a}"],
  "a field": [edgeOf("#name"), "#name{border:0;background:#dde}"],
  "a button": [edgeOf("button[value=who]"), "button{border:0;background:#05a}"],
  "a choice": [edgeOf("label.choice"), ".choice{border:0;background:#dde}"],
  "that a field has the focus": [focusOf("#name"), ":focus-visible{outline:0;box-shadow:0 0 0 3px #05a}"],
  "that a button has the focus": [focusOf("button[value=who]"), ":focus-visible{outline:0;background:#003}"],
  "that a choice has the focus": [focusOf("[name=amount]"), ":focus-visible{outline:0;box-shadow:0 0 0 3px #05a}"],
  "that a field is wrong": [wrong, ".fault{display:none}input[aria-invalid]{border-color:#c00}"]
}

describe.skipIf(chromium === undefined)("a form by forced colours", () => {
  const service = serviceOver({ stores: memory, bucket: { perSecond: 1_000, burst: 300 } })
  const giving = anew(() => makeGivingSandbox(service, { suggested_amounts_cents: [2_500, 5_000] }))
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let port: number
  let judge: Page

  beforeAll(async () => {
    port = await service.listen()
    browser = await openBrowser()
    judge = (await browser.open()).page
  })
  afterAll(() => browser.close())

  it.each(Object.entries(facts))("shows %s", async (_, [pictures, blind]) => {
    const isSeen = async (colorScheme: "light" | "dark", styles = ""): Promise<unknown> => {
      const { page } = await browser.open({ viewport: phone, colorScheme, forcedColors: "active" })
      const sheet = JSON.stringify(`[data-away]{visibility:hidden}${styles}`)
      await page.addInitScript(
        `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${sheet}); document.adoptedStyleSheets = [sheet] }`
      )
      await page.goto(`http://${giving.tenant.organisation.slug}.localhost:${port}/f/${giving.form.slug}`)
      const pair = await pictures(page)
      await page.context().close()
      return judge.evaluate(`(${differ})(${JSON.stringify(pair)})`)
    }
    assert.deepStrictEqual([await isSeen("light"), await isSeen("dark")], [true, true])
    assert.isFalse(await isSeen("light", blind), "what is told by colours alone would pass for being seen")
  })
})
