import { Context } from "effect"

/**
 * Whether something computes donors' scores on demand, here or in another process on the same records. Nothing that is
 * bundled does: a host that computes them itself says so.
 */
export const ComputesScores = Context.Reference<boolean>("almoner/ports/ComputesScores", {
  defaultValue: () => false
})
