import { once } from "node:events"
import { Agent, type IncomingMessage, request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { Document, Documents } from "../../src/adapters/http/server/Documents.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { startService } from "../support/Service.ts"
import { describeServiceWith, inMemory } from "../support/ServiceSuite.ts"
import { memory } from "../support/Stores.ts"

const text = "All that is given is written down. ".repeat(200)
const body = new TextEncoder().encode(text)
const made = { times: 0 }

const served: Documents = new Map<string, Document | Effect.Effect<Document>>([
  ["/large", { contentType: "text/plain; charset=utf-8", body }],
  ["/small", { contentType: "text/plain; charset=utf-8", body: body.slice(0, 20) }],
  [
    "/late",
    Effect.sync(() => {
      made.times += 1
      if (made.times === 1) throw new Error("not this time")
      return { contentType: "text/plain; charset=utf-8", body, headers: { "x-made": "late" } }
    })
  ]
])

const decoded = (coding: string | null | undefined, bytes: Uint8Array): string => {
  if (coding === "br") return brotliDecompressSync(bytes).toString()
  return coding === "gzip" ? gunzipSync(bytes).toString() : Buffer.from(bytes).toString()
}

describeServiceWith({ documents: served })(inMemory, "documents", (service) => {
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    service.call(method, path, { headers })

  const codings = fc.uniqueArray(fc.constantFrom("br", "gzip", "identity", "*", "deflate", "zstd"))
  const weights = fc.shuffledSubarray([1, 0.9, 0.8, 0.5, 0.3, 0.001, 0], { minLength: 6, maxLength: 6 })

  it("come in a coding that was accepted, the best of them, and hold the same text", () =>
    forEveryAsyncWith({ numRuns: 60 }, codings, weights, fc.constantFrom("", " "), async (names, given, space) => {
      const asked = new Map<string, number>(names.map((name, index) => [name, given[index] ?? 0]))
      const accept = [...asked].map(([name, weight]) => `${name}${space};${space}q=${weight}`).join(`,${space}`)
      const answer = await get("/large", { "accept-encoding": accept })
      const coding = answer.headers.get("content-encoding")
      assert.strictEqual(decoded(coding, answer.bytes), text)
      assert.strictEqual(answer.headers.get("vary"), "Accept-Encoding")
      const weightOf = (name: string) => asked.get(name) ?? (name === "identity" ? 0 : (asked.get("*") ?? 0))
      const best = Math.max(weightOf("br"), weightOf("gzip"))
      if (best === 0 || best < weightOf("identity")) assert.isNull(coding, accept)
      else assert.strictEqual(weightOf(coding ?? ""), best, accept)
    }))

  it("are compressed as browsers and curl ask, and small ones are not", async () => {
    const codingOf = async (accept: Record<string, string>, path = "/large") =>
      (await get(path, accept)).headers.get("content-encoding")
    assert.strictEqual(await codingOf({ "accept-encoding": "gzip, deflate, br, zstd" }), "br")
    assert.strictEqual(await codingOf({ "accept-encoding": "gzip, deflate" }), "gzip")
    assert.strictEqual(await codingOf({ "accept-encoding": "GZIP" }), "gzip")
    assert.isNull(await codingOf({}))
    assert.isNull(await codingOf({ "accept-encoding": "" }))
    assert.isNull(await codingOf({ "accept-encoding": "gzip;q=nonsense" }))
    assert.isNull(await codingOf({ "accept-encoding": "br, gzip" }, "/small"))
    const { bytes } = await get("/large", { "accept-encoding": "br" })
    assert.isBelow(bytes.byteLength, body.byteLength / 10)
  })

  it("are asked for anew with a strong tag of their bytes, and then not sent again", async () => {
    const tags = new Set<string>()
    for (const coding of ["br", "gzip", "identity"]) {
      const accept = { "accept-encoding": coding }
      const first = await get("/large", accept)
      const tag = first.headers.get("etag") ?? ""
      assert.match(tag, /^"[\w-]{43}"$/)
      assert.strictEqual(first.headers.get("cache-control"), "no-cache")
      tags.add(tag)
      for (const held of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          const again = await get("/large", { ...accept, "if-none-match": held }, method)
          assert.deepStrictEqual(
            [again.status, again.headers.get("etag"), again.headers.get("vary")],
            [304, tag, "Accept-Encoding"]
          )
          assert.isNull(again.headers.get("content-encoding"))
        }
      }
      for (const other of ['"other"', tag.slice(1, -1), "", `"${tag.slice(1, -1)}-gzip"`]) {
        assert.strictEqual((await get("/large", { ...accept, "if-none-match": other })).status, 200, other)
      }
    }
    assert.strictEqual(tags.size, 3)
    const small = await get("/small", { "if-none-match": [...tags].join(", ") })
    assert.strictEqual(small.status, 200)
  })

  it("are made when they are asked for, once; what failed is tried again", async () => {
    assert.strictEqual(made.times, 0)
    assert.strictEqual((await get("/late")).status, 500)
    const answers = await Promise.all([get("/late"), get("/late", { "accept-encoding": "gzip" }), get("/late")])
    assert.deepStrictEqual(
      answers.map(({ headers, status }) => [status, headers.get("x-made")]),
      [0, 1, 2].map(() => [200, "late"])
    )
    assert.strictEqual(made.times, 2)
  })

  it("vary by origin, too, where pages of other origins may read them", async () => {
    const open = await startService({ stores: memory, documents: served, settings: { corsOrigins: ["*"] } })
    const answer = await open.call("GET", "/large", { headers: { origin: "https://app.example.org" } })
    await open.stop()
    assert.strictEqual(answer.headers.get("vary"), "Origin, Accept-Encoding")
  })

  it("travel over sockets as HTTP has it, and a 304 keeps the connection in step", async () => {
    const port = await service.listen()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const fetched = async (headers: Record<string, string>, method = "GET") => {
      const sent = request({ port, path: "/large", method, headers, agent })
      sent.end()
      const [response] = (await once(sent, "response")) as [IncomingMessage]
      return { response, bytes: Buffer.concat(await response.toArray()), socket: sent.socket }
    }
    const first = await fetched({ "accept-encoding": "br" })
    assert.strictEqual(decoded("br", first.bytes), text)
    assert.strictEqual(first.response.headers["content-length"], `${first.bytes.byteLength}`)
    const held = await fetched({ "accept-encoding": "br", "if-none-match": first.response.headers.etag ?? "" })
    assert.deepStrictEqual([held.response.statusCode, held.bytes.byteLength], [304, 0])
    assert.deepStrictEqual(
      [held.response.headers["content-length"], held.response.headers["transfer-encoding"]],
      [undefined, undefined]
    )
    const head = await fetched({ "accept-encoding": "br" }, "HEAD")
    assert.deepStrictEqual(
      [head.response.statusCode, head.response.headers["content-length"], head.bytes.byteLength],
      [200, `${first.bytes.byteLength}`, 0]
    )
    const last = await fetched({})
    assert.strictEqual(decoded(undefined, last.bytes), text)
    assert.strictEqual(last.socket, first.socket)
    agent.destroy()
  })
})
