import { Result } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { readJpeg } from "./PictureJpeg.ts"
import { readPng } from "./PicturePng.ts"
import { readWebp } from "./PictureWebp.ts"

/** A picture as it was written anew: the parts that its pixels are made of, and nothing besides. */
export interface Picture {
  readonly type: PictureType
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** The content types of pictures. */
export const contentTypes = { jpg: "image/jpeg", png: "image/png", webp: "image/webp" } as const
/** A form of pictures, by the ending of its files. */
export type PictureType = keyof typeof contentTypes

/** The picture without its type; undefined where the bytes are no whole one of that form. */
export type PictureContent = Omit<Picture, "type"> | undefined

const readers: { readonly [T in PictureType]: (bytes: Uint8Array) => PictureContent } = {
  jpg: readJpeg,
  png: readPng,
  webp: readWebp
}

const beginnings: { readonly [T in PictureType]: ReadonlyArray<number | null> } = {
  jpg: [0xff, 0xd8, 0xff],
  png: [0x89, 0x50, 0x4e, 0x47],
  webp: [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]
}

const types = ["jpg", "png", "webp"] as const

const names = { jpg: "JPEG", png: "PNG", webp: "WebP" } as const

/**
 * Reads a picture and writes it anew; a sentence that says what to do instead where it is none that pages may show. Its type is
 * the one that its bytes have, whatever its name says; what is no part of the picture, such as where it was taken, goes.
 */
export const readPicture = (bytes: Uint8Array): Result.Result<Picture, string> => {
  if (bytes.length > Limits.logoBytes) {
    return Result.fail(`A logo has at most ${Limits.logoBytes} bytes and this one ${bytes.length}: save it smaller.`)
  }
  const type = types.find((each) => beginnings[each].every((byte, at) => byte === null || byte === bytes[at]))
  if (type === undefined) return Result.fail("A logo is a PNG, JPEG or WebP: save it as one of these.")
  const reading = readers[type](bytes)
  if (reading === undefined) {
    return Result.fail(`The file begins as ${names[type]} and is no whole picture that stands still: save it again.`)
  }
  const { height, width } = reading
  if (Math.min(width, height) < 1 || Math.max(width, height) > Limits.logoPixels) {
    return Result.fail(
      `A logo has at most ${Limits.logoPixels} pixels on a side and this one is ${width} × ${height}: save it smaller.`
    )
  }
  return Result.succeed({ type, ...reading })
}
