import { Duration, Effect, Schedule, Semaphore } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"
import { monotonicMillis } from "../../kernel/time/Monotonic.ts"

/** The lease of a clock for whoever moves it. It is renewed meanwhile, so that a process that died holds it no longer than this. */
export const lease = Duration.seconds(10)

const renewal = Schedule.spaced(Duration.seconds(3))

/** The request that moves the clock, and the one that waits for it. */
const requestsAtMost = 2

interface Turn {
  readonly semaphore: Semaphore.Semaphore
  requests: number
}

/** The turn of a request that moves a clock: who holds the clock, and by when the request must be answered, monotonic milliseconds. */
export interface ClockHold {
  readonly holder: string
  readonly deadline: number
}

/**
 * Lets one request at a time move the clock of an organisation. One more waits for it in this process, without asking the
 * database; any other, and one whose clock another process moves, is told `busy` at once.
 */
export const makeClockTurns = Effect.gen(function* () {
  const clocks = yield* SandboxClockStore
  const turns = new Map<OrganisationId, Turn>()

  const enter = (id: OrganisationId): Turn | undefined => {
    const turn = turns.get(id) ?? { semaphore: Semaphore.makeUnsafe(1), requests: 0 }
    if (turn.requests >= requestsAtMost) return undefined
    turn.requests += 1
    turns.set(id, turn)
    return turn
  }

  const leave = (id: OrganisationId, turn: Turn): void => {
    turn.requests -= 1
    if (turn.requests === 0) turns.delete(id)
  }

  const renewed = (id: OrganisationId, holder: string) =>
    Effect.andThen(Effect.repeat(clocks.claim(id, holder, lease), renewal), Effect.never)

  return <A, E, R, F>(
    id: OrganisationId,
    holder: string,
    { busy, use }: { readonly use: (held: ClockHold) => Effect.Effect<A, E, R>; readonly busy: Effect.Effect<never, F> }
  ): Effect.Effect<A, E | F, R> => {
    const held = Effect.fnUntraced(function* (deadline: number) {
      if ((yield* monotonicMillis) >= deadline || !(yield* clocks.claim(id, holder, lease))) return yield* busy
      return yield* use({ holder, deadline }).pipe(
        Effect.raceFirst(renewed(id, holder)),
        Effect.ensuring(clocks.release(id, holder))
      )
    })
    return Effect.acquireUseRelease(
      Effect.sync(() => enter(id)),
      (turn) =>
        Effect.flatMap(monotonicMillis, (began) =>
          turn === undefined ? busy : turn.semaphore.withPermits(1)(held(began + Limits.sandboxAdvanceSeconds * 1_000))
        ),
      (turn) => Effect.sync(() => (turn === undefined ? undefined : leave(id, turn)))
    )
  }
})
