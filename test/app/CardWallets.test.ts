import { afterEach, assert, beforeEach, it } from "@effect/vitest"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { type GivingSandbox, makeGivingSandbox } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import type { Service } from "../support/Service.ts"
import { times } from "../support/ServiceSuite.ts"
import { describeAtStripe } from "../support/stripe/AtStripe.ts"
import type { StripeDouble } from "../support/stripe/StripeDouble.ts"

const account = { processor: "stripe", processor_connect_account_id: "acct_own" } as const

describeAtStripe("cards in wallets, where cards are closed", (at) => {
  let double: StripeDouble
  let service: Service
  let giving: GivingSandbox
  let tried = 0

  const give = (payment_token: string, given: FieldsOf<Submission> = {}) => {
    const donor = { email: `d${++tried}@example.org`, first_name: "Di", last_name: "Lee" }
    return giving.attempt({ donor, payment_token, ...given })
  }

  const pageNow = () => {
    const { form, tenant } = giving
    return service.run(Checkouts.use(({ open }) => open({ organisation: tenant.organisation.slug, slug: form.slug })))
  }

  const looks = () => double.requests.filter(({ path }) => path.includes("confirmation_tokens")).length

  beforeEach(async () => {
    ;({ double, service } = at())
    service.pace = 0
    giving = await makeGivingSandbox(service, {}, account)
    assert.isFalse((await pageNow()).card_wallets)
    await times(40, () => give("pm_card_visa_chargeDeclined"))
    assert.deepInclude(await pageNow(), { cards_closed: true, card_wallets: true, closed: null })
  })
  afterEach(() => giving.balanced())

  it("are taken, and no other card is that a page says to be in one", async () => {
    const before = double.intents.size
    const plain = [
      ...["ctoken_card", "ctoken_card_declined", "ctoken_link", "pm_card_visa", "pm_apple_pay", "apple_pay"],
      ...[
        "ctoken_apple_pay_of_nobody",
        "ctoken_debit",
        "ctoken_apple_pay?expand[]=x",
        "ctoken_/../ctoken_apple_pay",
        ""
      ]
    ]
    for (const token of plain) assert.match(await give(token), /^InvalidInput (method|payment_token)$/u, token)
    assert.strictEqual(double.intents.size, before)
    assert.strictEqual(await give("ctoken_apple_pay"), "SUCCEEDED")
    assert.strictEqual(await give("ctoken_google_pay"), "SUCCEEDED")
    assert.strictEqual(await give("ctoken_debit", { method: "au_becs_debit" }), "PROCESSING")
    // Those that were taken open nothing for others.
    assert.strictEqual(await give("ctoken_card"), "InvalidInput method")
  })

  it("are closed as well once they are declined, and Stripe is asked no more of them", async () => {
    const outcomes: Array<string> = []
    for (let each = 0; each < 12; each++) outcomes.push(await give("ctoken_apple_pay_declined"))
    assert.lengthOf(
      outcomes.filter((outcome) => outcome === "FAILED"),
      Limits.cardCreditWallets
    )
    const asked = looks()
    assert.strictEqual(await give("ctoken_apple_pay"), "InvalidInput method")
    assert.strictEqual(looks(), asked)
    assert.isFalse((await pageNow()).card_wallets)
  })

  it("are looked at some at a time, so that whoever tries cards does not have Stripe asked without end", async () => {
    const asked = looks()
    const outcomes = await times(60, () => give("ctoken_card"))
    assert.isAtMost(looks() - asked, Limits.walletLooksBurst + 5)
    assert.deepStrictEqual(new Set(outcomes), new Set(["InvalidInput method", "GuardRefused"]))
  })

  it("have to wait where Stripe does not answer, and are tried on no guess", async () => {
    const before = double.intents.size
    double.lose("answers")
    const outcome = await give("ctoken_apple_pay")
    double.lose(null)
    assert.strictEqual(outcome, "GuardRefused")
    assert.strictEqual(double.intents.size, before)
    assert.strictEqual(await give("ctoken_apple_pay"), "SUCCEEDED")
  })
})
