import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const modulesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(`src/${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `./${folder}/${name}`)

const exported = (face: string): ReadonlyArray<string> =>
  [...readFileSync(`src/${face}`, "utf8").matchAll(/^export .* from "(?<from>[^"]+)"$/gmu)].map(
    ({ groups }) => groups?.["from"] ?? ""
  )

describe("the package's faces", () => {
  it.each(["domain", "ports", "app"])("almoner has every module of %s", (folder) => {
    const face = new Set(exported("index.ts"))
    assert.deepStrictEqual(
      modulesOf(folder).filter((module) => !face.has(module)),
      []
    )
  })

  it("almoner/testing has a subject for every machine of the domain", () => {
    const machines = modulesOf("domain").filter((module) =>
      /^export const machine: /mu.test(readFileSync(`src/${module}`, "utf8"))
    )
    const subjects = exported("testing/Subjects.ts").map((module) => readFileSync(`src/testing/${module}`, "utf8"))
    const missing = machines.filter((module) => !subjects.some((text) => text.includes(`"../../${module.slice(2)}"`)))
    assert.deepStrictEqual(missing, [])
  })
})
