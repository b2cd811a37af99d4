import { Limits } from "../../../domain/kernel/Limits.ts"

/** One request's part of the memory that bodies share. */
export interface BodyShare {
  /** Takes so many bytes more; where they are not left, returns false and takes nothing. */
  readonly hold: (bytes: number) => boolean
  /** Gives everything back. */
  readonly release: () => void
}

/**
 * The memory that the bodies of all requests share: a budget, and the part of it that one holder may have, so that
 * nobody's unfinished bodies leave none to others. Only bytes that arrived are counted, not announced ones: an
 * announcement costs its sender nothing.
 */
export const makeBodyBudget = (
  budget: number = Limits.bodiesInFlightBytes,
  share: number = Limits.bodiesInFlightShareBytes
) => {
  const byHolder = new Map<string, number>()
  let total = 0

  const add = (holder: string, bytes: number): void => {
    total += bytes
    const held = (byHolder.get(holder) ?? 0) + bytes
    if (held > 0) byHolder.set(holder, held)
    else byHolder.delete(holder)
  }

  return {
    /** The memory of one request of a holder. */
    open: (holder: string): BodyShare => {
      let held = 0
      return {
        hold: (bytes) => {
          if (total + bytes > budget || (byHolder.get(holder) ?? 0) + bytes > share) return false
          held += bytes
          add(holder, bytes)
          return true
        },
        release: () => {
          add(holder, -held)
          held = 0
        }
      }
    },
    /** Bytes that are held now. */
    held: () => total
  } as const
}
