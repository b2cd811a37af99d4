import type { Effect, Layer } from "effect"
import type { Memory } from "../adapters/memory/Memory.ts"
import type * as MemoryStores from "../adapters/memory/Stores.ts"
import type { SecretBox } from "../ports/kernel/SecretBox.ts"

/** Every port that keeps something. */
export type StorePorts = Exclude<Layer.Success<typeof MemoryStores.layer>, Memory>

/** Where the keys that seal secrets come from when a host gives none. decisions, section 4: Server keys. */
export type KeySource =
  /** Made anew: what it seals does not outlive the process. */
  | { readonly _tag: "Generated" }
  /** Kept in a folder. */
  | { readonly _tag: "Folder"; readonly folder: string }
  /** There is none: the host must give them. */
  | { readonly _tag: "Given" }

/** Where records are kept. `Client` is what a host's open transaction is given as; `never` where there is none. */
export interface Backend<Client = never> {
  readonly name: string
  /** The stores; a failure to open them is a whole sentence. */
  readonly stores: Layer.Layer<StorePorts, { readonly message: string }, SecretBox>
  readonly keys: KeySource
  /** Whether no other process can have it open: then leases of deliveries end when it is opened. */
  readonly isExclusive: boolean
  /** Runs an effect's transactions inside the one that the host has open on its client. */
  readonly within: (client: Client) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}
