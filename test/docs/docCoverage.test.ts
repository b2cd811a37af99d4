import { basename, dirname, join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import { Array as Arr } from "effect"
import { read, root } from "../architecture/Checkout.ts"

const entries = Object.entries<{ readonly types?: string }>(JSON.parse(read("package.json")).exports).flatMap(
  ([entry, { types }]) => (types === undefined ? [] : [[entry, types] as const])
)

const declared = /^export (?:declare )?(?:abstract )?(?:const|class|function|interface|type|let|namespace) (\w+)/gm

const isAfterWords = (text: string, at: number): boolean => text.slice(0, at).trimEnd().endsWith("*/")

/** The declarations of a module that are exported under names, each with whether it has words; a name may have several. */
const declarationsIn = (text: string): ReadonlyMap<string, boolean> => {
  const found = new Map<string, boolean>()
  for (const match of text.matchAll(declared)) {
    const [, name = ""] = match
    // A type and a value of one name are one export: either has the words.
    found.set(name, (found.get(name) ?? false) || isAfterWords(text, match.index))
  }
  // A word of the language cannot be declared, and is given to what has another name.
  for (const match of text.matchAll(/^\w+ as (\w+) \};$/gm)) found.set(match[1] ?? "", isAfterWords(text, match.index))
  return found
}

const reexported = /^export (?:type )?(?:\{(?<names>[^}]*)\}|\*(?: as \w+)?) from "(?<from>\.[^"]+)"/gm

/** What a module exports, as `path: name`, with whether it has words; a name that it takes from elsewhere is looked up there. */
const exportsOf = (path: string, seen = new Set<string>()): ReadonlyMap<string, boolean> => {
  const found = new Map<string, boolean>()
  if (seen.has(path)) return found
  seen.add(path)
  const text = read(path)
  for (const [name, has] of declarationsIn(text)) found.set(`${path}: ${name}`, has)
  for (const { groups } of text.matchAll(reexported)) {
    const from = join(dirname(path), `${groups?.["from"]}`).replace(/\.[tj]sx?$/, ".d.ts")
    const all = exportsOf(from, groups?.["names"] === undefined ? seen : new Set())
    const names = groups?.["names"]?.split(",").map(
      (each) =>
        each
          .trim()
          .replace(/^type /, "")
          .split(" as ")[0]
    )
    for (const [name, has] of all) {
      if (names === undefined || names.some((each) => name.endsWith(`: ${each}`))) found.set(name, has)
    }
  }
  return found
}

/** The names of an entry, by the namespace or module that has them: `Money: Cents, Currency`. */
const publicNames = (types: string): ReadonlyArray<string> => {
  const spaces = new Map(
    [...read(types).matchAll(/^export \* as (\w+) from "\.\/([^"]+)\.ts"/gm)].map(([, space = "", from = ""]) => [
      `dist/${from}.d.ts`,
      space
    ])
  )
  const inSpaces = [...spaces].flatMap(([path, space]) =>
    [...exportsOf(path).keys()].map((name) => [name, space] as const)
  )
  const spaceOf = new Map(inSpaces)
  const names = [...exportsOf(types).keys()].map((key) => {
    const [path = "", name = ""] = key.split(": ")
    return { module: spaceOf.get(key) ?? basename(path, ".d.ts"), name }
  })
  return Object.entries(Arr.groupBy(names, ({ module }) => module))
    .map(
      ([module, its]) =>
        `${module}: ${its
          .map(({ name }) => name)
          .toSorted()
          .join(", ")}`
    )
    .toSorted()
}

const head = `# Public names

Every name that the package promises, by entry and by the namespace or module that has it. A name leaves this page in a
version that says so in the CHANGELOG. \`almoner/internal\` has everything of the domain and promises nothing.
`

/** What the package promises to keep: all of its entries but the one that promises nothing. */
const promised = entries.filter(([entry]) => entry !== "./internal")

describe("every export of the package", () => {
  it("is a name in docs/public-names.md, which changes on purpose: `vitest run test/docs/docCoverage.test.ts -u`", async () => {
    const sections = promised.map(([entry, types]) => {
      const names = publicNames(types)
      const count = names.join(", ").split(", ").length
      if (entry === "./domain") assert.isAtMost(count, 400)
      return `## ${join("almoner", entry)}\n\n${count} names.\n\n\`\`\`text\n${names.join("\n")}\n\`\`\`\n`
    })
    await expect([head, ...sections].join("\n")).toMatchFileSnapshot(join(root, "docs/public-names.md"))
  })

  it.each(entries)("of %s says what it is", (_, types) => {
    const found = exportsOf(types)
    assert.isNotEmpty([...found])
    assert.deepStrictEqual(
      [...found].flatMap(([name, has]) => (has ? [] : [name])),
      [],
      "give each of these a docstring"
    )
  })

  it.each([
    ["face", "dist/facade/generated/Calls.d.ts"],
    ["client", "dist/client/generated/Calls.d.ts"]
  ])("every method of the %s has words and its source", (_, path) => {
    const methods = [...read(path).matchAll(/((?:^ {4}(?:\/\*\*| \*).*\n)+)^ {4}readonly (\w+): (?:<[^>]*>)?\(/gm)]
    assert.strictEqual(methods.length, [...read(path).matchAll(/^ {4}readonly \w+: (?:<[^>]*>)?\(/gm)].length)
    for (const [, words = "", name = ""] of methods) {
      if (name.startsWith("all")) continue
      assert.match(words, /\/\*\* [A-Z].+\./, name)
      assert.match(words, /Source: (?:[a-z-]+, |docs\/)/, name)
    }
  })
})
