import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { killAtEach } from "../payments/Crashes.ts"
import { allowedMillis, pointsOf } from "../payments/Kills.ts"
import { live } from "../support/Steps.ts"
import { preparedFolder } from "./Almoner.ts"

describe("kill -9 between any two steps of a gift, on the embedded database", () => {
  live(
    "loses nothing, takes nothing twice and tells nothing twice",
    function* () {
      const FOLDER = yield* preparedFolder
      const at = yield* pointsOf(3)
      yield* Effect.promise(() => killAtEach({ FOLDER }, at))
    },
    allowedMillis(3)
  )
})
