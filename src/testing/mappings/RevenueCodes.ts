import fc from "fast-check"
import * as RevenueCode from "../../domain/giving/RevenueCode.ts"
import type { Model } from "../Models.ts"
import { charity, noChange, patchFields, patchOrEnd, real, type ServiceUnderTest, stateOf } from "./Charity.ts"

const changes = fc.record(
  { code: fc.constantFrom("GALA", "Gala", "APPEAL"), description: fc.constantFrom(null, "Winter appeal") },
  { requiredKeys: [] }
)

const commands: fc.Arbitrary<RevenueCode.Command> = patchOrEnd(changes, "Archive")

/** Revenue codes that are changed and archived, beside {@link RevenueCode.machine}. */
export const revenueCodes = (
  driven: ServiceUnderTest
): Model<RevenueCode.RevenueCode, RevenueCode.Status, RevenueCode.Command, never> => ({
  machine: RevenueCode.machine,
  commands,
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
  answers: (decides, state, command) => {
    const isArchived = state.archived_at !== null
    if (command._tag === "Archive") return isArchived ? noChange(state) : decides(state, command)
    const changes = patchFields(state, command.changes)
    return Object.keys(changes).length === 0 && !isArchived ? noChange(state) : decides(state, { ...command, changes })
  },
  refusal: () => "RecordArchived"
})
