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
import { RecommendationSets } from "../RecommendationSets.ts"

const sets = operationsOf(RecommendationSets)
const setId = id(RecommendationSetId, "recommendation set")

/** The operations of {@link RecommendationSets}. */
export const recommendationSetOperations = {
  create: sets.forCaller({
    name: "recommendation_sets.create",
    takes: [body(NewRecommendationSet, RecommendationSetDetail)],
    gives: RecommendationSetDetail,
    run: (use, input) => use.create(input)
  }),
  read: sets.forCaller({
    name: "recommendation_sets.read",
    takes: [setId],
    gives: RecommendationSetDetail,
    run: (use, set) => use.read(set)
  }),
  list: sets.forCaller({
    name: "recommendation_sets.list",
    takes: [query(listing)],
    gives: pageOf(RecommendationSetRecord),
    run: (use, asked) => use.list(asked)
  }),
  listPayments: sets.forCaller({
    name: "recommendation_sets.list_payments",
    takes: [setId, query(Payment.listing)],
    gives: pageOf(Payment.RecommendationSetPaymentRecord),
    run: (use, set, asked) => use.listPayments(set, asked)
  }),
  update: sets.forCaller({
    name: "recommendation_sets.update",
    takes: [setId, body(RecommendationSetPatch, RecommendationSetDetail)],
    gives: RecommendationSetDetail,
    run: (use, set, patch) => use.update(set, patch)
  }),
  deactivate: sets.forCaller({
    name: "recommendation_sets.deactivate",
    takes: [setId],
    gives: RecommendationSetDetail,
    run: (use, set) => use.deactivate(set)
  }),
  archive: sets.forCaller({
    name: "recommendation_sets.archive",
    takes: [setId],
    gives: RecommendationSetDetail,
    run: (use, set) => use.archive(set)
  })
}
