import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { Segment, SegmentList, segmentList } from "../../../src/domain/insight/Segment.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

describe("segments", () => {
  it("are not computed until one of them is", () =>
    forEvery(fc.array(arbitraryOf(Segment), { maxLength: 4 }), (segments) => {
      const list = segmentList(segments)
      const isComputed = segments.some((each) => each.last_computed_at !== null)
      assert.strictEqual(list.status, isComputed ? "ok" : "not_computed")
      assert.strictEqual(list.message === null, isComputed)
      const ids = list.segments.map(({ id }) => id)
      assert.deepStrictEqual(
        ids,
        segments.map(({ id }) => id)
      )
      for (const each of list.segments) assert.notProperty(each, "organisation_id")
      assert.isTrue(Schema.is(SegmentList)(list))
    }))

  it("may be without members, and never have less than none", () =>
    forEvery(arbitraryOf(Segment), fc.integer({ min: -2, max: 2 }), (any, member_count) => {
      assert.strictEqual(Schema.is(Segment)({ ...any, member_count }), member_count >= 0)
    }))
})
