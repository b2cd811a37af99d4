import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import type { BodyRead } from "./Exchange.ts"

/** Reads a body up to a size and within a time, whatever the client does. */
export const readNodeBody =
  (request: IncomingMessage, timeoutMillis: number) =>
  (maximumBytes: number): Effect.Effect<BodyRead> =>
    Effect.callback<BodyRead>((resume) => {
      if (request.destroyed && !request.readableEnded) {
        resume(Effect.succeed({ _tag: "Broken" }))
        return
      }
      const chunks: Array<Buffer> = []
      let size = 0
      const end = (read: BodyRead) => {
        clearTimeout(timer)
        request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
        if (read._tag !== "Body") request.pause()
        resume(Effect.succeed(read))
      }
      const onData = (chunk: Buffer) => {
        size += chunk.byteLength
        if (size > maximumBytes) end({ _tag: "TooLarge" })
        else chunks.push(chunk)
      }
      const onEnd = () => {
        const [first] = chunks
        end({ _tag: "Body", bytes: chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size) })
      }
      const onClose = () => end({ _tag: "Broken" })
      const timer = setTimeout(() => end({ _tag: "TimedOut" }), timeoutMillis)
      request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
      return Effect.sync(() => clearTimeout(timer))
    })
