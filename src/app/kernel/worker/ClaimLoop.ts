import { Duration, Effect, Fiber, Option } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { guard, type Work } from "../../../ports/kernel/WorkGuard.ts"
import { makeStoreOutage } from "../store/StoreOutage.ts"

/** The interval of looks for what is due without hints, milliseconds: a hint may be lost. */
const lookEveryMillis = 5_000

/** Another worker may be about to take what is due. */
const lookAgainMillis = 100

/** The time for work under way to end when the worker stops. */
const drainWithin = Duration.seconds(8)

/** One claim and its work; how much was claimed. When it is interrupted, what is under way gets some time to end. */
export const batchOf = <A>(
  claim: () => Effect.Effect<ReadonlyArray<A>>,
  work: (claimed: ReadonlyArray<A>) => Effect.Effect<void>
): Effect.Effect<number> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const claimed = yield* claim()
      if (claimed.length === 0) return 0
      const working = yield* Effect.forkDetach(Effect.interruptible(work(claimed)))
      const drain = Effect.andThen(
        Effect.timeoutOption(Effect.interruptible(Fiber.await(working)), drainWithin),
        Fiber.interrupt(working)
      )
      yield* Effect.onInterrupt(restore(Fiber.join(working)), () => drain)
      return claimed.length
    })
  )

/** Waits for a hint, and no longer than until something is due. */
export const untilDue = (due: Effect.Effect<Iterable<Duration.Duration>>, hint: Effect.Effect<void>) =>
  Effect.flatMap(due, (each) => {
    const next = Math.min(lookEveryMillis, ...Array.from(each, Duration.toMillis))
    return Effect.timeoutOption(hint, Duration.millis(Math.max(lookAgainMillis, next)))
  })

/** Works over a store of this name for as long as it is not interrupted, through any of its outages. */
export const workThroughOutages = (name: string, work: Effect.Effect<unknown>): Effect.Effect<never> =>
  Effect.suspend(() => {
    const outage = makeStoreOutage(name)
    return Effect.forever(
      Effect.flatMap(outage.watch(work), (done) =>
        Option.isSome(done) ? Effect.void : Effect.sleep(Duration.millis(lookEveryMillis))
      )
    )
  })

/** Batches until there is nothing left; how much that was. */
export const untilNone = Effect.fnUntraced(function* (batch: Effect.Effect<number>) {
  let total = 0
  for (let size = yield* batch; size > 0; size = yield* batch) total += size
  return total
})

/** Claims and works, a batch side by side, until nothing is due, of one organisation or all; answers how many. */
export const makeClaimLoop =
  <A extends Pick<Work, "id">>(
    kind: Work["kind"],
    claim: (only: OrganisationId | undefined) => Effect.Effect<ReadonlyArray<A>>,
    work: (each: A) => Effect.Effect<void>
  ) =>
  (only?: OrganisationId): Effect.Effect<number> =>
    untilNone(
      batchOf(
        () => claim(only),
        (claimed) =>
          Effect.forEach(claimed, (each) => guard({ kind, id: each.id }, work(each)), {
            concurrency: "unbounded",
            discard: true
          })
      )
    )
