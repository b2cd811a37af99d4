import { connect } from "node:net"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Redacted, type Scope } from "effect"
import { fieldsOf } from "../support/Answer.ts"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { rounds } from "../support/Rounds.ts"
import { live } from "../support/Steps.ts"
import { demoKeys, freePort, noLimits, type ProcessEnd, preparedFolder, type RunningProcess, serve } from "./Almoner.ts"
import { type ApiAnswer, allGiven, call, expireLeases, giftSender, listAll, makeDue, prepare } from "./Calls.ts"
import { makeGate } from "./Gate.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

/** The longest stop that docs/guides/serve.md promises, milliseconds. */
const promisedMillis = 10_000

/** Where a server keeps its data. */
interface Place {
  readonly env: Readonly<Record<string, string>> & { readonly DATA_DIR: string; readonly PORT: string }
  /** Takes the database away, or lets it go silent, until it is back; nothing where it is inside the process. */
  readonly gate: { readonly [Act in "close" | "silence" | "open"]: Effect.Effect<void> }
  /** Lets the leases of the process before run out, and what waits for its next attempt be due. */
  readonly passTime: Effect.Effect<unknown>
}

/** A place on the embedded database. */
export const embeddedSite = Effect.gen(function* () {
  const env = { ...noLimits, DATA_DIR: yield* preparedFolder, PORT: `${yield* freePort}` }
  const none = { close: Effect.void, silence: Effect.void, open: Effect.void }
  const place: Place = { env, gate: none, passTime: Effect.void }
  return place
})

/** A place on a PostgreSQL, behind a gate. */
export const server = Effect.gen(function* () {
  const url = Redacted.value(yield* freshUrl)
  const gate = yield* makeGate(url)
  const ALMONER_ENCRYPTION_KEYS = `e2e:${Buffer.alloc(32, 7).toString("base64")}`
  const files = { DATA_DIR: yield* folder, PORT: `${yield* freePort}` }
  const env = { ...noLimits, ...files, DATABASE_URL: gate.url, DEMO: "on", ALMONER_ENCRYPTION_KEYS }
  const place: Place = { env, gate, passTime: Effect.andThen(expireLeases(url), makeDue(url)) }
  return place
})

/** Sends the signals one second apart, and holds that the process ends well in time. */
export const assertStopped = Effect.fnUntraced(function* (
  running: { readonly kill: RunningProcess["kill"]; readonly ended: Promise<Pick<ProcessEnd, "status" | "signal">> },
  signals: ReadonlyArray<NodeJS.Signals> = ["SIGTERM"]
) {
  const since = performance.now()
  for (const [turn, signal] of signals.entries()) {
    if (turn > 0) yield* Effect.sleep(1_000)
    running.kill(signal)
  }
  const { signal, status } = yield* Effect.promise(() => running.ended)
  assert.deepStrictEqual({ signal, status }, { signal: null, status: 0 })
  assert.isBelow(performance.now() - since, promisedMillis)
})

/** A server with a donor and an endpoint, and what was given to it. */
const makeWorld = Effect.fnUntraced(function* (place: Place) {
  const first = yield* serve(place.env)
  const demo = yield* demoKeys(place.env.DATA_DIR)
  const key = demo.sandbox.write_key
  const inbox = yield* makeInbox
  const { donor_id, secret } = yield* prepare(demo, inbox.url)
  const answers = new Map<number, ApiAnswer>()
  let sent = 0
  let running = first

  const send = giftSender(demo.base_url, key, donor_id)
  const give = Effect.fnUntraced(function* (n: number) {
    const answer = yield* send(n)
    if (answer?.status === 201 && !answers.has(n)) answers.set(n, answer)
    return answer
  })

  /** Gives on so many lanes until the server is gone, or for as long as the fiber runs. */
  const load = (lanes: number) =>
    Effect.all(
      Array.from({ length: lanes }, () =>
        Effect.gen(function* () {
          while ((yield* give(++sent)) !== undefined) {}
        })
      ),
      { concurrency: "unbounded" }
    )

  const answered = Effect.fnUntraced(function* (count: number) {
    while (answers.size < count) yield* Effect.sleep(2)
  })

  const pending = Effect.map(
    call(demo.base_url, "/webhook-deliveries?status=PENDING", { key }),
    ({ body }): ReadonlyArray<unknown> => Object(body["data"])
  )

  /** A new start finds every answer as it was given, every gift once, and delivers what was not delivered. */
  const verify = Effect.gen(function* () {
    yield* place.gate.open
    yield* place.passTime
    yield* inbox.answer
    running = yield* serve(place.env)
    yield* Effect.forEach(
      Array.from({ length: sent }, (_, index) => index + 1),
      Effect.fnUntraced(function* (n) {
        const before = answers.get(n)
        const again = yield* give(n)
        assert.strictEqual(again?.status, 201, again?.text)
        if (before === undefined) return
        assert.deepStrictEqual([again?.text, again?.headers.get("idempotent-replayed")], [before.text, "true"])
      }),
      { concurrency: 8 }
    )
    yield* allGiven(demo.base_url, key, sent)
    while ((yield* pending).length > 0) yield* Effect.sleep(25)
    const arrived = verifyArrivals(inbox.arrivals, secret)
    const deliveries = yield* listAll(demo.base_url, "/webhook-deliveries", key)
    assert.lengthOf(deliveries, 2 * sent)
    assert.sameMembers(fieldsOf(deliveries, "id"), [...arrived.keys()])
    assert.isTrue(deliveries.every(({ status }) => status === "DELIVERED"))
    yield* assertStopped(running)
  })

  return {
    ...{ answered, give, inbox, key, load, pending, verify },
    port: Number(place.env.PORT),
    gate: place.gate,
    /** One gift more, which is answered. */
    giveOne: Effect.suspend(() => Effect.map(give(++sent), (answer) => assert.strictEqual(answer?.status, 201))),
    running: () => running,
    restart: Effect.gen(function* () {
      yield* place.passTime
      running = yield* serve(place.env)
    })
  } as const
})

type World = Effect.Success<ReturnType<typeof makeWorld>>

/** Bytes on a connection that stays open. */
const say = (port: number, bytes: string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes, () => resume(Effect.succeed(socket))))
      socket.on("error", () => socket.destroy()).resume()
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const requestOf = (world: World, line: string, length: number) =>
  `${line} HTTP/1.1\r\nhost: almoner\r\nauthorization: Bearer ${world.key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

type Stop = (world: World) => Effect.Effect<unknown, never, Scope.Scope>

/** Stops while gifts are being given. */
const loaded: Stop = Effect.fnUntraced(function* (world) {
  const load = yield* Effect.forkChild(world.load(16))
  yield* world.answered(20 + Math.floor(Math.random() * 100))
  yield* assertStopped(world.running())
  yield* Fiber.join(load)
})

/** Gives, and disturbs the way to the database under the gifts. */
const disturbed =
  (disturb: (world: World) => Effect.Effect<void>): Stop =>
  (world) =>
    Effect.gen(function* () {
      const load = yield* Effect.forkChild(world.load(8))
      yield* world.answered(20)
      yield* disturb(world)
      yield* Effect.sleep(Math.random() * 1_000)
      yield* assertStopped(world.running())
      yield* Fiber.join(load)
    })

/** Ways to be stopped that any place has. */
export const anywhere: Readonly<Record<string, Stop>> = {
  idle: (world) => assertStopped(world.running()),
  "with gifts under way": loaded,
  "asked with SIGINT": (world) => assertStopped(world.running(), ["SIGINT"]),
  "while a receiver does not answer": Effect.fnUntraced(function* (world) {
    yield* world.giveOne
    yield* Effect.forkChild(world.giveOne)
    yield* world.inbox.hold(2)
    yield* assertStopped(world.running())
  }),
  "while a receiver does not answer, and asked again": Effect.fnUntraced(function* (world) {
    yield* Effect.forkChild(Effect.all([world.giveOne, world.giveOne]))
    yield* world.inbox.hold(2)
    yield* assertStopped(world.running(), ["SIGTERM", "SIGINT"])
  }),
  // The missed delivery comes a minute later, where the test does not move time.
  "while a receiver is gone": Effect.fnUntraced(function* (world) {
    yield* world.inbox.leave
    yield* world.giveOne
    yield* assertStopped(world.running())
  }),
  "with a request whose body does not come": Effect.fnUntraced(function* (world) {
    yield* say(world.port, `${requestOf(world, "POST /api/v1/donations", 500)}{"donor_id":`)
    yield* world.giveOne
    yield* assertStopped(world.running())
  }),
  "with connections that are kept, or say nothing": Effect.fnUntraced(function* (world) {
    for (let turn = 0; turn < 50; turn++) {
      yield* say(world.port, turn % 2 === 0 ? requestOf(world, "GET /api/v1/donors", 0) : "")
    }
    yield* world.giveOne
    yield* assertStopped(world.running())
  }),
  "with the backlog of a crash": Effect.fnUntraced(function* (world) {
    const load = yield* Effect.forkChild(world.load(16))
    yield* world.answered(150)
    world.running().kill("SIGKILL")
    yield* Fiber.join(load)
    yield* world.restart
    yield* assertStopped(world.running())
  })
}

/** Those of a place whose database can be taken away. */
export const besideAServer: Readonly<Record<string, Stop>> = {
  "while the database is away": disturbed(({ gate }) => gate.close),
  "while the database is frozen": disturbed(({ gate }) => gate.silence)
}

/** A test for each of the stops, in a place of its own, as many times as the rounds say. */
export const suite = (
  name: string,
  place: Effect.Effect<Place, never, Scope.Scope>,
  stops: Readonly<Record<string, Stop>>
) =>
  describe(`a stop ends in time, well, and loses nothing: ${name}`, () => {
    for (const [when, stop] of Object.entries(stops)) {
      live(
        when,
        function* () {
          const world = yield* makeWorld(yield* place)
          for (let round = 0; round < rounds; round++) {
            if (round > 0) yield* world.restart
            yield* Effect.scoped(stop(world))
            yield* world.verify
          }
        },
        150_000 * rounds
      )
    }
  })

/** Those with a name, or all of them where there is time for it. */
export const only = (stops: Readonly<Record<string, Stop>>, names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(stops).filter(([name]) => rounds > 1 || names.includes(name)))
