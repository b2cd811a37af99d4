import { Reconciled } from "../../../domain/payments/Reconciliation.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { Reconciler, takes } from "../Reconciler.ts"

const reconciler = operationsOf(Reconciler)

/** The operations of {@link Reconciler}. */
export const reconcilerOperations = {
  reconcile: reconciler.forInstallation({
    says: "Hold all charges and books against what the payment processors have, and repair what differs",
    takes: takes.reconcile,
    gives: Reconciled,
    run: (use, asked) => use.reconcile(asked)
  })
}
