import type { BodyAllowance } from "./Exchange.ts"

/** The reasons for which a piece of a body was not kept. */
export type NotKept = "TooLarge" | "Crowded"

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
