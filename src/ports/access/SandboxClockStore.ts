import type { Duration, Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"

/** An organisation whose clock was moved, and how far it is ahead of the real time, milliseconds. */
export interface MovedClock {
  readonly organisation_id: OrganisationId
  readonly ahead_millis: number
}

/**
 * Keeps how far the clocks of sandboxes are ahead, and who moves one. The stores' own claims go by them, too: a record of an
 * organisation is due by the organisation's clock.
 */
export class SandboxClockStore extends Context.Service<
  SandboxClockStore,
  {
    /** How far an organisation's clock is ahead, milliseconds; 0 for one that was never moved. */
    ahead(organisation_id: OrganisationId): Effect.Effect<number>
    /** The organisations whose clocks are ahead, in the order of their ids. */
    readonly moved: Effect.Effect<ReadonlyArray<MovedClock>>
    /**
     * Lets `holder` move the clock for as long as `lease`, by the store's clock; false where somebody else does. MUST let one
     * holder at a time.
     */
    claim(organisation_id: OrganisationId, holder: string, lease: Duration.Duration): Effect.Effect<boolean>
    /**
     * Moves the clock on by whole milliseconds, and holds it for longer. MUST change nothing, and answer false, where `holder`
     * does not hold it any more.
     */
    advance(
      organisation_id: OrganisationId,
      holder: string,
      by_millis: number,
      lease: Duration.Duration
    ): Effect.Effect<boolean>
    /** Lets others move it, where `holder` still holds it. */
    release(organisation_id: OrganisationId, holder: string): Effect.Effect<void>
  }
>()("almoner/ports/SandboxClockStore") {}
