import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as almoner from "../../src/index.ts"

/** The modules of a floor, of all contexts, without what they share among themselves. */
const modulesOf = (floor: string): ReadonlyArray<string> =>
  readdirSync(`src/${floor}`, { recursive: true, encoding: "utf8" })
    .filter((path) => /^\w+\/\w+\.ts$/.test(path))
    .map((path) => `./${floor}/${path}`)
    .toSorted()

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

  it("almoner has every port under its own name", async () => {
    const named: Array<string> = []
    for (const module of modulesOf("ports")) {
      const port: Readonly<Record<string, unknown>> = await import(`../../src/${module.slice(2)}`)
      for (const [name, value] of Object.entries(port)) {
        named.push(name)
        assert.strictEqual(Object.entries(almoner).find(([each]) => each === name)?.[1], value, `${module} ${name}`)
      }
    }
    assert.includeMembers(named, ["Outbox", "DonorStore", "Transaction", "MailTransport"])
    assert.isAbove(named.length, 40)
  })

  it("almoner has no name twice, of which one would hide the other", () => {
    const names = [...readFileSync("src/index.ts", "utf8").matchAll(/^export \* as (?<name>\w+) from/gmu)]
    const ports = modulesOf("ports").flatMap((module) => [
      ...readFileSync(`src/${module}`, "utf8").matchAll(
        /^export (?:abstract )?(?:class|const|type|interface) (?<name>\w+)/gmu
      )
    ])
    const hidden = new Set(names.map(({ groups }) => groups?.["name"]))
    assert.isNotEmpty(ports)
    assert.deepStrictEqual(
      ports.flatMap(({ groups }) => (hidden.has(groups?.["name"]) ? [groups?.["name"]] : [])),
      []
    )
  })

  it("almoner/testing has a subject for every machine of the domain", () => {
    const machines = modulesOf("domain").filter((module) =>
      /^export const machine = define\(/mu.test(readFileSync(`src/${module}`, "utf8"))
    )
    const subjects = exported("testing/Subjects.ts").map((module) => readFileSync(`src/testing/${module}`, "utf8"))
    const missing = machines.filter((module) => !subjects.some((text) => text.includes(`"../../${module.slice(2)}"`)))
    assert.deepStrictEqual(missing, [])
  })
})
