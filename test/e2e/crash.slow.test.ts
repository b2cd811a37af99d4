import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { fieldsOf } from "../support/Answer.ts"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { rounds } from "../support/Rounds.ts"
import { demoKeys, freePort, noLimits, preparedFolder, serve } from "./Almoner.ts"
import { type ApiAnswer, allGiven, call, expireLeases, giftSender, listAll, prepare } from "./Calls.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

const lanes = 32
const mostGiftsOfRound = 2_000
const heldAtCrash = 4

/** A database, and how it is opened again at once. */
interface Place {
  readonly rounds: number
  readonly env: Readonly<Record<string, string>> & { readonly DATA_DIR: string }
  /** Lets the leases of the dead run out; nothing to do where a start does it. */
  readonly passTime: Effect.Effect<unknown>
}

const embedded = Effect.gen(function* () {
  const DATA_DIR = yield* preparedFolder
  const env = { ...noLimits, DATA_DIR, PORT: `${yield* freePort}` }
  const place: Place = { rounds: 2 * rounds, env, passTime: Effect.void }
  return place
})

const server = Effect.gen(function* () {
  const DATABASE_URL = Redacted.value(yield* freshUrl)
  const ALMONER_ENCRYPTION_KEYS = `e2e:${Buffer.alloc(32, 5).toString("base64")}`
  const env = {
    ...noLimits,
    DATABASE_URL,
    DEMO: "on",
    ALMONER_ENCRYPTION_KEYS,
    DATA_DIR: yield* folder,
    PORT: `${yield* freePort}`
  }
  const passTime = expireLeases(DATABASE_URL)
  const place: Place = { rounds: 3 * rounds, env, passTime }
  return place
})

const crashes = Effect.fnUntraced(function* (place: Place) {
  let running = yield* serve(place.env)
  const demo = yield* demoKeys(place.env.DATA_DIR)
  const { base_url } = demo
  const key = demo.sandbox.write_key
  const inbox = yield* makeInbox
  const { donor_id, secret } = yield* prepare(demo, inbox.url)

  const answers = new Map<number, ApiAnswer>()
  const interrupted = new Set<string>()
  const arrivedWhenRecorded = new Map<string, number>()
  let sent = 0

  const give = giftSender(base_url, key, donor_id)

  /** Sends gifts until the server is gone. */
  const lane = Effect.fnUntraced(function* (last: number) {
    while (sent < last) {
      const n = ++sent
      const answer = yield* give(n)
      if (answer === undefined) return
      assert.strictEqual(answer.status, 201, answer.text)
      answers.set(n, answer)
    }
  })

  const noteRecorded = Effect.gen(function* () {
    const { body } = yield* call(base_url, "/webhook-deliveries?status=DELIVERED&limit=100", { key })
    for (const { id } of Array.isArray(body["data"]) ? body["data"] : []) {
      arrivedWhenRecorded.set(id, arrivedWhenRecorded.get(id) ?? inbox.timesOf(id))
    }
  })

  const crash = Effect.gen(function* () {
    const enough = answers.size + 20 + Math.floor(Math.random() * 180)
    while (answers.size < enough) yield* Effect.sleep(1)
    yield* noteRecorded
    for (const id of yield* inbox.hold(heldAtCrash)) interrupted.add(id)
    running.kill("SIGKILL")
    yield* Effect.promise(() => running.ended)
    yield* inbox.answer
  })

  for (let round = 0; round < place.rounds; round++) {
    const before = sent
    const last = before + mostGiftsOfRound
    yield* Effect.all([crash, ...Array.from({ length: lanes }, () => lane(last))], { concurrency: "unbounded" })
    yield* place.passTime
    running = yield* serve(place.env)
    yield* Effect.forEach(
      Array.from({ length: sent - before }, (_, index) => before + index + 1),
      Effect.fnUntraced(function* (n) {
        const first = answers.get(n)
        const again = yield* give(n)
        assert.strictEqual(again?.status, 201, again?.text)
        if (first === undefined && again !== undefined) answers.set(n, again)
        else assert.deepStrictEqual([again?.text, again?.headers.get("idempotent-replayed")], [first?.text, "true"])
      }),
      { concurrency: 8 }
    )
  }

  const donations = yield* allGiven(base_url, key, sent)
  const given = [...answers.values()].map(({ body }) => body["id"])
  assert.sameMembers(fieldsOf(donations, "id"), given)

  while (JSON.stringify((yield* call(base_url, "/webhook-deliveries?status=PENDING", { key })).body["data"]) !== "[]") {
    yield* Effect.sleep(50)
  }
  const arrived = verifyArrivals(inbox.arrivals, secret)
  const deliveries = yield* listAll(base_url, "/webhook-deliveries", key)
  assert.sameMembers(fieldsOf(deliveries, "id"), [...arrived.keys()])
  const told = [...arrived.values()].map(({ body }) => JSON.parse(body))
  for (const type of ["donation.created", "donation.succeeded"]) {
    assert.sameMembers(
      told.filter((event) => event.type === type).map((event) => event.data.id),
      given
    )
  }
  assert.isAbove(arrivedWhenRecorded.size, 0)
  for (const [id, times] of arrivedWhenRecorded) assert.strictEqual(inbox.timesOf(id), times, id)
  assert.strictEqual(interrupted.size, place.rounds * heldAtCrash)
  for (const id of interrupted) {
    const { body } = yield* call(base_url, `/webhook-deliveries/${id}`, { key })
    const outcomes = Object(body["attempts"]).map((each: { error: unknown; response_status: unknown }) => [
      each.error,
      each.response_status
    ])
    assert.deepStrictEqual(outcomes.at(-1), [null, 200])
    assert.isNotEmpty(outcomes.slice(0, -1))
    for (const outcome of outcomes.slice(0, -1)) assert.deepStrictEqual(outcome, ["interrupted", null])
    assert.isAtLeast(inbox.timesOf(id), 2)
  }
})

describe("kill -9 in the middle of gifts", () => {
  it.live(
    "loses and doubles nothing on the embedded database",
    () => Effect.flatMap(embedded, crashes),
    120_000 * rounds
  )

  it.live("loses and doubles nothing on PostgreSQL", () => Effect.flatMap(server, crashes), 120_000 * rounds)
})
