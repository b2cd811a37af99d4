import { describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { killAtEach, killBeside, killWhileShared } from "../payments/Crashes.ts"
import { allowedMillis, pointsOf } from "../payments/Kills.ts"
import { migratedUrl } from "../support/MigratedDatabase.ts"
import { kills } from "../support/Rounds.ts"
import { live } from "../support/Steps.ts"

/** A payment to twenty recipients passes about a thousand points: where all are asked for, it is killed at other ones each time. */
const killsWhileShared = kills(3, 250)

describe("kill -9 between any two steps of a gift, on PostgreSQL", () => {
  live(
    "loses nothing, takes nothing twice and tells nothing twice",
    function* () {
      const DATABASE = Redacted.value(yield* migratedUrl)
      const at = yield* pointsOf(12)
      yield* Effect.promise(() => killAtEach({ DATABASE }, at))
    },
    allowedMillis(12)
  )

  live(
    "is made good by another process that does the same at the same moment",
    function* () {
      const DATABASE = Redacted.value(yield* migratedUrl)
      const at = yield* pointsOf(6)
      yield* Effect.promise(() => killBeside({ DATABASE }, at))
    },
    allowedMillis(6)
  )

  live(
    "brings the parts of a payment to twenty recipients once each",
    function* () {
      const DATABASE = Redacted.value(yield* migratedUrl)
      yield* Effect.promise(() => killWhileShared({ DATABASE }, killsWhileShared))
    },
    allowedMillis(3)
  )
})
