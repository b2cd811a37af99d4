import { DateTime, Effect, Option } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import { type Mandate, newMandate } from "../../domain/payments/Mandate.ts"
import { type ChargeContext, mandatesOf, type ProcessorMandates } from "../../ports/payments/PaymentProcessors.ts"
import type { ProcessorOnboarding } from "../../ports/payments/ProcessorOnboarding.ts"
import { assert } from "./Assert.ts"
import { amount, atOnce, forEachMethod, isNow, newCharging } from "./ProcessorCases.ts"
import { type ProcessorDriver, ProcessorUnderTest } from "./ProcessorDriver.ts"
import { at, freshId } from "./Records.ts"
import { type Body, type Check, lawsOn, type Step, same } from "./Suite.ts"

/** A charge that saves what it is paid with, and the mandate that it is for. */
const saving = Effect.fnUntraced(function* ({ charge, integration }: ChargeContext) {
  const { method, organisation_id } = charge
  const id = yield* freshId("mandate")
  const subscription_id = yield* freshId("subscription")
  const mandate = newMandate({ id, organisation_id, subscription_id, integration_id: integration.id, method }, at(0))
  return { charge: { ...charge, mandate_id: id }, integration, mandate }
})

/** A charge that has succeeded and saved its mandate, with the reference that the processor gave. */
const saved = Effect.fnUntraced(function* (driver: ProcessorDriver, charging: ChargeContext, token: string) {
  const { processor } = driver
  const first = yield* saving(charging)
  yield* processor.begin(first)
  yield* processor.confirm(first, token)
  const { mandate_reference = null } = yield* isNow(processor, first, "succeeded")
  const mandate: Mandate = { ...first.mandate, status: "ACTIVE", reference: mandate_reference }
  return mandate
})

/** A charge of an invoice by a mandate. */
const renewal = Effect.fnUntraced(function* (
  driver: ProcessorDriver,
  { charge, integration }: ChargeContext,
  mandate: Mandate
) {
  const { charge: fresh } = yield* newCharging(driver, charge.method)
  const subject_id = yield* freshId("invoice")
  const { integration_id, organisation_id } = charge
  const renewed = {
    ...fresh,
    integration_id,
    organisation_id,
    purpose: "invoice",
    subject_id,
    mandate_id: mandate.id
  } as const
  const next: ChargeContext = { charge: renewed, integration, mandate }
  return next
})

const forEachKept = <S extends Step>(
  name: string,
  sentences: ReadonlyArray<string>,
  body: Body<
    [driver: ProcessorDriver, charging: ChargeContext, kept: { keeps: ProcessorMandates; succeeds: string }],
    S
  >
) =>
  forEachMethod(name, sentences, "succeeds", function* (driver, charging, { succeeds = "" }) {
    const keeps = mandatesOf(driver.processor)
    if (Option.isNone(keeps)) return
    yield* Effect.gen(() => body(driver, charging, { keeps: keeps.value, succeeds }))
  })

/** The checks of processors that keep means of payment; the others have nothing to prove. */
export const processorMandates: ReadonlyArray<Check<ProcessorUnderTest>> = [
  forEachKept(
    "what a first charge saves is charged by later ones, each once, however often it is asked for",
    [
      "ProcessorMandates MUST have the reference of what was kept.",
      "ProcessorMandates.chargeMandate MUST NOT take money again."
    ],

    function* (driver, charging, { keeps, succeeds }) {
      const { processor } = driver
      const mandate = yield* saved(driver, charging, succeeds)
      assert.isTrue(mandate.reference !== null)
      same(yield* keeps.fetchMandate(charging.integration, mandate), "active")
      for (const next of [yield* renewal(driver, charging, mandate), yield* renewal(driver, charging, mandate)]) {
        yield* processor.begin(next)
        assert.strictEqual(yield* driver.taken(next), 0)
        yield* Effect.asVoid(atOnce(Effect.result(keeps.chargeMandate(next, mandate))))
        yield* driver.forgetKeys(next)
        yield* Effect.result(keeps.chargeMandate(next, mandate))
        yield* isNow(processor, next, "succeeded")
        assert.strictEqual(yield* driver.taken(next), amount)
      }
    }
  ),

  forEachKept(
    "what was revoked, once or twice, is told, and cannot be charged; what another account keeps can",
    ["ProcessorMandates.revokeMandate MUST succeed for one that is revoked already."],

    function* (driver, charging, { keeps, succeeds }) {
      const mandate = yield* saved(driver, charging, succeeds)
      yield* keeps.revokeMandate(charging.integration, mandate)
      yield* keeps.revokeMandate(charging.integration, mandate)
      same(yield* keeps.fetchMandate(charging.integration, mandate), "revoked")
      const next = yield* renewal(driver, charging, mandate)
      yield* driver.processor.begin(next)
      const refused = yield* Effect.flip(keeps.chargeMandate(next, mandate))
      same(refused._tag, "ProcessorRefused")
      assert.strictEqual(yield* driver.taken(next), 0)
      const second = yield* newCharging(driver, charging.charge.method)
      const other = yield* saved(driver, second, succeeds)
      same(yield* keeps.fetchMandate(second.integration, other), "active")
      const paid = yield* renewal(driver, second, other)
      yield* driver.processor.begin(paid)
      yield* Effect.result(keeps.chargeMandate(paid, other))
      yield* isNow(driver.processor, paid, "succeeded")
      yield* keeps.revokeMandate(second.integration, other)
      same(yield* keeps.fetchMandate(second.integration, other), "revoked")
    }
  )
]

const { must } = lawsOn(ProcessorUnderTest)

/** Runs something for an integration that has no account yet, where the processor opens accounts. */
const whereItOpens = <S extends Step>(
  name: string,
  sentences: ReadonlyArray<string>,
  body: Body<[driver: ProcessorDriver, onboarding: ProcessorOnboarding, integration: Integration], S>
) =>
  must(name, sentences, function* (driver) {
    const { onboarding } = driver.processor
    if (onboarding === undefined) return
    const id = yield* freshId("integration")
    const integration = { ...(yield* driver.account), id, is_own: false }
    yield* Effect.gen(() => body(driver, onboarding, integration))
  })

/** The checks of processors that open accounts; the others have nothing to prove. */
export const processorOnboarding: ReadonlyArray<Check<ProcessorUnderTest>> = [
  whereItOpens(
    "an integration gets one account, which the processor knows",
    ["ProcessorOnboarding.openAccount MUST open one only,"],

    function* (driver, onboarding, integration) {
      const opened = yield* Effect.all(
        [onboarding.openAccount(integration, null), onboarding.openAccount(integration, null)],
        { concurrency: 2 }
      )
      const [first, second] = opened.map(({ account_id }) => account_id)
      assert.strictEqual(first, second)
      const other = { ...integration, id: yield* freshId("integration") }
      assert.isTrue((yield* onboarding.openAccount(other, null)).account_id !== first)
      yield* driver.processor.fetchAccount({ ...integration, processor_connect_account_id: first ?? "" })
    }
  ),

  whereItOpens(
    "whoever fills in the form for an account is sent back, and the account takes charges then",
    ["ProcessorOnboarding.onboard MUST lead back to return_url;"],

    function* ({ fillIn, processor }, onboarding, integration) {
      for (const number of [1, 2]) {
        const own = { ...integration, id: yield* freshId("integration") }
        const { account_id } = yield* onboarding.openAccount(own, null)
        const opened = { ...own, processor_connect_account_id: account_id }
        const return_url = `https://give.example.org/done?account=${number}`
        const addresses = { return_url, refresh_url: "https://give.example.org/again" }
        const { expires_at, url } = yield* onboarding.onboard(opened, addresses)
        assert.isTrue(DateTime.isGreaterThan(expires_at, yield* DateTime.now))
        if (fillIn === undefined) return
        assert.strictEqual(yield* fillIn(url), return_url)
        assert.isTrue((yield* processor.fetchAccount(opened)).charges_enabled)
      }
    }
  )
]
