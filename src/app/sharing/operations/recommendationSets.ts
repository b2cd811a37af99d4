import { RecommendationSetId } from "../../../domain/kernel/Ids.ts"
import * as Payment from "../../../domain/sharing/Payment.ts"
import {
  listing,
  NewRecommendationSet,
  RecommendationSetDetail,
  RecommendationSetPatch,
  RecommendationSetRecord
} from "../../../domain/sharing/RecommendationSet.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, RecommendationSets } from "../RecommendationSets.ts"

const sets = operationsOf(RecommendationSets)
const setId = id(RecommendationSetId, "recommendation set")

/** The operations of {@link RecommendationSets}. */
export const recommendationSetOperations = {
  create: sets.forCaller({
    asks: asks.create,
    keyed: true,
    takes: [body(NewRecommendationSet, RecommendationSetDetail)],
    gives: RecommendationSetDetail,
    run: (use, input) => use.create(input)
  }),
  read: sets.forCaller({
    asks: asks.read,
    takes: [setId],
    gives: RecommendationSetDetail,
    run: (use, set) => use.read(set)
  }),
  list: sets.forCaller({
    asks: asks.list,
    takes: [query(listing)],
    gives: pageOf(RecommendationSetRecord),
    run: (use, asked) => use.list(asked)
  }),
  listPayments: sets.forCaller({
    asks: asks.listPayments,
    takes: [setId, query(Payment.listing)],
    gives: pageOf(Payment.RecommendationSetPaymentRecord),
    run: (use, set, asked) => use.listPayments(set, asked)
  }),
  update: sets.forCaller({
    asks: asks.update,
    keyed: true,
    takes: [setId, body(RecommendationSetPatch, RecommendationSetDetail)],
    gives: RecommendationSetDetail,
    run: (use, set, patch) => use.update(set, patch)
  }),
  deactivate: sets.forCaller({
    asks: asks.deactivate,
    keyed: true,
    takes: [setId],
    gives: RecommendationSetDetail,
    run: (use, set) => use.deactivate(set)
  }),
  archive: sets.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: [setId],
    gives: RecommendationSetDetail,
    run: (use, set) => use.archive(set)
  })
}
