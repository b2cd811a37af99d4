import fc from "fast-check"
import { Campaign, Command } from "../../domain/insight/Campaign.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"

const generation = fc.record({
  public_ref: fc.stringMatching(/^[a-z0-9]{8}$/),
  generated_count: fc.nat(1_000),
  without_email: fc.nat(1_000),
  ask_total_cents: fc.nat(1_000_000_000),
  generated_at: instant
})

const notGenerated = {
  public_ref: null,
  generated_count: null,
  without_email: null,
  ask_total_cents: null,
  generated_at: null
}

/** Campaigns that have figures exactly when they are generated. */
const states: fc.Arbitrary<Campaign> = fc
  .tuple(arbitraryOf(Campaign), generation)
  .map(([campaign, given]) => ({ ...campaign, ...(campaign.status === "DRAFT" ? notGenerated : given) }))

const commands: fc.Arbitrary<Command> = fc
  .tuple(arbitraryOf(Command), instant)
  .map(([command, at]): Command => ({ ...command, at }))

/** Campaigns, generated and not, for the laws. */
export const campaigns: Subject<Campaign, Command> = {
  schema: Campaign,
  states,
  commands,
  // decisions, section 5: Campaign. DRAFT → GENERATED once; then immutable.
  expect: {
    Change: { from: ["DRAFT"], to: "DRAFT", changes: (_, { at, changes }) => ({ ...changes, updated_at: at }) },
    Generate: {
      from: ["DRAFT"],
      to: "GENERATED",
      changes: (_, { _tag, at, ...figures }) => ({ ...figures, generated_at: at, updated_at: at })
    }
  },
  invariants: {
    "a campaign has figures exactly when it is generated": ({ generated_at, generated_count, status }) =>
      (status === "GENERATED") === (generated_at !== null) && (generated_at === null) === (generated_count === null)
  },
  steps: { "a campaign is generated once": ({ before }) => before.status !== "GENERATED" }
}
