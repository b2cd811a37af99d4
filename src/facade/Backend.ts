import type { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Memory } from "../adapters/memory/Memory.ts"
import type * as MemoryStores from "../adapters/memory/Stores.ts"
import type { SecretBox } from "../ports/kernel/SecretBox.ts"

export type StorePorts = Exclude<Layer.Success<typeof MemoryStores.layer>, Memory>

/** The source of the keys that seal secrets when a host gives none. decisions, section 4: Server keys. */
export type KeySource =
  /** Made at each start: secrets that they seal do not outlive the process. */
  | { readonly _tag: "Generated" }
  /** Kept in the folder of a database, and made once, while that has no records. */
  | {
      readonly _tag: "Folder"
      readonly path: string
      readonly isUnused: Effect.Effect<boolean, never, SqlClient.SqlClient>
      readonly database: Layer.Layer<SqlClient.SqlClient, { readonly message: string }>
    }
  /** No source: the host must give them. */
  | { readonly _tag: "Given" }

/** The transaction that a handler of events is in, for statements of the host's own in it. */
export interface TransactionClient {
  /** Runs one statement with `$1`, `$2`, … and answers its rows. It waits for the calls of Almoner that are under way. */
  readonly query: (
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Promise<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }>
}

/** A place for records. `Client` is a client with the host's open transaction; `never` where there is none. */
export interface Backend<Client = never> {
  readonly name: string
  /** The stores. The message of a failure to open them is a whole sentence. */
  readonly stores: Layer.Layer<StorePorts, { readonly message: string }, SecretBox>
  readonly keys: KeySource
  /** Whether no other process can have the store open: then leases of deliveries end when it is opened. */
  readonly isExclusive: boolean
  /** The transaction that the effect is in, for a host's statements; undefined where there is no SQL, or none is open. */
  readonly transactionClient: Effect.Effect<TransactionClient | undefined>
  /** Runs an effect's transactions inside the one that the host has open on its client. */
  readonly within: (client: Client) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}
