import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { declarationsDigest, entriesOf, inOneOrder } from "../../scripts/declarations.mjs"
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

  it("is not stale by the order that the compiler gives the members of a union, and is by anything else", () => {
    const one = 'export declare const a: Of<"b|c" | Either<"x" | { readonly y: 1 | null }>, B> /* d | e */;'
    const other = 'export declare const a: Of<Either<{ readonly y: null | 1 } | "x"> | "b|c", B> /* d | e */;'
    assert.strictEqual(inOneOrder(one), inOneOrder(other))
    for (const changed of [
      one.replace("null", "2"),
      one.replace("d | e", "e | d"),
      one.replace("b|c", "c|b"),
      one.replace(", B>", ", C>"),
      one.replace(" | null", ""),
      one.replace("a:", "b:")
    ]) {
      assert.notStrictEqual(inOneOrder(changed), inOneOrder(one), changed)
    }
    assert.notStrictEqual(inOneOrder("(a: A, b: B) => C"), inOneOrder("(b: B, a: A) => C"))
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
