import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readPicture } from "../../../src/domain/giving/Picture.ts"
import { bytesOf, webpChunk as chunk, little, webp } from "../../support/PictureParts.ts"

/** The bits of a picture with loss: a key frame, its first bytes and its size with what it is scaled by in the upper two bits. */
const lossy = (width: number, height: number, scaled = 0) =>
  bytesOf([0x10, 0, 0, 0x9d, 0x01, 0x2a], little(2, width | (scaled << 14)), little(2, height | (scaled << 14)))

/** The bits of one without loss, whose sizes have 14 bits each after the first byte; then whether it has transparency. */
const lossless = (width: number, height: number, transparent = 0) =>
  bytesOf([0x2f], little(4, width - 1 + (height - 1) * 2 ** 14 + transparent * 2 ** 28))

const extended = (flags: number, width: number, height: number) =>
  chunk("VP8X", bytesOf([flags, 0, 0, 0], little(3, width - 1), little(3, height - 1)))

const alpha = chunk("ALPH", Buffer.from([0, 1, 2]))
const profile = chunk("ICCP", bytesOf("Display of the office"))
const remarks = [
  chunk("EXIF", bytesOf("51.5 N, 0.1 W")),
  chunk("XMP ", bytesOf("<x:xmpmeta/>")),
  chunk("EXIF", Buffer.alloc(0))
]
const [width, height] = [600, 300]
const pixels = chunk("VP8 ", bytesOf(lossy(width, height), "bits."))

const isRefused = (bytes: Uint8Array) => {
  const reading = readPicture(bytes)
  return Result.isFailure(reading) && /^The file begins as WebP and is no whole picture/.test(reading.failure)
}

describe("a logo that is a WebP", () => {
  const withoutLoss = chunk("VP8L", bytesOf(lossless(width, height, 1), "more"))
  it.each([
    { form: "with loss", given: [pixels], kept: [pixels] },
    { form: "without loss", given: [withoutLoss], kept: [withoutLoss] },
    {
      form: "with loss and remarks",
      given: [extended(0x2c, width, height), profile, pixels, ...remarks],
      kept: [pixels]
    },
    {
      form: "without loss and with remarks",
      given: [extended(0x3c, width, height), profile, withoutLoss, ...remarks],
      kept: [withoutLoss]
    },
    {
      form: "with loss and transparency",
      given: [extended(0x3c, width, height), profile, alpha, pixels, ...remarks],
      kept: [extended(0x10, width, height), alpha, pixels]
    },
    {
      form: "without loss, whose transparency is its own",
      given: [extended(0x10, width, height), alpha, withoutLoss],
      kept: [withoutLoss]
    }
  ])("keeps the chunks that its pixels are made of: $form", ({ given, kept }) => {
    // What comes after the end that the file says is no part of it.
    for (const after of ["", "51.5 N, 0.1 W"]) {
      const picture = Result.getOrThrow(readPicture(bytesOf(webp(...given), after)))
      assert.deepStrictEqual(
        { ...picture, bytes: Buffer.from(picture.bytes) },
        { type: "webp", width, height, bytes: webp(...kept) }
      )
    }
  })

  it("has the size that its bits say", () => {
    for (const [wide, high] of [
      [1, 1],
      [255, 256],
      [257, 1_023],
      [2_000, 1_999]
    ] as const) {
      for (const each of [chunk("VP8L", lossless(wide, high)), chunk("VP8L", lossless(wide, high, 1))]) {
        assert.deepInclude(Result.getOrThrow(readPicture(webp(each))), { width: wide, height: high })
      }
      for (const scaled of [0, 3]) {
        const each = webp(chunk("VP8 ", lossy(wide, high, scaled)))
        assert.deepInclude(Result.getOrThrow(readPicture(each)), { width: wide, height: high })
        const { bytes } = Result.getOrThrow(readPicture(webp(alpha, chunk("VP8 ", lossy(wide, high, scaled)))))
        assert.deepStrictEqual(Buffer.from(bytes.subarray(12, 30)), extended(0x10, wide, high))
      }
    }
    for (const each of [lossless(16_384, 2), lossless(2, 16_384)]) {
      assert.match(Result.merge(Result.map(readPicture(webp(chunk("VP8L", each))), String)), /16384/)
    }
    assert.match(Result.merge(Result.map(readPicture(webp(chunk("VP8 ", lossy(16_383, 2)))), String)), /16383 × 2/)
  })

  it("is refused where it moves, has two pictures or none, or bits of something else", () => {
    assert.isFalse(isRefused(webp(pixels)))
    for (const name of ["ANIM", "ANMF"]) assert.isTrue(isRefused(webp(chunk(name, Buffer.alloc(6)), pixels)))
    for (const chunks of [[], [alpha], [pixels, pixels], [pixels, withoutLoss]])
      assert.isTrue(isRefused(webp(...chunks)))
    const sound = lossy(2, 2)
    const head = lossless(2, 2)
    assert.isFalse(isRefused(webp(chunk("VP8 ", sound))))
    assert.isFalse(isRefused(webp(chunk("VP8L", head))))
    for (const at of [3, 4, 5]) {
      const changed = Buffer.from(sound)
      changed[at] = 0x11
      assert.isTrue(isRefused(webp(chunk("VP8 ", changed))))
    }
    // A frame that needs the one before it.
    assert.isTrue(isRefused(webp(chunk("VP8 ", bytesOf([0x11], sound.subarray(1))))))
    assert.isTrue(isRefused(webp(chunk("VP8L", bytesOf([0x2e], head.subarray(1))))))
    for (let length = 0; length < sound.length; length++) {
      assert.isTrue(isRefused(webp(chunk("VP8 ", sound.subarray(0, length)))))
      if (length < head.length) assert.isTrue(isRefused(webp(chunk("VP8L", head.subarray(0, length)))))
    }
  })

  it("is refused wherever it is cut off, and where a chunk is longer than the file", () => {
    const bytes = webp(extended(0x10, width, height), alpha, pixels)
    for (let length = 0; length < bytes.length; length++) {
      const cut = Buffer.from(bytes.subarray(0, length))
      assert.isTrue(Result.isFailure(readPicture(cut)), `at ${length}`)
      if (length < 12) continue
      // The same with a length of the whole that agrees.
      cut.writeUInt32LE(length - 8, 4)
      assert.isTrue(isRefused(cut), `at ${length}`)
    }
    assert.isTrue(isRefused(bytesOf(webp(pixels).subarray(0, -1))))
    const longer = webp(chunk("EXIF", Buffer.alloc(4)), pixels, chunk("EXIF", Buffer.alloc(4)))
    longer.writeUInt32LE(6, longer.length - 8)
    assert.isTrue(isRefused(longer))
  })
})
