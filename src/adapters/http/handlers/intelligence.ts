import { Effect } from "effect"
import { DonorIntelligence } from "../../../app/DonorIntelligence.ts"
import { Segments } from "../../../app/Segments.ts"
import type { IntelligenceGroup } from "../groups/intelligence.ts"
import type { HandlersOf } from "../Handler.ts"

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
