import { assert } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as TestProcessor from "../../src/adapters/processors/test/TestProcessor.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { type ChargeContext, IntegrationStore, PaymentProcessors } from "../../src/ports.ts"
import { chargeOf } from "../../src/testing/conformance/ProcessorDriver.ts"
import { withLayer } from "../support/Steps.ts"
import { almoner, json, newAccount, world } from "./CommandWorld.ts"

const zone = ["--timezone", "Australia/Sydney", "--default-currency", "NZD"]

/** A sandbox with an account at the test processor. */
const open = Effect.fnUntraced(function* (slug: string) {
  yield* json("organisation", "create", "--slug", slug, "--name", slug, ...zone)
  const sandbox = `${slug}-sandbox`
  const { id } = yield* newAccount(["--organisation", sandbox], "a")
  const organisation = yield* Organisations.use((organisations) => organisations.findBySlug(sandbox))
  const integration = Option.getOrThrow(yield* (yield* IntegrationStore).find(organisation.id, id))
  const processor = Option.getOrThrow((yield* PaymentProcessors).find("test"))
  const by = (...args: ReadonlyArray<string>) => ["test-processor", ...args, "--organisation", sandbox]
  const move = (...args: ReadonlyArray<string>) => json(...by(...args))
  const refused = (...args: ReadonlyArray<string>) => Effect.map(almoner(...by(...args)), ({ failure }) => failure)

  /** A charge that its donor pays with this. */
  const pay = Effect.fnUntraced(function* (method: "card" | "payto", token: string) {
    const charging: ChargeContext = {
      integration,
      charge: yield* chargeOf(integration, { method, amount_cents: 10_000 })
    }
    yield* processor.begin(charging)
    yield* processor.confirm(charging, token)
    return charging
  })

  return { sandbox, integration, processor, move, refused, pay }
})

const statuses = (parts: ReadonlyArray<{ readonly amount_cents: number; readonly status: string }>) =>
  parts.map(({ amount_cents, status }) => `${amount_cents} ${status}`)

withLayer(Layer.provideMerge(TestProcessor.layer, world))("the test processor on the command line", ({ effect }) => {
  effect("is moved by hand, and what it then says is what was done", function* () {
    const { move, pay, processor, sandbox } = yield* open("riverside")
    const charging = yield* pay("payto", "waits@example.com")
    const { id } = charging.charge
    const waiting = yield* move("list", "--charge", id)
    assert.deepInclude(waiting.data[0], { charge_id: id, status: "waiting", payment_token: "waits@example.com" })
    assert.notProperty(waiting.data[0], "idempotency_key")
    assert.strictEqual((yield* move("approve", id)).status, "processing")
    assert.strictEqual((yield* move("settle", id)).status, "succeeded")
    assert.strictEqual((yield* processor.fetchCharge(charging)).status, "succeeded")
    assert.deepStrictEqual(statuses((yield* move("refund", id, "--amount-cents", "3000")).refunds), ["3000 succeeded"])
    assert.deepStrictEqual(statuses((yield* move("fail-refund", id)).refunds), ["3000 failed"])
    assert.deepStrictEqual(statuses((yield* move("dispute", id)).disputes), ["10000 lost"])
    assert.deepStrictEqual(statuses((yield* move("win-dispute", id)).disputes), ["10000 won"])

    const card = yield* pay("card", "4242424242424242")
    assert.deepStrictEqual(statuses((yield* move("dispute", card.charge.id, "--amount-cents", "1")).disputes), [
      "1 open"
    ])
    assert.deepStrictEqual(statuses((yield* move("lose-dispute", card.charge.id)).disputes), ["1 lost"])
    const secured = yield* pay("card", "4000002760003184")
    const { failure_code, status } = yield* move("decline", secured.charge.id)
    assert.deepStrictEqual([status, failure_code], ["failed", "authentication_failed"])
    const slow = yield* pay("card", "4000000000009300")
    assert.strictEqual((yield* move("fail", slow.charge.id, "--code", "no_account")).failure_code, "no_account")

    const audit = yield* json("audit", "list", "--organisation", sandbox)
    const moved = audit.data.filter(({ operation }: Record<string, string>) => operation?.startsWith("test_processor."))
    assert.lengthOf(moved, 10)
  })

  effect("is disabled and out of reach, and comes back", function* () {
    const { integration, move, processor } = yield* open("lakeside")
    const charging: ChargeContext = { integration, charge: yield* chargeOf(integration) }
    assert.deepStrictEqual(yield* processor.fetchAccount(integration), { charges_enabled: true, currency: "NZD" })
    assert.deepStrictEqual(yield* move("set-account", integration.id), {
      integration_id: integration.id,
      charges_enabled: true,
      reach: "REACHED",
      notices: "ON_TIME",
      transfers: "ACCEPTED"
    })
    yield* move("set-account", integration.id, "--charges-enabled", "false")
    assert.isFalse((yield* processor.fetchAccount(integration)).charges_enabled)
    assert.strictEqual((yield* Effect.flip(processor.begin(charging)))._tag, "ProcessorRefused")
    yield* move("set-account", integration.id, "--reach", "ANSWER_LOST", "--charges-enabled", "true")
    assert.strictEqual((yield* Effect.flip(processor.begin(charging)))._tag, "ProcessorUnreachable")
    yield* move("set-account", integration.id, "--reach", "LOST")
    assert.strictEqual((yield* Effect.flip(processor.fetchCharge(charging)))._tag, "ProcessorUnreachable")
    yield* move("set-account", integration.id, "--reach", "REACHED")
    assert.strictEqual((yield* processor.fetchCharge(charging)).status, "created")
  })

  effect("says why it does not move", function* () {
    const { integration, pay, refused } = yield* open("seaside")
    const { charge } = yield* pay("card", "4242424242424242")
    assert.strictEqual(
      yield* refused("approve", charge.id),
      "Only a charge that is waiting can be approved; this one is succeeded."
    )
    assert.strictEqual(
      yield* refused("dispute", charge.id, "--amount-cents", "10001"),
      "The charge has 10000 left to dispute."
    )
    assert.strictEqual(yield* refused("lose-dispute", charge.id), "The charge has no dispute that could be lost.")
    const { id } = yield* chargeOf(integration)
    assert.strictEqual(yield* refused("settle", id), `There is no charge of the test processor ${id}.`)
    const live = yield* almoner("test-processor", "settle", charge.id, "--organisation", "seaside")
    assert.strictEqual(live.failure, "The test processor is for sandboxes, and seaside is live. Use seaside-sandbox.")
    const other = yield* open("riverbank")
    assert.strictEqual(
      yield* other.refused("settle", charge.id),
      `There is no charge of the test processor ${charge.id}.`
    )
    assert.strictEqual(
      yield* other.refused("set-account", integration.id),
      `There is no integration ${integration.id}.`
    )
  })
})
