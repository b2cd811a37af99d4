import { Limits } from "../../../domain/kernel/Limits.ts"

/** What one request's body may take of the memory that bodies share. */
export interface BodyShare {
  /** Takes so many bytes more; false, with nothing taken, where they are not left. */
  readonly hold: (bytes: number) => boolean
  /** Gives everything back. */
  readonly release: () => void
}

/**
 * The memory that the bodies of all requests share: a budget, and the part of it that one holder may have, so that nobody's
 * unfinished bodies leave none to others. What is taken is what is held, not what is announced: to announce costs nothing.
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
    /** A share for one request of a holder. */
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
