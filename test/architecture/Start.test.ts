import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const flagsOf = (command: string): ReadonlyArray<string> => command.split(/\s+/).filter((word) => word.startsWith("--"))

it("npm start, the installed command, the image and the unit run node with the same flags", () => {
  const [firstLine = ""] = read("src/bin.ts").split("\n")
  const { scripts }: { readonly scripts: { readonly start: string } } = JSON.parse(read("package.json"))
  const [, entry = "[]"] = /^ENTRYPOINT (\[.*\])$/m.exec(read("Dockerfile")) ?? []
  const image: ReadonlyArray<string> = JSON.parse(entry)
  const [, unit = ""] = /exec (node .*)'$/m.exec(read("docs/guides/deploy.md")) ?? []
  const flags = flagsOf(scripts.start)
  assert.isNotEmpty(flags)
  for (const command of [firstLine, image.join(" "), unit]) assert.deepStrictEqual(flagsOf(command), flags)
})
