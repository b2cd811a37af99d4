import * as RevenueCode from "../../../domain/giving/RevenueCode.ts"
import { RevenueCodeId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, RevenueCodes } from "../RevenueCodes.ts"

const revenueCodes = operationsOf(RevenueCodes)

const revenueCodeId = id(RevenueCodeId, "revenue code")

/** The operations of {@link RevenueCodes}. */
export const revenueCodeOperations = {
  create: revenueCodes.forCaller({
    asks: asks.create,
    keyed: true,
    takes: [body(RevenueCode.NewRevenueCode, RevenueCode.RevenueCodeRecord)],
    gives: RevenueCode.RevenueCodeRecord,
    run: (use, input) => use.create(input)
  }),
  read: revenueCodes.forCaller({
    asks: asks.read,
    takes: [revenueCodeId],
    gives: RevenueCode.RevenueCodeRecord,
    run: (use, code) => use.read(code)
  }),
  list: revenueCodes.forCaller({
    asks: asks.list,
    takes: [query(RevenueCode.listing)],
    gives: pageOf(RevenueCode.RevenueCodeRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: revenueCodes.forCaller({
    asks: asks.update,
    keyed: true,
    takes: [revenueCodeId, body(RevenueCode.RevenueCodePatch, RevenueCode.RevenueCodeRecord)],
    gives: RevenueCode.RevenueCodeRecord,
    run: (use, code, patch) => use.update(code, patch)
  }),
  archive: revenueCodes.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: [revenueCodeId],
    gives: RevenueCode.RevenueCodeRecord,
    run: (use, code) => use.archive(code)
  })
}
