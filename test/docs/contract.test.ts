import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { readCheckout, root } from "../architecture/Checkout.ts"
import { citationsIn, leads } from "./Citations.ts"

const files = readCheckout().filter(
  ({ path }) => !/^docs\/(?:contract|reference|collection)\/|\/contract\.test\.ts$/.test(path)
)

const found = files.map(({ path, text }) => ({ path, citations: citationsIn(text) }))

describe("the citations of the contract", () => {
  it("lead to a section of docs/contract, and to the words that they name in it", () => {
    const lost = found.flatMap(({ citations, path }) =>
      citations.flatMap((citation) => (leads(citation) ? [] : [`${path}: ${citation.text}`]))
    )
    assert.deepStrictEqual(lost, [])
  })

  it("are found in code, in comments and in tables", () => {
    const within = (folder: string): number =>
      found.reduce((sum, { citations, path }) => (path.startsWith(folder) ? sum + citations.length : sum), 0)
    assert.isAbove(within("src/"), 500)
    assert.isAbove(within("test/"), 10)
    assert.isAbove(within("docs/"), 100)
  })

  it("would be found where they lead nowhere", () => {
    const text = `/**
      * decisions, section 12. decisions, section 4: Donkeys; decisions, sections 4
      * and 5: Donors. "money, section 2: Charge" | law, section 9 | service-spec, Limits: Field sizes. (service-spec,
      * Limits: Shoe sizes) service-spec, Donor; service-spec, Donkey. decisions, section 2, step 8; decisions, section 2, step 20.
      * decisions, section 1: Verbs; section 4: Verbs.
      */`
    assert.deepStrictEqual(
      citationsIn(text).flatMap((citation) => (leads(citation) ? [] : [citation.text])),
      [
        "decisions, section 12",
        "decisions, section 4: Donkeys",
        "law, section 9",
        "decisions, section 2, step 20",
        "decisions, section 4: Verbs",
        "service-spec, Limits: Shoe sizes",
        "service-spec, Donkey"
      ]
    )
  })
})

it("the citations of decisions name one that is there", () => {
  const numbers = new Set(readdirSync(join(root, "docs/decisions")).map((name) => name.slice(0, 4)))
  const lost = files.flatMap(({ path, text }) =>
    [...text.matchAll(/docs\/decisions\/(\d+)/g)].flatMap(([, number = ""]) =>
      numbers.has(number) ? [] : [`${path}: ${number}`]
    )
  )
  assert.deepStrictEqual(lost, [])
})
