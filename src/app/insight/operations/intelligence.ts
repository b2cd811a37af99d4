import * as Intelligence from "../../../domain/insight/Intelligence.ts"
import { SegmentList } from "../../../domain/insight/Segment.ts"
import { DonorId } from "../../../domain/kernel/Ids.ts"
import { id, operationsOf } from "../../access/steps/Operation.ts"
import { DonorIntelligence } from "../DonorIntelligence.ts"
import { Segments } from "../Segments.ts"

const intelligence = operationsOf(DonorIntelligence)
const segments = operationsOf(Segments)

/** The operations of {@link DonorIntelligence}. */
export const intelligenceOperations = {
  readWorklist: intelligence.forCaller({
    name: "intelligence.read_worklist",
    takes: [],
    gives: Intelligence.Worklist,
    run: (use) => use.readWorklist()
  }),
  readDonor: intelligence.forCaller({
    name: "intelligence.read_donor",
    takes: [id(DonorId, "donor")],
    gives: Intelligence.DonorIntelligence,
    run: (use, donor) => use.readDonor(donor)
  })
}

/** The operations of {@link Segments}. */
export const segmentOperations = {
  list: segments.forCaller({ name: "segments.list", takes: [], gives: SegmentList, run: (use) => use.list() })
}
