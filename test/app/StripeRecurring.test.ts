import { assert, beforeEach, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Renewer } from "../../src/app/payments/Renewer.ts"
import { SubscriptionId } from "../../src/domain/kernel/Ids.ts"
import type { Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { MandateStore, SubscriptionStore } from "../../src/ports.ts"
import { type GivingSandbox, makeGivingSandbox } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { type Service, start } from "../support/Service.ts"
import { describeAtStripe } from "../support/stripe/AtStripe.ts"
import type { StripeDouble } from "../support/stripe/StripeDouble.ts"
import { eventsOf } from "../support/Tenant.ts"

describeAtStripe("a gift that is repeated at Stripe", (at) => {
  let double: StripeDouble
  let service: Service
  let giving: GivingSandbox
  let hear: () => Promise<void>

  beforeEach(async () => {
    ;({ double, hear, service } = at())
    service.clock.now = start
    giving = await makeGivingSandbox(
      service,
      { recurring_frequencies: ["MONTHLY"] },
      { processor: "stripe", processor_connect_account_id: "acct_1" }
    )
  })

  const give = (payment_token: string, more: FieldsOf<Submission> = {}) =>
    giving.submit({ frequency: "MONTHLY", payment_token, ...more })

  /** The recurring gift and its mandate. */
  const stored = ({ subscription_id }: SubmittedCheckout) =>
    service.run(
      Effect.gen(function* () {
        const { id } = giving.tenant.organisation
        const found = yield* SubscriptionStore.use((store) =>
          store.find(id, SubscriptionId.make(subscription_id ?? assert.fail("gives once")))
        )
        const subscription = Option.getOrThrow(found)
        const mandate = yield* MandateStore.use((store) => store.find(id, subscription.mandate_id))
        return { ...subscription, mandate: Option.getOrThrow(mandate) }
      })
    )

  /** The worker renews at noon of a day in Sydney. */
  const renewOn = async (day: string) => {
    service.clock.now = Date.parse(`${day}T02:00:00Z`)
    await service.run(renewNow(giving.tenant.organisation.id))
    await giving.settle()
  }

  const told = async ({ subscription_id }: SubmittedCheckout) =>
    (await eventsOf(giving.tenant))
      .filter(({ data }) => [data["id"], data["subscription_id"]].includes(subscription_id))
      .map(({ type }) => type)

  const takenInAll = async () => {
    const charges = await giving.charges()
    return charges.reduce((sum, { id }) => sum + double.taken(id), 0)
  }

  const first = ["subscription.created", "donation.created", "donation.succeeded"]
  const paid = ["donation.created", "donation.succeeded"]

  it("is taken by the card that the donor left, month by month, and left alone once staff have ended it", async () => {
    const gift = await give("pm_card_visa")
    assert.strictEqual(gift.status, "SUCCEEDED")
    const { mandate } = await stored(gift)
    assert.strictEqual(mandate.status, "ACTIVE")
    for (const day of ["2026-02-14", "2026-02-15", "2026-03-15"]) await renewOn(day)
    assert.deepStrictEqual(await told(gift), [...first, ...paid, ...paid])
    assert.strictEqual(await takenInAll(), 15_000)
    await giving.balanced()
    const ended = await giving.tenant.writer.post(`/subscriptions/${gift.subscription_id}/cancel`)
    assert.strictEqual(ended.status, 200, ended.text)
    await renewOn("2026-04-15")
    const after = await stored(gift)
    assert.deepStrictEqual([after.status, after.mandate.status], ["CANCELLED", "REVOKED"])
    assert.isTrue(double.requests.some(({ path }) => path === `/v1/payment_methods/${mandate.reference}/detach`))
    assert.strictEqual(await takenInAll(), 15_000)
  })

  it("is tried again when the card declines, and ends after the fourth time", async () => {
    const gift = await give("pm_card_chargeCustomerFail")
    await renewOn("2026-02-15")
    assert.strictEqual((await stored(gift)).status, "PAST_DUE")
    for (const day of ["2026-02-18", "2026-02-23", "2026-03-02"]) await renewOn(day)
    const { cancel_reason, status } = await stored(gift)
    assert.deepStrictEqual([status, cancel_reason], ["CANCELLED", "payment_failed"])
    assert.strictEqual(await takenInAll(), 5_000)
    assert.deepStrictEqual((await told(gift)).slice(first.length), [
      "donation.created",
      "donation.failed",
      "subscription.payment_failed",
      "subscription.cancelled"
    ])
    await giving.balanced()
  })

  it("is debited by the authority of the donor until the donor's bank ends it", async () => {
    const gift = await give("ctoken_debit", { method: "au_becs_debit" })
    assert.strictEqual((await stored(gift)).mandate.status, "PENDING")
    const [charge] = await giving.charges()
    double.settle(charge?.id ?? assert.fail())
    await giving.settle()
    const { mandate, status } = await stored(gift)
    assert.deepStrictEqual([status, mandate.status], ["ACTIVE", "ACTIVE"])
    await renewOn("2026-02-15")
    const renewal = (await giving.charges()).find(({ purpose }) => purpose === "invoice")
    assert.strictEqual(renewal?.status, "PROCESSING")
    double.settle(renewal?.id ?? assert.fail())
    await giving.settle()
    assert.strictEqual(await takenInAll(), 10_000)
    double.endMandate(mandate.reference ?? "")
    await renewOn("2026-03-15")
    const after = await stored(gift)
    assert.deepStrictEqual([after.status, after.cancel_reason], ["CANCELLED", null])
    assert.strictEqual(await takenInAll(), 10_000)
  })

  it.each([
    ["its card is taken off", "pm_card_visa", "card"],
    ["its debit is ended at the bank", "ctoken_debit", "au_becs_debit"],
    ["its agreement is ended or paused at the bank", "ctoken_payto", "payto"]
  ] as const)("ends at once when Stripe tells that %s", async (_, token, method) => {
    const gift = await give(token, { method })
    const [charge = assert.fail()] = await giving.charges()
    if (method !== "card") double.settle(charge.id)
    await giving.settle()
    const { mandate, status } = await stored(gift)
    assert.deepStrictEqual([status, mandate.status], ["ACTIVE", "ACTIVE"])
    const renewDue = () => service.run(Renewer.use((renewer) => renewer.renewDue))
    await renewDue()
    const asked = double.requests.length
    await renewDue()
    assert.strictEqual(double.requests.length, asked, "nothing is due")
    const reference = mandate.reference ?? assert.fail()
    if (method === "card") double.takeOff(reference)
    else double.endMandate(reference)
    for (const _again of [1, 2]) {
      await hear()
      await renewDue()
    }
    const after = await stored(gift)
    assert.deepStrictEqual([after.status, after.cancel_reason, after.mandate.status], ["CANCELLED", null, "REVOKED"])
    assert.strictEqual((await told(gift)).filter((type) => type === "subscription.cancelled").length, 1)
    assert.strictEqual(await takenInAll(), 5_000)
  })

  it("takes a month's money once, whatever becomes of answers", async () => {
    const gift = await give("pm_card_visa")
    double.lose("answers")
    await renewOn("2026-02-15")
    double.lose(null)
    for (const day of ["2026-02-16", "2026-02-17"]) await renewOn(day)
    assert.strictEqual(await takenInAll(), 10_000)
    assert.deepStrictEqual(await told(gift), [...first, ...paid])
    await giving.balanced()
  })
})
