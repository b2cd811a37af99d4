/** The Chromium in which pages are tried, and what a donor does on them. */
import { execFileSync } from "node:child_process"

const pathOf = (program) => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" })
    return execFileSync("sh", ["-c", 'command -v "$0"', program], { encoding: "utf8" }).trim()
  } catch {
    return undefined
  }
}

/** The program of a Chromium: the one that `CHROMIUM` names, or one that is installed. Undefined where there is none. */
export const chromium = [process.env.CHROMIUM ?? "", "chromium", "chromium-browser", "google-chrome"]
  .filter((program) => program !== "")
  .map(pathOf)
  .find((path) => path !== undefined)

if (chromium === undefined) {
  process.stderr.write("No Chromium is installed, and CHROMIUM names none: what is tried in a browser is SKIPPED.\n")
}

/** Fills the first screen of a form, which asks how often only where a gift can repeat. */
export const fill = async (page, cadence) => {
  await page.getByLabel("$50", { exact: true }).check()
  if (cadence !== undefined) await page.getByLabel(cadence).check()
  await page.getByLabel("Your full name").fill("Ada Lovelace")
  await page.getByLabel("E-mail address").fill("ada@example.org")
}

/** Goes on to the second screen. */
export const next = (page) => page.getByRole("button", { name: "Continue" }).click()

/** Pays in a way of the test processor's, with a number of its. */
export const give = async (page, way, number) => {
  await page.locator(`[id='payment_token.${way}']`).selectOption(number)
  await page.locator(`button[value=${way}]`).click()
}
