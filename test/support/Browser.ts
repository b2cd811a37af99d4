import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type BrowserContextOptions, chromium as driver, type Page } from "playwright-core"
import { chromium } from "../../scripts/browser.mjs"

export { chromium }

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The windows in which every page is tried: the narrowest telephone, and a desk. */
export const sizes: Readonly<Record<string, BrowserContextOptions>> = {
  "320 px": { viewport: { width: 320, height: 700 } },
  "1440 px": { viewport: { width: 1_440, height: 900 } }
}

/** The colours in which every page is tried. */
export const themes: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "forced colours": { forcedColors: "active" }
}

/** A page in a real browser, and everything that it complained of and asked for. */
export interface OpenedPage {
  readonly page: Page
  /** What the console says: exceptions, and what the page's policy refused. */
  readonly complaints: Array<string>
  readonly requests: Array<string>
  /** What axe finds wrong with the page as it stands, under the page's own policy. */
  readonly violations: () => Promise<ReadonlyArray<string>>
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
    const violations = async () => {
      const found = await page.evaluate(`${axe};axe.run()`)
      return violationsIn(found)
    }
    return { page, complaints, requests, violations }
  }
  return { open, close: () => browser.close() }
}

const violationsIn = (found: unknown): ReadonlyArray<string> => {
  const { violations }: { violations?: unknown } = { ...Object(found) }
  if (!Array.isArray(violations)) throw new Error("axe answered nothing")
  return violations.map(({ id, nodes }) => `${id}: ${Object(nodes)[0]?.html}`)
}
