import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { makeBodyBuffer } from "../pipeline/BodyBuffer.ts"
import type { BodyAllowance, BodyRead } from "../pipeline/Exchange.ts"

/** Reads a body up to a size, within the memory that is left for it and within a time, whatever the client does. */
export const readNodeBody =
  (request: IncomingMessage, timeoutMillis: number) =>
  (allowance: BodyAllowance): Effect.Effect<BodyRead> =>
    Effect.callback<BodyRead>((resume) => {
      if (request.destroyed && !request.readableEnded) {
        resume(Effect.succeed({ _tag: "Broken" }))
        return
      }
      const buffer = makeBodyBuffer(allowance)
      const stop = () => {
        clearTimeout(timer)
        request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
      }
      const end = (read: BodyRead) => {
        stop()
        if (read._tag !== "Body") request.pause()
        resume(Effect.succeed(read))
      }
      const onData = (piece: Uint8Array) => {
        const notKept = buffer.add(piece)
        if (notKept !== undefined) end({ _tag: notKept })
      }
      const onEnd = () => end({ _tag: "Body", bytes: buffer.bytes() })
      const onClose = () => end({ _tag: "Broken" })
      const timer = setTimeout(() => end({ _tag: "TimedOut" }), timeoutMillis)
      request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
      return Effect.sync(stop)
    })
