import { Effect } from "effect"
import { DonorIntelligence } from "../../../app/insight/DonorIntelligence.ts"
import { Segments } from "../../../app/insight/Segments.ts"
import type { IntelligenceGroup } from "../endpoints/insight/intelligence.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const intelligenceHandlers = Effect.gen(function* () {
  const intelligence = yield* DonorIntelligence
  const segments = yield* Segments
  const handlers: HandlersOf<typeof IntelligenceGroup> = {
    readWorklist: { run: () => intelligence.readWorklist() },
    readDonor: { run: ({ params }) => intelligence.readDonor(params.donor_id) },
    listSegments: { run: () => segments.list() }
  }
  return handlers
})
