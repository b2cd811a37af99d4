import { DateTime, Effect, HashMap, Layer, Option, Result } from "effect"
import { PassphraseFailures } from "../../../ports/sharing/PassphraseFailures.ts"
import { type Change, Memory } from "../Memory.ts"
import type { State } from "../State.ts"

const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = Array.from(state.passphraseFailures)
    .filter(([, failures]) => failures.every((at) => DateTime.isLessThanOrEqualTo(at, before)))
    .slice(0, limit)
    .map(([organisation_id]) => organisation_id)
  return Result.succeed([
    old.length,
    { ...state, passphraseFailures: HashMap.removeMany(state.passphraseFailures, old) }
  ])
}

/** Failed exchanges in memory. */
export const layer = Layer.effect(
  PassphraseFailures,
  Effect.map(Memory, (memory) =>
    PassphraseFailures.of({
      findForUpdate: (organisation_id) =>
        memory.read((state) => Option.getOrElse(HashMap.get(state.passphraseFailures, organisation_id), () => [])),
      replace: (organisation_id, failures) =>
        memory.change((state) => ({
          ...state,
          passphraseFailures: HashMap.set(state.passphraseFailures, organisation_id, failures)
        })),
      trim: (before, limit) => memory.decide((state) => trim(state, before, limit))
    })
  )
)
