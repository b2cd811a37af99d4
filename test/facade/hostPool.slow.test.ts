import { Effect, Layer } from "effect"
import * as HostPool from "../../src/adapters/postgres/host/HostPool.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as Stores from "../../src/adapters/postgres/Stores.ts"
import { conformance } from "../../src/testing/Conformance.ts"
import { secretBox } from "../conformance/Seal.ts"
import { freshPool } from "../support/HostPool.ts"
import { cases } from "../support/Rounds.ts"

const client = Layer.unwrap(Effect.map(freshPool, ({ pool }) => HostPool.layer(pool)))

conformance("PostgreSQL, the pool of a host", {
  layer: Stores.layer.pipe(
    Layer.provide(secretBox),
    Layer.provideMerge(Layer.orDie(Layer.provideMerge(Migrations.layer, client)))
  ),
  serial: false,
  runs: cases(10)
})
