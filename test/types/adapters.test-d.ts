import { Effect, Layer } from "effect"
import type { Options } from "../../src/index.ts"
import { AuditStore, type DonorStore, Transaction, WebhookSigner } from "../../src/ports.ts"

type Adapters = NonNullable<Options["adapters"]>

/* A port is replaced by an implementation or by a layer, which may ask for any port, its own included. */

export const implementation: Adapters = { WebhookSigner: { sign: () => "v1,none" }, AuditStore: undefined }
export const layer: Adapters = { WebhookSigner: Layer.succeed(WebhookSigner, { sign: () => "v1,none" }) }
export const wrappedStore: Adapters = {
  AuditStore: Layer.effect(
    AuditStore,
    Effect.map(Effect.all([AuditStore, Transaction]), ([store]) => store)
  )
}
export const failingStore: Adapters = {
  AuditStore: Layer.effect(AuditStore, Effect.fail(new Error("The vault is sealed.")))
}

// @ts-expect-error a name that no port has
export const unknownName: Adapters = { DonorStorage: {} }

// @ts-expect-error the implementation of another port
export const otherPort: Adapters = { DonorStore: { sign: () => "" } }

// @ts-expect-error a layer of another port
export const otherLayer: Adapters = { DonorStore: Layer.succeed(WebhookSigner, { sign: () => "" }) }

declare const other: Layer.Layer<DonorStore, never, { readonly other: true }>

// @ts-expect-error a layer that asks for what Almoner does not have
export const askingStore: Adapters = { DonorStore: other }

// @ts-expect-error a layer that fails without a sentence
export const mute: Adapters = { AuditStore: Layer.effect(AuditStore, Effect.fail(5)) }

declare const upwards: Layer.Layer<WebhookSigner, never, DonorStore>

// @ts-expect-error a signer that asks for a store: stores are made over it
export const upward: Adapters = { WebhookSigner: upwards }
