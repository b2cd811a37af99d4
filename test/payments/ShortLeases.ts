import { Duration, Layer } from "effect"
import { ReconciliationStore, TransferAttemptStore } from "../../src/ports.ts"
import { changePort } from "../support/ChangePort.ts"
import type { StoresLayer } from "../support/Stores.ts"

/** What a process that was stopped held of an account or a transfer is another's after this time, and not after minutes. */
export const shortLease = Duration.millis(500)

/** Stores of which an account is free soon after whoever reconciled it was stopped. */
export const withShortReconciliations = (stores: StoresLayer): StoresLayer =>
  changePort(ReconciliationStore, (store) => ({
    claim: (organisation_id, integration_id, holder) =>
      store.claim(organisation_id, integration_id, holder, shortLease),
    save: (reconciliation, holder) => store.save(reconciliation, holder, shortLease)
  })).pipe(Layer.provideMerge(stores))

/** The same, and of which a transfer is free soon, too. */
export const withShortLeases = (stores: StoresLayer): StoresLayer =>
  changePort(TransferAttemptStore, (store) => ({ claim: (limit) => store.claim(limit, shortLease) })).pipe(
    Layer.provideMerge(withShortReconciliations(stores))
  )

/** Compares everything with the bank until no account is held by a process that was stopped. */
export const untilFree = async (compare: () => Promise<{ readonly accounts_busy: number }>): Promise<void> => {
  while ((await compare()).accounts_busy > 0) await new Promise((resume) => setTimeout(resume, 100))
}
