import type { PictureContent } from "./Picture.ts"
import { join, lettersAt, viewOf } from "./PictureParts.ts"

const letters = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

interface Chunk {
  readonly name: string
  readonly data: Uint8Array
}

/** The chunks within the length that the file says; undefined where one is broken. */
const chunksOf = (bytes: Uint8Array): ReadonlyArray<Chunk> | undefined => {
  const view = viewOf(bytes)
  const end = 8 + view.getUint32(4, true)
  const chunks: Array<Chunk> = []
  if (end > bytes.length) return undefined
  let at = 12
  while (at + 8 <= end) {
    const length = view.getUint32(at + 4, true)
    chunks.push({ name: lettersAt(bytes, at), data: bytes.subarray(at + 8, at + 8 + length) })
    at += 8 + length + (length % 2)
  }
  return at === end ? chunks : undefined
}

const chunk = (name: string, data: Uint8Array): Uint8Array => {
  const head = new Uint8Array(8)
  head.set(letters(name))
  viewOf(head).setUint32(4, data.length, true)
  return join([head, data, new Uint8Array(data.length % 2)])
}

interface Size {
  readonly width: number
  readonly height: number
}

/** The size that the bits of a picture say. RFC 6386, section 9.1; RFC 9649, section 3.4. */
const sizeOf = ({ data, name }: Chunk): Size | undefined => {
  const view = viewOf(data)
  if (name === "VP8 ") {
    if (data.length < 10 || view.getUint8(0) & 1) return
    if (data[3] !== 0x9d || data[4] !== 0x01 || data[5] !== 0x2a) return
    return { width: view.getUint16(6, true) & 0x3f_ff, height: view.getUint16(8, true) & 0x3f_ff }
  }
  if (data.length < 5 || data[0] !== 0x2f) return
  const bits = view.getUint32(1, true)
  return { width: (bits & 0x3f_ff) + 1, height: ((bits >>> 14) & 0x3f_ff) + 1 }
}

/** The head of a picture whose transparency stands apart. RFC 9649, section 2.7. */
const extended = ({ height, width }: Size): Uint8Array => {
  const data = new Uint8Array(10)
  const view = viewOf(data)
  view.setUint8(0, 0x10)
  view.setUint16(4, width - 1, true)
  view.setUint16(7, height - 1, true)
  return chunk("VP8X", data)
}

/** The picture of a WebP that stands still. */
export const readWebp = (bytes: Uint8Array): PictureContent => {
  const chunks = chunksOf(bytes) ?? []
  const pictures = chunks.filter(({ name }) => name === "VP8 " || name === "VP8L")
  const [picture] = pictures
  const isMoving = chunks.some(({ name }) => name === "ANIM" || name === "ANMF")
  const size = picture === undefined || pictures.length > 1 || isMoving ? undefined : sizeOf(picture)
  if (picture === undefined || size === undefined) return
  const alpha = picture.name === "VP8 " ? chunks.find(({ name }) => name === "ALPH") : undefined
  const parts = [
    ...(alpha === undefined ? [] : [extended(size), chunk("ALPH", alpha.data)]),
    chunk(picture.name, picture.data)
  ]
  const body = join([letters("WEBP"), ...parts])
  return { ...size, bytes: chunk("RIFF", body) }
}
