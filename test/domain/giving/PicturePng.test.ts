import { deflateSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readPicture } from "../../../src/domain/giving/Picture.ts"
import { big, bytesOf, pngChunk as chunk, pngEnd as end, pngHead as head } from "../../support/PictureParts.ts"

const palette = chunk("PLTE", bytesOf("red"))
const transparency = chunk("tRNS", Buffer.from([128]))
const pixels = deflateSync(Buffer.alloc(3 * 5))
const [some, others] = [pixels.subarray(0, 5), pixels.subarray(5)].map((part) => chunk("IDAT", part))

const kept = [head(4, 3), palette, transparency, some ?? end, others ?? end, end]

const isRefused = (...parts: ReadonlyArray<Uint8Array>) => {
  const reading = readPicture(bytesOf(...parts))
  return Result.isFailure(reading) && /^The file begins as PNG and is no whole picture/.test(reading.failure)
}

describe("a logo that is a PNG", () => {
  it("keeps the chunks that its pixels are made of, in their order, and nothing else", () => {
    const expected = { type: "png", width: 4, height: 3, bytes: bytesOf(...kept) }
    const remarks = ["tEXt", "zTXt", "iTXt", "eXIf", "iCCP", "tIME", "acTL", "fcTL", "fdAT", "idat"].map((name) =>
      chunk(name, bytesOf("Author\0 51.5 N, 0.1 W"))
    )
    // A browser shows a picture whose remarks are broken.
    const broken = bytesOf(big(4, 3), "tEXtabc", big(4, 0))
    const between = bytesOf(...remarks, broken, chunk("pHYs", Buffer.alloc(0)))
    for (const given of [
      kept,
      [...kept, between],
      kept.map((part, at) => (at === 0 ? part : bytesOf(between, part)))
    ]) {
      const picture = Result.getOrThrow(readPicture(bytesOf(...given)))
      assert.deepStrictEqual({ ...picture, bytes: Buffer.from(picture.bytes) }, expected)
    }
  })

  it("is refused where it cannot be shown rightly without a chunk that nobody knows", () => {
    for (const name of ["CgBI", "JDAT", "XYZW"]) {
      for (const at of [1, 3, 5]) assert.isTrue(isRefused(...kept.toSpliced(at, 0, chunk(name, bytesOf("x")))), name)
    }
    // The end of a picture is its end, whatever comes after.
    assert.isFalse(isRefused(...kept, chunk("JDAT", bytesOf("x"))))
  })

  it("is refused where a bit of a chunk that is kept was changed, or of its checksum", () => {
    for (const [at, part] of kept.entries()) {
      const dataStart = part.length - 4 - part.readUInt32BE(at === 0 ? 8 : 0)
      for (let place = dataStart; place < part.length; place++) {
        const changed = Buffer.from(part)
        changed[place] = (changed[place] ?? 0) ^ 4
        assert.isTrue(isRefused(...kept.with(at, changed)), `chunk ${at} at ${place}`)
      }
    }
  })

  it("is refused without its head or its pixels, with two heads, or a head of another length", () => {
    const first = kept[0] ?? end
    const signature = first.subarray(0, 8)
    const header = first.subarray(8)
    const details = header.subarray(8, -4)
    assert.isFalse(isRefused(signature, header, ...kept.slice(3)))
    for (const headers of [
      [],
      [palette],
      [palette, header],
      [header, header],
      [chunk("IHDR", details.subarray(0, -1))],
      [chunk("IHDR", bytesOf(details, [0]))]
    ]) {
      assert.isTrue(isRefused(signature, ...headers, ...kept.slice(3)))
    }
    assert.isTrue(isRefused(signature, header, palette, end))
    assert.isTrue(isRefused(signature, end))
  })

  it("is refused wherever it is cut off", () => {
    const bytes = bytesOf(...kept)
    for (let length = 0; length < bytes.length; length++) {
      assert.isTrue(Result.isFailure(readPicture(bytes.subarray(0, length))), `at ${length}`)
    }
  })
})
