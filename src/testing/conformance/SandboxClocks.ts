import { DateTime, Duration, Effect, Exit, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { SandboxClockStore } from "../../ports/access/SandboxClockStore.ts"
import { byClockAhead, bySurroundingClock, realNow } from "../../ports/kernel/AheadClock.ts"
import { Repeatable } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
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

/** A stored charge that is looked at then. */
const looked = (organisation_id: OrganisationId, look_at: DateTime.Utc) => newCharge(organisation_id, { look_at })

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

    law("what is due by its organisation's clock goes to whoever moves that", function* ({ store: clocks }) {
      const store = yield* ChargeStore
      const [id, other] = [yield* newClock("a"), (yield* newOrganisation()).id]
      const later = DateTime.add(yield* store.now, { hours: 1 })
      const soon = yield* looked(id, later)
      const elsewhere = yield* looked(other, later)
      const claim = (only?: OrganisationId) =>
        Effect.map(store.claim(100, aWhile, only), (all) => all.map((each) => each.id))
      same(yield* claim(id), [])
      yield* clocks.advance(id, "a", 7_200_000, aWhile)
      same(yield* claim(), [], "somebody moves its clock")
      same(yield* claim(other), [])
      same(Option.map(yield* store.nextDueOf(id), Duration.toMillis), Option.some(0))
      same(Option.exists(yield* store.nextDueOf(other), Duration.isZero), false)
      same(yield* claim(id), [soon.id])
      same(yield* claim(id), [], "it is leased")
      yield* store.lookNow(id, soon.id)
      yield* clocks.release(id, "a")
      same(yield* claim(), [soon.id])
      for (const each of [soon, elsewhere]) yield* Effect.orDie(store.update({ ...each, look_at: null }))
    }),

    law("a clock that was never moved is the real one", function* ({ store }) {
      const { id } = yield* newOrganisation({ is_sandbox: true })
      same(yield* store.ahead(id), 0)
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
