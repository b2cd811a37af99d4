import fc from "fast-check"
import { type Changes, Command, RevenueCode } from "../../domain/giving/RevenueCode.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { at } from "./Month.ts"

const changes: fc.Arbitrary<Changes> = fc.record(
  { code: fc.constantFrom("GALA-26", "Winter appeal"), description: fc.constantFrom(null, "Gala dinner") },
  { requiredKeys: [] }
)

/** Revenue codes, archived and not, for the laws. */
export const revenueCodes: Subject<RevenueCode, Command> = {
  schema: RevenueCode,
  states: arbitraryOf(RevenueCode),
  commands: fc
    .tuple(at(arbitraryOf(Command)), changes)
    .map(([command, given]): Command => (command._tag === "Change" ? { ...command, changes: given } : command)),
  // decisions, section 4: Revenue codes; section 1: Verbs.
  expect: {
    Change: { from: ["ACTIVE"], to: "ACTIVE", changes: (_, { at, changes }) => ({ ...changes, updated_at: at }) },
    Archive: { from: ["ACTIVE"], to: "ARCHIVED", changes: (_, { at }) => ({ archived_at: at, updated_at: at }) }
  },
  steps: {
    "a code stays in its namespace": ({ after, before }) => after.namespace === before.namespace
  }
}
