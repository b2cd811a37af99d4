import { assert, describe } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Result, Scope } from "effect"
import { layerWith as addressesWith } from "../../src/adapters/webhooks/AddressGuard.ts"
import { type Resolve, resolveDns } from "../../src/adapters/webhooks/Resolver.ts"
import { layerWith, type TransportOptions } from "../../src/adapters/webhooks/Transport.ts"
import { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import type { AddressRules } from "../../src/domain/outbox/WebhookAddress.ts"
import { WebhookAddresses, type WebhookRequest, WebhookTransport } from "../../src/ports.ts"
import { type DnsServer, dnsServer } from "../support/DnsServer.ts"
import { live } from "../support/Steps.ts"
import { receiver, until } from "./Receivers.ts"

const loopback: AddressRules = { require_https: false, allowed_cidrs: ["127.0.0.0/8"] }
const nothingAllowed: AddressRules = { require_https: false, allowed_cidrs: [] }

const hangingTenant = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d")
const healthyTenant = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5e")

const transportOver = (resolve: Resolve, options: TransportOptions = {}) =>
  Effect.map(Layer.build(layerWith({ resolve, ...options })), (context) => Context.get(context, WebhookTransport))

const guardOver = (resolve: Resolve) =>
  Effect.map(Layer.build(addressesWith(resolve)), (context) => Context.get(context, WebhookAddresses))

const request = (url: string, changes: Partial<WebhookRequest> = {}): WebhookRequest => ({
  organisation_id: healthyTenant,
  url,
  headers: { "webhook-id": "dlv_1" },
  body: "{}",
  rules: loopback,
  begun_millis: Number(process.hrtime.bigint()) / 1_000_000,
  ...changes
})

const world = Effect.gen(function* () {
  const server = yield* dnsServer
  const resolve = resolveDns({ servers: [server.address], hostsFile: "/nowhere/hosts" })
  const hanging = Array.from({ length: 50 }, (_, index) => `hangs-${index}.example`)
  for (const name of hanging) server.say(name, "silent")
  const { port } = yield* receiver((_incoming, response) => response.end())
  return { server, resolve, hanging, port }
})

const namesAsked = ({ questions }: DnsServer) => new Set(questions.map((question) => question.split(" ")[1])).size

const isRunning = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() === undefined

describe("while fifty names of one organisation hang", () => {
  live("another's deliveries are made, each to a name of its own", function* () {
    const { hanging, port, resolve, server } = yield* world
    const { post } = yield* transportOver(resolve)
    const held = yield* Effect.forEach(hanging, (name) =>
      Effect.forkChild(post(request(`http://${name}:${port}/`, { organisation_id: hangingTenant })))
    )
    yield* until(() => namesAsked(server) === Limits.webhookLookups)
    const healthy = Array.from({ length: 60 }, (_, index) => `healthy-${index}.example`)
    for (const name of healthy) server.say(name, { addresses: ["127.0.0.1"] })
    const outcomes = yield* Effect.forEach(healthy, (name) => post(request(`http://${name}:${port}/`)), {
      concurrency: "unbounded"
    })
    for (const outcome of outcomes) assert.deepInclude(outcome, { response_status: 200, error: null })
    assert.isTrue(held.every(isRunning), "a hanging name has ended")
    assert.strictEqual(namesAsked(server), Limits.webhookLookups + healthy.length)
    yield* Fiber.interruptAll(held)
  })

  live("another's endpoints are saved, and its own are when the names are deliveries'", function* () {
    const { hanging, port, resolve, server } = yield* world
    const { post } = yield* transportOver(resolve)
    const { vet } = yield* guardOver(resolve)
    server.say("healthy.example", { addresses: ["127.0.0.1"] })
    const deliveries = yield* Effect.forEach(hanging, (name) =>
      Effect.forkChild(post(request(`http://${name}:${port}/`, { organisation_id: hangingTenant })))
    )
    yield* until(() => namesAsked(server) === Limits.webhookLookups)
    yield* vet("http://healthy.example/", loopback, hangingTenant)
    const saves = yield* Effect.forEach(hanging, (name) =>
      Effect.forkChild(vet(`http://${name}/`, loopback, hangingTenant))
    )
    yield* vet("http://healthy.example/", loopback, healthyTenant)
    assert.isTrue([...deliveries, ...saves].every(isRunning))
    yield* Fiber.interruptAll([...deliveries, ...saves])
  })

  live(
    "each exchange ends at its own deadline, those that wait for a look-up too, and gives its place back",
    function* () {
      const { hanging, port, resolve, server } = yield* world
      const { post } = yield* transportOver(resolve, { timeoutMillis: 2_000 })
      server.say("healthy.example", { addresses: ["127.0.0.1"] })
      const outcomes = yield* Effect.forEach(hanging, (name) => post(request(`http://${name}:${port}/`)), {
        concurrency: "unbounded"
      })
      for (const outcome of outcomes) assert.deepInclude(outcome, { response_status: null, error: "timeout" })
      const healthy = yield* post(request(`http://healthy.example:${port}/`))
      assert.deepInclude(healthy, { response_status: 200, error: null })
    }
  )

  live("closing the transport and the guard waits for none of them", function* () {
    const { hanging, port, resolve, server } = yield* world
    const scope = yield* Scope.make()
    const { post } = yield* transportOver(resolve).pipe(Scope.provide(scope))
    const { vet } = yield* guardOver(resolve).pipe(Scope.provide(scope))
    const deliveries = yield* Effect.forEach(hanging, (name) =>
      Effect.forkChild(post(request(`http://${name}:${port}/`)))
    )
    yield* until(() => namesAsked(server) === Limits.webhookLookups)
    const saves = yield* Effect.forEach(hanging, (name) =>
      Effect.forkChild(Effect.result(vet(`http://${name}/`, loopback, healthyTenant)))
    )
    yield* Scope.close(scope, Exit.void)
    const asked = server.questions.length
    for (const fiber of deliveries) {
      assert.deepInclude(yield* Fiber.join(fiber), { response_status: null, error: "connection_failed" })
    }
    for (const fiber of saves) assert.isTrue(Result.isFailure(yield* Fiber.join(fiber)))
    assert.deepInclude(yield* post(request("http://hangs-0.example/")), { error: "connection_failed" })
    yield* Effect.sleep("2 seconds")
    assert.strictEqual(server.questions.length, asked, "a name was asked for after the end")
  })
})

describe("a name that hangs", () => {
  live("ends its exchange, and is not asked for again at once", function* () {
    const { resolve, server } = yield* world
    const { post } = yield* transportOver(resolve)
    const url = "http://hangs-0.example/"
    assert.deepInclude(yield* post(request(url)), { response_status: null, error: "dns_failed" })
    const asked = server.questions.length
    assert.deepInclude(yield* post(request(url)), { response_status: null, error: "dns_failed" })
    assert.strictEqual(server.questions.length, asked)
  })

  live("is refused at save as one that does not resolve, and as one that leads inside", function* () {
    const { resolve, server } = yield* world
    const { vet } = yield* guardOver(resolve)
    server.say("inside.example", { addresses: ["10.1.2.3"] })
    const reasonOf = (name: string) =>
      Effect.map(Effect.flip(vet(`http://${name}/`, nothingAllowed, healthyTenant)), ({ reason }) =>
        reason.replaceAll(name, "it")
      )
    const [hangs, unknown, inside] = yield* Effect.forEach(
      ["hangs-0.example", "unknown.example", "inside.example"],
      reasonOf,
      { concurrency: "unbounded" }
    )
    assert.strictEqual(hangs, unknown)
    assert.strictEqual(inside, unknown)
  })
})

describe("remembered addresses", () => {
  live("serve further exchanges, and are judged again by the rules of each", function* () {
    const { port, resolve, server } = yield* world
    const { post } = yield* transportOver(resolve)
    server.say("kept.example", { addresses: ["127.0.0.1"], ttl: 20 })
    const url = `http://kept.example:${port}/`
    const errors = []
    for (const rules of [loopback, nothingAllowed, loopback]) errors.push((yield* post(request(url, { rules }))).error)
    assert.deepStrictEqual(errors, [null, "dns_failed", null])
    assert.strictEqual(namesAsked(server), 1)
    assert.lengthOf(server.questions, 2)
  })
})
