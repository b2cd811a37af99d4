import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as domain from "../../src/domain.ts"
import * as internal from "../../src/internal.ts"
import * as ports from "../../src/ports.ts"

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
  it.each([
    ["domain", "internal"],
    ["ports", "ports"],
    ["app", "effect"]
  ])("every module of %s is in almoner/%s, and of domain and ports nothing else is", (folder, face) => {
    const modules = modulesOf(folder)
    const found = exported(`${face}.ts`)
    assert.includeMembers([...found], [...modules])
    if (face !== "effect") assert.sameMembers([...found], [...modules])
  })

  it("almoner/domain promises values of almoner/internal, under their names", () => {
    for (const [space, values] of Object.entries(domain)) {
      const [, all = {}] = Object.entries<object>(internal).find(([name]) => name === space) ?? []
      const found = new Map(Object.entries(all))
      for (const [name, value] of Object.entries(values)) assert.strictEqual(found.get(name), value, `${space}.${name}`)
    }
  })

  it("almoner is the face in promises: no use case, no store port and no machine", () => {
    assert.deepStrictEqual(
      exported("index.ts").filter((module) => /^\.\/(?:app|ports\/.*Store|adapters)/.test(module)),
      []
    )
  })

  it("almoner/ports has every port under its own name", async () => {
    const named: Array<string> = []
    for (const module of modulesOf("ports")) {
      const port: Readonly<Record<string, unknown>> = await import(`../../src/${module.slice(2)}`)
      for (const [name, value] of Object.entries(port)) {
        named.push(name)
        assert.strictEqual(Object.entries(ports).find(([each]) => each === name)?.[1], value, `${module} ${name}`)
      }
    }
    assert.includeMembers(named, ["Outbox", "DonorStore", "Transaction", "MailTransport"])
    assert.isAbove(named.length, 40)
  })

  it("almoner/ports has no name twice, of which one would hide the other", () => {
    const names = modulesOf("ports").flatMap((module) =>
      [
        ...readFileSync(`src/${module}`, "utf8").matchAll(
          /^export (?:abstract )?(?:class|const|type|interface) (?<name>\w+)/gmu
        )
      ].map(({ groups }) => `${groups?.["name"]}`)
    )
    assert.isNotEmpty(names)
    const places = new Map<string, number>()
    for (const name of names) places.set(name, (places.get(name) ?? 0) + 1)
    assert.deepStrictEqual(
      [...places].filter(([, count]) => count > 1),
      []
    )
  })

  it("almoner/testing has a subject for every machine of the domain", () => {
    const machines = modulesOf("domain").filter((module) =>
      /^export const machine: machine =/mu.test(readFileSync(`src/${module}`, "utf8"))
    )
    const subjects = exported("testing/Subjects.ts").map((module) => readFileSync(`src/testing/${module}`, "utf8"))
    const missing = machines.filter((module) => !subjects.some((text) => text.includes(`"../../${module.slice(2)}"`)))
    assert.deepStrictEqual(missing, [])
  })
})
