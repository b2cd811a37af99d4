import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type BrowserContextOptions, chromium as driver, type Page } from "playwright-core"
import { chromium } from "../../scripts/browser.mjs"

export { chromium }

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The narrowest telephone. */
export const phone = { width: 320, height: 700 }
const desk = { width: 1_440, height: 900 }

/** Each window in each of the colours in which every page is to be fit for use: the narrowest telephone, and a desk. */
const views = Object.entries({ "320 px": phone, "1440 px": desk }).flatMap(([size, viewport]) =>
  (["light", "dark", "forced colours"] as const).map((colours) => ({
    name: `${size}, ${colours}`,
    viewport,
    media: {
      colorScheme: colours === "dark" ? "dark" : "light",
      forcedColors: colours === "forced colours" ? "active" : "none"
    } as const
  }))
)

/** A page in a real browser, and everything that it complained of and asked for. */
export interface OpenedPage {
  readonly page: Page
  /** What the console says: exceptions, and what the page's policy refused. */
  readonly complaints: Array<string>
  readonly requests: Array<string>
  /** What axe finds wrong with the page as it stands, under the page's own policy; and that it is wider than its window. */
  readonly violations: () => Promise<ReadonlyArray<string>>
  /** The same in each window and its colours, each with where it was found; the page then stands as before. */
  readonly violationsEverywhere: () => Promise<ReadonlyArray<string>>
}

const isWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

const violationsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${axe};0`)
  const found = violationsIn(await page.evaluate(`axe.run({ resultTypes: ["violations"] })`))
  return (await page.evaluate(isWide)) ? [...found, "the page is wider than its window"] : found
}

/** A script: how far the page's layout moved since it was opened, counted until a moment after it is asked. */
export const movedOf = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value })
    .observe({ type: "layout-shift", buffered: true })
  setTimeout(() => resolve(sum), 300)
})`

/** Starts a browser with these options of its program, in which pages are opened apart from each other. */
export const openBrowser = async (...given: ReadonlyArray<string>) => {
  const browser = await driver.launch({ executablePath: chromium ?? "", args: ["--no-sandbox", ...given] })
  const open = async (options: BrowserContextOptions = {}): Promise<OpenedPage> => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const complaints: Array<string> = []
    const requests: Array<string> = []
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(String(error)))
    page.on("request", (request) => requests.push(request.url()))
    const violationsEverywhere = async () => {
      const found: Array<string> = []
      const before = page.viewportSize()
      for (const { media, name, viewport } of views) {
        await page.setViewportSize(viewport)
        await page.emulateMedia(media)
        found.push(...(await violationsOf(page)).map((violation) => `${name}: ${violation}`))
      }
      const { colorScheme = "light", forcedColors = "none" } = options
      await page.emulateMedia({ colorScheme, forcedColors })
      if (before !== null) await page.setViewportSize(before)
      return found
    }
    return { page, complaints, requests, violations: () => violationsOf(page), violationsEverywhere }
  }
  return { open, close: () => browser.close() }
}

const violationsIn = (found: unknown): ReadonlyArray<string> => {
  const { violations }: { violations?: unknown } = { ...Object(found) }
  if (!Array.isArray(violations)) throw new Error("axe answered nothing")
  return violations.map(({ id, nodes }) => `${id}: ${Object(nodes)[0]?.html}`)
}
