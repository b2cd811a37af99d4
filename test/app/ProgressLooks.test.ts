import { assert, beforeEach, it } from "@effect/vitest"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { type GivingSandbox, makeGivingSandbox } from "../support/GivingSandbox.ts"
import type { Service } from "../support/Service.ts"
import { times } from "../support/ServiceSuite.ts"
import { describeAtStripe } from "../support/stripe/AtStripe.ts"
import type { StripeDouble } from "../support/stripe/StripeDouble.ts"

const account = { processor: "stripe", processor_connect_account_id: "acct_own" } as const

describeAtStripe("the page of a payment whose donor comes back from the bank", (at) => {
  let double: StripeDouble
  let service: Service
  let giving: GivingSandbox

  beforeEach(async () => {
    ;({ double, service } = at())
    giving = await makeGivingSandbox(service, {}, account)
  })

  const look = (token: string) => service.run(Checkouts.use(({ progress }) => progress(token)))
  const waiting = () => giving.submit({ payment_token: "pm_card_authenticationRequired" })

  it("has the outcome as soon as the processor has it, without a notice", async () => {
    const submitted = await waiting()
    assert.strictEqual((await look(submitted.progress_token)).status, "WAITING")
    double.approve((await giving.chargeOf(submitted)).id)
    const page = await look(submitted.progress_token)
    assert.deepInclude(page, { status: "SUCCEEDED", next_step: null, receipt_email: "a…@example.org" })
    assert.strictEqual((await giving.giftOf(submitted)).status, "CONFIRMED")
    await giving.balanced()
  })

  it("asks some times at most, leaves the worker's plan alone, and counts a gift once, however many look at once", async () => {
    const submitted = await waiting()
    const before = await giving.chargeOf(submitted)
    const asked = double.requests.length
    await times(100, () => look(submitted.progress_token))
    const looks = double.requests.length - asked
    // Each page asks for the next step, too.
    assert.isAtMost(looks, 100 + Limits.progressLooksBurst + 1)
    const after = await giving.chargeOf(submitted)
    assert.deepStrictEqual([after.look_at, after.looks], [before.look_at, before.looks])
    service.clock.advance(60_000)
    double.approve(before.id)
    const pages = await times(20, () => look(submitted.progress_token))
    assert.isTrue(pages.some(({ status }) => status === "SUCCEEDED"))
    assert.strictEqual((await look(submitted.progress_token)).status, "SUCCEEDED")
    assert.strictEqual(double.taken(before.id), 5_000)
    const types = await giving.eventsOf(submitted)
    assert.lengthOf(
      types.filter((type) => type === "donation.succeeded"),
      1
    )
    await giving.balanced()
  })

  it("shows what is known here where the processor does not answer", async () => {
    const submitted = await waiting()
    double.lose("answers")
    assert.strictEqual((await look(submitted.progress_token)).status, "WAITING")
    double.lose(null)
  })
})
