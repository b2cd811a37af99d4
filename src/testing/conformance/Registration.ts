import { type Layer, ManagedRuntime, Struct } from "effect"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as Checks from "./Checks.ts"

/** The longest that a check may take, milliseconds. Checks of deadlines wait for them. */
const checkMillis = 120_000

/** The checks of every store port, by the suite's name. */
export const storeChecks = Struct.omit({ ...Checks }, [
  "donorRecords",
  "macs",
  "mailTransport",
  "paymentProcessor",
  "ProcessorUnderTest",
  "rateLimiter",
  "revenueCodeRecords",
  "secretBox",
  "statementContent",
  "statementMarkup",
  "tokens",
  "transaction",
  "webhookAddresses",
  "webhookSigner",
  "webhookTransport"
])

/** The ports that a list of checks asks for. */
export type PortsOf<Checked> = Checked extends ReadonlyArray<Checks.Check<infer R>> ? R : never

/** A layer that is made once for the whole suite: each check works in organisations of its own. */
export interface SharedLayer<R, E> {
  readonly layer: Layer.Layer<R, E>
}

/** Registers checks over a layer that is made. */
export const addTo = <R, E>(
  runtime: ManagedRuntime.ManagedRuntime<R, E>,
  checks: ReadonlyArray<Checks.Check<R>>
): void => {
  for (const { check, name } of checks) it(name, () => runtime.runPromise(check), checkMillis)
}

/** A suite over a layer, which is made once, before the first check. */
export const sharedSuite = <R, E>(
  name: string,
  layer: Layer.Layer<R, E>,
  add: (runtime: ManagedRuntime.ManagedRuntime<R, E>) => void
): void => {
  describe(name, () => {
    const runtime = ManagedRuntime.make(layer)
    beforeAll(() => runtime.context(), checkMillis)
    afterAll(() => runtime.dispose(), checkMillis)
    add(runtime)
  })
}

/** Registers checks over a layer, which is made once for all of them. */
export const register = <R, E>(name: string, layer: Layer.Layer<R, E>, checks: ReadonlyArray<Checks.Check<R>>): void =>
  sharedSuite(name, layer, (runtime) => addTo(runtime, checks))

/** The suite of a port: its layer holds the adapter and the ports that the checks are set up with. */
export const suiteOf =
  <R>(checksOf: (given: Checks.Thoroughness) => ReadonlyArray<Checks.Check<R>>) =>
  <E>(name: string, subject: SharedLayer<R, E> & Checks.Thoroughness): void =>
    register(name, subject.layer, checksOf(subject))
