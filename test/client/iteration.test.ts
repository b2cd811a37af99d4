import { assert, describe, it } from "@effect/vitest"
import { operations } from "../../src/client/Operations.ts"
import { answer, fake } from "./Fake.ts"

/** Every list of the API: its group and name, and the path and what it takes. */
const lists = Object.entries(operations).flatMap(([group, lines]) =>
  Object.entries<string>(lines)
    .filter(([name, line]) => name.startsWith("list") && line.endsWith(" query"))
    .map(([name, line]) => ({ group: group.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase()), name, line }))
)

/** Calls what types cannot name: the method of a group that the table names. */
const iterate = (
  client: object,
  group: string,
  name: string,
  args: ReadonlyArray<unknown>
): AsyncIterable<{ readonly id: unknown }> => {
  const all: unknown = Reflect.get(Reflect.get(client, group), name)
  assert.isTrue(typeof all === "function", `${group}.${name}`)
  return Reflect.apply(Object(all), undefined, args)
}

describe("an iteration over a list", () => {
  it.each(lists)("$group.$name names its record and goes on from the last of a page", async ({ group, line, name }) => {
    const [, template = ""] = line.split(" ")
    const ids = [...template.matchAll(/:\w+/g)].map((_, index) => `id_${index}`)
    const path = ids.reduce((told, id) => told.replace(/:\w+/, id), `/api/v1${template}`)
    const pages = [
      { data: [{ id: "a" }, { id: "b" }], has_more: true },
      { data: [{ id: "c" }], has_more: false }
    ]
    const { client, seen } = fake(pages.map((page) => answer(page)))
    const found: Array<unknown> = []
    const args = [...ids, { limit: 2 }]
    for await (const record of iterate(client, group, name.replace("list", "all"), args)) found.push(record.id)
    const asked = seen.map(({ url }) => url.replace("https://api.almoner.test", ""))
    assert.deepStrictEqual(asked, [`${path}?limit=2`, `${path}?limit=2&starting_after=b`])
    assert.deepStrictEqual(found, ["a", "b", "c"])
  })
})
