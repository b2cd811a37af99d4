import { DateTime, Duration, Effect, Exit } from "effect"
import fc from "fast-check"
import type { Charge } from "../../domain/payments/Charge.ts"
import { SandboxClockStore } from "../../ports/access/SandboxClockStore.ts"
import { byClockAhead, bySurroundingClock, realNow } from "../../ports/kernel/AheadClock.ts"
import { Repeatable } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { dueBy, dueByClock } from "./DueRecords.ts"
import { newCharge } from "./MoneyRecords.ts"
import { holdsFor } from "./RecordLocks.ts"
import { newOrganisation } from "./Records.ts"
import { inTransaction, lawsOf, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

const { law, must, property } = lawsOf(SandboxClockStore)

const aWhile = Duration.minutes(1)

/** A clock that one holder moves. */
const newClock = Effect.fnUntraced(function* (holder: string) {
  const { id } = yield* newOrganisation({ is_sandbox: true })
  same(yield* SandboxClockStore.use((store) => store.claim(id, holder, aWhile)), true)
  return id
})

/** The laws of {@link SandboxClockStore}. Other organisations may be in it, and their clocks. */
export const sandboxClocks = (given: Thoroughness = {}) =>
  suite([
    must(
      "a clock is moved by one at a time, until the lease has ended or it is let go",
      ["SandboxClockStore.claim MUST let one holder at a time."],
      function* ({ store }) {
        const { id } = yield* newOrganisation({ is_sandbox: true })
        const claim = (holder: string, lease = aWhile) => store.claim(id, holder, lease)
        const holders = ["a", "b", "c", "d"]
        const claims = yield* Effect.forEach(holders, (holder) => claim(holder), { concurrency: "unbounded" })
        same(claims.filter((isHeld) => isHeld).length, 1)
        const winner = holders[claims.indexOf(true)] ?? ""
        same(yield* claim(winner), true)
        same(yield* claim("other"), false)
        yield* store.release(id, "other")
        same(yield* claim("other"), false)
        yield* store.release(id, winner)
        const isHeld = Effect.map(claim("another", Duration.zero), (isMine) => !isMine)
        yield* holdsFor((lease) => claim("other", lease), isHeld)
        yield* holdsFor((lease) => Effect.andThen(claim("other"), store.advance(id, "other", 60_000, lease)), isHeld)
      }
    ),

    property(
      "a clock is ahead by all that its holders moved it, and by nothing that others tried",
      ["SandboxClockStore.advance MUST change nothing, and answer false, where holder does not hold it any more."],
      runsOf(given),
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 31_622_400_000 })), { maxLength: 6 }),
      function* (steps, { store }) {
        const id = yield* newClock("a")
        let ahead = 0
        for (const [isHolder, by] of steps) {
          same(yield* store.advance(id, isHolder ? "a" : "b", by, aWhile), isHolder)
          if (isHolder) ahead += by
        }
        same(yield* store.ahead(id), ahead)
        const ours = (yield* store.moved).filter(({ organisation_id }) => organisation_id === id)
        same(ours, ahead === 0 ? [] : [{ organisation_id: id, ahead_millis: ahead }])
        yield* store.release(id, "a")
        same(yield* store.advance(id, "a", 1, aWhile), false)
        same(yield* store.ahead(id), ahead, "it keeps the time that it was moved to")
      }
    ),

    dueByClock({
      name: "charges",
      port: ChargeStore,
      make: dueBy(ChargeStore, "look_at", newCharge),
      lookNow: ({ id, organisation_id }: Charge) => ChargeStore.use((store) => store.lookNow(organisation_id, id))
    }),

    law("whoever asks at one moment, even while they write, is told the clock for them", function* ({ store }) {
      const ids = yield* Effect.forEach([1, 2, 3], (hours) =>
        Effect.tap(newClock("a"), (id) => store.advance(id, "a", hours * 3_600_000, aWhile))
      )
      const asked = [...ids, ...ids.toReversed(), (yield* newOrganisation({ is_sandbox: true })).id]
      const readings = Effect.forEach(asked, (id) => store.ahead(id), { concurrency: "unbounded" })
      const hours = [1, 2, 3, 3, 2, 1, 0].map((each) => each * 3_600_000)
      same(yield* readings, hours)
      same(yield* Effect.provideService(inTransaction(readings), Repeatable, true), hours)
      const [id] = ids
      if (id === undefined) return
      const moving = Effect.andThen(store.advance(id, "a", 1, aWhile), store.ahead(id))
      same(yield* inTransaction(moving), 3_600_001)
      same(yield* store.ahead(id), 3_600_001)
      const undone = Effect.exit(inTransaction(Effect.andThen(moving, Effect.die("undone"))))
      same(Exit.isFailure(yield* undone), true)
      same(yield* store.ahead(id), 3_600_001)
    }),

    law("a store's own time is told by the clock around it", function* () {
      const { now } = yield* ChargeStore
      const day = Duration.toMillis(Duration.days(1))
      const [real, ahead] = [yield* now, yield* byClockAhead(now, day)]
      const apart = ahead.epochMilliseconds - real.epochMilliseconds
      same(apart >= day && apart < 2 * day, true, `${apart} ms`)
      const nested = yield* byClockAhead(byClockAhead(Effect.flatMap(realNow, bySurroundingClock), day), 9 * day)
      same(DateTime.toEpochMillis(nested) < real.epochMilliseconds + 2 * day, true)
    })
  ])
