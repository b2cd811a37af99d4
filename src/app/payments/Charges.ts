import { Effect } from "effect"
import { ChargeId } from "../../domain/kernel/Ids.ts"
import { type Charge, listing } from "../../domain/payments/Charge.ts"
import { ChargeDetail, ChargeRecord } from "../../domain/payments/ChargeRecord.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../ports/payments/DisputeStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Reactions } from "../kernel/reaction/Reactions.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeChargeSync } from "./charge/ChargeSync.ts"

const chargeId = id(ChargeId, "charge")

const operations = Row.table("charges", {
  read: Row.staffRead("Show a charge with its disputes", [chargeId], ChargeDetail),
  list: Row.staffList("List charges, newest first: every attempt to take money from a donor", listing, ChargeRecord),
  look: Row.staffChange("Ask the processor about a charge now, and show what it is then", [chargeId], ChargeDetail)
})

/** Shows staff the attempts to take money from donors. money, section 2: Charge. */
export class Charges extends Service<Charges>()("almoner/app/Charges", function* () {
  const store = yield* ChargeStore
  const disputes = yield* DisputeStore
  const { ofId: syncCharge } = yield* makeChargeSync
  const { transfersDoubted } = yield* Reactions

  const shown = Effect.fnUntraced(function* (charge: Charge) {
    return { ...charge, disputes: yield* disputes.ofCharge(charge.organisation_id, charge.id) }
  })

  const read = Effect.fn("Charges.read")(function* (id: ChargeId) {
    const { organisation } = yield* requireStaff(operations.read)
    const charge = yield* store.find(organisation.id, id).pipe(orNotFound("charge", id))
    return yield* shown(charge)
  })

  const list = listMethod("Charges.list", operations.list, store)

  /** Asks the processor about a charge and its transfers now, whether or not something is expected of it, and answers what it is then. */
  const look = Effect.fn("Charges.look")(function* (id: ChargeId) {
    const { organisation } = yield* requireStaff(operations.look)
    const before = yield* store.find(organisation.id, id).pipe(orNotFound("charge", id))
    yield* syncCharge(organisation.id, id)
    if (before.purpose === "payment") yield* transfersDoubted(before)
    const charge = yield* store.find(organisation.id, id).pipe(orNotFound("charge", id))
    return yield* shown(charge)
  })

  return yield* serviceInOrganisationTime(operations, { read, list, look })
}) {}

/** The operations of {@link Charges}. */
export const chargeOperations = operationsOf(Charges, operations)
