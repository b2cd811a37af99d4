import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { groups, nameOf } from "../../src/adapters/cli/Operation.ts"
import { operations } from "../../src/adapters/cli/Operations.ts"
import { read, root } from "../architecture/Checkout.ts"

const markdownOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder)).flatMap((name) => (name.endsWith(".md") ? [join(folder, name)] : []))

const guides = markdownOf("docs/guides")
const documents = ["README.md", "SECURITY.md", "CONTRIBUTING.md", ...markdownOf("docs"), ...guides].concat(
  markdownOf("docs/decisions")
)

const globalFlags = ["json", "organisation", "help", "version", "completions"]

/** The name of a flag, beneath what maps it or makes it optional; none of an argument. */
const flagOf = (parameter: unknown): ReadonlyArray<string> => {
  if (Predicate.hasProperty(parameter, "param")) return flagOf(parameter.param)
  if (!Predicate.hasProperty(parameter, "name") || !Predicate.hasProperty(parameter, "kind")) return []
  return parameter.kind === "flag" ? [`${parameter.name}`] : []
}

/** The flags of every command, by its name. */
const commands: ReadonlyMap<string, ReadonlySet<string>> = new Map<string, ReadonlySet<string>>([
  ["serve", new Set(globalFlags)],
  ["migrate", new Set(globalFlags)],
  ["check", new Set(globalFlags)],
  ...operations.map((operation) => {
    return [
      nameOf(operation),
      new Set([...globalFlags, ...Object.values(operation.parameters).flatMap(flagOf)])
    ] as const
  })
])

const allFlags = new Set([...commands.values()].flatMap((flags) => [...flags]))

/** A table of former names tells of commands that are gone. */
const withoutFormer = (text: string): string => text.replaceAll(/^\| command .*$/gm, "")

const spansOf = (text: string): ReadonlyArray<string> =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span)

const shellOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = ""]) =>
    block.replaceAll(/\\\n\s*/g, "").split(/\n|\s\|\s/)
  )

/** What follows the program's name, where a line or a code span begins a command of it. */
const saidToProgram = (line: string): string | undefined =>
  /^\s*npm /.test(line) ? undefined : /(?:^|\s)(?:almoner|node dist\/main\.js) ([a-z].*)$/.exec(line)?.[1]

/** The same without the program's name, as in `key rotate <id>`. */
const saidAlone = (span: string): string | undefined => {
  const [group = "", name] = span.split(" ")
  return group in groups && name !== undefined && /^[a-z-]+$/.test(name) ? span : undefined
}

const saidIn = (text: string): ReadonlyArray<string> =>
  [...shellOf(text), ...spansOf(text)].flatMap((each) => saidToProgram(each) ?? [])

const faultOf = (said: string): string | undefined => {
  const words = said.split(/\s+/)
  const [first = "", second = ""] = words
  if (first === "--help" || (first in groups && (second === "" || second === "--help"))) return undefined
  const names = [3, 2, 1].map((length) => words.slice(0, length).join(" "))
  const flags = commands.get(names.find((name) => commands.has(name)) ?? said)
  if (flags === undefined) return `${said}: there is no such command`
  const [unknown] = [...said.matchAll(/(?<=\s)--([a-z-]+)/g)].filter(([, flag = ""]) => !flags.has(flag))
  return unknown === undefined ? undefined : `${said}: there is no ${unknown[0]}`
}

/** The commands in the first column of the README's table. Names after the first of a group stand without it. */
const listed = [...read("README.md").matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) => {
  const [first = "", ...names] = [...cell.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span)
  const [group = ""] = first.split(" ")
  return group in groups || commands.has(first) ? [first, ...names.map((name) => `${group} ${name}`)] : []
})

describe("commands in documents", () => {
  it.each(documents)("%s names commands and flags that there are", (path) => {
    const text = withoutFormer(read(path))
    const said = [...saidIn(text), ...spansOf(text).flatMap((span) => saidAlone(span) ?? [])]
    assert.deepStrictEqual(
      said.flatMap((each) => faultOf(each) ?? []),
      []
    )
  })

  it("are found", () => {
    const said = new Set(guides.flatMap((path) => saidIn(read(path))).map((each) => each.split(/\s+/)[0]))
    assert.isAtLeast(said.size, 10)
  })

  it.each(["bank-transfers", "money", "payments", "serve", "stripe", "test-processor"])(
    "%s has no flag by itself that no command has",
    (name) => {
      const flags = spansOf(read(`docs/guides/${name}.md`)).flatMap((span) => /^--([a-z-]+)/.exec(span)?.[1] ?? [])
      assert.deepStrictEqual(
        flags.filter((flag) => !allFlags.has(flag)),
        []
      )
    }
  )

  it("stand all in the README's table, but those of the simulated bank, which has a guide", () => {
    const isBank = (name: string): boolean => name.startsWith("test-processor")
    assert.deepStrictEqual(
      listed.filter((name) => !isBank(name)).toSorted(),
      [...commands.keys()].filter((name) => !isBank(name)).toSorted()
    )
    const guide = read("docs/guides/test-processor.md")
    for (const { group, name } of operations) {
      if (group === "test-processor") assert.match(guide, new RegExp(`^\\|.*\`${name}\\b.*\\|$`, "m"), name)
    }
  })
})
