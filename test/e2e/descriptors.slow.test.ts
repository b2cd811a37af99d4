import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { connect } from "node:net"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { live } from "../support/Steps.ts"
import { demoKeys, freePort, noLimits, preparedFolder, serve } from "./Almoner.ts"
import { type ApiAnswer, allGiven, attempt, call, giftSender, prepare } from "./Calls.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

/** Sets the limit of a process that runs; of Linux. */
const hasPrlimit = (() => {
  try {
    execFileSync("prlimit", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Lets the process have this many descriptors more than it has. */
const limit = (pid: number, more: number) =>
  Effect.sync(() => execFileSync("prlimit", ["--pid", `${pid}`, `--nofile=${descriptorsOf(pid) + more}:`]))

/** Takes what the limit leaves, by connections that say nothing. */
const occupy = (port: number, count: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Array.from({ length: count }, () => {
        const socket = connect(port, "127.0.0.1")
        return socket.on("error", () => socket.destroy())
      })
    ),
    (sockets) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
  )

describe.skipIf(!hasPrlimit)("a process without descriptors, on the embedded database", () => {
  live("serves again by itself when there are some, and has lost and doubled nothing that it answered", function* () {
    const env = { DATA_DIR: yield* preparedFolder, PORT: `${yield* freePort}` }
    const server = yield* serve({ ...env, ...noLimits })
    const demo = yield* demoKeys(env.DATA_DIR)
    const key = demo.sandbox.write_key
    const inbox = yield* makeInbox
    const { donor_id, secret } = yield* prepare(demo, inbox.url)
    const answers = new Map<number, ApiAnswer>()
    let sent = 0

    const send = giftSender(demo.base_url, key, donor_id)
    const give = Effect.fnUntraced(function* (n: number) {
      const answer = yield* send(n)
      if (answer?.status === 201) answers.set(n, answers.get(n) ?? answer)
      return answer
    })
    const giveMany = (count: number) =>
      Effect.forEach(
        Array.from({ length: count }, () => ++sent),
        give,
        { concurrency: 4 }
      )

    yield* giveMany(4)
    for (const more of [0, 3, 8]) {
      yield* Effect.gen(function* () {
        yield* limit(server.pid, more)
        yield* occupy(Number(env.PORT), more + 20)
        yield* giveMany(80)
      }).pipe(Effect.scoped)
      yield* limit(server.pid, 1_000)
      while ((yield* attempt(demo.base_url, "/health"))?.status !== 200) yield* Effect.sleep(50)
      while ((yield* call(demo.base_url, "/donors", { key, body: { first_name: "Ada" } })).status !== 201) {
        yield* Effect.sleep(50)
      }
    }

    for (let n = 1; n <= sent; n++) {
      const before = answers.get(n)
      const again = yield* give(n)
      assert.strictEqual(again?.status, 201, again?.text)
      if (before !== undefined) assert.strictEqual(again?.text, before.text)
    }
    yield* allGiven(demo.base_url, key, sent)
    while (verifyArrivals(inbox.arrivals, secret).size < 2 * sent) yield* Effect.sleep(50)
  })
})
