import { Context, Effect, Layer } from "effect"
import { reads } from "../../domain/access/Policy.ts"
import { segmentList } from "../../domain/insight/Segment.ts"
import { SegmentStore } from "../../ports/insight/SegmentStore.ts"
import { checkedInTime } from "../access/steps/Checked.ts"
import { permitted } from "../access/steps/Permission.ts"

/** The scope and plan that each operation requires. decisions, section 3. */
export const asks = {
  list: reads("segments.list")
}

/** What each use case takes: the service refuses anything else. */
export const takes = {
  list: []
} as const

/** Lists segments as they were last computed. service-spec, Donor intelligence: Segment list response. */
export class Segments extends Context.Service<Segments>()("almoner/app/Segments", {
  make: Effect.gen(function* () {
    const store = yield* SegmentStore

    const list = Effect.fn("Segments.list")(function* () {
      const caller = yield* permitted(asks.list)
      return segmentList(yield* store.all(caller.organisation.id))
    })

    return yield* checkedInTime(asks, takes, { list })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
