import { assert, expect } from "@effect/vitest"
import type { Page } from "playwright-core"
import { type OpenedPage, phone } from "../support/Browser.ts"

/** How pages are opened. */
export const looks = {
  "with scripts": { viewport: phone },
  "without scripts": { viewport: phone, javaScriptEnabled: false },
  "in Arabic": { viewport: phone, locale: "ar" },
  "in a language of longer words": { viewport: phone, locale: "en-XA" }
} as const
export type Look = keyof typeof looks

/**
 * What stands on a page, in its title or in what scripts show of it, and is neither in the catalogue of sentences, nor somebody's
 * name or an amount.
 */
const strangers = async (page: Page): Promise<ReadonlyArray<string>> => {
  const texts = `(() => {
    const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts = [document.title]
    while (all.nextNode()) if (!all.currentNode.parentElement.closest("script")) texts.push(all.currentNode.data.trim())
    for (const name of ["aria-label", "title", "alt", "placeholder", "data-none", "data-blocked"])
      for (const each of document.querySelectorAll("[" + name + "]:not(#stripe *)")) texts.push(each.getAttribute(name))
    return texts
  })()`
  const theirs = [
    "Winter appeal",
    "Charity",
    "Food Bank",
    "Riverside",
    "Appeal",
    "Monthly",
    "Spring",
    "Harvest",
    "For the roof.",
    "Well done.",
    "May we write to you by mail?",
    "Test account, do not transfer"
  ]
  return ((await page.evaluate(texts)) as ReadonlyArray<string>).filter((text) => {
    const rest = text.replaceAll(/⟦.*⟧|\(AUD\)|A\$[\d.,]+|^[A-Z\d]{8}$/gsu, "")
    return /\p{L}/u.test(theirs.reduce((left, each) => left.replaceAll(each, ""), rest))
  })
}

/** What a screen reader hears of a page, without what is another one at each run. */
export const heardOf = async (page: Page, selector = "body"): Promise<string> =>
  (await page.locator(selector).ariaSnapshot())
    .replaceAll(/\d{1,2} \p{L}+ \d{4}.*$/gmu, "(a day)")
    .replaceAll(/\/([cp])\/\S+/g, "/$1/(token)")
    .replaceAll(/#part\.\w+/g, "#part.(id)")
    .replaceAll(/(?<=term: Reference\n\s+- definition: ).+/g, "(a reference)")

const small = `[...document.querySelectorAll("button,p>a,.bad a,select,label.choice,input:not([type=hidden],[type=radio],[type=checkbox])")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 43.9).length`

/** What is heard by the name of a state is as its file has it, so that a change is read in review. */
export const assertHeard = (name: string, heard: string): Promise<unknown> =>
  expect(heard).toMatchFileSnapshot(`heard/${name.replaceAll(/,? /g, "-").toLowerCase()}.txt`)

/** Checks that a page as it stands is fit for use: axe finds nothing, nothing is wider than its window, and whatever is pressed is large enough. */
export const usabilityOf =
  ({ page, violations, violationsEverywhere }: OpenedPage, look: Look, isEverywhere: boolean) =>
  async (name: string): Promise<void> => {
    // What looks is a script itself.
    if (look === "without scripts") return
    assert.deepStrictEqual(await (isEverywhere ? violationsEverywhere() : violations()), [], name)
    assert.strictEqual(await page.evaluate(small), 0, `${name} has targets that are too small`)
    if (look === "in a language of longer words") assert.deepStrictEqual(await strangers(page), [], name)
  }

/**
 * Checks a page as it stands, by the name of its state: it is fit for use, and what is heard of it, with scripts and without, is a
 * file. Each state has one, or a second one where it is another without scripts.
 */
export const checkerOf =
  (shown: OpenedPage, look: Look, isEverywhere: boolean) =>
  async (name: string): Promise<void> => {
    if (look.endsWith("scripts")) await assertHeard(name, await heardOf(shown.page))
    await usabilityOf(shown, look, isEverywhere)(name)
  }
