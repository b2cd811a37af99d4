import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import fc from "fast-check"
import { type ServeOptions, serve } from "../../src/http.ts"
import { Almoner, AlmonerUnavailable, type Caller } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pglite } from "../../src/pglite.ts"
import { postgres } from "../../src/postgres.ts"
import { stripe } from "../../src/stripe.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { callerIn } from "./Charity.ts"

const cyclic: Record<string, unknown> = {}
cyclic["self"] = cyclic

const throwing = {
  [fc.toStringMethod]: () => "what cannot be read",
  get name() {
    throw new Error("no")
  }
}

/** Whatever a program without types may hand over. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({
    maxDepth: 2,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true
  }),
  fc.constantFrom<unknown>(Symbol("odd"), () => 5, cyclic, throwing, Promise.resolve(), { toString: 5 }, [
    Symbol("in")
  ]),
  fc.constantFrom<unknown>("", "\0", "\ud800", [[]], [null], Number.NaN, new Date(Number.NaN), /x/, memory(), pglite)
)

/** Options that can be used, one of them odd, or something else in their place. */
const oddly = (sound: object): fc.Arbitrary<unknown> => {
  const names = [...Object.keys(sound), "unheard", "__proto__"]
  const spoilt = fc
    .tuple(fc.constantFrom(...names), odd)
    .map(([name, value]) => Object.defineProperty({ ...sound }, name, { value, enumerable: true }))
  return fc.oneof({ weight: 4, arbitrary: spoilt }, { weight: 1, arbitrary: odd })
}

const subscription = { name: "letters", types: ["donor.created"], from: "now", inFlight: 3, transactional: false }

const notice = { integration_id: "intg_none", processor: "test", headers: { a: "b" }, body: "{}" }

const served = {
  apiBaseUrl: "https://api.example.org",
  corsOrigins: ["https://app.example.org"],
  rateLimit: { perSecond: 1, burst: 2 },
  rateLimiter: undefined,
  clientAddress: () => "192.0.2.1",
  pages: undefined,
  proxies: { header: "x-forwarded-for", trusted: ["10.0.0.0/8"] }
}

const url = "postgres://ada@127.0.0.1:1/none"

const user = { organisation: "riverside", user: "ada", scope: "WRITE", request_id: "req-1" }

type Door = readonly [name: string, sound: object, call: (given: never, host: Host) => unknown]

interface Host {
  readonly almoner: Almoner
  readonly caller: Caller
}

/** Every call outside of the declared operations that takes something of a host, and the lists' own options and queries. */
const doors: ReadonlyArray<Door> = [
  ["a subscription", subscription, (given, { almoner }) => almoner.events.subscribe(given, () => undefined)],
  ["a handler", {}, (given, { almoner }) => almoner.events.subscribe({ name: "letters" }, given)],
  ["a notice", notice, (given, { almoner }) => almoner.receiveNotice(given)],
  ["options of a list", { signal: undefined }, (given, { almoner, caller }) => almoner.donors.list(caller, {}, given)],
  [
    "a list",
    { limit: 5, search: "Ada", email: { in: ["a"] } },
    (given, { almoner, caller }) => almoner.donors.list(caller, given)
  ],
  ["a list of all", { limit: 5 }, (given, { almoner, caller }) => almoner.donors.all(caller, given).next()],
  ["a user", user, (given, { almoner }) => almoner.caller(given)],
  ["a key of the API", {}, (given, { almoner }) => almoner.authenticate(given, given)],
  ["a caller", { ...user, actor: user }, (given, { almoner }) => almoner.as(given).donors.list()],
  [
    "an idempotency key",
    {},
    (given, { almoner, caller }) => almoner.keyed(given).donors.create(caller, { first_name: "A" })
  ],
  ["a program", {}, (given, { almoner }) => almoner.run(given)],
  ["a client of another backend", {}, (given, { almoner }) => almoner.within(given)],
  ["a client", { query: () => undefined }, (given) => postgres({ url }).within(given)],
  ["options of serve", served, (given, { almoner }) => serve(almoner, given)],
  ["what is served", { services: {} }, (given) => serve(given)],
  ["postgres", { url, migrate: true, schema: "a", maxConnections: 1, startWaitMillis: 1 }, (given) => postgres(given)],
  ["pglite", { dataDir: "a", durability: "relaxed" }, (given) => pglite(given)],
  ["stripe", { live: { secretKey: "sk_live_a" }, test: undefined, baseUrl: url }, (given) => stripe(given)]
]

describe("whatever comes to a door of the library", () => {
  let host: Host

  beforeAll(async () => {
    const almoner = await Almoner.open({ backend: memory() })
    host = { almoner, caller: await callerIn(almoner) }
  })
  afterAll(() => host.almoner.close())

  for (const [name, sound, call] of doors) {
    it(`is taken, or refused with what is wrong: ${name}`, async () => {
      let refused = 0
      await forEveryAsyncWith({ numRuns: 200 }, oddly(sound), async (given) => {
        const failure = await Promise.resolve()
          .then(() => call(given as never, host))
          .then(
            () => undefined,
            (cause: unknown) => cause
          )
        if (failure === undefined) return
        refused += 1
        assert.instanceOf(failure, Error)
        assert.notInstanceOf(failure, AlmonerUnavailable, `${failure.cause}`)
        assert.isTrue(Predicate.hasProperty(failure, "_tag"), failure.stack)
        assert.match(failure.message, / .*\.$/su)
      })
      assert.isAbove(refused, 20)
    })
  }

  it("is an outcome of a host's mailer and of its transport, or counts as a failure", async () => {
    let given: unknown
    await using almoner = await Almoner.open({
      backend: memory(),
      logger: () => undefined,
      operatorCidrs: ["192.0.2.0/24"],
      mailer: () => Promise.resolve(given as never),
      webhookTransport: () => Promise.resolve(given as never)
    })
    const caller = await callerIn(almoner, { plan: "ENTERPRISE" })
    await almoner.webhookEndpoints.create(caller, { url: "http://192.0.2.7/", event_types: ["donor.created"] })
    let sent = 0
    await forEveryAsyncWith({ numRuns: 30 }, odd, async (value) => {
      given = value
      const invitee_email = `mary+${sent}@example.org`
      await almoner.introductions.send(caller, { invitee_email, invitee_message: null }).outcome()
      await almoner.donors.create(caller, { first_name: "Ada" })
      assert.strictEqual(await almoner.dispatch(), 1)
      sent += await almoner.sendMails()
    })
    assert.isAbove(sent, 0)
    const { data: deliveries } = await almoner.webhookDeliveries.list(caller, { limit: 100 })
    const { data: mails } = await almoner.mails.list(caller, { limit: 100 })
    assert.deepStrictEqual([...new Set([...deliveries, ...mails].map(({ status }) => status))], ["PENDING"])
  })

  it("is the address of a client, or counts as none", async () => {
    const api = await serve(host.almoner, { clientAddress: (_, address) => address as string } as ServeOptions<
      [unknown]
    >)
    await forEveryAsyncWith({ numRuns: 30 }, odd, async (address) => {
      const { status } = await api.fetch(new Request("https://api.example.org/api/v1/donors"), address)
      assert.include([401, 429], status)
    })
  })

  it("comes too late once it is closed, which says so", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const running = almoner.run(Effect.never).catch((cause: unknown) => cause)
    await almoner.close()
    const late = await almoner.run(Effect.succeed(1)).catch((cause: unknown) => cause)
    for (const failure of [await running, late]) {
      assert.instanceOf(failure, AlmonerUnavailable)
      assert.strictEqual(failure.reason, "closed")
    }
  })
})
