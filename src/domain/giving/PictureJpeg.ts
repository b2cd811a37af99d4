import type { PictureContent } from "./Picture.ts"
import { join, lettersAt, viewOf } from "./PictureParts.ts"

const start = 0xd8
const end = 0xd9
const scan = 0xda
const adobe = 0xee

/** Frames that browsers show: baseline, extended and progressive. */
const frames = new Set([0xc0, 0xc1, 0xc2])

/** Tables of Huffman codes and quantisation, and the interval of restarts. */
const tables = new Set([0xc4, 0xdb, 0xdd])

/** What belongs to no pixel: what programs add, and comments. */
const isRemark = (marker: number): boolean => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe

/** How colours are coded where a program says so: 12 bytes, of which "Adobe" are the first. */
const isAdobe = (bytes: Uint8Array, at: number, length: number): boolean =>
  bytes[at + 1] === adobe && length === 14 && lettersAt(bytes, at + 4) === "Adob"

/** The place of the marker after the codes of a scan; those of restarts are a part of it. */
const afterCodes = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0
    if (bytes[at] === 0xff && next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at
    at += 1
  }
  return bytes.length
}

/** The picture of a JPEG in greys or three colours. */
export const readJpeg = (bytes: Uint8Array): PictureContent => {
  const view = viewOf(bytes)
  const parts: Array<Uint8Array> = [Uint8Array.of(0xff, start)]
  let size: { readonly width: number; readonly height: number } | undefined
  let hasScan = false
  for (let at = 2; at + 4 <= bytes.length || bytes[at + 1] === end; ) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff) return
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === end) {
      if (size === undefined || !hasScan) return
      return { ...size, bytes: join([...parts, Uint8Array.of(0xff, end)]) }
    }
    const length = view.getUint16(at + 2)
    const next = marker === scan ? afterCodes(bytes, at + 2 + length) : at + 2 + length
    if (length < 2 || next > bytes.length) return
    if (frames.has(marker)) {
      const components = bytes[at + 9]
      if (size !== undefined || length < 11 || bytes[at + 4] !== 8 || (components !== 1 && components !== 3)) return
      size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    if (marker === scan) hasScan = true
    const isKept = frames.has(marker) || tables.has(marker) || marker === scan || isAdobe(bytes, at, length)
    if (!isKept && !isRemark(marker)) return
    if (isKept) parts.push(bytes.subarray(at, next))
    at = next
  }
  return
}
