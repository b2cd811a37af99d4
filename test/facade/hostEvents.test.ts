import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import fc from "fast-check"
import { z } from "zod"
import { verifyWebhook } from "../../src/client.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import { CurrentCaller, Events, Organisations } from "../../src/effect.ts"
import { serve } from "../../src/http.ts"
import { Almoner, type Caller, InvalidOption, type WebhookRequest } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pglite } from "../../src/pglite.ts"
import { postgres } from "../../src/postgres.ts"
import { webhookTransport } from "../../src/webhooks.ts"
import { fieldsOf } from "../support/Answer.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { freshPool } from "../support/HostPool.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { broken } from "../support/Sentences.ts"
import { live } from "../support/Steps.ts"
import { kindsRun } from "../support/StoreKinds.ts"
import { charity, keys, openReceiver, receiverAnswer } from "./Charity.ts"

const events = {
  "x.pledge.signed": z.object({ id: z.string(), amount_cents: z.int().positive(), note: z.string().default("none") }),
  "x.tour.booked": Schema.Struct({ day: Schema.String, at: Schema.optionalKey(Schema.DateTimeUtc) }),
  "x.slow": {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: async (value: unknown) =>
        Object.hasOwn(Object(value), "ok")
          ? { value: { ok: true } }
          : { issues: [{ message: "it is not ok", path: [{ key: "ok" }] }] }
    }
  }
} as const

const quiet = { logger: () => undefined }

const callerOf = async (
  almoner: Pick<Almoner, "organisations" | "caller">,
  scope: "READ" | "WRITE" = "WRITE"
): Promise<Caller> => {
  const known = (await almoner.organisations.listOfInstallation()).find(({ is_sandbox }) => is_sandbox)
  const { id } = known ?? (await almoner.organisations.create(charity)).sandbox
  return almoner.caller({ organisation: id, user: "ada", scope })
}

const refusalOf = async (
  call: Promise<unknown>
): Promise<{ _tag: string; param?: string; option?: string; operation?: string; message: string }> =>
  call.then(
    () => assert.fail("it was not refused"),
    (failure) => failure
  )

const backends = kindsRun([
  ["memory", () => memory()],
  ["the embedded database", () => pglite()]
])

const pledge = { id: "pledge_1", amount_cents: 5_000 }

describe.each(backends)("an event of a host's own: %s", (_, backend) => {
  it("is listed, read, audited, delivered where it is subscribed to, and handed to consumers", async () => {
    const sent: Array<string> = []
    await using almoner = await Almoner.open({
      backend: backend(),
      events,
      operatorCidrs: ["192.0.2.0/24"],
      webhookTransport: async ({ body }) => {
        sent.push(body)
        return receiverAnswer
      },
      ...quiet
    })
    const caller = await callerOf(almoner)
    const url = "http://192.0.2.7/hooks"
    const endpoint = await almoner.webhookEndpoints.create(caller, { url, event_types: ["x.pledge.signed"] })
    await almoner.webhookEndpoints.create(caller, { url, event_types: ["donor.created", "x.tour.booked"] })
    const seen: Array<unknown> = []
    await almoner.events.subscribe({ name: "own", types: ["x.pledge.signed"] }, async ({ data, id }) => {
      seen.push([id, data.amount_cents, data.note])
    })
    const emitted = await almoner.events.emit(caller, { type: "x.pledge.signed", data: pledge })
    await almoner.events.emit(caller, { type: "x.slow", data: { ok: 1 } as never })
    assert.deepStrictEqual(emitted.data, { ...pledge, note: "none" })
    assert.deepStrictEqual(await almoner.events.read(caller, emitted.id), emitted)
    const listed = await almoner.events.list(caller, { type: "x.pledge.signed" })
    assert.deepStrictEqual(listed.data, [emitted])
    assert.sameMembers(
      fieldsOf((await almoner.events.list(caller, { type: { in: ["x.slow", "x.pledge.signed"] } })).data, "type"),
      ["x.slow", "x.pledge.signed"]
    )
    const audit = await almoner.audit.list(caller, 10)
    const entry = audit.find(({ subject_id }) => subject_id === emitted.id)
    assert.deepInclude(entry, { operation: "events.emit", actor_id: "ada" })
    assert.strictEqual(await almoner.consume(), 1)
    assert.deepStrictEqual(seen, [[emitted.id, 5_000, "none"]])
    assert.strictEqual(await almoner.dispatch(), 1)
    assert.deepInclude(JSON.parse(sent[0] ?? ""), { type: "x.pledge.signed", data: { ...pledge, note: "none" } })
    const deliveries = await almoner.webhookDeliveries.list(caller, { event_type: "x.pledge.signed" })
    assert.deepStrictEqual(fieldsOf(deliveries.data, "endpoint_id", "status"), [[endpoint.id, "DELIVERED"]])
  })
})

/** Calls the API of an `Almoner` as its callers do over HTTP. */
const overHttp = async (almoner: Almoner, caller: Caller) => {
  const api = await serve(almoner)
  const { secret } = await almoner.apiKeys.create(caller, { name: "Website", scope: "WRITE" })
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" }
  return async (method: string, path: string, body?: unknown) => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const answer = await api.fetch(new Request(`http://host/api/v1${path}`, init))
    return { status: answer.status, body: Object(await answer.json()) }
  }
}

describe("a process that does not declare a type, beside one that does", () => {
  live("reads, lists, delivers, replays and handles what is stored, and offers the type to nobody", function* () {
    const url = Redacted.value(yield* freshUrl)
    const sent: Array<string> = []
    const opened = () => ({
      backend: postgres({ url, maxConnections: 3 }),
      keys,
      operatorCidrs: ["192.0.2.0/24"],
      webhookTransport: async ({ body }: WebhookRequest) => {
        sent.push(body)
        return receiverAnswer
      },
      ...quiet
    })
    yield* Effect.promise(async () => {
      await using declaring = await Almoner.open({ ...opened(), events })
      await using plain = await Almoner.open(opened())
      const caller = await callerOf(declaring)
      const api = await overHttp(plain, caller)
      const endpoint = await declaring.webhookEndpoints.create(caller, {
        url: "http://192.0.2.7/hooks",
        event_types: ["x.pledge.signed", "donor.created"]
      })
      const seen: Array<string> = []
      await plain.events.subscribe({ name: "all", from: "beginning" }, async ({ type }) => seen.push(type))
      const emitted = await declaring.events.emit(caller, { type: "x.pledge.signed", data: pledge })
      assert.deepStrictEqual<unknown>(await plain.events.read(caller, emitted.id), emitted)
      assert.deepStrictEqual<unknown>((await plain.events.list(caller)).data, [emitted])
      assert.deepStrictEqual((await api("GET", `/events/${emitted.id}`)).body, emitted)
      assert.deepStrictEqual((await api("GET", "/events")).body.data, [emitted])
      assert.strictEqual(await plain.dispatch(), 1)
      const [delivery] = (await api("GET", "/webhook-deliveries")).body.data
      assert.deepInclude(delivery, { event_type: "x.pledge.signed", status: "DELIVERED" })
      assert.isBelow((await api("POST", `/webhook-deliveries/${delivery.id}/replay`)).status, 300)
      assert.strictEqual(await plain.dispatch(), 1)
      assert.lengthOf(sent, 2)
      assert.strictEqual(await plain.consume(), 1)
      assert.deepStrictEqual(seen, ["x.pledge.signed"])
      const path = `/webhook-endpoints/${endpoint.id}`
      assert.deepStrictEqual((await api("GET", path)).body.event_types, ["x.pledge.signed", "donor.created"])
      assert.strictEqual((await api("PATCH", path, { description: "b" })).status, 200)
      assert.deepStrictEqual((await declaring.webhookEndpoints.read(caller, endpoint.id)).event_types, [
        "x.pledge.signed",
        "donor.created"
      ])
      // What it does not declare is to it what any unknown type is.
      for (const type of ["x.pledge.signed", "x.unheard.of", "donor.unheard_of"]) {
        const own = { url: "http://192.0.2.7/own", event_types: ["donor.created", type] }
        for (const answer of [await api("POST", "/webhook-endpoints", own), await api("PATCH", path, own)]) {
          assert.strictEqual(answer.status, 400)
          const { code, message, param } = answer.body.error
          assert.deepStrictEqual([code, param], ["validation_failed", "event_types[1]"])
          assert.notInclude(message, "x.")
        }
        const filtered = await api("GET", `/events?type=${type}`)
        assert.deepStrictEqual([filtered.status, filtered.body.error.param], [400, "type"])
        assert.strictEqual((await api("GET", `/webhook-deliveries?event_type=${type}`)).status, 400)
        const emitting = plain.events.emit(caller, { type, data: pledge } as never)
        assert.deepInclude(await refusalOf(emitting), { _tag: "InvalidInput", param: "type" })
        const subscribing = plain.events.subscribe({ name: "own", types: [type as never] }, async () => undefined)
        assert.deepInclude(await refusalOf(subscribing), { _tag: "InvalidOption", option: "types" })
      }
    })
  })
})

describe("the HTTP API of a host that declares types", () => {
  it("takes them where types are taken, refuses others as before, and has the bundled document", async () => {
    await using almoner = await Almoner.open({ backend: memory(), events, operatorCidrs: ["192.0.2.0/24"], ...quiet })
    await using plain = await Almoner.open({ backend: memory(), operatorCidrs: ["192.0.2.0/24"], ...quiet })
    const caller = await callerOf(almoner)
    const api = await overHttp(almoner as unknown as Almoner, caller)
    const bundled = await overHttp(plain, await callerOf(plain))
    const own = { url: "http://192.0.2.7/own", event_types: ["x.tour.booked", "donor.created"] }
    const made = await api("POST", "/webhook-endpoints", own)
    assert.strictEqual(made.status, 201)
    assert.deepStrictEqual(made.body.event_types, own.event_types)
    const changed = await api("PATCH", `/webhook-endpoints/${made.body.id}`, { event_types: ["x.slow"] })
    assert.deepStrictEqual(changed.body.event_types, ["x.slow"])
    const emitted = await almoner.events.emit(caller, { type: "x.tour.booked", data: { day: "2026-04-01" } })
    assert.deepStrictEqual((await api("GET", "/events?type=x.tour.booked")).body.data, [emitted])
    assert.deepStrictEqual((await api("GET", "/webhook-deliveries?event_type[in]=x.slow,donor.created")).body.data, [])
    const refused = { url: own.url, event_types: ["x.unheard.of"] }
    const [here, there] = [
      await api("POST", "/webhook-endpoints", refused),
      await bundled("POST", "/webhook-endpoints", refused)
    ]
    assert.deepStrictEqual(
      [here.status, here.body.error.code, here.body.error.param],
      [there.status, there.body.error.code, there.body.error.param]
    )
    const told = await refusalOf(almoner.webhookEndpoints.create(caller, refused as never))
    assert.match(told.message, /, x\.pledge\.signed, x\.tour\.booked, x\.slow\.$/)
    const documentOf = async (each: Almoner) =>
      (await (await serve(each)).fetch(new Request("http://host/openapi.json"))).text()
    const text = await documentOf(almoner as unknown as Almoner)
    assert.strictEqual(text, await documentOf(plain))
    assert.notInclude(text, '"x.')
  })
})

describe("a webhook of a host's own event", () => {
  it("arrives signed, and is read by the schemas that the host declared", async () => {
    const { arrived, server, url } = await openReceiver()
    await using almoner = await Almoner.open({
      backend: memory(),
      events,
      webhookTransport,
      operatorCidrs: ["127.0.0.0/8"],
      ...quiet
    })
    const caller = await callerOf(almoner)
    const { secret } = await almoner.webhookEndpoints.create(caller, { url, event_types: ["x.pledge.signed"] })
    const emitted = await almoner.events.emit(caller, { type: "x.pledge.signed", data: pledge })
    await almoner.dispatch()
    server.close()
    const [delivery] = arrived
    assert.isDefined(delivery)
    const known = { "x.pledge.signed": events["x.pledge.signed"] }
    const event = await verifyWebhook({ ...delivery, secret, events: known })
    assert.strictEqual(event.type, "x.pledge.signed")
    if (event.type !== "x.pledge.signed") return
    assert.strictEqual(event.data.amount_cents, 5_000)
    assert.strictEqual(event.data.note, "none")
    assert.strictEqual(event.occurred_at, emitted.occurred_at)
    const { data, type } = await verifyWebhook({ ...delivery, secret })
    assert.deepStrictEqual<unknown>([type, data], ["x.pledge.signed", emitted.data])
    const stricter = { "x.pledge.signed": z.object({ id: z.string(), signed_by: z.string() }) }
    const refused = await verifyWebhook({ ...delivery, secret, events: stricter }).outcome()
    assert.isFalse(refused.ok)
    if (!refused.ok) assert.strictEqual(refused.failure.reason, "data")
    const other = await verifyWebhook({ ...delivery, secret: "almwh_another", events: known }).outcome()
    if (!other.ok) assert.strictEqual(other.failure.reason, "signature")
    assert.isFalse(other.ok)
  })
})

describe("in a transaction of the host's", () => {
  it.live.each(["COMMIT", "ROLLBACK"] as const)("its event shares the end of it: %s", (ending) =>
    Effect.gen(function* () {
      const { pool } = yield* freshPool
      yield* Effect.promise(async () => {
        await using almoner = await Almoner.open({
          backend: postgres({ pool }),
          keys,
          events,
          operatorCidrs: ["192.0.2.0/24"],
          webhookTransport: async () => receiverAnswer,
          ...quiet
        })
        const caller = await callerOf(almoner)
        await almoner.webhookEndpoints.create(caller, {
          url: "http://192.0.2.7/hooks",
          event_types: ["x.pledge.signed"]
        })
        await pool.query("CREATE TABLE signed (event_id text PRIMARY KEY)")
        const seen: Array<string> = []
        await almoner.events.subscribe({ name: "own", types: ["x.pledge.signed"] }, async ({ id }) => seen.push(id))
        const client = await pool.connect()
        await client.query("BEGIN")
        const inside = almoner.within(client)
        const { id } = await inside.events.emit(caller, { type: "x.pledge.signed", data: pledge })
        await client.query("INSERT INTO signed VALUES ($1)", [id])
        // A refusal leaves the transaction usable.
        await refusalOf(inside.as(caller).events.emit({ type: "x.pledge.signed", data: { id: "a", amount_cents: -1 } }))
        await inside.keyed("again").events.emit(caller, { type: "x.pledge.signed", data: pledge })
        await inside.keyed("again").events.emit(caller, { type: "x.pledge.signed", data: pledge })
        assert.strictEqual(await almoner.consume(), 0)
        await client.query(ending)
        client.release()
        const expected = ending === "COMMIT" ? 2 : 0
        assert.lengthOf((await almoner.events.list(caller, { type: "x.pledge.signed" })).data, expected)
        assert.strictEqual(await almoner.consume(), expected)
        assert.lengthOf(seen, expected)
        assert.strictEqual(await almoner.dispatch(), expected)
        const { rows } = await pool.query("SELECT event_id FROM signed")
        assert.lengthOf(rows, ending === "COMMIT" ? 1 : 0)
      })
    })
  )
})

describe("who may emit, and what", () => {
  it("needs WRITE scope, and is told of the field at fault", async () => {
    await using almoner = await Almoner.open({ backend: memory(), events, ...quiet })
    const caller = await callerOf(almoner)
    const reader = await callerOf(almoner, "READ")
    const emit = (type: string, data: unknown, by = caller) =>
      refusalOf(almoner.events.emit(by, { type, data } as never))
    assert.deepInclude(await emit("x.pledge.signed", pledge, reader), { _tag: "Forbidden", operation: "events.emit" })
    assert.deepInclude(await emit("x.slow", { no: 1 }), { _tag: "InvalidInput", param: "data.ok" })
    assert.deepInclude(await emit("x.tour.booked", { day: 7 }), { _tag: "InvalidInput", param: "data.day" })
    assert.deepInclude(await emit("x.pledge.signed", { ...pledge, id: "a".repeat(256) }), { param: "data.id" })
    assert.deepInclude(await emit("donor.created", pledge), { _tag: "InvalidInput", param: "type" })
    assert.deepInclude(await emit("x.pledge.signed", [pledge]), { _tag: "MalformedInput" })
    assert.deepInclude(await emit("x.tour.booked", { day: "a", stops: [1, "\u0000"] }), { param: "data.stops[1]" })
    const note = "a".repeat(Limits.hostEventBytes)
    assert.deepInclude(await emit("x.pledge.signed", { ...pledge, note }), { _tag: "InvalidInput", param: "data" })
    for (const refusal of [
      await emit("x.slow", { no: 1 }),
      await emit("x.other", {}),
      await emit("x.tour.booked", {})
    ]) {
      assert.isNull(broken(refusal.message), refusal.message)
    }
    assert.lengthOf((await almoner.events.list(caller)).data, 0)
  })

  it("stores what the schema gives, and nothing that it leaves out", async () => {
    await using almoner = await Almoner.open({ backend: memory(), events, ...quiet })
    const caller = await callerOf(almoner)
    const more = { ...pledge, card_number: "4111" }
    const { data } = await almoner.events.emit(caller, { type: "x.pledge.signed", data: more })
    assert.notProperty(data, "card_number")
    const at = new Date(0).toISOString()
    const tour = await almoner.events.emit(caller, { type: "x.tour.booked", data: { day: "Monday", at } })
    assert.deepStrictEqual(tour.data, { day: "Monday", at })
  })

  it.effect("is a use case for programs of Effect, checked as all are", () =>
    Effect.gen(function* () {
      const library = yield* Events.Events
      const refused = yield* Effect.flip(
        library.emit({ type: "x.pledge.signed", data: { ...pledge, at: new Date(0) } })
      )
      assert.deepInclude(refused, { _tag: "InvalidInput", param: "data.at" })
      assert.propertyVal(yield* Effect.flip(library.emit({ type: "x.Pledge", data: {} })), "param", "type")
      const emitted = yield* library.emit({ type: "x.pledge.signed", data: pledge })
      assert.deepStrictEqual(emitted.data, { ...pledge, note: "none" })
      assert.deepStrictEqual(yield* library.read(emitted.id), emitted)
    }).pipe(
      Effect.provideServiceEffect(
        CurrentCaller,
        Effect.gen(function* () {
          const organisations = yield* Organisations.Organisations
          const input = { ...charity, plan: "FREE", sandbox_webhook_cidrs: [] } as const
          const operator = { actor: { type: "SYSTEM", id: "test" }, request_id: "r" } as const
          const { sandbox } = yield* organisations.create(input, operator)
          return { organisation: sandbox, actor: { type: "USER", id: "ada" }, scope: "WRITE", request_id: "r" } as const
        })
      ),
      Effect.provide(Almoner.layer({ backend: memory(), events, ...quiet }))
    )
  )
})

const anything = z.looseObject({})

/** Names of the form that the decision says, by a grammar of their own. */
const segment = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/)
const soundName = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => ["x", ...parts].join("."))
const anyName = fc.oneof(
  soundName,
  soundName.map((name) => name.toUpperCase()),
  soundName.map((name) => `${name}.`),
  soundName.map((name) => name.replace("x.", "")),
  soundName.map((name) => name.replace(".", "..")),
  soundName.map((name) => name + "a".repeat(100)),
  fc.string()
)

/** Whether a name has the form, read letter by letter. */
const hasForm = (name: string): boolean => {
  const [first, ...parts] = name.split(".")
  if (first !== "x" || parts.length === 0 || name.length > 100) return false
  const letters = "abcdefghijklmnopqrstuvwxyz"
  return parts.every(
    (part) =>
      letters.includes(part.charAt(0)) && part !== "" && [...part].every((c) => `${letters}0123456789_`.includes(c))
  )
}

describe("a declaration", () => {
  it("opens exactly where each name has the form, and only what it declares is emitted and subscribed to", () =>
    forEveryAsyncWith(
      { numRuns: 40 },
      fc.uniqueArray(anyName, { maxLength: 4 }),
      fc.array(anyName, { maxLength: 4 }),
      async (own, more) => {
        const declared = Object.fromEntries(own.filter((name) => name !== "__proto__").map((name) => [name, anything]))
        const names = Object.keys(declared)
        const opening = Almoner.open({
          backend: memory(),
          events: declared as never,
          operatorCidrs: ["192.0.2.0/24"],
          ...quiet
        })
        if (!names.every(hasForm)) {
          const refusal = await refusalOf(opening)
          assert.instanceOf(refusal, InvalidOption)
          assert.propertyVal(refusal, "option", "events")
          return
        }
        await using almoner = await opening
        const caller = await callerOf(almoner)
        for (const type of [...names, ...more]) {
          const emitted = await almoner.events.emit(caller, { type, data: { id: "a" } } as never).outcome()
          assert.strictEqual(emitted.ok, names.includes(type), type)
          const url = "http://192.0.2.7/hooks"
          const made = await almoner.webhookEndpoints.create(caller, { url, event_types: [type as never] }).outcome()
          const isKnown = names.includes(type) || eventTypes.some((each) => each === type)
          assert.strictEqual(made.ok, isKnown, type)
          if (!type.includes(","))
            assert.strictEqual((await almoner.events.list(caller, { type: type as never }).outcome()).ok, isKnown, type)
        }
      }
    ))

  it("is refused at open, with a sentence, where it cannot be used", async () => {
    const many = Object.fromEntries(Array.from({ length: Limits.hostEventTypes + 1 }, (_, n) => [`x.t${n}`, anything]))
    for (const [given, named] of [
      [[], /must be an object/],
      ["x.pledge", /must be an object/],
      [{ "x.pledge": undefined }, /x\.pledge/],
      [{ "x.pledge": {} }, /x\.pledge/],
      [{ "x.pledge": { "~standard": {} } }, /x\.pledge/],
      [{ "x.pledge": (value: unknown) => value }, /x\.pledge/],
      [{ "pledge.signed": anything }, /"pledge\.signed"/],
      [{ "donor.created": anything }, /"donor\.created"/],
      [{ "x.Pledge": anything }, /"x\.Pledge"/],
      [many, /101/]
    ] as const) {
      const refusal = await refusalOf(Almoner.open({ backend: memory(), events: given as never, ...quiet }))
      assert.instanceOf(refusal, InvalidOption)
      assert.match(refusal.message, named)
      assert.isNull(broken(refusal.message), refusal.message)
    }
    const { "x.t100": _, ...most } = many
    await (await Almoner.open({ backend: memory(), events: most as never, ...quiet })).close()
  })
})
