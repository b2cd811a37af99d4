import { Effect, Schema, Struct } from "effect"
import { Argument } from "effect/cli"
import { sandboxOperations as declared, Sandbox } from "../../../app/outbox/Sandbox.ts"
import { OrganisationClock, Step } from "../../../domain/access/SandboxClock.ts"
import { type Operation, ofOrganisation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"

const group = "sandbox"

export const sandboxCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.read, { group, name: "show", description: "Show the time of an organisation", parameters: {} }),
  ofOrganisation({
    group,
    name: "advance",
    description: "Move a sandbox's clock on: what falls due meanwhile happens in its order, as it would have",
    parameters: {
      duration: Argument.String("duration").pipe(
        Argument.withDescription("How far: a whole number with its unit, s, m, h, d or w, such as 30d")
      )
    },
    input: Schema.Struct({ duration: Step }),
    output: OrganisationClock,
    run: Effect.fnUntraced(function* ({ duration }) {
      const { advance } = yield* Sandbox
      let clock = yield* advance({ duration })
      while (!clock.reached) clock = yield* advance({ to: clock.until })
      return Struct.pick(clock, ["now", "ahead_seconds"])
    })
  })
]
