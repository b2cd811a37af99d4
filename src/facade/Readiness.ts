import { Duration, Effect, Exit, Layer, Option } from "effect"
import { makeDatabaseStanding } from "../adapters/postgres/connection/Readiness.ts"
import { SealedSecrets } from "../app/access/SealedSecrets.ts"
import { faultOf } from "../domain/access/KeyUsage.ts"
import { Background } from "../ports/kernel/Background.ts"
import { type Needs, Readiness, type Standing } from "../ports/kernel/Readiness.ts"

/** How long it is known that the ring fits: it changes with the process, and what is sealed by a process with another. */
const ringKnown = Duration.minutes(1)

/** The longest that a look takes. */
const patience = Duration.seconds(3)

const slow: Needs = { database: "failed", migrations: "unknown", key_ring: "unknown" }

/** Looks at the database, on the connections that requests do not use, and at what is sealed in it. */
export const layer = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const standing = yield* makeDatabaseStanding
    const { trial } = yield* SealedSecrets
    const ring = yield* Effect.map(trial, (tried): Standing => (faultOf(tried) === null ? "ok" : "failed")).pipe(
      Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) ? ringKnown : Duration.zero))
    )
    return Effect.gen(function* () {
      const stands = yield* standing
      const key_ring: Standing = stands.database === "ok" ? yield* ring : "unknown"
      return { ...stands, key_ring }
    }).pipe(
      Effect.timeoutOption(patience),
      Effect.map(Option.getOrElse(() => slow)),
      Effect.provideService(Background, true)
    )
  })
)
