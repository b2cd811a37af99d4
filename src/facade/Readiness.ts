import { Duration, Effect, Exit, Layer, Option } from "effect"
import { makeDatabaseStatus } from "../adapters/postgres/connection/Readiness.ts"
import { SealedSecrets } from "../app/access/SealedSecrets.ts"
import { faultOf } from "../domain/access/KeyUsage.ts"
import { Background } from "../ports/kernel/Background.ts"
import { databaseAway, Readiness, type ReadinessState } from "../ports/kernel/Readiness.ts"

/**
 * How long a fitting ring is taken to fit: it changes only with the process, and the sealed texts only when another
 * process seals.
 */
const ringKnown = Duration.minutes(1)

const patience = Duration.seconds(3)

/** Checks the database, on the connections that requests do not use, and whether the ring opens the secrets in it. */
export const layer = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const standing = yield* makeDatabaseStatus
    const { trial } = yield* SealedSecrets
    const ring = yield* Effect.map(trial, (tried): ReadinessState => (faultOf(tried) === null ? "ok" : "failed")).pipe(
      Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) ? ringKnown : Duration.zero))
    )
    return Effect.gen(function* () {
      const stands = yield* standing
      const key_ring: ReadinessState = stands.database === "ok" ? yield* ring : "unknown"
      return { ...stands, key_ring }
    }).pipe(
      Effect.timeoutOption(patience),
      Effect.map(Option.getOrElse(() => databaseAway)),
      Effect.provideService(Background, true)
    )
  })
)
