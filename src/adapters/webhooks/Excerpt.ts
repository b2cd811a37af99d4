import { Limits } from "../../domain/kernel/Limits.ts"

/** Bytes of an answer that are read before its connection is closed, so that short answers can keep theirs. */
const readLimitBytes = 16_384

// `stream` holds back a character that was cut in the middle instead of replacing it.
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true })

/** Collects the first bytes of an answer's body. */
export class Excerpt {
  private readonly kept: Array<Uint8Array> = []
  private readBytes = 0

  /** Adds the next bytes; false when enough was read and the rest is not worth waiting for. */
  add(chunk: Uint8Array): boolean {
    const room = Limits.attemptExcerptBytes - this.readBytes
    if (room > 0) this.kept.push(Uint8Array.from(chunk.subarray(0, room)))
    this.readBytes += chunk.length
    return this.readBytes <= readLimitBytes
  }

  /** The excerpt as text, null when nothing came. */
  text(): string | null {
    if (this.kept.length === 0) return null
    // PostgreSQL's text holds no NUL.
    const text = decode(Buffer.concat(this.kept)).replaceAll("\u0000", "\ufffd")
    const bytes = Buffer.from(text)
    // A byte that is not UTF-8 becomes a replacement character of three bytes.
    return bytes.length <= Limits.attemptExcerptBytes ? text : decode(bytes.subarray(0, Limits.attemptExcerptBytes))
  }
}
