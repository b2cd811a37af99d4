import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { NoticeRefused, PaymentProcessors, ProcessorUnreachable } from "../../src/ports.ts"
import { stripe } from "../../src/stripe.ts"
import { fieldsOf } from "../support/Answer.ts"
import { openStripeDouble } from "../support/stripe/StripeDouble.ts"
import { callerIn, submissionTo } from "./Charity.ts"

/** A host with a sandbox that takes gifts. */
const opened = async (options: Partial<Parameters<typeof Almoner.open>[0]> = {}) => {
  const almoner = await Almoner.open({ backend: memory(), ...options })
  return { almoner, caller: await callerIn(almoner, { slug: "harbour" }) }
}

describe("a gift through a host", () => {
  it("is taken at Stripe, and neither its keys nor its donors are in what is logged", async () => {
    const double = await openStripeDouble()
    const lines: Array<string> = []
    const { almoner, caller } = await opened({
      stripe: stripe({ test: { secretKey: "sk_test_canary", publishableKey: "pk_test_1" }, baseUrl: double.url }),
      logger: (line) => lines.push(JSON.stringify(line))
    })
    const integration = { label: "Main", processor_connect_account_id: "acct_1", processor: "stripe" } as const
    await almoner.integrations.create(caller, { ...integration, is_default: true })
    await almoner.forms.create(caller, { name: "Appeal", status: "ACTIVE" })
    const page = await almoner.checkouts.open({ organisation: "harbour-sandbox", slug: "appeal" })
    assert.deepInclude(page, { processor: "stripe", processor_key: "pk_test_1", closed: null })
    const donor = { email: "ada.canary@example.org" }
    const submit = (payment_token: string) =>
      almoner.checkouts.submit(submissionTo("harbour-sandbox", { donor, payment_token }))
    const paid = await submit("pm_card_visa")
    assert.strictEqual(paid.status, "SUCCEEDED")
    const declined = await submit("pm_card_visa_chargeDeclined")
    assert.deepStrictEqual([declined.status, declined.failure_code], ["FAILED", "generic_decline"])
    const waiting = await submit("pm_card_authenticationRequired")
    assert.deepStrictEqual([waiting.status, waiting.next_step?._tag], ["WAITING", "Component"])
    double.lose("answers")
    assert.include(["NEW", "WAITING"], (await submit("pm_card_visa")).status)
    double.lose(null)
    const id = paid.donation_id ?? assert.fail()
    assert.strictEqual((await almoner.donations.refund(caller, id, { amount_cents: 1_000 })).refund.status, "PENDING")
    await almoner.settle()
    const { data } = await almoner.refunds.list(caller)
    assert.deepStrictEqual(fieldsOf(data, "status"), ["SUCCEEDED"])
    for (const { faults } of (await almoner.ledger.check()).data) assert.deepStrictEqual(faults, [])
    const said = [...lines, ...double.requests.map(({ body, path }) => `${path} ${body}`)].join("\n")
    for (const canary of ["sk_test_canary", "ada.canary", "Ada"]) assert.notInclude(said, canary)
    await almoner.close()
    await double.close()
  })

  it("is taken at the host's own processor", async () => {
    const asked: Array<string> = []
    const silent = Effect.fail(new ProcessorUnreachable({ reason: "test" }))
    const { almoner, caller } = await opened({
      adapters: {
        PaymentProcessors: PaymentProcessors.of({
          find: (name) => {
            asked.push(name)
            return Option.some({
              capabilities: { methods: ["card"], refunds: true, confirms: true, statements: false },
              begin: () => silent,
              confirm: () => silent,
              cancel: () => silent,
              fetchCharge: () => silent,
              nextStep: () => silent,
              refund: () => silent,
              fetchAccount: () => Effect.succeed({ charges_enabled: true, currency: "AUD" }),
              pageKey: () => Effect.succeedNone,
              verifyNotice: () => Effect.fail(new NoticeRefused({})),
              noticesSince: () => silent,
              listCreated: () => silent,
              movements: () => silent
            })
          }
        })
      }
    })
    await almoner.integrations.create(caller, {
      label: "Main",
      processor_connect_account_id: "acct_1",
      processor: "stripe"
    })
    await almoner.forms.create(caller, { name: "Appeal", status: "ACTIVE" })
    const page = await almoner.checkouts.open({ organisation: "harbour-sandbox", slug: "appeal" })
    assert.deepInclude(page, { processor: "stripe", closed: null })
    assert.deepStrictEqual(page.methods, ["card"])
    assert.include(asked, "stripe")
    await almoner.close()
  })
})
