import { Limits } from "../../../domain/kernel/Limits.ts"
import type { BodyAllowance } from "./Handler.ts"

/** The reasons for which a piece of a body was not kept. */
type NotKept = "TooLarge" | "Crowded"

/**
 * Collects a body in memory of its own. The pieces that a server hands over may be small windows of large buffers, and
 * a thousand small pieces cost more than their content; so they are copied, and the pieces themselves are let go.
 */
export const makeBodyBuffer = ({ hold, maximumBytes }: BodyAllowance) => {
  let room = new Uint8Array()
  let size = 0
  return {
    /** Adds a piece; returns the reason where it was not kept. */
    add: (piece: Uint8Array): NotKept | undefined => {
      const needed = size + piece.byteLength
      if (needed > maximumBytes) return "TooLarge"
      if (needed > room.byteLength) {
        const capacity = Math.min(maximumBytes, Math.max(needed, 2 * room.byteLength))
        if (!hold(capacity - room.byteLength)) return "Crowded"
        const larger = new Uint8Array(capacity)
        larger.set(room.subarray(0, size))
        room = larger
      }
      room.set(piece, size)
      size = needed
      return undefined
    },
    bytes: (): Uint8Array => room.subarray(0, size)
  } as const
}

/** One request's part of the memory that bodies share. */
export interface BodyShare {
  /** Takes so many bytes more; where they are not left, returns false and takes nothing. */
  readonly hold: (bytes: number) => boolean
  /** Gives everything back. */
  readonly release: () => void
}

/** What is held, by who holds it. */
export const makeTally = () => {
  const byHolder = new Map<string, number>()
  let total = 0
  return {
    add: (holder: string, bytes: number): void => {
      total += bytes
      const held = (byHolder.get(holder) ?? 0) + bytes
      if (held > 0) byHolder.set(holder, held)
      else byHolder.delete(holder)
    },
    of: (holder: string): number => byHolder.get(holder) ?? 0,
    total: (): number => total
  } as const
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
  const tally = makeTally()
  return {
    open: (holder: string): BodyShare => {
      let held = 0
      return {
        hold: (bytes) => {
          if (tally.total() + bytes > budget || tally.of(holder) + bytes > share) return false
          held += bytes
          tally.add(holder, bytes)
          return true
        },
        release: () => {
          tally.add(holder, -held)
          held = 0
        }
      }
    },
    /** Bytes that are held now. */
    held: tally.total
  } as const
}

/**
 * The memory of answers that were made and that their callers do not read. An answer that is there is kept: what a request did
 * is done. Its caller's next requests are refused while too much is unread.
 */
export const makeAnswerBudget = (
  budget: number = Limits.answersUnreadBytes,
  share: number = Limits.answersUnreadShareBytes
) => {
  const tally = makeTally()
  return {
    isFull: (holder: string): boolean => tally.total() >= budget || tally.of(holder) >= share,
    /** Counts bytes that nobody has read, and gives how they are forgotten. */
    hold: (holder: string, bytes: number): (() => void) => {
      tally.add(holder, bytes)
      return () => tally.add(holder, -bytes)
    }
  } as const
}
