import { Effect, Result } from "effect"
import { makeOrganisationTime } from "../../src/app/access/caller/CallerContext.ts"
import { type Move, moveTestCharge } from "../../src/app/payments/charge/TestChargeMove.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { ChargeStore, Transaction } from "../../src/ports.ts"
import type { Service } from "../support/Service.ts"
import { pick } from "./Action.ts"

/** Whether we hear of what has happened at the bank: not, later, or at once. */
const heard = ["unheard of", "heard of", "heard of and looked at"] as const

/** What somebody does to a charge at the bank. */
export const moveCharge = ({ id, organisation_id }: Charge, move: Move) =>
  Effect.gen(function* () {
    const timeOf = yield* makeOrganisationTime
    const { run } = yield* Transaction
    return yield* timeOf(organisation_id)(run(moveTestCharge(organisation_id, id, move)))
  })

/** Somebody moves the first of the charges that the bank lets him move; `by` picks whether we hear of it. */
export const moveFirst = async (
  service: Service,
  charges: ReadonlyArray<Charge>,
  move: Move,
  by: number
): Promise<string> => {
  for (const charge of charges) {
    if (Result.isFailure(await service.run(Effect.result(moveCharge(charge, move))))) continue
    const { id, organisation_id } = charge
    const told = pick(heard, by)
    if (told !== "unheard of") await service.run(ChargeStore.use((store) => store.lookNow(organisation_id, id)))
    if (told === "heard of and looked at") await service.run(Settler.use(({ settleDue }) => settleDue))
    return `${id.slice(-6)}, ${told}`
  }
  return "refused"
}
