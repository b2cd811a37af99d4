import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { EventHandlers } from "../../src/effect.ts"
import { Almoner, type EventOf, InvalidOption } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pglite } from "../../src/pglite.ts"
import { fieldsOf } from "../support/Answer.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { kindsRun } from "../support/StoreKinds.ts"
import { callerIn } from "./Charity.ts"
import { inTransaction, pledges, withHost } from "./Host.ts"

const quiet = { logger: () => undefined }

const until = async (holds: () => boolean): Promise<void> => {
  for (let turn = 0; !holds(); turn++) {
    assert.isBelow(turn, 2_000, "it never came")
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const minutes = [1, 5, 30, 180, 1_440]

describe("a handler of events", () => {
  for (const [name, backend] of kindsRun([
    ["memory", () => memory()],
    ["the embedded database", () => pglite()]
  ])) {
    it(`is handed what is committed from its subscription on, typed by event, by started workers: ${name}`, async () => {
      await using almoner = await Almoner.open({ backend: backend(), ...quiet })
      const caller = await callerIn(almoner)
      await almoner.donors.create(caller, { first_name: "Before" })
      const seen: Array<string> = []
      const subscription = await almoner.events.subscribe(
        { name: "letters", types: ["donor.created", "donor.updated"] },
        async (event) => {
          seen.push(event.type === "donor.created" ? `${event.data.first_name}` : event.data.changed_fields.join())
        }
      )
      almoner.workers.start()
      const { id } = await almoner.donors.create(caller, { first_name: "Ada" })
      await almoner.donors.update(caller, id, { first_name: "Mary" })
      await almoner.donors.archive(caller, id)
      await until(() => seen.length === 2)
      assert.deepStrictEqual(seen, ["Ada", "first_name"])
      await subscription.stop()
      await almoner.donors.create(caller, { first_name: "After" })
      await almoner.events.subscribe({ name: "letters", from: "beginning" }, async (event) => {
        seen.push(event.type)
      })
      await until(() => seen.length >= 3)
      assert.deepStrictEqual(seen.slice(2), ["donor.created"])
    })
  }

  it("that fails is asked again on the schedule; then the event is parked and holds its record's later ones, until an operator decides", async () => {
    let now = Date.UTC(2030, 0, 1)
    await using almoner = await Almoner.open({ backend: memory(), clock: () => now, ...quiet })
    const caller = await callerIn(almoner)
    const seen: Array<[string, number]> = []
    let fails = true
    await almoner.events.subscribe({ name: "ledger" }, async ({ data, type }, { attempt }) => {
      const name = "first_name" in data ? `${data.first_name}` : type
      seen.push([name, attempt])
      if (fails && name === "Ada") throw new Error("no such account")
    })
    const ada = await almoner.donors.create(caller, { first_name: "Ada" })
    await almoner.donors.update(caller, ada.id, { first_name: "Augusta" })
    await almoner.donors.create(caller, { first_name: "Mary" })
    assert.strictEqual(await almoner.consume(), 2)
    assert.deepStrictEqual(seen, [
      ["Ada", 1],
      ["Mary", 1]
    ])
    for (const [index, minute] of minutes.entries()) {
      now += minute * 60_000 - 30_000
      assert.strictEqual(await almoner.consume(), 0, `attempt ${index + 2} is early`)
      now += 60_000
      assert.strictEqual(await almoner.consume(), 1, `attempt ${index + 2}`)
    }
    const shown = await almoner.eventConsumers.read("ledger")
    assert.strictEqual(shown.parked, 1)
    assert.strictEqual(shown.waiting, 1)
    const [parked] = shown.events
    assert.strictEqual(parked?.status, "PARKED")
    assert.strictEqual(parked?.error, "no such account")
    assert.strictEqual(parked?.attempt_count, 6)
    now += 365 * 86_400_000
    assert.strictEqual(await almoner.consume(), 0)

    await almoner.eventConsumers.retry("ledger", parked?.event_id ?? "")
    assert.strictEqual(await almoner.consume(), 1)
    assert.strictEqual((await almoner.eventConsumers.read("ledger")).events[0]?.attempt_count, 1)
    await almoner.eventConsumers.skip("ledger", parked?.event_id ?? "")
    fails = false
    assert.strictEqual(await almoner.consume(), 1)
    assert.deepStrictEqual(seen.at(-1), ["Augusta", 1])
    assert.deepStrictEqual((await almoner.eventConsumers.read("ledger")).events, [])
    const entries = await almoner.audit.list(caller, 100)
    const audited = entries
      .map(({ operation }) => operation)
      .filter((operation) => operation.startsWith("event_consumers"))
    assert.deepStrictEqual(audited.toSorted(), ["event_consumers.retry", "event_consumers.skip"])
    const [first] = await almoner.eventConsumers.list()
    assert.strictEqual(first?.name, "ledger")
    await almoner.eventConsumers.delete("ledger")
    assert.strictEqual((await almoner.eventConsumers.delete("ledger").outcome()).ok, false)
  })

  it("is subscribed before or after the workers start, without a transport of webhooks", async () => {
    await using almoner = await Almoner.open({ backend: memory(), ...quiet })
    const caller = await callerIn(almoner)
    almoner.workers.start()
    const seen: Array<string> = []
    await almoner.events.subscribe({ name: "late", types: ["donor.created"] }, async ({ type }) => {
      seen.push(type)
    })
    await almoner.donors.create(caller, { first_name: "Ada" })
    await until(() => seen.length === 1)
  })

  it("is handed its own types alone, while a newer version of it beside takes more", async () => {
    await using almoner = await Almoner.open({ backend: memory(), ...quiet })
    const caller = await callerIn(almoner)
    const seen: Array<readonly [version: string, type: string]> = []
    const handled = (version: string) => async (event: { readonly type: string }) => {
      seen.push([version, event.type])
    }
    await almoner.events.subscribe({ name: "letters", types: ["donor.created"] }, handled("old"))
    await almoner.events.subscribe({ name: "letters", types: ["donor.created", "donor.updated"] }, handled("new"))
    const { id } = await almoner.donors.create(caller, { first_name: "Ada" })
    await almoner.donors.update(caller, id, { first_name: "Mary" })
    assert.strictEqual(await almoner.consume(), 2)
    assert.deepStrictEqual(seen, [
      ["old", "donor.created"],
      ["new", "donor.updated"]
    ])
  })

  it("may throw whatever it likes, before whatever log: the attempt is recorded, and others are handled", async () => {
    const thrown: ReadonlyArray<readonly [thrown: unknown, error: RegExp]> = [
      [Object.create(null), /cannot be written/],
      [{ toString: () => assert.fail("no text") }, /cannot be written/],
      [Object.assign(new Error("text"), { message: { code: 7 } }), /object/],
      [
        Object.defineProperty(new Error("text"), "message", { get: () => assert.fail("no message") }),
        /cannot be written/
      ],
      [undefined, /undefined/],
      [Symbol("s"), /Symbol\(s\)/]
    ]
    const logger = () => assert.fail("the log is full")
    for (const [each, error] of thrown) {
      await using almoner = await Almoner.open({ backend: memory(), logger })
      const caller = await callerIn(almoner)
      let others = 0
      await almoner.events.subscribe({ name: "fails", types: ["donor.created"] }, async () => {
        throw each
      })
      await almoner.events.subscribe({ name: "goes-on", types: ["donor.created"] }, async () => {
        others += 1
      })
      await almoner.donors.create(caller, { first_name: "Ada" })
      assert.strictEqual(await almoner.consume(), 2)
      const [failed] = (await almoner.eventConsumers.read("fails")).events
      assert.strictEqual(failed?.attempt_count, 1)
      assert.match(`${failed?.error}`, error)
      assert.strictEqual(others, 1)
    }
  })

  it("may be a stream in Effect: each event is handled when the next is asked for", async () => {
    await using almoner = await Almoner.open({ backend: memory(), ...quiet })
    const caller = await callerIn(almoner)
    for (const first_name of ["Ada", "Mary", "Grace"]) await almoner.donors.create(caller, { first_name })
    const three = EventHandlers.EventHandlers.use(({ stream }) =>
      Stream.runCollect(Stream.take(stream({ name: "stream", from: "beginning" }), 3))
    )
    const seen = await almoner.run(three)
    assert.deepStrictEqual(
      Array.from(seen, ({ data }) => data["first_name"]),
      ["Ada", "Mary", "Grace"]
    )
    const { waiting } = await almoner.eventConsumers.read("stream")
    assert.strictEqual(waiting, 1)
    const refused = EventHandlers.EventHandlers.use(({ stream }) => Effect.flip(Stream.runDrain(stream({ name: "" }))))
    assert.deepInclude(await almoner.run(refused), { _tag: "InvalidOption", option: "name" })
  })

  it("is refused in Effect as by the host's door, and nothing dies", async () => {
    await using almoner = await Almoner.open({ backend: memory(), ...quiet })
    const cases: ReadonlyArray<readonly [subscription: object, option: string, sentence: RegExp]> = [
      [
        { name: "a", types: "donor.created" },
        "types",
        /^The option types of EventHandlers\.\w+ must be a list of types/
      ],
      [{ name: "a", types: ["donor.gone"] }, "types", /donor\.gone is no type of event/],
      [{ name: "a", from: "later" }, "from", /"beginning", "now"/],
      [{ name: "a", inFlight: 65 }, "inFlight", /from 1 to 64/],
      [{ name: "a", transactional: "yes" }, "transactional", /true or false/],
      [{ name: 7 }, "name", /the name of a consumer/],
      [{ name: "a", type: "donor.created" }, "type", /has no option type/]
    ]
    for (const [given, option, sentence] of cases) {
      const subscription = given as EventHandlers.EventSubscription
      const doors = EventHandlers.EventHandlers.use(({ register, stream, subscribe }) =>
        Effect.all([
          Effect.flip(register(subscription)),
          Effect.flip(subscribe(subscription, () => Effect.void)),
          Effect.flip(Stream.runDrain(stream(subscription)))
        ])
      )
      for (const failure of await almoner.run(doors)) {
        assert.instanceOf(failure, InvalidOption, option)
        assert.strictEqual(failure.option, option)
        assert.match(failure.message, sentence)
      }
    }
    assert.deepStrictEqual(await almoner.eventConsumers.list(), [])
  })

  it("is refused where its subscription is wrong, with what to do", async () => {
    await using almoner = await Almoner.open({ backend: memory(), ...quiet })
    const handler = async () => undefined
    const refusals: ReadonlyArray<readonly [subscription: unknown, option: string, sentence: RegExp]> = [
      [undefined, "", /takes an object with options/],
      [{}, "name", /is missing/],
      [{ name: "" }, "name", /must be letters, digits/],
      [{ name: "a b" }, "name", /must be letters, digits/],
      [{ name: "x".repeat(101) }, "name", /at most 100/],
      [{ name: "a", types: [] }, "types", /must name a type/],
      [{ name: "a", types: "donor.created" }, "types", /must be a list of types/],
      [{ name: "a", types: ["donor.gone"] }, "types", /donor\.gone is no type of event/],
      [{ name: "a", from: "later" }, "from", /"beginning", "now"/],
      [{ name: "a", from: new Date(Number.NaN) }, "from", /"beginning", "now"/],
      [{ name: "a", inFlight: 0 }, "inFlight", /from 1 to 64/],
      [{ name: "a", inFlight: 65 }, "inFlight", /from 1 to 64/],
      [{ name: "a", transactional: "yes" }, "transactional", /true or false/],
      [{ name: "a", type: "donor.created" }, "type", /has no option type\. It has name, types/]
    ]
    for (const [subscription, option, sentence] of refusals) {
      const failure = await almoner.events.subscribe(subscription as { name: "a" }, handler).catch((cause) => cause)
      assert.instanceOf(failure, InvalidOption, option)
      assert.strictEqual(failure.option, option)
      assert.match(failure.message, sentence)
    }
    assert.deepStrictEqual(await almoner.eventConsumers.list(), [])
  })

  it("has no more under way than it says, and a stop waits for what is", async () => {
    const almoner = await Almoner.open({ backend: memory(), ...quiet })
    const caller = await callerIn(almoner)
    const running = { now: 0, most: 0, ended: 0 }
    await almoner.events.subscribe({ name: "slow", inFlight: 3 }, async ({ id }) => {
      running.now += 1
      running.most = Math.max(running.most, running.now)
      await new Promise((resolve) => setTimeout(resolve, 30))
      // Whoever still handles may ask for more, though Almoner is being closed.
      await almoner.events.read(caller, id)
      running.now -= 1
      running.ended += 1
    })
    almoner.workers.start()
    for (let n = 0; n < 12; n++) await almoner.donors.create(caller, { first_name: `Ada ${n}` })
    await until(() => running.ended >= 3)
    await almoner.close()
    assert.strictEqual(running.now, 0)
    assert.strictEqual(running.most, 3)
  })

  for (const connected of ["pool", "url"] as const) {
    it.live(`in a transaction writes exactly once, however often it fails, by ${connected}`, () =>
      withHost(connected, async (host) => {
        const { almoner, caller } = host
        const plan: Array<"works" | "throws" | "is refused"> = []
        await almoner.events.subscribe(
          { name: "pledges", types: ["donor.created"], transactional: true },
          async (event, { almoner: inside, attempt, client }) => {
            await client.query("INSERT INTO pledges VALUES ($1)", [event.id])
            await inside.revenueCodes.create(caller, { code: `${event.id}` })
            const does = attempt > 1 ? "works" : plan.shift()
            if (does === "throws") throw new Error("no")
            if (does === "is refused") await client.query("INSERT INTO pledges VALUES ($1)", [event.id])
          }
        )
        await forEveryAsyncWith(
          { numRuns: 6 },
          fc.array(fc.constantFrom("works" as const, "throws" as const, "is refused" as const), {
            minLength: 1,
            maxLength: 4
          }),
          async (does) => {
            const before = (await pledges(host)).length
            for (const [n, each] of does.entries()) {
              await almoner.donors.create(caller, { first_name: `Ada ${n}` })
              plan.push(each)
              await almoner.consume()
              const shown = await almoner.eventConsumers.read("pledges")
              for (const { event_id } of shown.events) await almoner.eventConsumers.retry("pledges", event_id)
              // The second attempt is the first of six new ones; what it does is next in the plan.
              if (shown.events.length > 0) plan.push("works")
              await almoner.consume()
            }
            const kept = await pledges(host)
            assert.strictEqual(kept.length, before + does.length)
            const { data } = await almoner.revenueCodes.list(caller, { limit: 100 })
            assert.deepStrictEqual(data.map(({ code }) => code).toSorted(), [...kept].toSorted().slice(-100))
          }
        )
      })
    )
  }

  for (const [name, backend] of kindsRun([
    ["memory", () => memory()],
    ["the embedded database", () => pglite()]
  ])) {
    it(`in a transaction writes exactly once, and nothing once it has ended: ${name}`, async () => {
      await using almoner = await Almoner.open({ backend: backend(), ...quiet })
      const caller = await callerIn(almoner)
      const hasSql = name !== "memory"
      const late: Array<Promise<{ readonly ok: boolean; readonly failure?: unknown }>> = []
      let fails = true
      let tables: ReadonlyArray<unknown> = []
      await almoner.events.subscribe(
        { name: "codes", types: ["donor.created"], transactional: true },
        async (_, { almoner: inside, client }) => {
          await inside.revenueCodes.create(caller, { code: "GALA" })
          if (hasSql) {
            await client.query("CREATE TABLE pledges (name text PRIMARY KEY)")
            tables = (await client.query("INSERT INTO pledges VALUES ($1) RETURNING name", ["ada"])).rows
          }
          // A host that does not wait for what it has begun.
          setTimeout(() => {
            late.push(
              inside.revenueCodes.create(caller, { code: "LATE" }).outcome(),
              client.query("SELECT 1").then(
                () => ({ ok: true }),
                (failure) => ({ ok: false, failure })
              )
            )
          }, 20)
          if (fails) throw new Error("no")
        }
      )
      await almoner.donors.create(caller, { first_name: "Ada" })
      await almoner.consume()
      assert.deepStrictEqual((await almoner.revenueCodes.list(caller)).data, [])
      const [failed] = (await almoner.eventConsumers.read("codes")).events
      assert.strictEqual(failed?.error, "no")
      fails = false
      await almoner.eventConsumers.retry("codes", failed?.event_id ?? "")
      await almoner.consume()
      await almoner.consume()
      await until(() => late.length === 4)
      for (const outcome of await Promise.all(late)) {
        assert.isFalse(outcome.ok)
        assert.match(`${Reflect.get(Object(outcome.failure), "message")}`, /The handler has ended/)
      }
      const { data } = await almoner.revenueCodes.list(caller)
      assert.deepStrictEqual(fieldsOf(data, "code"), ["GALA"])
      assert.deepStrictEqual(tables, hasSql ? [{ name: "ada" }] : [])
    })
  }

  it.live("takes a session to listen on only once workers run, one for all that they wait for", () =>
    withHost("pool", async ({ almoner, caller, pool }) => {
      const listeners = async () => {
        const { rows } = await pool.query<{ pid: number }>(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        )
        return rows.length
      }
      const seen: Array<string> = []
      await almoner.events.subscribe({ name: "one", types: ["donor.created"] }, async ({ id }) => {
        seen.push(id)
      })
      await almoner.events.subscribe({ name: "other", types: ["donor.created"] }, async ({ id }) => {
        seen.push(id)
      })
      await almoner.donors.create(caller, { first_name: "Ada" })
      await almoner.consume()
      assert.lengthOf(seen, 2)
      assert.strictEqual(await listeners(), 0)
      almoner.workers.start()
      while ((await listeners()) === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      await almoner.donors.create(caller, { first_name: "Mary" })
      await until(() => seen.length === 4)
      assert.strictEqual(await listeners(), 1)
    })
  )

  it.live("is handed the changes of a record in the order in which hosts' transactions committed them", () =>
    withHost("pool", async (host) => {
      const { almoner, caller } = host
      const seen: Array<EventOf<"donor.updated">["data"]> = []
      await almoner.events.subscribe({ name: "order", types: ["donor.updated"] }, async ({ data }) => {
        seen.push(data)
      })
      const { id } = await almoner.donors.create(caller, { first_name: "Ada" })
      let release = () => {}
      const gate = new Promise<void>((resolve) => {
        release = resolve
      })
      const first = inTransaction(host, "COMMIT", async (client) => {
        await almoner.within(client).donors.update(caller, id, { first_name: "First" })
        await gate
      })
      const second = inTransaction(host, "COMMIT", async (client) => {
        // It has a transaction id and numbers of its own before it waits for the record.
        await almoner.within(client).donors.create(caller, { first_name: "Other" })
        await almoner.within(client).donors.update(caller, id, { first_name: "Second" })
      })
      await almoner.consume()
      release()
      await first
      await second
      await almoner.consume()
      assert.deepStrictEqual(fieldsOf(seen, "first_name"), ["First", "Second"])
    })
  )
})
