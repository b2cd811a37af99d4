/** When a person sees a page, in a real browser on a slow telephone. */
import { execFileSync } from "node:child_process"
import { chromium } from "playwright-core"
import { median } from "../harness/Percentile.mjs"

/** Lighthouse's slow 4G. */
const slow = { offline: false, latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 750_000 / 8 }
const times = 9

function program() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  try {
    return execFileSync("sh", ["-c", "command -v chromium chromium-browser google-chrome | head -1"], {
      encoding: "utf8"
    }).trim()
  } catch {
    return ""
  }
}

const largest = `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true }))`

/** The median time to a form's largest paint, milliseconds; null where no Chromium is installed. */
export async function paint(baseUrl, { form, organisation }) {
  const executablePath = program()
  if (executablePath === "") return null
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  try {
    const found = []
    for (let time = 0; time < times; time++) {
      const context = await browser.newContext({ viewport: { width: 412, height: 823 } })
      const page = await context.newPage()
      const session = await context.newCDPSession(page)
      await session.send("Network.enable")
      await session.send("Network.emulateNetworkConditions", slow)
      await session.send("Emulation.setCPUThrottlingRate", { rate: 4 })
      await page.goto(`http://${organisation}.localhost:${new URL(baseUrl).port}/f/${form}`)
      found.push(await page.evaluate(largest))
      await context.close()
    }
    return median(found)
  } finally {
    await browser.close()
  }
}
