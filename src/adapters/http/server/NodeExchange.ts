import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { makeBodyBuffer } from "../pipeline/BodyMemory.ts"
import type { BodyAllowance, BodyRead, EdgeResponse } from "../pipeline/Handler.ts"

// The status and headers of an answer, as node:http takes them.

/** Whether an answer of this status has no body and no length. */
export const isBodyless = (status: number): boolean => status === 204 || status === 304

/** The names and values of the headers in turn, the form that Node takes fastest. */
export const headersOf = ({ body, headers, status }: EdgeResponse, closing: boolean): Array<string> => {
  const lines: Array<string> = []
  for (const name in headers) lines.push(name, headers[name] ?? "")
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength
  if (!isBodyless(status)) lines.push("content-length", String(length))
  if (closing) lines.push("connection", "close")
  return lines
}

/** How the head of an answer is written. */
export type WriteHead = (outgoing: ServerResponse, status: number, lines: Array<string>) => void

export const writeHead: WriteHead = (outgoing, status, lines) => outgoing.writeHead(status, lines)

/**
 * The head where a host may have wrapped the answer: middleware and frameworks that do look for headers that were set,
 * and know no list in `writeHead`.
 */
export const setHead: WriteHead = (outgoing, status, lines) => {
  for (let index = 0; index + 1 < lines.length; index += 2) {
    outgoing.setHeader(lines[index] ?? "", lines[index + 1] ?? "")
  }
  outgoing.writeHead(status)
}

/** The body as the text that Node sends in one write with the headers; bytes would take a second buffer. */
const latin1 = (body: Uint8Array): string =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1")

/** From this size on, the bytes themselves are sent, and no text that is made of them. */
const sharedBytes = 16_384

export const send = (outgoing: ServerResponse, body: EdgeResponse["body"], then: "end" | "write"): void => {
  if (typeof body === "string") outgoing[then](body, "utf8")
  // Many may wait for the same bytes of a document.
  else if (body.byteLength > sharedBytes) outgoing[then](body)
  else outgoing[then](latin1(body), "latin1")
}

/** Counts what the client has not taken of an answer, and ends a connection on which it is not read in time. */
export const watchUnread = (outgoing: ServerResponse, { hold }: EdgeResponse): void => {
  const bytes = outgoing.writableLength
  if (bytes === 0) return
  const forget = hold?.(bytes)
  const timer = setTimeout(() => outgoing.destroy(), Limits.answerReadSeconds * 1_000)
  outgoing.once("close", () => {
    clearTimeout(timer)
    forget?.()
  })
}

const isBytes = (value: unknown): value is string | Uint8Array =>
  typeof value === "string" || value instanceof Uint8Array

/**
 * The body that a parser of the host has read already, byte for byte: `rawBody`, as hosts of functions and plugins leave
 * it, or a `body` that is no parsed value, as `express.raw()` and `express.text()` do. Undefined where nobody has read it.
 */
const alreadyRead = (request: IncomingMessage, { hold, maximumBytes }: BodyAllowance): BodyRead | undefined => {
  if (!request.readableDidRead) return undefined
  const kept = [Reflect.get(request, "rawBody"), Reflect.get(request, "body")].find(isBytes)
  // A parser reads no body where none was sent.
  if (kept === undefined) return hasBody(request) ? { _tag: "Taken" } : { _tag: "Body", bytes: new Uint8Array() }
  const bytes = typeof kept === "string" ? Buffer.from(kept) : kept
  if (bytes.byteLength > maximumBytes) return { _tag: "TooLarge" }
  return hold(bytes.byteLength) ? { _tag: "Body", bytes } : { _tag: "Crowded" }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Reads a body up to a size, within the memory that is left for it and within a time, whatever the client does. */
export const readNodeBody =
  (request: IncomingMessage, timeoutMillis: number) =>
  (allowance: BodyAllowance): Effect.Effect<BodyRead> =>
    Effect.callback<BodyRead>((resume) => {
      const before = alreadyRead(request, allowance)
      if (before !== undefined) {
        resume(Effect.succeed(before))
        return
      }
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
