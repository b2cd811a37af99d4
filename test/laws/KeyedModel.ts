import { DateTime } from "effect"
import * as Idempotency from "../../src/domain/access/Idempotency.ts"
import type { KeyedSystem } from "../../src/testing/Interleavings.ts"

/** The parts of a model of keyed requests; each can be made wrong. */
export interface KeyedParts {
  readonly decide: typeof Idempotency.decide
  /** Whether a key that is held is refused. */
  readonly refusesHeld: boolean
  /** Whether the effect and the answer are committed together. */
  readonly together: boolean
  /** Whether a lost request gives its key back. */
  readonly releases: boolean
  /** Whether a lost request's effect is undone. */
  readonly undoes: boolean
  /** Effects of a run. */
  readonly effect: number
  /** Whether a replay repeats what is stored. */
  readonly repeats: boolean
}

const parts: KeyedParts = {
  decide: Idempotency.decide,
  refusesHeld: true,
  together: true,
  releases: true,
  undoes: true,
  effect: 1,
  repeats: true
}

const now = DateTime.makeUnsafe(0)
const encoder = new TextEncoder()

/** A service that keeps one key in memory, by the rules of the domain. */
export const keyedModel = (changed: Partial<KeyedParts> = {}): KeyedSystem => {
  const { decide, effect, refusesHeld, releases, repeats, together, undoes } = { ...parts, ...changed }
  let record: Idempotency.IdempotencyRecord | undefined
  let held = false
  let effects = 0
  let runs = 0

  return {
    effects: () => effects,
    request: async (body_hash, pause) => {
      await pause("it arrives")
      if (held && refusesHeld) return { _tag: "InFlight" }
      held = true
      let done = false
      try {
        const reservation = decide(record, [body_hash], now)
        if (reservation._tag !== "Run") {
          done = true
          return reservation._tag === "Replay"
            ? {
                _tag: "Replay",
                answer: repeats ? new TextDecoder().decode(reservation.answer.body) : `answer ${++runs}`
              }
            : reservation
        }
        await pause("the key is reserved")
        const answer = `answer ${++runs}`
        if (!undoes) effects += effect
        await pause("the operation ran")
        if (undoes) effects += effect
        if (!together) await pause("the effect is committed")
        const body = encoder.encode(answer)
        record = { body_hash, created_at: now, answer: { status: 201, content_type: "text/plain", body } }
        done = true
        held = false
        await pause("all is committed, the answer is not sent")
        return { _tag: "Ran", answer }
      } finally {
        if (done || releases) held = false
      }
    }
  }
}
