import { Effect } from "effect"
import { AdvancedClock, OrganisationClock } from "../../../domain/access/SandboxClock.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { asks, Sandbox, takes } from "../Sandbox.ts"

const sandbox = operationsOf(Sandbox)

/** The operations of {@link Sandbox}. */
export const sandboxOperations = {
  read: sandbox.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: OrganisationClock,
    run: (use) => use.read()
  }),
  advance: sandbox.forCaller({
    asks: asks.advance,
    keyed: true,
    takes: takes.advance,
    gives: AdvancedClock,
    run: (use, given) => use.advance(given),
    // Each step commits by itself.
    prepare: (use, given) => Effect.map(use.advance(given), Effect.succeed)
  })
}
