import { OrganisationStore } from "almoner/ports"
import { Checks } from "almoner/testing"
import { Conformance } from "almoner/testing/vitest"
import { Effect, Layer } from "effect"
import * as RevenueCodeStore from "./RevenueCodeStore.ts"
import { Sqlite } from "./Sqlite.ts"
import * as Transaction from "./Transaction.ts"

const layer = Layer.mergeAll(
  RevenueCodeStore.layer,
  Transaction.layer,
  // The checks store an organisation first. No table here refers to it.
  Layer.mock(OrganisationStore, { insert: () => Effect.void })
).pipe(Layer.provide(Sqlite.layer(":memory:")))

Conformance.revenueCodeStore("RevenueCodeStore on SQLite", { layer })
Conformance.transaction("Transaction on SQLite", { layer, records: Checks.revenueCodeRecords })
