import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { SchemaAST } from "effect"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { type Answer, assertRefused } from "../support/Answer.ts"
import { declaredOperations, guardedOperations, pathTo, soundBody } from "../support/Declaration.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

const json = { "content-type": "application/json" }

/** The fields of a body that take a value of a JSON type. */
const fieldsOf = (ast: SchemaAST.AST | undefined, isTaken: (ast: SchemaAST.AST) => boolean): ReadonlyArray<string> =>
  ast !== undefined && SchemaAST.isObjects(ast)
    ? ast.propertySignatures.flatMap(({ name, type }) => {
        const encoded = SchemaAST.toEncoded(type)
        const members = SchemaAST.isUnion(encoded) ? encoded.types : [encoded]
        return members.some(isTaken) ? [String(name)] : []
      })
    : []

const isText = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isString(ast) || (SchemaAST.isLiteral(ast) && typeof ast.literal === "string")

describe("a caller's input", () => {
  let service: Service
  let tenant: Tenant
  let donor: string

  beforeAll(async () => {
    service = await startService({ stores: memory })
    tenant = await makeTenant(service)
    donor = (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")
  })
  afterAll(() => service.stop())

  it.each([3_000, 160_000, 1_000_000])("as a text of %d characters is refused wherever it stands", async (length) => {
    let count = 0
    const texts = ["a".repeat(length), `https://${"a".repeat(length)} `, `${"a@".repeat(length / 2)}\u0000`]
    for (const operation of guardedOperations) {
      for (const field of fieldsOf(operation.payload?.ast, isText)) {
        // Long texts may be that long.
        if (length <= Limits.textCharacters && /description|notes|reason|message|text|passphrase/.test(field)) continue
        for (const text of texts) {
          const sent = { json: { ...Object(soundBody(operation)), [field]: text } }
          const answer = await tenant.writer.request(operation.method, pathTo(operation), sent)
          assertRefused(answer, "validation_failed", field)
          count += 1
        }
      }
    }
    assert.isAbove(count, 150)
  })

  it("as a list of any length is refused wherever it stands", async () => {
    for (const operation of guardedOperations) {
      for (const field of fieldsOf(operation.payload?.ast, SchemaAST.isArrays)) {
        for (const element of ["[]", "{}", "1", "null", '"donor.created"']) {
          const list = `[${Array.from({ length: 100_000 }, () => element).join(",")}]`
          const [first, ...rest] = JSON.stringify({ ...Object(soundBody(operation)), [field]: "HERE" }).split('"HERE"')
          const body = `${first}${list}${rest.join("")}`
          const send = (text: string): Promise<Answer> =>
            tenant.writer.request(operation.method, pathTo(operation), { body: text, headers: json })
          if (body.length <= Limits.bodyBytes) assertRefused(await send(body), "validation_failed", field)
          else assertRefused(await send(body), "invalid_request")
          assertRefused(await send(`{"nope":1,${body.slice(1)}`), "invalid_request")
        }
      }
    }
  })

  it("as deep, wide, or oddly named is refused as malformed, with a message of bounded length", async () => {
    const half = Limits.bodyBytes / 2
    const bodies = [
      "[".repeat(half) + "]".repeat(half),
      `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`,
      `{"first_name":${"[".repeat(40)}${"]".repeat(40)}}`,
      `{${Array.from({ length: 70_000 }, (_, index) => `"name${index}":1`).join(",")}}`,
      `{${Array.from({ length: 70_000 }, (_, index) => `"${index * 61_417}":1`).join(",")}}`,
      `{${'"__proto__":{},'.repeat(60_000)}"a":1}`,
      `{"${"k".repeat(1_000_000)}":1}`,
      `{"first_name":${"9".repeat(1_000_000)}}`,
      `{"first_name":[${Array.from({ length: 60_000 }, (_, index) => `{"k${index}":1}`).join(",")}]}`
    ]
    for (const [index, body] of bodies.entries()) {
      const answer = await tenant.writer.request("POST", "/donors", { body, headers: json })
      assertRefused(answer, "invalid_request")
      assert.isAtMost(answer.textAt("error.message").length, 1_000, `${index}`)
    }
  })

  it("as a flood of query parameters is malformed", async () => {
    const unknown = Array.from({ length: 800 }, (_, index) => `created_at[x${index}]=2026-01-01`).join("&")
    for (const { list, path } of declaredOperations) {
      if (list === undefined) continue
      for (const query of ["a&".repeat(7_000), "limit=1&".repeat(1_700), unknown]) {
        assertRefused(await tenant.reader.get(`${path.replace("/:id/", `/${donor}/`)}?${query}`), "invalid_request")
      }
    }
    assertRefused(await tenant.reader.get(`/whoami?${"a&".repeat(7_000)}`), "invalid_request")
    assert.strictEqual((await tenant.reader.get(`/donors?${"&".repeat(7_000)}limit=1`)).status, 200)
  })

  it(`as values of a filter counts up to ${Limits.filterValues}`, async () => {
    for (const operator of ["in", "not_in"]) {
      const read = (count: number) =>
        tenant.reader.get(`/donations?status[${operator}]=${Array.from({ length: count }, () => "FAILED").join(",")}`)
      assert.strictEqual((await read(Limits.filterValues)).status, 200)
      for (const count of [Limits.filterValues + 1, 2_000]) {
        assertRefused(await read(count), "validation_failed", `status[${operator}]`)
      }
    }
    assertRefused(await tenant.reader.get(`/donations?status[in]=${",".repeat(500)}&nope=1`), "invalid_request")
  })

  it("as a search has so many characters and different words, and no more", async () => {
    const search = (text: string) => tenant.reader.get(`/donors?search=${encodeURIComponent(text)}`)
    const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(" ")
    for (const text of [
      words(Limits.searchWords),
      `${words(Limits.searchWords)} w0 W1 w0`,
      "a".repeat(Limits.searchCharacters),
      "\u{1f600}".repeat(Limits.searchCharacters),
      "\ufdfa".repeat(Limits.searchCharacters)
    ]) {
      const answer = await search(text)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.at("filters.search"), text)
    }
    for (const text of [
      words(Limits.searchWords + 1),
      "a".repeat(Limits.searchCharacters + 1),
      "\u{1f600}".repeat(Limits.searchCharacters + 1),
      " ".repeat(Limits.searchCharacters + 1),
      "a ".repeat(2_000)
    ]) {
      assertRefused(await search(text), "validation_failed", "search")
    }
  })
})
