import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const flagsOf = (command: string): ReadonlyArray<string> => command.split(/\s+/).filter((word) => word.startsWith("--"))

it("npm start and the installed command run node with the same flags", () => {
  const [firstLine = ""] = read("src/bin.ts").split("\n")
  const { scripts }: { readonly scripts: { readonly start: string } } = JSON.parse(read("package.json"))
  assert.isNotEmpty(flagsOf(scripts.start))
  assert.deepStrictEqual(flagsOf(scripts.start), flagsOf(firstLine))
})
