import { Cause, Context, DateTime, Duration, Effect, Fiber, Layer, Option } from "effect"
import { ChargeStore, type DueCharge } from "../../ports/payments/ChargeStore.ts"
import { makeStoreOutage } from "../kernel/steps/StoreOutage.ts"
import { makeAccountChecks } from "./steps/AccountChecks.ts"
import { makeConverge } from "./steps/Converge.ts"
import { lease } from "./steps/Recording.ts"

/** Charges that are leased with one claim, and looked at side by side. */
const batch = 8

/** The longest that one charge may take at its processor. It ends well before the lease. */
const within = Duration.seconds(45)

/** How long what is under way may take when the worker is told to stop. */
const drainWithin = Duration.seconds(8)

/** How often is looked when nothing hints, milliseconds: charges of other processes are found by looking. */
const lookEveryMillis = 5_000

/** Another worker may be about to take what is due. */
const lookAgainMillis = 100

/** How often the processors are asked what accounts can do. money, section 2: Integration. */
const accountsEvery = Duration.days(1)

/**
 * Makes charges agree with their processors: claims those that are due, and looks at each until it is as the processor says.
 * Any number of processes may run one over the same store, and a crash leaves a charge due again. money, section 1.
 *
 * @example
 * ```ts
 * const program = Settler.Settler.use(({ settleDue }) => settleDue)
 * ```
 */
export class Settler extends Context.Service<Settler>()("almoner/app/Settler", {
  make: Effect.gen(function* () {
    const charges = yield* ChargeStore
    const converge = yield* makeConverge
    const checkAccounts = yield* makeAccountChecks

    /** One that breaks is due again after its lease, and stops no other. */
    const settleSafely = ({ id, organisation_id }: DueCharge): Effect.Effect<void> =>
      Effect.catchCause(Effect.asVoid(Effect.timeoutOption(converge(organisation_id, id), within)), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logError(`The charge ${id} could not be settled; it is tried again in a minute`, cause)
      )

    /** One claim and its charges, side by side. When it is interrupted, what is under way gets some time to end. */
    const settleBatch: Effect.Effect<number> = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const claimed = yield* charges.claim(batch, lease)
        const all = Effect.forEach(claimed, settleSafely, { concurrency: "unbounded", discard: true })
        const settling = yield* Effect.forkDetach(Effect.interruptible(all))
        const drain = Effect.andThen(
          Effect.timeoutOption(Effect.interruptible(Fiber.await(settling)), drainWithin),
          Fiber.interrupt(settling)
        )
        yield* Effect.onInterrupt(restore(Fiber.join(settling)), () => drain)
        return claimed.length
      })
    )

    /**
     * Looks at every charge that is due, and answers how many that were. For hosts with a job runner of their own, in place of
     * {@link run}. Dies when the store is away, and may then be called again.
     */
    const settleDue: Effect.Effect<number> = Effect.gen(function* () {
      let total = 0
      for (let size = yield* settleBatch; size > 0; size = yield* settleBatch) total += size
      return total
    })

    const untilNext = Effect.gen(function* () {
      const millis = Option.match(yield* charges.nextDue, {
        onNone: () => lookEveryMillis,
        onSome: (next) => Math.min(lookEveryMillis, Math.max(lookAgainMillis, Duration.toMillis(next)))
      })
      yield* Effect.timeoutOption(charges.wait, Duration.millis(millis))
    })

    /** Settles for as long as it is not interrupted; to be forked in a scope. It outlives any outage of the store. */
    const run: Effect.Effect<never> = Effect.suspend(() => {
      const outage = makeStoreOutage("The store of charges")
      let accountsAt: DateTime.Utc | null = null
      const accounts = Effect.gen(function* () {
        const now = yield* DateTime.now
        if (accountsAt !== null && DateTime.isLessThan(now, DateTime.addDuration(accountsAt, accountsEvery))) return
        yield* checkAccounts
        accountsAt = now
      })
      const once = Effect.flatMap(
        outage.watch(Effect.all([settleDue, accounts, untilNext], { discard: true })),
        (done) => (Option.isSome(done) ? Effect.void : Effect.sleep(Duration.millis(lookEveryMillis)))
      )
      return Effect.forever(once)
    })

    return { run, settleDue, checkAccounts } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
