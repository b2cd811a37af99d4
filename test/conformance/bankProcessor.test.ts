import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Semaphore } from "effect"
import { makeBank } from "../../src/adapters/processors/bank/BankProcessor.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import type { IntegrationId } from "../../src/domain/kernel/Ids.ts"
import { CreditId } from "../../src/domain/kernel/Ids.ts"
import { accountKey } from "../../src/domain/payments/BankTransfer.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { IntegrationStore } from "../../src/ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../src/ports/access/OrganisationStore.ts"
import { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import { CreditStore } from "../../src/ports/payments/CreditStore.ts"
import type { ChargeContext, PaymentProcessor } from "../../src/ports/payments/PaymentProcessors.ts"
import { ProcessorUnderTest } from "../../src/testing/conformance/ProcessorDriver.ts"
import { at, freshId, integrationOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { Checks } from "../../src/testing.ts"
import { everyKind } from "../support/Stores.ts"
import { secretBox } from "./Seal.ts"

/** The questions to a processor that takes no means of payment, pays nothing back and has no connection to lose. */
const applying: ReadonlyArray<string> = [
  "a charge that begins takes no money, and is found by its id with what it is to take",
  "a charge gets one reference, at the same moment, later, and when its key is forgotten",
  "a charge that waits tells the donor what to do, and is paid or on its way once that is done",
  "a charge that was begun, waits or was declined is ended by a cancellation, and takes nothing any more",
  "what was not paid cannot be paid back"
]

const bank_account = { account_name: "Harbour Trust", bsb: "062-000", account_number: "12345678" }

/**
 * The bank as the settlement of charges drives it, which keeps what the bank says and what is asked of it on the charge: the
 * bank has no memory but that and the credits.
 */
const driver = Layer.effect(
  ProcessorUnderTest,
  Effect.gen(function* () {
    const bank = yield* makeBank
    const [charges, credits, integrations] = [yield* ChargeStore, yield* CreditStore, yield* IntegrationStore]
    const context = yield* Effect.context<ChargeStore | CreditStore | IntegrationStore | OrganisationStore>()
    const one = Semaphore.makeUnsafe(1)

    const now = ({ charge, integration }: ChargeContext): Effect.Effect<ChargeContext> =>
      Effect.map(charges.find(charge.organisation_id, charge.id), (found) => ({
        integration,
        charge: Option.getOrElse(found, () => charge)
      }))
    const keep = (charging: ChargeContext, given: Partial<Charge>) =>
      one.withPermit(
        Effect.gen(function* () {
          const { charge } = charging
          const found = yield* charges.find(charge.organisation_id, charge.id)
          const after = { ...Option.getOrElse(found, () => charge), ...given, look_at: null }
          yield* Option.isNone(found) ? charges.insert(after) : charges.update(after)
        }).pipe(Effect.orDie)
      )
    const processor: PaymentProcessor = {
      ...bank,
      begin: (charging) =>
        Effect.tap(
          Effect.flatMap(now(charging), (known) => bank.begin(known)),
          ({ reference }) => keep(charging, { reference })
        ),
      cancel: (charging) =>
        Effect.andThen(
          keep(charging, { ending: "cancelled" }),
          Effect.flatMap(now(charging), (known) => bank.cancel(known))
        ),
      fetchCharge: (charging) => Effect.flatMap(now(charging), (known) => bank.fetchCharge(known)),
      nextStep: (charging) => Effect.flatMap(now(charging), (known) => bank.nextStep(known))
    }

    const pay = ({ charge, integration }: ChargeContext) =>
      Effect.gen(function* () {
        const id = CreditId.make(yield* freshId("credit"))
        yield* credits.add(charge.organisation_id, [
          {
            id,
            organisation_id: charge.organisation_id,
            integration_id: integration.id as IntegrationId,
            account: accountKey(bank_account),
            day: CalendarDate.make("2026-01-16"),
            amount_cents: charge.amount_cents,
            currency: charge.currency,
            text: "",
            reference: null,
            digest: id,
            number: 1,
            charge_id: charge.id,
            bank_id: null,
            balance_cents: null,
            import_id: null,
            voided_at: null,
            part_of: null,
            created_at: at(0)
          }
        ])
      })
    const nothing = () => Effect.void
    return ProcessorUnderTest.of({
      processor,
      account: Effect.gen(function* () {
        const { id } = yield* newOrganisation()
        const integration = yield* integrationOf(id, { processor: "bank", methods: ["bank_transfer"], bank_account })
        yield* integrations.insert(integration)
        return integration
      }).pipe(Effect.provideContext(context), Effect.orDie),
      tokens: { bank_transfer: { waits: "transfer" } },
      taken: ({ charge }) =>
        Effect.map(credits.ofCharge(charge.organisation_id, charge.id), (all) =>
          all.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
        ),
      paidBack: () => Effect.succeed(0),
      approve: (charging) => Effect.provideContext(pay(charging), context),
      settle: nothing,
      forgetKeys: nothing,
      lose: nothing
    })
  })
)

const checks = Checks.paymentProcessor().filter(({ name }) => applying.includes(name))

describe("the checks that apply to the bank", () => {
  it("are all there", () => {
    assert.lengthOf(checks, applying.length)
  })
})

for (const [name, stores] of everyKind) {
  layer(driver.pipe(Layer.provide(Layer.provide(stores, secretBox)), Layer.orDie))(`the bank over ${name}`, (suite) => {
    for (const { check, name: checkName } of checks) suite.effect(checkName, () => check)
  })
}
