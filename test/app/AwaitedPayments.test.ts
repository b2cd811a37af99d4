import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import {
  type PaymentProcessor,
  PaymentProcessors,
  ProcessorUnreachable
} from "../../src/ports/payments/PaymentProcessors.ts"
import { NoticeRefused } from "../../src/ports/payments/ProcessorNotices.ts"
import { assertRefused } from "../support/Answer.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, makeTenants } from "../support/Tenant.ts"

const silent = Effect.fail(new ProcessorUnreachable({ reason: "test" }))

/** A processor of bank transfers: they wait until the test has them arrive, or they are cancelled. */
const makeBank = () => {
  const arrived = new Set<string>()
  const cancelled = new Set<string>()
  const bank: PaymentProcessor = {
    capabilities: {
      methods: ["bank_transfer"],
      refunds: false,
      confirms: false,
      statements: false,
      maximum_cents: 900_000
    },
    begin: ({ charge }) => Effect.succeed({ reference: `ref ${charge.id}` }),
    confirm: () => Effect.void,
    cancel: ({ charge }) => Effect.sync(() => void (arrived.has(charge.id) || cancelled.add(charge.id))),
    fetchCharge: ({ charge: { amount_cents, currency, id, reference } }) =>
      Effect.sync(() => ({
        status: arrived.has(id) ? "succeeded" : cancelled.has(id) ? "cancelled" : "waiting",
        reference,
        amount_cents,
        currency,
        fee_cents: arrived.has(id) ? 0 : null,
        failure_code: null,
        refunds: [],
        disputes: []
      })),
    nextStep: ({ charge: { amount_cents, currency, reference } }) =>
      Effect.succeedSome({
        _tag: "BankTransfer" as const,
        account_name: "Riverside",
        bsb: "062-000",
        account_number: "12345678",
        reference: reference ?? "",
        amount_cents,
        currency
      }),
    refund: () => Effect.succeed({ reference: "none" }),
    fetchAccount: ({ settlement_currency }) => Effect.succeed({ charges_enabled: true, currency: settlement_currency }),
    pageKey: () => Effect.succeedNone,
    verifyNotice: () => Effect.fail(new NoticeRefused({})),
    noticesSince: () => silent,
    listCreated: () => silent,
    movements: () => silent
  }
  const layer = Layer.succeed(PaymentProcessors, { find: () => Option.some(bank) })
  return { arrived, layer }
}

const day = 24 * 3_600_000

describe.each(everyKind)("a bank transfer over %s", (_name, stores) => {
  const bank = makeBank()
  const service = serviceOver({ stores, processors: bank.layer })
  const giving = anew(() => makeGivingSandbox(service))

  beforeEach(async () => {
    const { organisation } = giving.tenant
    const account = {
      label: "Bank",
      processor_connect_account_id: "acct_2",
      methods: ["bank_transfer"],
      is_default: true
    } as const
    await service.run(Integrations.use((all) => all.create(account)).pipe(asOperator(organisation)))
  })

  const transfer = { slug: null, method: "bank_transfer", payment_token: null } as const

  const newSet = async () => {
    const { sandbox } = await makeTenants(service, { name: "Food Bank" })
    const { passphrase } = await service.run(
      Integrations.use((all) => all.create({ label: "Main", processor_connect_account_id: "acct_9" })).pipe(
        asOperator(sandbox.organisation)
      )
    )
    const { writer } = giving.tenant
    const linked = await writer.post("/recipient-accounts", { passphrase })
    const allocations = [{ recipient_org_account_link_id: linked.textAt("id"), amount_cents: 4_000 }]
    const set = await writer.post("/recommendation-sets", { name: "Harvest", amount_mode: "SUGGESTED", allocations })
    assert.strictEqual(set.status, 201, set.text)
    const [{ id } = assert.fail()] = set.at("allocations") as NonNullable<Submission["allocations"]>
    const given: Partial<Submission> = {
      ...transfer,
      url_key: set.textAt("url_key"),
      amount_cents: 4_000,
      allocations: [{ id, amount_cents: 4_000 }]
    }
    return { id: set.textAt("id"), given }
  }

  const payments = async (set: string) => {
    const page = await giving.tenant.reader.get(`/recommendation-sets/${set}/payments`)
    return (page.at("data") as ReadonlyArray<Record<string, unknown>>).map((each) => each["payment_status"])
  }

  const told = async () => {
    const page = await giving.tenant.reader.get("/events?limit=100")
    return (page.at("data") as ReadonlyArray<{ type: string; data: Record<string, unknown> }>)
      .filter(({ type }) => type.startsWith("recommendation_set.payment"))
      .map(({ data, type }) => `${type} ${data["payment_status"]} ${data["failure_code"]}`)
  }

  it("to a set awaits its funds, and arrives", async () => {
    const set = await newSet()
    const waiting = await giving.submit(set.given)
    assert.strictEqual(waiting.status, "WAITING")
    assert.deepInclude(waiting.next_step, { _tag: "BankTransfer", amount_cents: 4_000 })
    assert.deepStrictEqual(await payments(set.id), ["AWAITING_FUNDS"])
    const summary = await giving.tenant.reader.get(`/recommendation-sets/${set.id}`)
    assert.strictEqual(summary.at("payment_summary.in_flight_count"), 1)
    bank.arrived.add((await giving.chargeOf(waiting)).id)
    await giving.settle()
    assert.deepStrictEqual(await payments(set.id), ["SUCCEEDED"])
    assert.deepStrictEqual(await told(), ["recommendation_set.payment_succeeded SUCCEEDED null"])
  })

  it("to a set that never arrives lapses after two weeks", async () => {
    const set = await newSet()
    await giving.submit(set.given)
    service.clock.advance(14 * day)
    await giving.settle()
    assert.deepStrictEqual(await payments(set.id), ["AWAITING_FUNDS"])
    service.clock.advance(day + 60_000)
    await giving.settle()
    assert.deepStrictEqual(await payments(set.id), ["LAPSED"])
    assert.deepStrictEqual(await told(), ["recommendation_set.payment_failed LAPSED bank_transfer_lapsed"])
    assert.strictEqual((await giving.tenant.reader.get("/donors")).listAt("data").length, 0)
  })

  it("on a link keeps the link as it is, and leaves it free when it lapses", async () => {
    const { writer } = giving.tenant
    const link = await writer.post("/checkout-links", {
      donor_email: "bea@example.org",
      amount_cents: 7_000,
      payment_methods: ["bank_transfer"]
    })
    const path = `/checkout-links/${link.textAt("id")}`
    const waiting = await giving.submit({ ...transfer, code: link.textAt("code"), amount_cents: 7_000, donor: null })
    assert.strictEqual(waiting.status, "WAITING")
    for (const answer of [
      await writer.patch(path, { amount_cents: 1 }),
      await writer.post(`${path}/cancel`),
      await writer.delete(path)
    ]) {
      assertRefused(answer, "conflict")
    }
    service.clock.advance(15 * day + 60_000)
    await giving.settle()
    assert.deepInclude(await giving.giftOf(waiting), { status: "FAILED", failure_code: "bank_transfer_lapsed" })
    assert.strictEqual((await writer.patch(path, { amount_cents: 8_000 })).status, 200)
    assert.strictEqual((await writer.post(`${path}/cancel`)).status, 200)
  })

  it("is no larger than the processor takes at once", async () => {
    const given = { ...transfer, slug: giving.form.slug, amount_cents: 900_001 }
    const refused = await giving.submit(given).then(
      () => assert.fail("it was taken"),
      (failure: unknown) => Object(failure)
    )
    assert.strictEqual(refused.param, "amount_cents")
    assert.lengthOf(await giving.charges(), 0)
  })
})
