import { crc32 } from "node:zlib"

/** Bytes, of texts one for each letter. */
export const bytesOf = (...parts: ReadonlyArray<string | ReadonlyArray<number> | Uint8Array>): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))))

const number = (bytes: number, value: number, write: "writeUIntBE" | "writeUIntLE"): Buffer => {
  const written = Buffer.alloc(bytes)
  written[write](value, 0, bytes)
  return written
}

export const big = (bytes: number, value: number): Buffer => number(bytes, value, "writeUIntBE")
export const little = (bytes: number, value: number): Buffer => number(bytes, value, "writeUIntLE")

/** A chunk of a PNG. */
export const pngChunk = (name: string, data: Uint8Array): Buffer =>
  bytesOf(big(4, data.length), name, data, big(4, crc32(bytesOf(name, data))))

/** The head of a PNG in greys. */
export const pngHead = (width: number, height: number): Buffer =>
  bytesOf([0x89], "PNG\r\n\x1a\n", pngChunk("IHDR", bytesOf(big(4, width), big(4, height), [8, 0, 0, 0, 0])))

export const pngEnd = pngChunk("IEND", Buffer.alloc(0))

/** A segment of a JPEG. */
export const jpegSegment = (marker: number, data: Uint8Array): Buffer =>
  bytesOf([0xff, marker], big(2, data.length + 2), data)

/** A chunk of a WebP, which has an even number of bytes. */
export const webpChunk = (name: string, data: Uint8Array): Buffer =>
  bytesOf(name, little(4, data.length), data, data.length % 2 === 0 ? [] : [0])

export const webp = (...chunks: ReadonlyArray<Uint8Array>): Buffer => webpChunk("RIFF", bytesOf("WEBP", ...chunks))
