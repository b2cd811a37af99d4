/** What each mount is asked over real HTTP: `[what, check]`, each check given the host's address and a key of its API. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { request as open } from "node:http"
import { connect } from "node:net"
import { signWebhook } from "almoner/client"

const json = { "content-type": "application/json" }

const headersOf = (key, more = {}) => ({ authorization: `Bearer ${key}`, ...json, ...more })

const post = async ({ base, key }, path, body, headers = {}) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const answer = await fetch(`${base}${path}`, { method: "POST", headers: headersOf(key, headers), body: text })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const errorOf = ({ text }) => JSON.parse(text).error

const donors = "/api/v1/donors"

/** A body in pieces, without a length. */
const inPieces = async ({ base, key }, path, pieces) => {
  const sent = open(`${base}${path}`, { method: "POST", headers: headersOf(key), agent: false })
  for (const piece of pieces) sent.write(piece)
  sent.end()
  const [answer] = await once(sent, "response")
  let text = ""
  for await (const piece of answer) text += piece
  return { status: answer.statusCode, text }
}

/** The beginning of a request, and then nothing: the client is gone. */
const broken = async ({ base, key }) => {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  const head = `POST ${donors} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n`
  socket.write(`${head}content-type: application/json\r\ncontent-length: 500\r\n\r\n{"first_name":`)
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.destroy()
  await once(socket, "close")
}

/** A request whose client goes away as soon as it is sent. */
const aborted = async ({ base, key }) => {
  const gone = new AbortController()
  const asked = fetch(`${base}${donors}`, {
    method: "POST",
    headers: headersOf(key),
    body: '{ "first_name": "Gone" }',
    signal: gone.signal
  }).catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 1))
  gone.abort()
  await asked
}

const hook = async (host, path, secret = "whsec_of_the_battery") => {
  const { body, headers } = await signWebhook({ secret, type: "donor.created", data: { id: "dnr_1" } })
  return post(host, path, body, headers)
}

/** What a processor says, byte for byte: it has no key of the API. */
const say = async (
  { base, notice: { body, header, path, signature } },
  { at = path, said = body, by = signature } = {}
) => {
  const headers = { ...json, ...(by === null ? {} : { [header]: by }) }
  const answer = await fetch(`${base}${at}`, { method: "POST", headers, body: said })
  return { status: answer.status, text: await answer.text() }
}

/** A browser's request for a page of the organisation's own host, whose name no resolver here knows. */
const browse = async ({ base, page: { host } }, path, fields) => {
  const method = fields === undefined ? "GET" : "POST"
  const headers = { host, ...(fields === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }) }
  const sent = open(`${base}${path}`, { method, headers, agent: false })
  sent.end(fields === undefined ? "" : String(new URLSearchParams(fields)))
  const [answer] = await once(sent, "response")
  let text = ""
  for await (const piece of answer) text += piece
  return { status: answer.statusCode, location: answer.headers.location, text }
}

const tokenIn = ({ text }) => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail("the page has no token")

const typed = { step: "who", amount: "5000", cadence: "ONE_TIME", name: "Mary Low", email: "mary@example.org" }

export const calls = [
  [
    "a gift on a page",
    async (host) => {
      // A host whose mount has no pages answers none of their addresses.
      if (host.page === undefined) return
      const { path } = host.page
      const paying = await browse(host, path, { token: tokenIn(await browse(host, path)), ...typed })
      const card = { method: "card", "payment_token.card": "4242 4242 4242 4242" }
      const given = await browse(host, path, { token: tokenIn(paying), ...card })
      assert.equal(given.status, 303)
      assert.match((await browse(host, given.location)).text, /<h1[^>]*>Thank you<\/h1>/)
    }
  ],
  [
    "a donor by key",
    async (host) => {
      const { status, text } = await post(host, donors, { first_name: "Mary" })
      assert.deepEqual([status, JSON.parse(text).first_name], [201, "Mary"])
    }
  ],
  [
    "the same again",
    async (host) => {
      const give = () => post(host, donors, { first_name: "Ada" }, { "idempotency-key": "once" })
      const [first, again] = [await give(), await give()]
      assert.deepEqual([again.status, again.text], [first.status, first.text])
      assert.equal(again.headers.get("idempotent-replayed"), "true")
      const other = await post(host, donors, { first_name: "Eve" }, { "idempotency-key": "once" })
      assert.deepEqual([other.status, errorOf(other).code], [409, "idempotency_conflict"])
    }
  ],
  [
    "a bad field",
    async (host) => {
      const refused = await post(host, donors, { email: "no address" })
      assert.deepEqual(
        [refused.status, errorOf(refused).code, errorOf(refused).param],
        [400, "validation_failed", "email"]
      )
    }
  ],
  [
    "no JSON",
    async (host) => {
      const refused = await post(host, donors, '{ "first_name": ')
      assert.deepEqual([refused.status, errorOf(refused).code], [400, "invalid_request"])
      const form = await post(host, donors, "first_name=Mary", { "content-type": "application/x-www-form-urlencoded" })
      assert.deepEqual([form.status, errorOf(form).code], [400, "invalid_request"])
    }
  ],
  [
    "a large body",
    async (host) => {
      const text = JSON.stringify({ notes: "x".repeat(1_100_000) })
      const refused = [await post(host, donors, text), await inPieces(host, donors, text.match(/.{1,60000}/g))]
      for (const each of refused) {
        assert.deepEqual([each.status, errorOf(each).code], [400, "invalid_request"])
        assert.match(errorOf(each).message, /larger than 1048576 bytes/)
      }
    }
  ],
  [
    "a body in pieces",
    async (host) => {
      const { status } = await inPieces(host, donors, ['{ "first_', 'name": "Zoë', '" }'])
      assert.equal(status, 201)
    }
  ],
  [
    "reading, and what is not there",
    async (host) => {
      const get = (path, method = "GET") => fetch(`${host.base}${path}`, { method, headers: headersOf(host.key) })
      const list = await get(`${donors}?limit=1&sort=created_at`)
      assert.equal(list.status, 200)
      assert.equal((await list.json()).data[0].first_name, "Mary")
      assert.equal((await get("/api/v1/health", "HEAD")).status, 200)
      const [unknown, method] = [await get("/api/v1/nothing"), await get(donors, "PUT")]
      assert.deepEqual([unknown.status, method.status], [404, 405])
      const stranger = await fetch(`${host.base}${donors}`)
      assert.equal(stranger.status, 401)
    }
  ],
  [
    "clients that go away",
    async (host) => {
      for (let turn = 0; turn < 20; turn++) await Promise.all([broken(host), aborted(host)])
      assert.equal((await post(host, donors, { first_name: "Still" })).status, 201)
    }
  ],
  [
    "behind a parser",
    async (host) => {
      for (const door of host.doors.parsed) {
        const refused = await post(host, `${door}${donors}`, { first_name: "Mary" })
        assert.deepEqual([refused.status, errorOf(refused).code], [500, "internal_error"], door)
        assert.match(errorOf(refused).message, /before any body parser/)
      }
    }
  ],
  [
    "behind a parser that keeps the bytes",
    async (host) => {
      for (const door of host.doors.kept) {
        const give = () => post(host, `${door}${donors}`, { first_name: "Zoë" }, { "idempotency-key": door })
        const first = await give()
        assert.equal(first.status, 201, `${door} ${first.text}`)
        assert.equal((await give()).text, first.text)
      }
    }
  ],
  [
    "a notice of a payment processor",
    async (host) => {
      const { body, path, signature } = host.notice
      const kept = { status: 200, text: "" }
      assert.deepEqual(await say(host), kept)
      assert.deepEqual(await say(host), kept, "a repetition")
      const forged = signature.replace(/.$/, (last) => (last === "A" ? "B" : "A"))
      const refused = {
        "a wrong signature": { by: forged },
        "no signature": { by: null },
        "another text": { said: body.replace("succeeded", "cancelled") },
        "the same JSON in other bytes": { said: JSON.stringify(JSON.parse(body)) }
      }
      for (const [what, given] of Object.entries(refused)) {
        assert.deepEqual(await say(host, given), { status: 400, text: "" }, what)
      }
      const large = await say(host, { said: body + " ".repeat(300_000) })
      assert.deepEqual(large, { status: 413, text: "" }, "more than 256 KB")
      const nobody = await say(host, { at: path.replace(/.{5}\/notices$/, "00000/notices") })
      assert.deepEqual(nobody, { status: 404, text: "" }, "an account that there is not")
    }
  ],
  [
    "a notice behind a parser",
    async (host) => {
      const at = (door) => say(host, { at: `${door}${host.notice.path}` })
      for (const door of host.doors.parsed) assert.deepEqual(await at(door), { status: 500, text: "" }, door)
      for (const door of host.doors.kept) assert.deepEqual(await at(door), { status: 200, text: "" }, door)
    }
  ],
  [
    "a webhook",
    async (host) => {
      assert.equal((await hook(host, "/hooks")).status, 204)
      const forged = await hook(host, "/hooks", "whsec_of_another")
      assert.equal(forged.status, 400, forged.text)
    }
  ],
  [
    "a webhook behind a parser",
    async (host) => {
      const { status, text } = await hook(host, "/parsed/hooks")
      assert.equal(status, 500)
      assert.match(text, /parser/)
    }
  ]
]

/** A stop with a request whose body is on its way: it is answered, and the process ends by itself. */
export const stop = async (host, child) => {
  const ended = once(child, "exit")
  const sent = open(`${host.base}${donors}`, { method: "POST", headers: headersOf(host.key), agent: false })
  const responded = once(sent, "response")
  sent.write('{ "first_name": ')
  await new Promise((resolve) => setTimeout(resolve, 100))
  child.kill("SIGTERM")
  await new Promise((resolve) => setTimeout(resolve, 100))
  sent.end('"Last" }')
  const [answer] = await responded
  answer.resume()
  await once(answer, "end")
  const [code, signal] = await ended
  assert.deepEqual([answer.statusCode, code, signal], [host.lastStatus ?? 201, 0, null])
}
