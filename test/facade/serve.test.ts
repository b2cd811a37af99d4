import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import Fastify from "fastify"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { serve } from "../../src/http.ts"
import { Almoner, type Options } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { callerIn } from "./Charity.ts"

const listening = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

/** An Almoner with somebody who may write, and the headers of the website's key. */
const opened = async (options: Partial<Options> = {}) => {
  const almoner = await Almoner.open({ backend: memory(), ...options })
  const ada = await callerIn(almoner)
  const { secret } = await almoner.apiKeys.create(ada, { name: "Website", scope: "WRITE" })
  return { almoner, ada, headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" } }
}

describe("serve", () => {
  it("answers the same records as the use cases, as a handler and as a listener", async () => {
    const { ada, almoner, headers } = await opened()
    const api = await serve(almoner, { apiBaseUrl: "https://api.example.org" })
    const server = createServer(api.listener)
    const base = `http://127.0.0.1:${await listening(server)}`

    const post = { method: "POST", headers, body: JSON.stringify({ first_name: "Mary" }) }
    const answers = [
      await api.fetch(new Request(`${base}/api/v1/donors`, post)),
      await fetch(`${base}/api/v1/donors`, post)
    ]
    for (const answer of answers) {
      assert.strictEqual(answer.status, 201)
      const donor: unknown = await answer.json()
      assert.deepInclude((await almoner.donors.list(ada)).data, donor)
    }
    assert.strictEqual((await fetch(`${base}/api/v1/donors`)).status, 401)
    assert.strictEqual((await api.fetch(new Request(`${base}/docs`))).status, 200)
    server.close()
    await almoner.close()
  })

  it("leaves compressing to Next, which drops the name of the coding from what a route answers", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const { fetch } = await serve(almoner)
    const request = () => new Request("http://host/docs", { headers: { "accept-encoding": "br" } })
    const ofNext = Object.assign(request(), { nextUrl: {} })
    const codings = [(await fetch(request())).headers, (await fetch(ofNext)).headers].map((headers) =>
      headers.get("content-encoding")
    )
    assert.deepStrictEqual(codings, ["br", null])
    assert.match(await (await fetch(ofNext)).text(), /^<!doctype html>/)
    await almoner.close()
  })

  it("limits each organisation as it is told", async () => {
    const { almoner, headers } = await opened({ clock: () => 0 })
    const api = await serve(almoner, { rateLimit: { perSecond: 0.001, burst: 2 } })
    const whoami = () => api.fetch(new Request("http://host/api/v1/whoami", { headers }))
    assert.deepStrictEqual([(await whoami()).status, (await whoami()).status, (await whoami()).status], [200, 200, 429])
    await almoner.close()
  })

  it("asks for a client's address with what the host has beside the request", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const clientAddress = (_: Request, { address }: { readonly address: string }) => {
      asked.push(address)
      return address
    }
    const asked: Array<string> = []
    const api = await serve(almoner, { clientAddress })
    for (const address of ["192.0.2.1", "192.0.2.2"])
      await api.fetch(new Request("http://host/api/v1/donors"), { address })
    assert.deepStrictEqual(asked, ["192.0.2.1", "192.0.2.2"])
    await almoner.close()
  })

  it("says by either door that the connection ends where a body was not read", async () => {
    const { almoner, headers } = await opened()
    const api = await serve(almoner)
    const server = createServer(api.listener)
    const base = `http://127.0.0.1:${await listening(server)}`
    const body = JSON.stringify({ first_name: "x".repeat(Limits.bodyBytes) })
    const large = { method: "POST", headers, body }
    const small = { method: "POST", headers, body: '{ "first_name": "Mary" }' }
    for (const ask of [api.fetch, fetch]) {
      const refused = await ask(new Request(`${base}/api/v1/donors`, large))
      assert.deepStrictEqual([refused.status, refused.headers.get("connection")], [400, "close"])
      const taken = await ask(new Request(`${base}/api/v1/donors`, small))
      assert.strictEqual(taken.status, 201)
      assert.notStrictEqual(taken.headers.get("connection"), "close")
    }
    server.close()
    await almoner.close()
  })

  it("answers where the host looks at headers before they are written", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const { listener } = await serve(almoner)
    const seen: Array<unknown> = []
    const server = createServer((incoming, outgoing) => {
      const writeHead = outgoing.writeHead.bind(outgoing)
      // As middleware does that sets headers late: it takes an object of headers, and no list.
      outgoing.writeHead = (status: number, ...more: ReadonlyArray<unknown>) => {
        seen.push(outgoing.getHeader("content-type"))
        for (const each of more)
          for (const [name, value] of Object.entries(Object(each))) outgoing.setHeader(name, `${value}`)
        return writeHead(status)
      }
      outgoing.setHeader("x-host", "kept")
      listener(incoming, outgoing)
    })
    const answer = await fetch(`http://127.0.0.1:${await listening(server)}/api/v1/health`)
    assert.deepStrictEqual([answer.status, answer.headers.get("x-host")], [200, "kept"])
    assert.match(String(seen[0]), /^application\/json/)
    assert.strictEqual(answer.headers.get("0"), null)
    server.close()
    await almoner.close()
  })
})

/** What parsers of hosts leave of a body: that of Express by `raw`, `text` and `json`, and that of functions in the cloud. */
const parsers: Readonly<Record<string, (request: IncomingMessage, bytes: Buffer) => object>> = {
  raw: (_, body) => ({ body }),
  text: (_, bytes) => ({ body: bytes.toString("utf8") }),
  "json, with the bytes beside it": (_, rawBody) => ({ rawBody, body: JSON.parse(rawBody.toString("utf8") || "null") }),
  "json alone": (_, bytes) => ({ body: JSON.parse(bytes.toString("utf8") || "null") }),
  nothing: () => ({})
}

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

const behind =
  (parse: (request: IncomingMessage, bytes: Buffer) => object, listener: RequestListener): RequestListener =>
  (request, response) => {
    bytesOf(request).then((bytes) => listener(Object.assign(request, parse(request, bytes)), response))
  }

const withApi = async (
  body: (api: Awaited<ReturnType<typeof serve>>, headers: Readonly<Record<string, string>>) => Promise<void>
) => {
  const { almoner, headers } = await opened()
  await body(await serve(almoner), headers)
  await almoner.close()
}

const says = /Mount the API before any body parser, or keep the bytes as they came: in request\.rawBody /

describe("a listener behind a parser of bodies", () => {
  for (const [name, parse] of Object.entries(parsers)) {
    it(`has the bytes, or says what to do: ${name}`, () =>
      withApi(async ({ listener }, headers) => {
        const server = createServer(behind(parse, listener))
        const base = `http://127.0.0.1:${await listening(server)}/api/v1`
        const keyed = { ...headers, "idempotency-key": "k-1" }
        const post = () => fetch(`${base}/donors`, { method: "POST", headers: keyed, body: '{ "first_name": "Máry" }' })
        const answer = await post()
        const text = await answer.text()
        if (name === "json alone" || name === "nothing") {
          assert.strictEqual(answer.status, 500)
          assert.match(text, says)
        } else {
          assert.strictEqual(answer.status, 201)
          assert.include(text, "Máry")
          assert.strictEqual(await (await post()).text(), text)
          const large = { method: "POST", headers, body: JSON.stringify({ first_name: "x".repeat(1_100_000) }) }
          assert.match(await (await fetch(`${base}/donors`, large)).text(), /larger than/)
        }
        // What has no body is read by no parser.
        assert.strictEqual((await fetch(`${base}/donors`, { headers })).status, 200)
        server.close()
      }))
  }

  it("works in Fastify with a parser that keeps the bytes, and says so with its own", () =>
    withApi(async ({ listener }, headers) => {
      for (const keeps of [true, false]) {
        const app = Fastify()
        if (keeps) {
          app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body))
        }
        app.all("/api/v1/*", (request, reply) => {
          reply.hijack()
          listener(Object.assign(request.raw, { body: request.body }), reply.raw)
        })
        const base = await app.listen({ port: 0, host: "127.0.0.1" })
        const post = { method: "POST", headers, body: '{ "first_name": "Máry" }' }
        const answer = await fetch(`${base}/api/v1/donors`, post)
        const text = await answer.text()
        assert.deepStrictEqual([answer.status, says.test(text)], keeps ? [201, false] : [500, true])
        await app.close()
      }
    }))

  it("is told by the handler of the web standard, too", () =>
    withApi(async (api, headers) => {
      const post = () =>
        new Request("http://host/api/v1/donors", { method: "POST", headers, body: '{"first_name":"Ada"}' })
      const used = post()
      await used.text()
      const answer = await api.fetch(used)
      assert.strictEqual(answer.status, 500)
      assert.match(await answer.text(), says)
      assert.strictEqual((await api.fetch(post())).status, 201)
    }))
})
