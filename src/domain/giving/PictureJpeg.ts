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

/** What follows 0xff amid the codes of a scan: the zero that says it is no marker, and restarts. */
const amidCodes = new Set<number | undefined>([0, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7])

/** The place of the marker after the codes of a scan. */
const afterCodes = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (at < bytes.length && (bytes[at] !== 0xff || amidCodes.has(bytes[at + 1]))) at += 1
  return at
}

/** The picture of a JPEG in greys or three colours. */
export const readJpeg = (bytes: Uint8Array): PictureContent => {
  const view = viewOf(bytes)
  const parts: Array<Uint8Array> = [Uint8Array.of(0xff, start)]
  let size: { readonly width: number; readonly height: number } | undefined
  let hasScan = false
  // A segment has a marker and a length, and the end of the picture after it.
  for (let at = 2; at + 6 <= bytes.length || bytes[at + 1] === end; ) {
    const marker = view.getUint8(at + 1)
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
    if (length < 2) return
    const behind = at + 2 + length
    const next = marker === scan ? afterCodes(bytes, behind) : behind
    if (frames.has(marker)) {
      const components = bytes[at + 9]
      if (size !== undefined || bytes[at + 4] !== 8 || (components !== 1 && components !== 3)) return
      if (length !== 8 + 3 * components) return
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
