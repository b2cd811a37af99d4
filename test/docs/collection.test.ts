import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { collectionOf } from "../../src/adapters/http/reference/Collection.ts"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { declared, keyed, operationFor } from "../support/Declaration.ts"

/** The parts of Postman's own library that are used. */
interface Sdk {
  readonly Collection: new (
    definition: object
  ) => {
    readonly variables: object
    forEachItem(visit: (item: Item) => void): void
  }
  readonly Property: { replaceSubstitutions(text: string, ...scopes: ReadonlyArray<object>): string }
}

interface Item {
  readonly request: {
    readonly method: string
    readonly url: { getHost(): string; getPath(): string }
    readonly headers: { has(name: string): boolean }
    readonly body?: { toString(): string }
  }
  readonly responses: { each(visit: (response: { readonly code: number; json(): unknown }) => void): void }
  getAuth(): { readonly type: string } | undefined
}

const { Collection, Property }: Sdk = createRequire(import.meta.url)("postman-collection")

const apiBaseUrl = "https://api.example.org"
const collection = new Collection(collectionOf(openApi({ apiBaseUrl, version: "1.2.3" })))

const items: Array<Item> = []
collection.forEachItem((item) => {
  items.push(item)
})

/** Where a request goes once the variables of the collection and its own are put in. */
const addressOf = ({ request: { url } }: Item): URL =>
  new URL(Property.replaceSubstitutions(`${url.getHost()}${url.getPath()}`, collection.variables))

const operationOf = (item: Item) => {
  const path = addressOf(item).pathname.slice("/api/v1".length)
  return operationFor(item.request.method, path) ?? assert.fail(`no operation is at ${path}`)
}

describe("the collection, read by Postman's own library", () => {
  it("has one request for every operation, at the address in baseUrl", () => {
    assert.sameMembers(
      items.map((item) => operationOf(item).name),
      declared.map(({ name }) => name)
    )
    for (const item of items) assert.strictEqual(addressOf(item).origin, apiBaseUrl)
  })

  it("sends the key to every operation but the one that needs none", () => {
    for (const item of items) {
      assert.strictEqual(item.getAuth()?.type, operationOf(item).operation === null ? "noauth" : "bearer")
    }
  })

  it("sends an Idempotency-Key wherever one counts", () => {
    for (const item of items) {
      assert.strictEqual(item.request.headers.has("Idempotency-Key"), keyed(operationOf(item)))
    }
  })

  it("has the reference's examples as bodies and answers", () => {
    for (const item of items) {
      const { example, name, operation } = operationOf(item)
      if (operation === null) continue
      const { answer, request } = example
      const text = item.request.body?.toString() ?? ""
      assert.deepStrictEqual(text === "" ? undefined : JSON.parse(text), request, name)
      let answers = 0
      item.responses.each((response) => {
        answers += 1
        assert.deepStrictEqual(response.json(), JSON.parse(JSON.stringify(answer)), name)
      })
      assert.isAbove(answers, 0, name)
    }
  })
})
