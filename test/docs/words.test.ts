import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"

const rows = readFileSync(join(root, "docs/words.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| (?!Term |---)/.test(line))
  .map((line) => line.slice(2, -2).split(" | "))

describe("the words of the project", () => {
  it("are forty or more, each once and in order", () => {
    const terms = rows.map(([term = ""]) => term.toLowerCase())
    assert.isAtLeast(terms.length, 40)
    assert.deepStrictEqual(terms, [...new Set(terms)].sort())
  })

  it.each(rows)("%s has a meaning and a file", (...[term, meaning = "", file = ""]) => {
    assert.isNotEmpty(meaning, term)
    const path = /^`([^`]+)`$/.exec(file)?.[1] ?? ""
    assert.isTrue(path !== "" && existsSync(join(root, path)), `${term}: there is no ${file}`)
  })
})
