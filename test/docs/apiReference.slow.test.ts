import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { entriesOf } from "../../scripts/declarations.mjs"
import { root } from "../architecture/Checkout.ts"
import { linksOf } from "./Markdown.ts"

/** What `npm run reference` prints, in a folder of its own. */
describe("the reference of exports", () => {
  let folder: string
  let pages: ReadonlyMap<string, string>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "reference-"))
    await promisify(execFile)(process.execPath, [join(root, "scripts/reference.mjs"), folder])
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"))
    pages = new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]))
  }, 600_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const read = (path: string): string => pages.get(path) ?? assert.fail(`${path} is not there`)

  const pageOf = (entry: string): string => {
    const [, page = ""] = new RegExp(`\\| \`${entry}\` \\| \\[[^\\]]+\\]\\(([^)]+)\\)`).exec(read("README.md")) ?? []
    return page
  }

  it("has a page for every entry", () => {
    for (const { entry } of entriesOf()) assert.match(read(pageOf(entry)), /^#/)
  })

  it("has every exported value", async () => {
    const text = [...pages.values()].join("\n").replaceAll("\\", "")
    for (const { entry, types } of entriesOf()) {
      const exported = await import(pathToFileURL(join(root, types.replace(/\.d\.ts$/, ".js"))).href)
      for (const name of Object.keys(exported)) assert.match(text, new RegExp(`\\b${name}\\b`), `${entry}: ${name}`)
    }
  })

  it("links to pages that are there", () => {
    const broken = [...pages].flatMap(([path, text]) =>
      linksOf(text)
        .filter((target) => !/^(?:https?:|#)/.test(target))
        .map((target) => join(dirname(path), target.split("#")[0] ?? ""))
        .filter((target) => !pages.has(target))
        .map((target) => `${path}: ${target}`)
    )
    assert.deepStrictEqual(broken, [])
  })

  it("names no folder of the machine that printed it", () => {
    for (const [path, text] of pages) assert.notInclude(text, root, path)
  })
})
