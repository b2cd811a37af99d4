import * as Intelligence from "../../../domain/insight/Intelligence.ts"
import { SegmentList } from "../../../domain/insight/Segment.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import {
  DonorIntelligence,
  asks as donorIntelligenceAsks,
  takes as donorIntelligenceTakes
} from "../DonorIntelligence.ts"
import { Segments, asks as segmentsAsks, takes as segmentsTakes } from "../Segments.ts"

const intelligence = operationsOf(DonorIntelligence)
const segments = operationsOf(Segments)

/** The operations of {@link DonorIntelligence}. */
export const intelligenceOperations = {
  readWorklist: intelligence.forCaller({
    asks: donorIntelligenceAsks.readWorklist,
    takes: donorIntelligenceTakes.readWorklist,
    gives: Intelligence.Worklist,
    run: (use) => use.readWorklist()
  }),
  readDonor: intelligence.forCaller({
    asks: donorIntelligenceAsks.readDonor,
    takes: donorIntelligenceTakes.readDonor,
    gives: Intelligence.DonorIntelligence,
    run: (use, donor) => use.readDonor(donor)
  })
}

/** The operations of {@link Segments}. */
export const segmentOperations = {
  list: segments.forCaller({
    asks: segmentsAsks.list,
    takes: segmentsTakes.list,
    gives: SegmentList,
    run: (use) => use.list()
  })
}
