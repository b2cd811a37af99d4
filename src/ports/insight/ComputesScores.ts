import { Context } from "effect"

/**
 * Whether something computes donors' scores on demand, here or in another process on the same records. Nothing bundled
 * does: a host that computes scores itself sets this.
 */
export const ComputesScores = Context.Reference<boolean>("almoner/ports/ComputesScores", {
  defaultValue: () => false
})
