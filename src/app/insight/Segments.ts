import { Effect } from "effect"
import { SegmentList, segmentList } from "../../domain/insight/Segment.ts"
import { SegmentStore } from "../../ports/insight/SegmentStore.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"

const operations = Row.table("segments", {
  list: Row.read("List segments", [], SegmentList)
})

/** Lists segments as they were last computed. service-spec, Donor intelligence: Segment list response. */
export class Segments extends Service<Segments>()("almoner/app/Segments", function* () {
  const store = yield* SegmentStore

  const list = Effect.fn("Segments.list")(function* () {
    const caller = yield* requireScope(operations.list)
    return segmentList(yield* store.all(caller.organisation.id))
  })

  return yield* serviceInOrganisationTime(operations, { list })
}) {}

/** The operations of {@link Segments}. */
export const segmentOperations = operationsOf(Segments, operations)
