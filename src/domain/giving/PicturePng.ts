import type { PictureContent } from "./Picture.ts"
import { join, lettersAt, viewOf } from "./PictureParts.ts"

const signatureBytes = 8

/** Length, name and checksum of a chunk. */
const frameBytes = 12

const headerBytes = 13

/** The chunks that pixels are made of. PNG specification, section 11. */
const kept = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])

const checksumOf = (bytes: Uint8Array): number => {
  let value = 0xff_ff_ff_ff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1
  }
  return (value ^ 0xff_ff_ff_ff) >>> 0
}

/** Whether a picture cannot be shown rightly without a chunk: the first letter of its name is a capital one. PNG specification, section 5.4. */
const isCritical = (name: string): boolean => (name.charCodeAt(0) & 0x20) === 0

/** The chunks up to the last one, each whole; undefined where one is broken or unknown and critical, or there is no last one. */
const chunksOf = (bytes: Uint8Array) => {
  const view = viewOf(bytes)
  const chunks: Array<{ readonly name: string; readonly whole: Uint8Array }> = []
  for (let at = signatureBytes; at + frameBytes <= bytes.length; ) {
    const length = view.getUint32(at)
    const end = at + frameBytes + length
    if (end > bytes.length) return undefined
    const name = lettersAt(bytes, at + 4)
    if (kept.has(name)) {
      if (checksumOf(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return undefined
      chunks.push({ name, whole: bytes.subarray(at, end) })
    } else if (isCritical(name)) return undefined
    if (name === "IEND") return chunks
    at = end
  }
  return undefined
}

/** The picture of a PNG: of one that moves its first frame. */
export const readPng = (bytes: Uint8Array): PictureContent => {
  const chunks = chunksOf(bytes)
  const [header] = chunks ?? []
  if (chunks === undefined || header?.whole.length !== frameBytes + headerBytes) return
  const names = chunks.map(({ name }) => name)
  if (names.lastIndexOf("IHDR") !== 0 || !names.includes("IDAT")) return
  const view = viewOf(header.whole)
  return {
    width: view.getUint32(8),
    height: view.getUint32(12),
    bytes: join([bytes.subarray(0, signatureBytes), ...chunks.map(({ whole }) => whole)])
  }
}
