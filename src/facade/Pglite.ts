import { Layer } from "effect"
import { isUnused } from "../adapters/postgres/access/Stores.ts"
import * as EmbeddedDatabase from "../adapters/postgres/embedded/EmbeddedDatabase.ts"
import { transactionClient } from "../adapters/postgres/host/TransactionClient.ts"
import * as Migrations from "../adapters/postgres/migrations/Migrations.ts"
import * as Stores from "../adapters/postgres/Stores.ts"
import { aText, checkOptions, noHostTransactions, type OptionRules, oneOf } from "../app/kernel/host/InvalidOption.ts"
import type { Backend } from "./Backend.ts"

/** The options of the embedded database. */
export interface PgliteOptions {
  /** The folder of the database, made when missing and held by one process at a time. In memory when absent. */
  readonly dataDir?: string | undefined
  /**
   * `relaxed` leaves writing to the operating system: faster, for data whose loss does not matter. Defaults to
   * `synced`.
   */
  readonly durability?: EmbeddedDatabase.Durability | undefined
}

const rules: OptionRules<PgliteOptions> = {
  dataDir: aText("the path of a folder"),
  durability: oneOf("synced", "relaxed")
}

/** Records in a PostgreSQL inside this process. Throws {@link InvalidOption} for options that cannot be used. */
export const pglite = (options: PgliteOptions = {}): Backend => {
  checkOptions("pglite", rules, options, "{ dataDir } for records that stay")
  const { dataDir, durability } = options
  const client =
    dataDir === undefined
      ? EmbeddedDatabase.layerMemory
      : EmbeddedDatabase.layer({ data_dir: dataDir, ...(durability === undefined ? {} : { durability }) })
  // One layer, so that the keys and the stores are over one database.
  const database = Layer.provideMerge(Migrations.layer, client)
  return {
    name: "pglite",
    stores: Layer.provide(Stores.layer, database),
    keys: dataDir === undefined ? { _tag: "Generated" } : { _tag: "Folder", path: dataDir, isUnused, database },
    isExclusive: true,
    transactionClient,
    within: noHostTransactions("pglite()")
  }
}
