import { Effect } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"
import { byClockAhead } from "../../../ports/kernel/AheadClock.ts"

/** Runs what is done to an organisation by its own clock, which a sandbox may have moved. */
export const makeOrganisationTime = Effect.map(
  SandboxClockStore,
  (clocks) =>
    (organisation_id: OrganisationId) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.flatMap(clocks.ahead(organisation_id), (ahead) => byClockAhead(effect, ahead))
)

/** Runs what a caller asks for by the clock of the caller's organisation. Live ones have the real time, and nothing is asked. */
export const makeCallersTime = Effect.map(
  makeOrganisationTime,
  (timeOf) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | CurrentCaller> =>
      Effect.flatMap(CurrentCaller, ({ organisation: { id, is_sandbox } }) =>
        is_sandbox ? timeOf(id)(effect) : effect
      )
)
