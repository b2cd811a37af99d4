import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import type { ChargeSnapshot } from "../../src/domain/payments/Snapshot.ts"
import { serve } from "../../src/http.ts"
import { Almoner, InvalidOption, type Options } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pages } from "../../src/pages.ts"
import { type PaymentProcessor, PaymentProcessors } from "../../src/ports.ts"
import { numbers } from "../support/Numbers.ts"
import { asClass } from "../support/PrivateFields.ts"
import { callerIn, submissionTo } from "./Charity.ts"

/** A processor that takes whatever it is told to, and remembers it. */
const makeOwn = () => {
  const taken = new Map<string, ChargeSnapshot["status"]>()
  const snapshot = ({ amount_cents, currency, id }: Charge): ChargeSnapshot => ({
    status: taken.get(id) ?? "absent",
    reference: taken.has(id) ? `own_${id}` : null,
    amount_cents,
    currency,
    fee_cents: null,
    failure_code: null,
    refunds: [],
    disputes: []
  })
  const processor: PaymentProcessor = {
    capabilities: { methods: ["card"], refunds: false, confirms: true, statements: false },
    begin: ({ charge: { id } }) => Effect.sync(() => ({ reference: `own_${taken.set(id, "created") && id}` })),
    confirm: ({ charge }) => Effect.sync(() => void taken.set(charge.id, "succeeded")),
    cancel: ({ charge }) => Effect.sync(() => void taken.set(charge.id, "cancelled")),
    fetchCharge: ({ charge }) => Effect.sync(() => snapshot(charge)),
    nextStep: () => Effect.succeedNone,
    refund: () => Effect.succeed({ reference: "none" }),
    fetchAccount: () => Effect.succeed({ charges_enabled: true, currency: "AUD" }),
    pageKey: () => Effect.succeed(Option.none()),
    verifyNotice: () => Effect.die("no notice is sent"),
    noticesSince: () => Effect.succeed({ notices: [], cursor: null, has_more: false }),
    listCreated: () => Effect.succeed({ data: [], next: null }),
    movements: () => Effect.succeed({ data: [], next: null })
  }
  return { processor, taken }
}

const account = { label: "Main", processor_connect_account_id: "shop_1" }

describe("a payment processor of a host's own", () => {
  it("is named by an integration, and takes its gifts; pages that have no field of it say so", async () => {
    const { processor, taken } = makeOwn()
    const almoner = await Almoner.open({ backend: memory(), processors: { harbour_pay: Effect.succeed(processor) } })
    const caller = await callerIn(almoner)
    const made = await almoner.integrations.create(caller, { ...account, processor: "harbour_pay" })
    assert.strictEqual(made.processor, "harbour_pay")
    const { slug } = caller.organisation
    await almoner.forms.create(caller, { name: "Appeal", status: "ACTIVE" })
    const given = await almoner.checkouts.submit(submissionTo(slug, { payment_token: "anything" }))
    assert.deepStrictEqual([given.status, [...taken.values()]], ["SUCCEEDED", ["succeeded"]])

    const shown = await almoner.checkouts.open({ organisation: slug, slug: "appeal" })
    assert.deepStrictEqual([shown.closed, shown.methods, shown.takes_token], [null, ["card"], true])
    const api = await serve(almoner, { pages })
    const page = await api.fetch(new Request(`http://${slug}.localhost:8080/f/appeal`))
    const html = await page.text()
    assert.include(html, "cannot take payments here at the moment")
    assert.notInclude(html, "<form")
    await almoner.close()
  })

  it("may be a class with private fields: gifts, next steps, renewals and refunds ask its methods", async () => {
    const asked = new Set<string>()
    const parts = new Map<string, PaymentProcessor>()
    const partsOf = (name: string, processor: PaymentProcessor) => {
      const made = parts.get(name) ?? asClass(processor, (member) => asked.add(member))
      parts.set(name, made)
      return made
    }
    const almoner = await Almoner.open({
      backend: memory(),
      adapters: {
        PaymentProcessors: Layer.effect(
          PaymentProcessors,
          Effect.map(PaymentProcessors, (ours) =>
            asClass({ find: (name: string) => Option.map(ours.find(name), (found) => partsOf(name, found)) })
          )
        )
      }
    })
    const caller = await callerIn(almoner, { plan: "RAISE" })
    await almoner.integrations.create(caller, { label: "Main", processor_connect_account_id: "acct_1" })
    await almoner.forms.create(caller, { name: "Appeal", status: "ACTIVE", recurring_frequencies: ["MONTHLY"] })
    const { slug } = caller.organisation
    const monthly = await almoner.checkouts.submit(submissionTo(slug, { frequency: "MONTHLY" }))
    const waiting = await almoner.checkouts.submit(submissionTo(slug, { payment_token: numbers.waits }))
    assert.deepStrictEqual([monthly.status, waiting.next_step?._tag], ["SUCCEEDED", "Approval"])
    const [gift = assert.fail()] = (await almoner.donations.list(caller, { status: { in: ["CONFIRMED"] } })).data
    await almoner.donations.refund(caller, gift.id, { amount_cents: 100 })
    await almoner.sandbox.advance(caller, { duration: "32d" })
    const renewed = await almoner.donations.list(caller, { status: { in: ["CONFIRMED"] } })
    assert.lengthOf(renewed.data, 2)
    await almoner.close()
    const told = ["begin", "chargeMandate", "confirm", "fetchCharge", "fetchMandate", "nextStep", "refund"]
    assert.includeMembers([...asked], told)
  })

  it("is refused by a name that nobody brings", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    const caller = await callerIn(almoner)
    for (const processor of ["adyen", "Stripe", "", "x".repeat(41)]) {
      const failure = await almoner.integrations.create(caller, { ...account, processor }).catch((each) => each)
      assert.deepInclude(failure, { _tag: "InvalidInput", param: "processor" }, processor)
    }
    await almoner.close()
  })

  it("does not open without a method of the port, under a name of ours, and where it is none", async () => {
    const { processor } = makeOwn()
    const { refund: _, ...lacking } = processor
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [{ own: lacking }, "processors.own has no refund, which must be a method."],
      [
        { own: { ...processor, capabilities: undefined } },
        "processors.own has no capabilities, which must be an object with methods, refunds, confirms and statements."
      ],
      [{ own: Effect.succeed(lacking) }, "processors.own has no refund, which must be a method."],
      [
        { own: { ...processor, capabilities: { methods: ["cheques"] } } },
        "processors.own has no capabilities, which must be an object with"
      ],
      [
        { own: { ...processor, walletsOf: () => Effect.succeedNone } },
        "processors.own has walletsOf, which the port has not"
      ],
      [{ own: { ...processor, walletOf: "apple_pay" } }, "processors.own has no walletOf, which must be a method."],
      [
        { own: { ...processor, chargeMandate: () => Effect.void, fetchMandate: () => Effect.void } },
        "processors.own has no revokeMandate, which must be a method."
      ],
      [{ own: { ...processor, transfers: {} } }, "processors.own.transfers has no transfer, which must be a method."],
      [
        { own: { ...processor, onboarding: 5 } },
        "processors.own.onboarding has no openAccount, which must be a method."
      ],
      [{ own: null }, "processors.own must be an implementation of PaymentProcessor, or an effect that makes it."],
      [{ test: processor }, "processors must not have test, which comes with Almoner: give yours another name."],
      [{ "Own-1": processor }, 'processors has no name for "Own-1"'],
      ["stripe", "The option processors of Almoner.open must be an object of payment processors by their names."]
    ]
    for (const [processors, sentence] of cases) {
      const options = { backend: memory(), processors } as Options
      const failure = await Almoner.open(options).catch((each: unknown) => each)
      assert.instanceOf(failure, InvalidOption, sentence)
      assert.strictEqual(failure.option, "processors")
      assert.include(failure.message, sentence)
    }
  })

  it("that is a class is refused for a name like that of a missing optional member, and may have helpers", async () => {
    const { processor } = makeOwn()
    const answer = async (own: PaymentProcessor) => {
      const opening = Almoner.open({ backend: memory(), processors: { own } })
      return opening.then(
        (almoner) => almoner.close().then(() => "opened"),
        (failure: unknown) => (failure instanceof InvalidOption ? failure.message : String(failure))
      )
    }
    const members: ReadonlyArray<readonly [given: string, member: unknown, meant: string | null]> = [
      ["walletsOf", () => Effect.succeedNone, "walletOf"],
      ["walletof", () => Effect.succeedNone, "walletOf"],
      ["chargeMandates", () => Effect.void, "chargeMandate"],
      ["checkCredential", () => Effect.void, "checkCredentials"],
      ["registerDomains", () => Effect.void, "registerDomain"],
      ["onbording", {}, "onboarding"],
      ["transfer", {}, "transfers"],
      ["transfer", () => Effect.void, null],
      ["walletsOf", 7, null],
      ["wallet", () => Effect.void, null],
      ["charge", () => Effect.void, null],
      ["fetchMoney", () => Effect.void, null],
      ["toString", () => "own", null]
    ]
    for (const [given, member, meant] of members) {
      const sentence =
        meant === null
          ? "opened"
          : `processors.own has ${given}, which the port has not, and no ${meant}: write ${meant}, or give a helper of yours a name that is less like it.`
      class Inherited {}
      Object.defineProperty(Inherited.prototype, given, { value: member })
      class Own extends Inherited {
        constructor() {
          super()
          Object.assign(this, processor)
        }
      }
      assert.strictEqual(await answer(new Own() as unknown as PaymentProcessor), sentence)
      const field = Object.assign(Object.create({ ...processor }), { [given]: member })
      assert.strictEqual(await answer(field), sentence)
    }
    const getter = Object.create(processor, {
      walletsOf: {
        get: () => {
          throw new Error("not asked")
        }
      }
    })
    assert.strictEqual(await answer(getter), "opened")
    const bounds: object = { cards: {} }
    assert.include(
      await answer({ ...processor, capabilities: { ...processor.capabilities, bounds } }),
      "processors.own.capabilities.bounds has cards, which the port has not."
    )
    const capabilities = { ...processor.capabilities, maximum_cent: 5 }
    assert.include(
      await answer({ ...processor, capabilities }),
      "processors.own.capabilities has maximum_cent, which the port has not."
    )
  })
})
