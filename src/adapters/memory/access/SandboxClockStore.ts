import { DateTime, type Duration, Effect, HashMap, Layer, Option, Result } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { type Change, Memory } from "../Memory.ts"
import { aheadMillis, type KeptClock, type State } from "../State.ts"

const keptOf = (state: State, organisation_id: OrganisationId): KeptClock =>
  Option.getOrElse(HashMap.get(state.sandboxClocks, organisation_id), () => ({
    organisation_id,
    ahead_millis: 0,
    lease: null
  }))

const withKept = (state: State, kept: KeptClock): State => ({
  ...state,
  sandboxClocks: HashMap.set(state.sandboxClocks, kept.organisation_id, kept)
})

/** The clocks of sandboxes in memory. Leases go by Effect's clock. */
export const layer = Layer.effect(
  SandboxClockStore,
  Effect.map(Memory, (memory) => {
    /** Writes it where it is free, or `holder`'s already. */
    const held = (
      organisation_id: OrganisationId,
      holder: string,
      {
        by_millis,
        isMine,
        lease
      }: { readonly by_millis: number; readonly isMine: boolean; readonly lease: Duration.Duration }
    ) =>
      Effect.flatMap(realNow, (now) =>
        memory.decide((state): Change<boolean, never> => {
          const kept = keptOf(state, organisation_id)
          const isHolders = kept.lease?.holder === holder
          const isFree = kept.lease === null || DateTime.isLessThanOrEqualTo(kept.lease.until, now)
          if (!(isHolders || (isFree && !isMine))) return Result.succeed([false, state])
          const until = DateTime.addDuration(now, lease)
          const ahead_millis = kept.ahead_millis + by_millis
          return Result.succeed([true, withKept(state, { organisation_id, ahead_millis, lease: { holder, until } })])
        })
      )
    return SandboxClockStore.of({
      ahead: (organisation_id) => memory.read((state) => aheadMillis(state, organisation_id)),
      moved: memory.read((state) =>
        HashMap.toValues(state.sandboxClocks)
          .filter(({ ahead_millis }) => ahead_millis > 0)
          .map(({ ahead_millis, organisation_id }) => ({ organisation_id, ahead_millis }))
          .toSorted((a, b) => compareCodePoints(a.organisation_id, b.organisation_id))
      ),
      claim: (organisation_id, holder, lease) => held(organisation_id, holder, { by_millis: 0, isMine: false, lease }),
      advance: (organisation_id, holder, by_millis, lease) =>
        held(organisation_id, holder, { by_millis, isMine: true, lease }),
      release: (organisation_id, holder) =>
        memory.change((state) => {
          const kept = keptOf(state, organisation_id)
          return kept.lease?.holder === holder ? withKept(state, { ...kept, lease: null }) : state
        })
    })
  })
)
