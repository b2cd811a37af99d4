import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import fc from "fast-check"
import { methodsOf, offerOf, type Payable } from "../../src/app/payments/account/PaymentAccounts.ts"
import { Credits } from "../../src/app/payments/Credits.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { Transfers } from "../../src/app/sharing/Transfers.ts"
import type { Integration, NewIntegration } from "../../src/domain/access/Integration.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import { addTime } from "../../src/domain/kernel/InstantRange.ts"
import { PaymentMethod } from "../../src/domain/kernel/PaymentMethod.ts"
import * as CardGuard from "../../src/domain/payments/CardGuard.ts"
import type { Submission, Target } from "../../src/domain/sharing/Checkout.ts"
import * as Ports from "../../src/ports.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { forEveryWith } from "../support/Property.ts"
import type { Parts } from "../support/Service.ts"
import { makeSharingSandbox } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, makeTenants, type Tenant } from "../support/Tenant.ts"
import { instructionsOf } from "../support/Transfers.ts"

type Method = typeof PaymentMethod.Type

const methodsAt: Readonly<Record<string, ReadonlyArray<Method>>> = {
  test: PaymentMethod.literals,
  stripe: ["card", "au_becs_debit", "payto"],
  bank: ["bank_transfer"],
  harbour_pay: ["card", "bank_transfer"]
}

/** A card takes up to 100 dollars from 50 cents on, a debit any number from a dollar on; by PayTo nothing is said. */
const atStripe = {
  card: { minimum_cents: { AUD: 50 }, maximum_cents: 100_00 },
  au_becs_debit: { minimum_cents: { AUD: 1_00 } }
}

const isWithin = (method: Method, { amount_cents, currency }: Payable): boolean => {
  if (amount_cents === null) return true
  const least = currency === "AUD" ? { card: 50, au_becs_debit: 1_00, payto: 1, bank_transfer: 1 }[method] : 1
  return amount_cents >= least && (method !== "card" || amount_cents <= 100_00)
}

const processors = {
  find: (name: string) =>
    Option.map(
      Option.fromNullishOr(methodsAt[name]),
      // Nothing but what they take is asked of them.
      (methods) =>
        ({
          capabilities: { methods, ...(name === "stripe" ? { bounds: atStripe } : {}) }
        }) as unknown as Ports.PaymentProcessor
    )
}

const oneOf = <A>(...choices: ReadonlyArray<A>): fc.Arbitrary<A> => fc.constantFrom(...choices)

const several = oneOf<ReadonlyArray<Method>>(
  ["card", "payto"],
  ["bank_transfer"],
  ["card", "bank_transfer"],
  PaymentMethod.literals
)

/** An account, but for its id and whether it is the default one. */
const place = fc.record({
  processor: oneOf("test", "stripe", "bank", "harbour_pay", "gone"),
  methods: several,
  settlement_currency: oneOf("AUD", "AUD", "AUD", "AUD", "JPY", "KWD"),
  charges_enabled: oneOf(true, true, true, false),
  is_active: oneOf(true, true, true, false),
  is_own: oneOf(false, false, false, true)
})

/** An organisation, its accounts, newest first, of which one at most is the default, and what a page asks for. */
const drawn = fc
  .record({
    organisation: oneOf(true, false).map((is_sandbox) => ({ is_sandbox }) as Organisation),
    places: fc.array(place, { maxLength: 6 }),
    defaultAt: fc.nat({ max: 3 }),
    namedAt: oneOf(null, null, null, 0, 1, 6),
    currency: oneOf("AUD", "AUD", "AUD", "AUD", "JPY", "KWD"),
    amount_cents: oneOf(null, null, null, 1, 49, 50, 99, 1_00, 100_00, 100_01),
    methods: fc.option(several, { freq: 2 }),
    is_shared: fc.boolean()
  })
  .map(({ amount_cents, currency, defaultAt, is_shared, methods, namedAt, organisation, places }) => {
    const accounts = places.map((each, index): Integration => {
      const id = `intg_${index}` as Integration["id"]
      // Nothing else of an account is looked at.
      return { ...each, id, is_default: index === defaultAt } as Integration
    })
    const integration_id = namedAt === null ? null : (`intg_${namedAt}` as Integration["id"])
    const asked: Payable = { integration_id, currency, amount_cents, methods, is_shared }
    return { accounts, asked, organisation }
  })

/** Whether an account may be charged by a method for what is asked. */
const mayTake = ({ is_sandbox }: Organisation, asked: Payable, account: Integration, method: Method): boolean =>
  account.is_active &&
  account.charges_enabled &&
  account.methods.includes(method) &&
  (methodsAt[account.processor] ?? []).includes(method) &&
  (asked.methods === null || asked.methods.includes(method)) &&
  account.settlement_currency === asked.currency &&
  asked.currency !== "KWD" &&
  (account.processor !== "stripe" || isWithin(method, asked)) &&
  !(account.is_own && asked.is_shared) &&
  (account.processor === "test" ? is_sandbox : account.processor !== "bank" || !is_sandbox)

describe("how a page is paid", () => {
  const everyOffer = (
    holds: (given: {
      readonly accounts: ReadonlyArray<Integration>
      readonly asked: Payable
      readonly chosen: Integration | undefined
      readonly at: (method: Method) => Integration | undefined
      readonly may: (account: Integration, method: Method) => boolean
      readonly methods: ReadonlyArray<Method>
    }) => void
  ) =>
    forEveryWith({ numRuns: 1_000 }, drawn, ({ accounts, asked, organisation }) => {
      const offer = offerOf(processors, organisation, accounts)(asked)
      holds({
        accounts,
        asked,
        chosen: accounts.find(({ id, is_active, is_default }) =>
          asked.integration_id === null ? is_default && is_active : id === asked.integration_id
        ),
        at: (method) => offer.find(({ methods }) => methods.includes(method))?.integration,
        may: (account, method) => mayTake(organisation, asked, account, method),
        methods: methodsOf(offer)
      })
    })

  it("has each method once, at an account that may take it", () =>
    everyOffer(({ at, may, methods }) => {
      assert.strictEqual(new Set(methods).size, methods.length)
      for (const method of methods) assert.isTrue(may(at(method) ?? assert.fail("it is nowhere"), method))
    }))

  it("leaves to the page's own account whatever that takes, and all that is no bank transfer", () =>
    everyOffer(({ at, chosen, may }) => {
      for (const method of PaymentMethod.literals) {
        const isOwn = chosen !== undefined && may(chosen, method)
        if (isOwn) assert.strictEqual(at(method)?.id, chosen.id)
        else if (method !== "bank_transfer") assert.isUndefined(at(method))
      }
    }))

  it("has no other account where one is named, where none is the default, and where an own account is to share", () =>
    everyOffer(({ asked, at, chosen, may, methods }) => {
      if (chosen === undefined || (chosen.is_own && asked.is_shared)) assert.deepStrictEqual(methods, [])
      else if (asked.integration_id !== null && !may(chosen, "bank_transfer")) assert.isUndefined(at("bank_transfer"))
    }))

  it("has bank transfers wherever an account takes them otherwise: those of the newest that does", () =>
    everyOffer(({ accounts, asked, at, chosen, may }) => {
      if (asked.integration_id !== null || chosen === undefined || (chosen.is_own && asked.is_shared)) return
      const newest = accounts.find((account) => may(account, "bank_transfer"))
      const expected = may(chosen, "bank_transfer") ? chosen : newest
      assert.strictEqual(at("bank_transfer")?.id, expected?.id)
    }))
})

const transfers = { methods: ["bank_transfer"] } as const

describe.each(everyKind)("an account that takes bank transfers beside the default one over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() =>
    makeGivingSandbox(service, { allow_recurring: true, recurring_frequencies: ["MONTHLY"] }, { methods: ["card"] })
  )

  const as = <A, E, R>({ organisation }: Pick<Tenant, "organisation">, effect: Effect.Effect<A, E, R>) =>
    asOperator(organisation)(effect)
  const account = (given: FieldsOf<NewIntegration> = transfers, tenant = giving.tenant) =>
    service.run(
      as(
        tenant,
        Integrations.use((use) =>
          use.create({ label: "More", processor_connect_account_id: "more", ...given } as NewIntegration)
        )
      )
    )
  const deactivate = (id: Integration["id"]) =>
    service.run(
      as(
        giving.tenant,
        Integrations.use((use) => use.deactivate(id))
      )
    )
  const change = (id: Integration["id"], to: Partial<Integration>) =>
    service.run(
      Ports.IntegrationStore.use((store) =>
        Effect.flatMap(store.ofId(id), (found) => store.update({ ...Option.getOrThrow(found), ...to }))
      )
    )
  const open = (name: Pick<Target, "slug" | "code"> = { slug: giving.form.slug }, { organisation } = giving.tenant) =>
    service.run(Checkouts.use((use) => use.open({ organisation: organisation.slug, ...name } as Target)))
  const transfer = (given: FieldsOf<Submission> = {}) =>
    giving.submit({ method: "bank_transfer", payment_token: null, ...given })
  const refusal = (given: FieldsOf<Submission>) =>
    giving.attempt({ method: "bank_transfer", payment_token: null, ...given })
  const placeOf = async (given: FieldsOf<Submission> = {}) =>
    (await giving.chargeOf(await transfer(given))).integration_id
  const record = (id: Integration["id"], amount_cents: number, text: string) => {
    const day = new Date(service.clock.currentTimeMillisUnsafe()).toISOString().slice(0, 10) as CalendarDate
    return service.run(
      as(
        giving.tenant,
        Credits.use((use) => use.record({ integration_id: id, day, amount_cents, text }))
      )
    )
  }
  const pageOf = async (given: object) => {
    const made = await giving.tenant.writer.post("/checkout-links", {
      donor_email: "bea@example.org",
      amount_cents: 5_000,
      ...given
    })
    return { slug: null, donor: null, code: made.textAt("url").split("/").at(-1) ?? assert.fail() }
  }

  it("takes what is transferred, and the default one takes all else", async () => {
    const beside = await account()
    assert.deepInclude(await open(), { closed: null, processor: "test", methods: ["card", "bank_transfer"] })
    const card = await giving.submit()
    assert.deepInclude(await giving.chargeOf(card), { status: "SUCCEEDED", integration_id: giving.integration_id })
    const gift = await transfer()
    assert.deepInclude(await giving.chargeOf(gift), { status: "WAITING", integration_id: beside.id })
    await record(beside.id, 5_000, instructionsOf(gift).reference)
    await giving.settle()
    assert.deepInclude(await giving.giftOf(gift), { status: "CONFIRMED", payment_method: "bank_transfer" })
    const refunded = await giving.tenant.writer.post(`/donations/${gift.donation_id}/refund`, { amount_cents: 2_000 })
    await giving.settle()
    assert.strictEqual(refunded.at("refund.status"), "PENDING", refunded.text)
    await giving.balanced()
  })

  it("takes no gift that repeats", async () => {
    await account()
    assert.deepStrictEqual((await open()).frequencies, ["MONTHLY"])
    assert.strictEqual(await refusal({ frequency: "MONTHLY" }), "InvalidInput method")
    const monthly = await giving.chargeOf(await giving.submit({ frequency: "MONTHLY" }))
    assert.deepInclude(monthly, { status: "SUCCEEDED", integration_id: giving.integration_id })
  })

  it("is the newest of several that are in use and have the page's currency", async () => {
    const [first, second] = [await account(), await account()]
    await change((await account()).id, { settlement_currency: "NZD" })
    assert.strictEqual(await placeOf(), second.id)
    await deactivate(second.id)
    assert.strictEqual(await placeOf(), first.id)
    await deactivate(first.id)
    assert.deepStrictEqual((await open()).methods, ["card"])
    assert.strictEqual(await refusal({}), "InvalidInput method")
  })

  it("keeps a page open whose cards are closed, or whose account takes no charges, and none that has no account", async () => {
    await account()
    const { id } = giving.tenant.organisation
    const close = (subject: string) => {
      const closing = Effect.gen(function* () {
        const store = yield* Ports.CardGuardStore
        const now = yield* Ports.realNow
        const [guard] = yield* store.findForUpdate([CardGuard.newGuard(id, { subject, credit: 5 }, now)])
        yield* store.replace([{ ...(guard ?? assert.fail()), closed_until: addTime(now, { hours: 1 }) }])
      })
      return service.run(Effect.flatMap(Ports.Transaction, ({ run }) => run(closing)))
    }
    await close(giving.form.id)
    const byTransfer = { closed: null, cards_closed: true, methods: ["bank_transfer"] } as const
    assert.deepInclude(await open(), { ...byTransfer, frequencies: ["MONTHLY"] })
    // A code opened cards for a gift that repeats, and opens none any more.
    await close(`codes ${id}`)
    assert.deepInclude(await open(), { ...byTransfer, frequencies: [], default_cadence: "ONE_TIME" })
    assert.strictEqual((await transfer()).status, "WAITING")
    await change(giving.integration_id, { charges_enabled: false })
    assert.deepInclude(await open(), { closed: null, methods: ["bank_transfer"], frequencies: [] })
    assert.strictEqual(await refusal({ method: "card" }), "InvalidInput method")
    await deactivate(giving.integration_id)
    assert.deepInclude(await open(), { closed: "no_processor", methods: [] })
    assert.strictEqual(await refusal({}), "TakesNoPayment")
  })

  it("takes the gift of a checkout link that allows it, unless that names another account", async () => {
    const beside = await account()
    const payment_methods = ["card", "bank_transfer"] as const
    const { code } = await pageOf({ payment_methods })
    assert.deepStrictEqual((await open({ code })).methods, payment_methods)
    assert.strictEqual(await placeOf(await pageOf({ payment_methods })), beside.id)
    const named = await pageOf({ payment_methods, processor_integration_id: giving.integration_id })
    assert.deepStrictEqual((await open({ code: named.code })).methods, ["card"])
    assert.strictEqual(await refusal(named), "InvalidInput method")
    assert.deepStrictEqual((await open({ code: (await pageOf({})).code })).methods, ["card"])
  })

  it("is one at a bank where money is real, also where the default one cannot be asked", async () => {
    const { live } = await makeTenants(service)
    const main = { processor: "stripe", processor_connect_account_id: "acct_1" } as const
    assert.isTrue((await account(main, live)).is_default)
    const bank_account = { account_name: "Harbour Trust", bsb: "062 000", account_number: "1234-5678" }
    await account({ processor: "bank", bank_account }, live)
    const slug = (await live.writer.post("/forms", { name: "Appeal", status: "ACTIVE" })).textAt("slug")
    const page = await open({ slug }, live)
    assert.deepInclude(page, { closed: null, processor: "bank", methods: ["bank_transfer"] })
    const { organisation } = live
    const given = { organisation: organisation.slug, slug, method: "bank_transfer", payment_token: null } as const
    assert.deepInclude(instructionsOf(await giving.submit(given)), {
      account_name: "Harbour Trust",
      amount_cents: 5_000
    })
  })
})

describe.each(everyKind)(
  "a set beside whose default account another one takes bank transfers over %s",
  (_name, stores) => {
    const service = serviceOver({ stores })
    const sharing = anew(() => makeSharingSandbox(service))

    it("is paid there, and people bring its parts on", async () => {
      const { give, giving, recipients, statuses } = sharing
      const staff = <A, E>(effect: Effect.Effect<A, E, Parts | Ports.CurrentCaller>) => giving.tenant.staff(effect)
      const made = { label: "Bank", processor_connect_account_id: "bank", ...transfers }
      const { id: integration_id } = await staff(Integrations.use((use) => use.create(made)))
      const paid = await give([3_000, 2_000], { method: "bank_transfer", payment_token: null })
      assert.strictEqual((await giving.chargeOf(paid)).integration_id, integration_id)
      const { amount_cents, reference: text } = instructionsOf(paid)
      const day = new Date(service.clock.currentTimeMillisUnsafe()).toISOString().slice(0, 10) as CalendarDate
      await staff(Credits.use((use) => use.record({ integration_id, day, amount_cents, text })))
      await giving.settle()
      await giving.distribute()
      assert.deepStrictEqual(await statuses(), ["pending", "pending"])
      for (const { id, sent_at } of await giving.attempts()) {
        assert.isNull(sent_at)
        const settled = Transfers.use((use) => use.settle(id, { processor_reference: null }))
        assert.isTrue(Result.isSuccess(await staff(Effect.result(settled))))
      }
      assert.lengthOf(await giving.attempts(), recipients.length)
      assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
      await giving.balanced()
    })
  }
)
