import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import * as EmbeddedDatabase from "../../src/adapters/postgres/embedded/EmbeddedDatabase.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as Stores from "../../src/adapters/postgres/Stores.ts"
import { DonorStore, SealBroken, SecretBox, Transaction } from "../../src/ports.ts"
import { donorOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { migratedUrl } from "../support/MigratedDatabase.ts"

/** Seals so that a test sees what was sealed, and for which context. */
const box = Layer.succeed(
  SecretBox,
  SecretBox.of({
    seal: (secret, context) => Effect.succeed(`${context}|${secret}`),
    open: (sealed, context) =>
      sealed.startsWith(`${context}|`)
        ? Effect.succeed(sealed.slice(context.length + 1))
        : Effect.fail(new SealBroken({ key_id: "test" }))
  })
)

/** All stores on a database that was just made, and its client. */
export const storesOn = <E>(client: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, E>) =>
  Stores.layer.pipe(Layer.provide(box), Layer.provideMerge(Layer.orDie(Migrations.layer)), Layer.provideMerge(client))

/** A change of its own organisation's, in a transaction. */
export const writeDonor = Effect.gen(function* () {
  const { id } = yield* newOrganisation()
  const donors = yield* DonorStore
  const transaction = yield* Transaction
  yield* transaction.run(Effect.flatMap(donorOf(id), donors.insert))
})

const connect = (url: Redacted.Redacted<string>) =>
  storesOn(Layer.orDie(Client.layerServer({ url, max_connections: 8 })))

/** The stores of two programs on one database of the server: nothing in memory is shared between them. */
export const twoPrograms = Effect.gen(function* () {
  const url = yield* migratedUrl
  const first = yield* Layer.build(Layer.fresh(connect(url)))
  const second = yield* Layer.build(Layer.fresh(connect(url)))
  return [first, second] as const
})

/** The two kinds of database, by name, each new and empty. */
export const databases = [
  ["a server", layerFresh],
  ["the embedded database", EmbeddedDatabase.layerMemory]
] as const
