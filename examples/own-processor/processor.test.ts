import { createHmac } from "node:crypto"
import { Almoner } from "almoner"
import { memory } from "almoner/memory"
import type { ChargeContext } from "almoner/ports"
import { Checks, Generators } from "almoner/testing"
import { Conformance } from "almoner/testing/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { HarbourPay } from "./HarbourPay.ts"
import { makeProcessor } from "./processor.ts"

const secret = "whsec_of_harbour_pay"

/** Harbour Pay's books, and what happens there without us. */
const driver = Effect.sync(() => {
  const service = new HarbourPay()
  const paymentOf = ({ charge }: ChargeContext) => service.payments.find(({ metadata }) => metadata === charge.id)
  const set = (charging: ChargeContext, state: "paid") =>
    Effect.sync(() => {
      const payment = paymentOf(charging)
      if (payment !== undefined) payment.state = state
    })
  let shops = 0
  return {
    processor: makeProcessor(service, secret),
    account: Effect.sync(() => {
      const [any] = fc.sample(Generators.integration, 1)
      if (any === undefined) throw new Error("no integration")
      return { ...any, processor: "harbour_pay", processor_connect_account_id: `shop_${++shops}`, is_own: false }
    }),
    tokens: { card: { succeeds: "ok", declined: { token: "no_funds", code: "no_funds" }, waits: "bank" } },
    taken: (charging: ChargeContext) =>
      Effect.sync(() => {
        const payment = paymentOf(charging)
        return payment?.state === "paid" ? payment.cents : 0
      }),
    paidBack: (charging: ChargeContext) =>
      Effect.sync(() => (paymentOf(charging)?.refunds ?? []).reduce((sum, { cents }) => sum + cents, 0)),
    approve: (charging: ChargeContext) => set(charging, "paid"),
    settle: (charging: ChargeContext) => set(charging, "paid"),
    withoutNotices: true as const,
    forgetKeys: () => Effect.sync(() => service.keys.clear()),
    lose: (account: { readonly processor_connect_account_id: string }, what: "requests" | "answers" | null) =>
      Effect.sync(() => {
        const { processor_connect_account_id: shop } = account
        if (what === null) service.lost.delete(shop)
        else service.lost.set(shop, what)
      })
  }
})

Conformance.paymentProcessor("Harbour Pay", { layer: Layer.effect(Checks.ProcessorUnderTest, driver) })

test("a gift by card, its refund, and a webhook", async () => {
  const service = new HarbourPay()
  const almoner = await Almoner.open({
    backend: memory(),
    processors: { harbour_pay: makeProcessor(service, secret) }
  })
  const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }
  const { sandbox } = await almoner.organisations.create(charity)
  const caller = await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" })
  const ada = almoner.as(caller)
  const account = await almoner.integrations.create(caller, {
    label: "Main",
    processor: "harbour_pay",
    processor_connect_account_id: "shop_riverside"
  })
  const form = await ada.forms.create({ name: "Spring", status: "ACTIVE" })
  const given = await almoner.checkouts.submit({
    organisation: sandbox.slug,
    slug: form.slug,
    request_id: "req_spring",
    submission_id: "9d3b4ce6-5f0c-4f5b-9d3f-0a8f1f1a2b3c",
    amount_cents: 50_00,
    currency: "AUD",
    method: "card",
    payment_token: "ok",
    donor: { first_name: "Mary", last_name: "Wren", email: "mary@example.org" }
  })
  expect(given.status).toBe("SUCCEEDED")
  expect(service.payments).toMatchObject([{ shop: "shop_riverside", cents: 50_00, state: "paid" }])

  const [gift] = (await ada.donations.list()).data
  if (gift === undefined) throw new Error("there is no gift")
  await ada.donations.refund(gift.id, { amount_cents: 20_00 })
  await almoner.settle()
  expect(service.payments[0]?.refunds).toMatchObject([{ cents: 20_00 }])

  const body = JSON.stringify({ id: "ev_1", type: "payment.refunded", payment: service.payments[0]?.id })
  const seconds = Math.floor(Date.now() / 1_000)
  const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
  const told = (signature: string) =>
    almoner
      .receiveNotice({
        integration_id: account.id,
        headers: { "harbour-signature": signature },
        body: Buffer.from(body)
      })
      .outcome()
  expect([(await told(`${seconds},${mac}`)).ok, (await told(`${seconds},00`)).ok]).toEqual([true, false])
  await almoner.close()
})
