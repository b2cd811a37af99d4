import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readPicture } from "../../../src/domain/giving/Picture.ts"
import { big, bytesOf, jpegSegment as segment } from "../../support/PictureParts.ts"

const start = Buffer.from([0xff, 0xd8])
const end = Buffer.from([0xff, 0xd9])

/** Components of a frame or a scan with two bytes or one after the number of each. */
const components = (count: number, ...more: ReadonlyArray<number>) =>
  bytesOf([count], ...Array.from({ length: count }, (_, at) => [at + 1, ...more]))

const frame = (marker: number, count = 3, precision = 8) =>
  segment(marker, bytesOf([precision], big(2, 300), big(2, 400), components(count, 0x11, 0)))

/** A scan whose codes have all that may stand after 0xff in them, and something like a name. */
const codes = bytesOf("Exif", [0xff, 0x00, 0x12], ...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => [0xff, 0xd0 + n, 0x34]))
const scan = (count = 3) => bytesOf(segment(0xda, bytesOf(components(count, 0x11), [0, 63, 0])), codes)

const quantisation = segment(0xdb, bytesOf([0], Array(64).fill(1)))
const huffman = segment(0xc4, bytesOf([0, 1], Array(15).fill(0), [7]))
const restarts = segment(0xdd, Buffer.from([0, 4]))
const adobe = segment(0xee, bytesOf("Adobe", [0, 100, 0, 0, 0, 0, 1]))

const whole = [quantisation, frame(0xc0), huffman, restarts, scan()]

const read = (...parts: ReadonlyArray<Uint8Array>) => readPicture(bytesOf(start, ...parts, end))

const isRefused = (...parts: ReadonlyArray<Uint8Array>) => {
  const reading = read(...parts)
  return Result.isFailure(reading) && /^The file begins as JPEG and is no whole picture/.test(reading.failure)
}

describe("a logo that is a JPEG", () => {
  it.each([
    { form: "of one pass", marker: 0xc0, count: 3, more: [] },
    { form: "with more tables", marker: 0xc1, count: 3, more: [] },
    { form: "that grows sharper", marker: 0xc2, count: 3, more: [huffman, scan(1), scan(1)] },
    { form: "in greys", marker: 0xc0, count: 1, more: [] }
  ])("keeps the segments that its pixels are made of, in their order: $form", ({ count, marker, more }) => {
    const kept = [adobe, quantisation, frame(marker, count), huffman, restarts, scan(count), ...more]
    const remarks = [...Array.from({ length: 16 }, (_, at) => 0xe0 + at), 0xfe].map((each) =>
      segment(each, bytesOf("Exif\0\0 51.5 N, 0.1 W"))
    )
    // An empty remark, and bytes that fill up to the next marker.
    const between = bytesOf(...remarks, segment(0xfe, Buffer.alloc(0)), [0xff, 0xff, 0xff])
    const expected = { type: "jpg", width: 400, height: 300, bytes: bytesOf(start, ...kept, end) }
    for (const given of [kept, kept.flatMap((part) => [between, part]), [...kept, segment(0xfe, Buffer.alloc(0))]]) {
      const picture = Result.getOrThrow(read(...given))
      assert.deepStrictEqual({ ...picture, bytes: Buffer.from(picture.bytes) }, expected)
    }
  })

  it("keeps how its colours are coded, and nothing that only looks like it", () => {
    const data = adobe.subarray(4)
    const others = [
      segment(0xee, bytesOf(data, [0])),
      segment(0xee, data.subarray(1)),
      segment(0xee, bytesOf("adobe", data.subarray(5))),
      segment(0xed, data),
      segment(0xef, data)
    ]
    const picture = Result.getOrThrow(read(...others, ...whole))
    assert.deepStrictEqual(Buffer.from(picture.bytes), bytesOf(start, ...whole, end))
  })

  it("is refused with a segment of another form of JPEG, or of none", () => {
    const known = new Set([0xc4, 0xd9, 0xda, 0xdb, 0xdd, 0xfe, ...Array.from({ length: 16 }, (_, at) => 0xe0 + at)])
    for (let marker = 0; marker < 0xff; marker++) {
      const isTaken = !isRefused(segment(marker, bytesOf("text")), ...whole)
      assert.strictEqual(isTaken, known.has(marker) && marker !== 0xd9, `marker ${marker}`)
    }
    assert.isTrue(isRefused(quantisation, bytesOf("text"), ...whole))
  })

  it("is refused without a frame or a scan, and with a second frame", () => {
    assert.isFalse(isRefused(...whole))
    for (const part of [frame(0xc0), scan()]) assert.isTrue(isRefused(...whole.filter((each) => !each.equals(part))))
    assert.isTrue(isRefused(frame(0xc0), ...whole))
  })

  it("is refused where a frame has other colours or bits than browsers show, or a length that is not its own", () => {
    const sound = frame(0xc0, 1).subarray(4)
    const wrong = [
      ...[0, 2, 4].map((count) => frame(0xc0, count)),
      frame(0xc0, 3, 12),
      frame(0xc0, 1, 12),
      segment(0xc0, sound.subarray(0, -1)),
      segment(0xc0, bytesOf(sound, [0])),
      segment(0xc0, bytesOf(sound, "51.5 N, 0.1 W"))
    ]
    for (const each of wrong) assert.isTrue(isRefused(each, scan(1)))
    assert.isFalse(isRefused(segment(0xc0, sound), scan(1)))
  })

  it("is refused where a segment is said to be shorter than its own length", () => {
    for (const length of [0, 1]) assert.isTrue(isRefused(frame(0xc0), bytesOf([0xff, 0xda], big(2, length), codes)))
  })

  it("is refused wherever it is cut off", () => {
    const bytes = bytesOf(start, adobe, ...whole, huffman, scan(1), end)
    for (let length = 0; length < bytes.length; length++) {
      assert.isTrue(Result.isFailure(readPicture(bytes.subarray(0, length))), `at ${length}`)
    }
  })
})
