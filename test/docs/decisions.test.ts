import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"

const folder = join(root, "docs/decisions")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")
const names = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name))

const link = String.raw`\[\d+\]\(\d{4}-[\w-]+\.md\)`
const status = new RegExp(
  String.raw`^\*\*Status:\*\* (in force(?:, amended by ${link}(?:(?:, | and )${link})*)?|part of ${link}, in force|replaced by ${link})\.$`,
  "m"
)

/** How many lines a text takes that is shown in 120 columns, without those that are empty. */
const linesOf = (text: string): number =>
  text.split("\n").reduce((sum, line) => sum + Math.ceil(line.trimEnd().length / 120), 0)

describe("the decisions", () => {
  it("have each a number, a title and a status, and are all listed", () => {
    const rows = names.map((name) => {
      const text = read(name)
      const [, number = "", title = ""] = /^# (\d+)\. (.+)\n/.exec(text) ?? []
      assert.strictEqual(number.padStart(4, "0"), name.slice(0, 4))
      return `| ${number} | [${title}](${name}) | ${status.exec(text)?.[1] ?? `no status in ${name}`} |`
    })
    const listed = read("README.md")
      .split("\n")
      .filter((line) => /^\| \d/.test(line))
    assert.deepStrictEqual(listed, rows)
  })

  it("fit on a screen", () => {
    const long = names.filter((name) => linesOf(read(name)) > 44)
    assert.deepStrictEqual(long, [])
  })
})
