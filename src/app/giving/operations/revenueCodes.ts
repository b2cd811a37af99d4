import * as RevenueCode from "../../../domain/giving/RevenueCode.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, RevenueCodes, takes } from "../RevenueCodes.ts"

const revenueCodes = operationsOf(RevenueCodes)

/** The operations of {@link RevenueCodes}. */
export const revenueCodeOperations = {
  create: revenueCodes.forCaller({
    asks: asks.create,
    keyed: true,
    takes: takes.create,
    gives: RevenueCode.RevenueCodeRecord,
    run: (use, input) => use.create(input)
  }),
  read: revenueCodes.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: RevenueCode.RevenueCodeRecord,
    run: (use, code) => use.read(code)
  }),
  list: revenueCodes.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(RevenueCode.RevenueCodeRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: revenueCodes.forCaller({
    asks: asks.update,
    keyed: true,
    takes: takes.update,
    gives: RevenueCode.RevenueCodeRecord,
    run: (use, code, patch) => use.update(code, patch)
  }),
  archive: revenueCodes.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: takes.archive,
    gives: RevenueCode.RevenueCodeRecord,
    run: (use, code) => use.archive(code)
  })
}
