import { Effect, Layer, Result } from "effect"
import type { CreditId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { Credit } from "../../../domain/payments/Credit.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { type Change, Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { add, records, type State } from "../State.ts"

const lineOf = (where: string, { digest, number }: Credit): string => JSON.stringify([where, digest, number])

const linesOf = (credit: Credit): ReadonlyArray<string> => [
  lineOf(credit.account, credit),
  lineOf(credit.integration_id, credit)
]

const addAll = (
  state: State,
  organisation_id: OrganisationId,
  credits: ReadonlyArray<Credit>
): Change<ReadonlySet<CreditId>, never> => {
  const known = new Set(Array.from(records(state.credits, organisation_id)).flatMap(linesOf))
  const added = new Set<CreditId>()
  let table = state.credits
  for (const credit of credits) {
    if (credit.organisation_id !== organisation_id || linesOf(credit).some((line) => known.has(line))) continue
    for (const line of linesOf(credit)) known.add(line)
    added.add(credit.id)
    table = add(table, credit)
  }
  return Result.succeed([added, { ...state, credits: table }])
}

/** Credits in memory. */
export const layer = Layer.effect(
  CreditStore,
  Effect.map(Memory, (memory) => {
    const { find, list, update } = makeRecords<Credit, CreditId>(memory, {
      table: (state) => state.credits,
      with: (state, credits) => ({ ...state, credits }),
      columns: (record) => record
    })
    return CreditStore.of({
      find,
      list,
      update,
      add: (organisation_id, credits) => memory.decide((state) => addAll(state, organisation_id, credits)),
      ofCharge: (organisation_id, charge_id) =>
        memory.read((state) =>
          Array.from(records(state.credits, organisation_id)).filter((each) => each.charge_id === charge_id)
        )
    })
  })
)
