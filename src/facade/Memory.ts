import { Effect } from "effect"
import * as Stores from "../adapters/memory/Stores.ts"
import { noHostTransactions } from "../app/kernel/host/InvalidOption.ts"
import type { Backend } from "./Backend.ts"

/** All records in memory, empty at first and gone with the process: for tests and examples. */
export const memory = (): Backend => ({
  name: "memory",
  stores: Stores.layer,
  keys: { _tag: "Generated" },
  isExclusive: true,
  transactionClient: Effect.succeed(undefined),
  within: noHostTransactions("memory()")
})
