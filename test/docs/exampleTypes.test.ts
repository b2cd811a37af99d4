import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"
import { examplesIn } from "./Docstrings.ts"
import { type Exported, entries, namesOf, values } from "./Exports.ts"
import { givenValues } from "./GivenValues.ts"
import { complaintsOf, inScope, says } from "./SaidValues.ts"

const isIdSchema = ({ file, name }: Pick<Exported, "file" | "name">): boolean =>
  file.endsWith("/kernel/Ids.d.ts") && name.endsWith("Id")

/** Of `almoner/domain`: machines, what is done with any machine, and the ids. The rules beside them say what they are. */
const isOfMachines = ({ file, name }: Exported): boolean =>
  name === "machine" || /\/kernel\/(?:Machine|Definition|Table)\.d\.ts$/.test(file) || isIdSchema({ file, name })

/** A pure rule, the class of a record, a schema or a fact: its example says what comes of it, or what it says. */
const isRule = (value: Exported): boolean => value.file.includes("/domain/") && !isOfMachines(value)

/** What examples speak of without making it, as the guides do. */
const around = readFileSync(join(root, "test/docs/around.txt"), "utf8")

const effects = [
  "Cause",
  "Context",
  "DateTime",
  "Duration",
  "Effect",
  "Layer",
  "Logger",
  "ManagedRuntime",
  "Option",
  "Redacted",
  "Result",
  "Schema",
  "Stream"
]

const elsewhere: ReadonlyArray<readonly [name: string, text: string]> = [
  ...effects.map((name) => [name, `import { ${name} } from "effect"`] as const),
  ["fc", 'import fc from "fast-check"'],
  ["OpenApi", 'import { OpenApi } from "effect/http-api"'],
  ["createServer", 'import { createServer } from "node:http"']
]

/** The imports of what an example names: of its own entry first, as an editor would. */
const importsOf = (code: string, own: string): string => {
  const found = new Map<string, string>()
  const isNamed = (name: string): boolean => new RegExp(`(?<![\\w"/]|[\\w)\\]]\\.)${name}\\b(?!\\s*:)`).test(code)
  for (const [name, text] of elsewhere) if (isNamed(name)) found.set(name, text)
  for (const [entry, file] of entries.toSorted(([a], [b]) => Number(b === own) - Number(a === own))) {
    for (const name of namesOf(file)) {
      const isMade = new RegExp(`(?:const|let) (?:\\{[^}]*\\b)?${name}\\b`).test(code)
      if (isNamed(name) && !found.has(name) && !isMade) found.set(name, `import { ${name} } from "${entry}"`)
    }
  }
  return [...found.values()].join("\n")
}

/** What an entry exports, by the file of its declarations. */
const exportsOf = (types: string): Promise<Readonly<Record<string, unknown>>> =>
  import(pathToFileURL(join(root, types.replace(/\.d\.ts$/, ".js"))).href)

/** The examples of the methods of face and client, which are printed. */
const ofMethods = ["dist/facade/generated/Calls.d.ts", "dist/client/generated/Calls.d.ts"].flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g)].flatMap(([words]) =>
    examplesIn(words).map((code) => ({ name: file, entry: "almoner", code }))
  )
)

const ofValues = values.flatMap(({ entry, file, name, words }) =>
  examplesIn(words).map((code) => ({ name: `${file}: ${name}`, entry, code }))
)

describe("the examples of exports", () => {
  it("are there for every value that a user calls, passes on or reads", () =>
    assert.deepStrictEqual(
      values.filter(({ words }) => examplesIn(words).length === 0).map(({ file, name }) => `${file}: ${name}`),
      []
    ))

  it("say of every rule of the domain what comes of it", () =>
    assert.deepStrictEqual(
      values
        .filter((value) => value.entry === "almoner/domain" && isRule(value))
        .filter(({ words }) => !examplesIn(words).some(says))
        .map(({ file, name }) => `${file}: ${name}`),
      []
    ))

  it("are noticed where they say what is not so", () => {
    const wrong = ["1 + 1 // => 3", "[\n  1\n]\n// => [2]", "1 // => throws RangeError", "missing // => 1"]
    const right = ["const two = 2\ntwo // => 2", "[1, { a: 2 }] // => [1, { a: 2 }]", "fail() // => throws RangeError"]
    const fail = () => {
      throw new RangeError("no")
    }
    const asked = [...wrong, ...right].map((code) => ({ name: code, code }))
    assert.deepStrictEqual(
      complaintsOf(asked, { fail }).map((complaint) => wrong.findIndex((code) => complaint.startsWith(code))),
      [0, 1, 2, 3]
    )
  })

  it("come to the values that they say, run against the package", async () => {
    const said = ofValues.filter(({ code }) => says(code))
    assert.isAbove(said.length, 700)
    const domain = await exportsOf("dist/domain.d.ts")
    const complaints = await Promise.all(
      entries.map(async ([entry, types]) => {
        const own = said.filter((example) => example.entry === entry)
        if (own.length === 0) return []
        return complaintsOf(own, { ...domain, ...(await exportsOf(types)), ...inScope, ...givenValues })
      })
    )
    assert.deepStrictEqual(complaints.flat(), [])
  })

  it("compile, all of them and those of the methods, against the declarations of the package", {
    timeout: 240_000
  }, () => {
    mkdirSync(join(root, ".cache"), { recursive: true })
    const folder = mkdtempSync(join(root, ".cache", "examples-"))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    const all = [...ofValues, ...ofMethods]
    const options = { noUnusedLocals: false, noUnusedParameters: false, lib: ["es2023", "es2024.string", "dom"] }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", compilerOptions: options, include: ["*.ts"] })
    )
    writeFileSync(join(folder, "around.d.ts"), around)
    for (const [index, { code, entry }] of all.entries()) {
      writeFileSync(join(folder, `${index}.ts`), `${importsOf(code, entry)}\n${code}\nexport {}\n`)
    }
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const { stdout } = spawnSync(process.execPath, [compiler, "--pretty", "false", "-p", folder], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 26
    })
    const complaints = stdout.split("\n").flatMap((line) => {
      const [, index, said] = /(\d+)\.ts\(\d+,\d+\): (.*)$/.exec(line) ?? []
      const { code = "", name = "" } = all[Number(index)] ?? {}
      if (index === undefined) return line.includes("error TS") ? [line] : []
      return [`${name}: ${said}\n${code}`]
    })
    assert.isAbove(all.length, 500)
    assert.deepStrictEqual(complaints, [])
  })
})
