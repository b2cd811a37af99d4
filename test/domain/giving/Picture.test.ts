import { deflateSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { contentTypes, type Picture, readPicture } from "../../../src/domain/giving/Picture.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { pngChunk, pngEnd, pngHead } from "../../support/PictureParts.ts"
import { pictures } from "../../support/Pictures.ts"
import { forEvery } from "../../support/Property.ts"

const secret = "51.5 N, 0.1 W"

const bytesOf = (picture: keyof typeof pictures): Buffer => Buffer.from(pictures[picture], "base64")

const kinds = Object.keys(pictures) as ReadonlyArray<keyof typeof pictures>

const read = (bytes: Uint8Array): Picture => Result.getOrThrow(readPicture(bytes))

const refusal = (bytes: Uint8Array): string =>
  Result.match(readPicture(bytes), { onFailure: (message) => message, onSuccess: () => "taken" })

const png = (width: number, height: number, ...more: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([pngHead(width, height), ...more, pngEnd])

/** A picture with something in it that is no pixel, each in the way of its form. */
const withRemark = (kind: keyof typeof pictures): Buffer => {
  const bytes = bytesOf(kind)
  const text = Buffer.from(secret, "latin1")
  if (kind === "png") return Buffer.concat([bytes.subarray(0, 33), pngChunk("tEXt", text), bytes.subarray(33)])
  if (kind === "jpg") {
    const segments = [0xe1, 0xfe].map((marker) =>
      Buffer.concat([Buffer.from([0xff, marker, 0, text.length + 2]), text])
    )
    return Buffer.concat([bytes.subarray(0, 2), ...segments, bytes.subarray(2)])
  }
  const padded = text.length % 2 === 0 ? text : Buffer.concat([text, Buffer.alloc(1)])
  const head = Buffer.from("EXIF\0\0\0\0", "latin1")
  head.writeUInt32LE(text.length, 4)
  const all = Buffer.concat([bytes, head, padded])
  all.writeUInt32LE(all.length - 8, 4)
  return all
}

describe("a logo", () => {
  it.each(kinds)("keeps its pixels and its size, and nothing besides: %s", (kind) => {
    const picture = read(bytesOf(kind))
    assert.deepInclude(picture, { type: kind === "png" || kind === "jpg" ? kind : "webp", width: 24, height: 16 })
    assert.notInclude(Buffer.from(picture.bytes).toString("latin1"), "sRGB")
    // Written anew it is the same again, whatever stood beside it or came after it.
    for (const other of [withRemark(kind), Buffer.concat([bytesOf(kind), Buffer.from(`<script>${secret}</script>`)])]) {
      assert.deepStrictEqual(read(other), picture)
    }
    assert.include(withRemark(kind).toString("latin1"), secret)
    assert.deepStrictEqual(read(picture.bytes), picture)
  })

  it("is refused with what to do, where it is something else, too large, cut off, or moves", () => {
    for (const text of ["<svg xmlns='http://www.w3.org/2000/svg'/>", "<html>", "GIF89a", "", "RIFF____AVI "]) {
      assert.match(refusal(Buffer.from(text)), /PNG, JPEG or WebP/)
    }
    assert.match(refusal(Buffer.alloc(Limits.logoBytes + 1)), /at most 200000 bytes/)
    const pixels = pngChunk("IDAT", deflateSync(Buffer.alloc(2)))
    assert.strictEqual(refusal(png(1, 1, pixels)), "taken")
    assert.strictEqual(refusal(png(Limits.logoPixels, Limits.logoPixels, pixels)), "taken")
    const room = Limits.logoBytes - png(1, 1, pixels).length - pngChunk("tEXt", Buffer.alloc(0)).length
    assert.strictEqual(refusal(png(1, 1, pixels, pngChunk("tEXt", Buffer.alloc(room)))), "taken")
    assert.match(refusal(png(1, 1, pixels, pngChunk("tEXt", Buffer.alloc(room + 1)))), /at most 200000 bytes .* 200001/)
    assert.match(refusal(png(Limits.logoPixels + 1, 1, pixels)), /at most 2000 pixels .* 2001 × 1/)
    assert.match(refusal(png(0, 1, pixels)), /pixels on a side/)
    assert.match(refusal(png(1, 1)), /no whole picture/)
    const moving = withRemark("transparent")
    moving.write("ANIM", moving.lastIndexOf("EXIF"), "latin1")
    assert.match(refusal(moving), /stands still/)
  })

  it("has the content type under which browsers know its form", () => {
    const typed = kinds.map((kind) => [kind, contentTypes[read(bytesOf(kind)).type]])
    assert.deepStrictEqual(Object.fromEntries(typed), {
      png: "image/png",
      jpg: "image/jpeg",
      webp: "image/webp",
      transparent: "image/webp",
      lossless: "image/webp"
    })
  })

  it("of bytes that somebody changed or cut is read or refused, and never longer than it was given", () => {
    const changes = fc.array(fc.tuple(fc.nat(1_000), fc.nat(255)), { maxLength: 4 })
    forEvery(fc.constantFrom(...kinds), fc.nat(1_000), changes, (kind, cut, changed) => {
      const bytes = bytesOf(kind)
      for (const [at, byte] of changed) bytes[at % bytes.length] = byte
      const given = bytes.subarray(0, Math.max(1, bytes.length - (cut % bytes.length)))
      const found = readPicture(given)
      if (Result.isSuccess(found)) assert.isAtMost(found.success.bytes.length, given.length)
      else assert.match(found.failure, /[.]$/)
    })
  })

  it.each(kinds)("that ends before its pixels do is refused: %s", (kind) => {
    const { bytes } = read(bytesOf(kind))
    for (let length = 0; length < bytes.length; length++)
      assert.isTrue(Result.isFailure(readPicture(bytes.slice(0, length))))
  })
})
