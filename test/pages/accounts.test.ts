import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { serve } from "../../src/http.ts"
import { Almoner, type Caller } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pages } from "../../src/pages.ts"
import type { PaymentProcessor } from "../../src/ports.ts"
import { stripe } from "../../src/stripe.ts"
import { charity } from "../facade/Charity.ts"
import { fieldsOf } from "../support/Answer.ts"
import { firstScreen, type VisitedPage, visitorOf } from "../support/PageVisitor.ts"
import { openStripeDouble } from "../support/stripe/StripeDouble.ts"

/** A processor that keeps cards for gifts that repeat, and takes cards by a field of its own, or on a page of its own. */
const cardsAt = (confirms: boolean): PaymentProcessor => ({
  capabilities: { methods: ["card"], refunds: false, confirms, statements: false },
  begin: ({ charge: { id } }) => Effect.succeed({ reference: id }),
  confirm: () => Effect.void,
  cancel: () => Effect.void,
  fetchCharge: ({ charge: { amount_cents, currency, id } }) =>
    Effect.succeed({
      ...{ status: "waiting" as const, reference: id, amount_cents, currency },
      ...{ fee_cents: null, failure_code: null, refunds: [], disputes: [] }
    }),
  nextStep: () => Effect.succeed(Option.some({ _tag: "Redirect", url: "https://cards.example/pay" })),
  refund: () => Effect.succeed({ reference: "none" }),
  fetchAccount: () => Effect.succeed({ charges_enabled: true, currency: "AUD" }),
  chargeMandate: () => Effect.void,
  fetchMandate: () => Effect.succeed("active"),
  revokeMandate: () => Effect.void,
  pageKey: () => Effect.succeedNone,
  verifyNotice: () => Effect.die("no notice is sent"),
  noticesSince: () => Effect.succeed({ notices: [], cursor: null, has_more: false }),
  listCreated: () => Effect.succeed({ data: [], next: null }),
  movements: () => Effect.succeed({ data: [], next: null })
})

const bank = {
  processor: "bank",
  bank_account: { account_name: "Riverside Fund", bsb: "062-000", account_number: "12345678" }
} as const

/** What becomes of a donor whose browser runs no script: the first page is closed, says so, or there is a way to the end. */
type Fate = "closed" | "says so" | "gives"

interface Kind {
  readonly accounts: ReadonlyArray<{ readonly processor: string; readonly methods?: ReadonlyArray<"au_becs_debit"> }>
  readonly once: Fate
  /** Of a gift that repeats; null where none is offered. */
  readonly monthly: Fate | null
  /** Of a set, where its accounts can share. */
  readonly set: Fate
}

const kinds: Readonly<Record<string, Kind>> = {
  "the test processor": { accounts: [{ processor: "test" }], once: "gives", monthly: "gives", set: "gives" },
  "a bank": { accounts: [bank], once: "gives", monthly: null, set: "gives" },
  Stripe: { accounts: [{ processor: "stripe" }], once: "says so", monthly: "says so", set: "says so" },
  "direct debits at Stripe": {
    accounts: [{ processor: "stripe", methods: ["au_becs_debit"] }],
    ...{ once: "says so", monthly: "says so", set: "says so" }
  },
  "Stripe and a bank": {
    accounts: [{ processor: "stripe" }, bank],
    ...{ once: "gives", monthly: "says so", set: "gives" }
  },
  "a processor whose field these pages have not": {
    accounts: [{ processor: "own_field" }],
    ...{ once: "closed", monthly: null, set: "closed" }
  },
  "such a processor and a bank": {
    accounts: [{ processor: "own_field" }, bank],
    ...{ once: "gives", monthly: null, set: "gives" }
  },
  "a processor with a page of its own": {
    accounts: [{ processor: "own_page" }],
    ...{ once: "gives", monthly: "gives", set: "gives" }
  },
  "such a processor with a page, and a bank": {
    accounts: [{ processor: "own_page" }, bank],
    ...{ once: "gives", monthly: "gives", set: "gives" }
  }
}

/** What only a browser that runs no scripts shows. */
const saidWithout = ({ html }: VisitedPage): string =>
  Array.from(html.matchAll(/<p class="off">([^<]*)</gu), ([, text = ""]) => text).join(" ")

/** The values of the buttons by which is given that such a browser shows. */
const waysOn = ({ html }: VisitedPage): ReadonlyArray<string> =>
  Array.from(html.matchAll(/<button type="submit" name="method" value="([a-z_]*)">/gu), ([, value = ""]) => value)

describe("what a page takes by the accounts of its organisation", () => {
  let almoner: Almoner
  let close: () => Promise<void>
  let visitAt: (organisation: string) => ReturnType<typeof visitorOf>

  beforeAll(async () => {
    const double = await openStripeDouble()
    const keysOf = (mode: string) => ({
      ...{ secretKey: `sk_${mode}_1`, publishableKey: `pk_${mode}_1`, noticeSecrets: ["whsec_1"] }
    })
    almoner = await Almoner.open({
      backend: memory(),
      stripe: stripe({ live: keysOf("live"), test: keysOf("test"), baseUrl: double.url }),
      processors: { own_field: Effect.succeed(cardsAt(true)), own_page: Effect.succeed(cardsAt(false)) }
    })
    const api = await serve(almoner, { pages })
    visitAt = (organisation) =>
      visitorOf(async (method, path, { body, headers }) => {
        const url = `http://${organisation}.localhost:8080${path}`
        const answer = await api.fetch(new Request(url, { method, headers, body, redirect: "manual" } as RequestInit))
        return { status: answer.status, headers: answer.headers, text: await answer.text() }
      }, `${organisation}.localhost:8080`)
    close = async () => {
      await almoner.close()
      await double.close()
    }
  })
  afterAll(() => close())

  let made = 0

  /** Somebody who looks after an organisation with these accounts, the first of which is the default one. */
  const staffWith = async (accounts: Kind["accounts"]) => {
    made += 1
    const { live, sandbox } = await almoner.organisations.create({
      ...charity,
      slug: `org-${made}`,
      plan: "ENTERPRISE"
    })
    const { id } = accounts.some(({ processor }) => processor === "test") ? sandbox : live
    const staff = await almoner.caller({ organisation: id, user: "ada", scope: "WRITE" })
    const own = accounts.map((account, index) => ({
      ...{ label: `Account ${index}`, processor_connect_account_id: `acct_${index + 1}` },
      ...account
    }))
    const passphrases: Array<string> = []
    for (const account of own) passphrases.push((await almoner.integrations.create(staff, account)).passphrase)
    return { staff, passphrase: passphrases[0] ?? assert.fail() }
  }

  const walk = async (staff: Caller, url: string, cadence: "ONE_TIME" | "MONTHLY"): Promise<Fate> => {
    const { hostname, pathname } = new URL(url)
    const first = await visitAt(hostname.replace(".localhost", ""))(pathname)
    if (!first.html.includes("<form")) return "closed"
    const isSecond = first.html.includes('value="change"') || pathname.startsWith("/c/")
    const isAsked = first.html.includes('name="cadence"')
    const second = isSecond ? first : await first.submit({ ...firstScreen, ...(isAsked ? { cadence } : {}) })
    assert.match(second.heading, cadence === "MONTHLY" ? /^Give \$50 every month$/u : /^Give \$50$/u)
    const [way] = waysOn(second)
    if (way === undefined) {
      assert.match(saidWithout(second), /needs JavaScript/u)
      return saidWithout(first) === "" ? assert.fail("nothing is said before") : "says so"
    }
    const given = await second.submit({ method: way, "payment_token.card": "4242 4242 4242 4242" })
    assert.match(given.path, /^\/p\//u, staff.organisation.slug)
    return "gives"
  }

  it.each(Object.entries(kinds))(
    "takes a gift to the end where no script runs, or says first that one is needed, at %s",
    async (_, kind) => {
      const { staff } = await staffWith(kind.accounts)
      const recipient = await staffWith(kind.accounts.slice(0, 1))
      const { link } = await almoner.recipientAccounts.link(staff, { passphrase: recipient.passphrase })
      const form = await almoner.forms.create(staff, { name: "Appeal", status: "ACTIVE" })
      const checkout = await almoner.checkoutLinks.create(staff, {
        ...{ donor_email: "bea@example.org", amount_cents: 5_000 },
        payment_methods: ["card", "au_becs_debit", "bank_transfer"]
      })
      const set = await almoner.recommendationSets.create(staff, {
        ...{ name: "Harvest", amount_mode: "FIXED" },
        allocations: [{ recipient_org_account_link_id: link.id, amount_cents: 5_000 }]
      })
      const first = await visitAt(staff.organisation.slug)("/f/appeal")
      const offersMonthly = first.html.includes('value="MONTHLY"')
      assert.deepStrictEqual(
        {
          once: await walk(staff, form.hosted_page_url, "ONE_TIME"),
          monthly: offersMonthly ? await walk(staff, form.hosted_page_url, "MONTHLY") : null,
          link: await walk(staff, checkout.url, "ONE_TIME"),
          set: await walk(staff, set.giving_url, "ONE_TIME")
        },
        { once: kind.once, monthly: kind.monthly, link: kind.once, set: kind.set }
      )
    }
  )

  const onlyByTransfer = (page: VisitedPage) => {
    assert.deepStrictEqual(waysOn(page), ["bank_transfer"])
    assert.include(page.html, "An amount like this is not taken by card, by direct debit or by PayTo.")
    assert.notInclude(page.html, "data-stripe=")
  }

  it("is by each method what its own account takes, and an amount that none takes is asked for anew", async () => {
    const { staff } = await staffWith(kinds["Stripe and a bank"]?.accounts ?? [])
    await almoner.forms.create(staff, { name: "Appeal", status: "ACTIVE" })
    const first = await visitAt(staff.organisation.slug)("/f/appeal")
    const second = (amount_other: string, cadence = "ONE_TIME") =>
      first.submit({ ...firstScreen, amount_other, cadence })
    for (const amount of ["0.49", "1,000,000"]) {
      const page = await second(amount)
      onlyByTransfer(page)
      assert.match((await page.submit({ method: "bank_transfer" })).heading, /^Transfer the amount/u)
      assert.match(
        (await second(amount, "MONTHLY")).problems,
        /The amount must be \$(0\.50 or more|999,999\.99 or less)/u
      )
    }
    for (const amount of ["0.50", "999,999.99"]) {
      const page = await second(amount)
      assert.include(page.html, "data-stripe=")
      assert.notInclude(page.html, "An amount like this")
      assert.deepStrictEqual(waysOn(page), ["bank_transfer"])
    }
    assert.match((await second("10,000,000.01")).problems, /The amount must be \$10,000,000 or less/u)
    const { method_bounds } = await almoner.checkouts.open({ organisation: staff.organisation.slug, slug: "appeal" })
    const atStripe = { minimum_cents: 50, maximum_cents: 99_999_999 }
    assert.deepStrictEqual(method_bounds, [
      ...(["card", "au_becs_debit", "payto"] as const).map((method) => ({ method, ...atStripe })),
      { method: "bank_transfer", minimum_cents: null, maximum_cents: 1_000_000_000 }
    ])
  })

  it("is nothing where its only amount is one that no account takes, and a transfer where a bank does", async () => {
    const payment_methods = ["card", "au_becs_debit", "payto", "bank_transfer"] as const
    for (const name of ["Stripe", "Stripe and a bank"]) {
      const { staff } = await staffWith(kinds[name]?.accounts ?? [])
      const recipient = await staffWith(kinds["Stripe"]?.accounts ?? [])
      const { link } = await almoner.recipientAccounts.link(staff, { passphrase: recipient.passphrase })
      const small = await almoner.checkoutLinks.create(staff, {
        ...{ donor_email: "bea@example.org", amount_cents: 30, payment_methods }
      })
      const set = await almoner.recommendationSets.create(staff, {
        ...{ name: "Harvest", amount_mode: "FIXED" },
        allocations: [{ recipient_org_account_link_id: link.id, amount_cents: 30 }]
      })
      const visit = visitAt(staff.organisation.slug)
      const shown = [await visit(new URL(small.url).pathname), await visit(new URL(set.giving_url).pathname)]
      if (name === "Stripe") for (const { html } of shown) assert.include(html, "cannot take payments here")
      else assert.deepStrictEqual(fieldsOf(shown, "heading"), ["Give $0.30", "Harvest"])
    }
  })
})
