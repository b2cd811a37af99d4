import { Effect, Layer } from "effect"
import { ApiKeyStore, AuditStore } from "../../src/ports.ts"
import { changePort } from "./ChangePort.ts"
import type { StoresLayer } from "./Stores.ts"

/** The faults that a test can cause in the stores of a running service. */
export interface Faults {
  /** Whether every write breaks at its last step, the audit entry. */
  writesBreak: boolean
  lookUpsBreak: boolean
  /** Keys that were looked up. */
  lookUps: number
  /** Every look-up waits for this. */
  lookUpGate: Promise<void>
  /** Every write waits for this at its last step. */
  gate: Promise<void>
  /** Writes that reached their last step. */
  writes: number
  /** The defect with which calls fail. */
  defect: unknown
}

/** Stores that nothing is wrong with. */
export const makeFaults = (): Faults => ({
  writesBreak: false,
  lookUpsBreak: false,
  lookUps: 0,
  lookUpGate: Promise.resolve(),
  gate: Promise.resolve(),
  writes: 0,
  defect: new Error("The store is broken.")
})

/** The stores with faults between them and the service. */
export const withFaults = (stores: StoresLayer, faults: Faults): StoresLayer => {
  const broken = Effect.suspend(() => Effect.die(faults.defect))
  const audit = changePort(AuditStore, (store) => ({
    append: (entry) =>
      Effect.suspend(() => {
        faults.writes += 1
        const gate = Effect.promise(() => faults.gate)
        return Effect.andThen(gate, faults.writesBreak ? broken : store.append(entry))
      })
  }))
  const keys = changePort(ApiKeyStore, (store) => ({
    findActive: (hash) =>
      Effect.suspend(() => {
        faults.lookUps += 1
        const gate = Effect.promise(() => faults.lookUpGate)
        return Effect.andThen(gate, faults.lookUpsBreak ? broken : store.findActive(hash))
      })
  }))
  return Layer.merge(audit, keys).pipe(Layer.provideMerge(stores))
}
