import * as Payment from "../../../domain/sharing/Payment.ts"
import { RecommendationSetDetail, RecommendationSetRecord } from "../../../domain/sharing/RecommendationSet.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, RecommendationSets, takes } from "../RecommendationSets.ts"

const sets = operationsOf(RecommendationSets)
/** The operations of {@link RecommendationSets}. */
export const recommendationSetOperations = {
  create: sets.forCaller({
    asks: asks.create,
    keyed: true,
    takes: takes.create,
    gives: RecommendationSetDetail,
    run: (use, input) => use.create(input)
  }),
  read: sets.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: RecommendationSetDetail,
    run: (use, set) => use.read(set)
  }),
  list: sets.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(RecommendationSetRecord),
    run: (use, asked) => use.list(asked)
  }),
  listPayments: sets.forCaller({
    asks: asks.listPayments,
    takes: takes.listPayments,
    gives: pageOf(Payment.RecommendationSetPaymentRecord),
    run: (use, set, asked) => use.listPayments(set, asked)
  }),
  update: sets.forCaller({
    asks: asks.update,
    keyed: true,
    takes: takes.update,
    gives: RecommendationSetDetail,
    run: (use, set, patch) => use.update(set, patch)
  }),
  deactivate: sets.forCaller({
    asks: asks.deactivate,
    keyed: true,
    takes: takes.deactivate,
    gives: RecommendationSetDetail,
    run: (use, set) => use.deactivate(set)
  }),
  archive: sets.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: takes.archive,
    gives: RecommendationSetDetail,
    run: (use, set) => use.archive(set)
  })
}
