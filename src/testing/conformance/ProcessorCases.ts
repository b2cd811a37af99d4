import { Effect, Result } from "effect"
import type { PaymentMethod } from "../../domain/giving/DonationKinds.ts"
import type { ChargeSnapshot } from "../../domain/payments/Snapshot.ts"
import type { ChargeContext, PaymentProcessor, ProcessorFailure } from "../../ports/payments/PaymentProcessors.ts"
import { assert } from "./Assert.ts"
import { chargeOf, type DonorTokens, type ProcessorDriver, ProcessorUnderTest } from "./ProcessorDriver.ts"
import { type Body, lawsOn, type Step } from "./Suite.ts"

const { must } = lawsOn(ProcessorUnderTest)

/** The amount of each charge, minor units. */
export const amount = 5_000

/** A check of a new charge of each method that has the token, or of each method at all. */
export const forEachMethod = <S extends Step>(
  name: string,
  sentences: ReadonlyArray<string>,
  token: keyof DonorTokens | null,
  body: Body<[driver: ProcessorDriver, charging: ChargeContext, tokens: DonorTokens], S>
) =>
  must(name, sentences, function* (driver) {
    for (const method of driver.processor.capabilities.methods) {
      const tokens = driver.tokens[method] ?? {}
      if (token !== null && tokens[token] === undefined) continue
      const charging = yield* newCharging(driver, method)
      yield* Effect.gen(() => body(driver, charging, tokens))
    }
  })

export const newCharging = Effect.fnUntraced(function* (driver: ProcessorDriver, method: PaymentMethod) {
  const integration = yield* driver.account
  const charging: ChargeContext = {
    integration,
    charge: yield* chargeOf(integration, { method, amount_cents: amount })
  }
  return charging
})

/** As often at the same moment as processes and repetitions do it. */
export const atOnce = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.all([effect, effect, effect, effect], { concurrency: "unbounded" })

/** Makes a charge known and gives it what its donor pays with. */
export const paidWith = Effect.fnUntraced(function* (
  { processor }: ProcessorDriver,
  charging: ChargeContext,
  token: string
) {
  const { reference } = yield* processor.begin(charging)
  yield* processor.confirm(charging, token)
  return { ...charging, charge: { ...charging.charge, reference } }
})

/** A charge of any method whose money is there. */
export const paidCharge = Effect.fnUntraced(function* (driver: ProcessorDriver) {
  const { methods } = driver.processor.capabilities
  const method = methods.find((each) => driver.tokens[each]?.succeeds !== undefined) ?? "card"
  const token = driver.tokens[method]?.succeeds ?? ""
  const charging = yield* paidWith(driver, yield* newCharging(driver, method), token)
  yield* isNow(driver.processor, charging, "succeeded")
  return charging
})

export const isNow = Effect.fnUntraced(function* (
  processor: PaymentProcessor,
  charging: ChargeContext,
  status: ChargeSnapshot["status"]
) {
  const snapshot = yield* processor.fetchCharge(charging)
  assert.strictEqual(snapshot.status, status)
  return snapshot
})

export const unreachedCase = <A, R>(effect: Effect.Effect<A, ProcessorFailure, R>) =>
  Effect.map(Effect.result(effect), (result) =>
    assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "Success", "ProcessorUnreachable")
  )

export const refusedWithCode = <A, R>(effect: Effect.Effect<A, ProcessorFailure, R>) =>
  Effect.map(Effect.result(effect), (result) => {
    if (Result.isSuccess(result)) return assert.isTrue(false, "it was not refused")
    const { failure } = result
    assert.strictEqual(failure._tag, "ProcessorRefused")
    if (failure._tag === "ProcessorRefused") assert.matches(failure.code, /^[a-z0-9_]+$/)
  })
