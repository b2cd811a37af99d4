import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import * as Checks from "../../src/testing/conformance/Checks.ts"
import { read } from "../architecture/Checkout.ts"

/** The code spans of a column of the tables of a section, below their headings. */
const columnOf = (path: string, heading: string, column: number): ReadonlyArray<string> => {
  const [, section = ""] = read(path).split(`## ${heading}\n`)
  const [text = ""] = section.split(/^## /m)
  const cells = [...text.replaceAll(/^\|.+\n(?=\|--)/gm, "").matchAll(/^\|(.+)\|$/gm)].map(
    ([, row = ""]) => row.split(/(?<!\\)\|/)[column] ?? ""
  )
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span))
}

describe("the tables of the guides", () => {
  it("docs/guides/adapters.md has every kit, once", () => {
    const isHelp = (name: string): boolean => name.endsWith("Records") || name === "ProcessorUnderTest"
    const kits = Object.entries(Checks).flatMap(([name, value]) =>
      Predicate.isFunction(value) && !isHelp(name) ? [name] : []
    )
    const told = columnOf("docs/guides/adapters.md", "The ports and their checks", 1)
    assert.deepStrictEqual(told.toSorted(), kits.toSorted())
  })

  it("docs/guides/embed.md has every option of open, once", () => {
    const [, options = ""] = read("src/facade/Options.ts").split("export interface Options<")
    const [declared = ""] = options.split(/^}/m)
    const names = [...declared.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = ""]) => name)
    assert.include(names, "backend")
    const told = columnOf("docs/guides/embed.md", "Record a gift", 0)
    assert.deepStrictEqual(told.toSorted(), names.toSorted())
  })
})
