import { ChargeDetail, ChargeRecord } from "../../../domain/payments/ChargeRecord.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Charges, takes } from "../Charges.ts"

const charges = operationsOf(Charges)

/** The operations of {@link Charges}. */
export const chargeOperations = {
  read: charges.forOperator({
    says: "Show a charge with its disputes",
    asks: asks.read,
    takes: takes.read,
    gives: ChargeDetail,
    run: (use, id) => use.read(id)
  }),
  list: charges.forOperator({
    says: "List charges, newest first: every attempt to take money from a donor",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(ChargeRecord),
    run: (use, asked) => use.list(asked)
  }),
  look: charges.forOperator({
    says: "Ask the processor about a charge now, and show what it is then",
    asks: asks.look,
    takes: takes.look,
    gives: ChargeDetail,
    run: (use, id) => use.look(id)
  })
}
