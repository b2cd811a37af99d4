import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { declarationsDigest, entriesOf } from "../../scripts/declarations.mjs"
import { root } from "../architecture/Checkout.ts"

const read = (path: string): string => readFileSync(join(root, "docs/reference", path), "utf8")

const contents = read("README.md")

describe("the reference of exports", () => {
  it("is of the declarations as they are", () => {
    assert.strictEqual(
      read("declarations.sha256").trim(),
      declarationsDigest(),
      'docs/reference is stale: run "npm run reference"'
    )
  })

  it.each(entriesOf())("has a page for $entry", ({ entry }) => {
    const [, page = ""] = new RegExp(`\\| \`${entry}\` \\| \\[[^\\]]+\\]\\(([^)]+)\\)`).exec(contents) ?? []
    assert.match(read(page), /^#/)
  })

  it("names no folder of the machine that printed it", () => {
    for (const { entry } of entriesOf()) {
      const [, page = ""] = new RegExp(`\\| \`${entry}\` \\| \\[[^\\]]+\\]\\(([^)]+)\\)`).exec(contents) ?? []
      assert.notInclude(read(page), root, page)
    }
  })
})
