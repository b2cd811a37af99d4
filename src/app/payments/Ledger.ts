import { Context, Effect, Layer } from "effect"
import { staffReads } from "../../domain/access/Policy.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { listing } from "../../domain/payments/Ledger.ts"
import { checkOf } from "../../domain/payments/LedgerCheck.ts"
import { LedgerStore } from "../../ports/payments/LedgerStore.ts"
import { checkedInTime } from "../access/steps/Checked.ts"
import { query } from "../access/steps/Operation.ts"
import { permittedToStaff } from "../access/steps/Permission.ts"

/** The scope that each operation requires. */
export const asks = {
  list: staffReads("ledger.list")
}

/** What each use case takes: the service refuses anything else. */
export const takes = {
  list: [query(listing)]
} as const

/** The books: every cent that moved, and whether they add up. money, section 2: Ledger entry. */
export class Ledger extends Context.Service<Ledger>()("almoner/app/Ledger", {
  make: Effect.gen(function* () {
    const store = yield* LedgerStore

    const list = Effect.fn("Ledger.list")(function* (query: ListQuery) {
      const { organisation } = yield* permittedToStaff(asks.list)
      return yield* store.list(organisation.id, query)
    })

    /** The balances of all organisations, computed anew, each with what is wrong about it. For operators. */
    const check = Effect.map(store.balances, (all) => ({ data: all.map(checkOf) }))

    return yield* checkedInTime(asks, takes, { list, check })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
