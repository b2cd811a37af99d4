import fc from "fast-check"
import * as RevenueCode from "../../domain/giving/RevenueCode.ts"
import { patchOf } from "../Arbitraries.ts"
import { charity, modelOf, patchOrEnd, patchOutcome, real, stateOf } from "./Charity.ts"

const changes = patchOf({
  code: fc.constantFrom("GALA", "Gala", "APPEAL"),
  description: fc.constantFrom(null, "Winter appeal")
})

/** Revenue codes that are changed and archived, beside {@link RevenueCode.machine}. */
export const revenueCodes = modelOf(RevenueCode.machine, (driven) => ({
  commands: patchOrEnd(changes, "Archive"),
  fields: Object.keys(RevenueCode.RevenueCodeRecord.fields),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const shown = await calls.revenueCodes.create({ code: "GALA" })
    const born = stateOf(RevenueCode.RevenueCode, shown, { organisation_id })
    const { archive, read, update } = calls.revenueCodes
    return real(driven, calls, born, read, (command: RevenueCode.Command) =>
      command._tag === "Archive" ? archive(born.id) : update(born.id, command.changes)
    )
  },
  answers: (decides, state, command) => patchOutcome(state.archived_at !== null, decides, state, command),
  refusal: () => "RecordArchived"
}))
