/**
 * Deliveries of webhooks over HTTP: `webhookTransport` is an option of `Almoner.open`; the layers are for programs that
 * put the dispatcher together themselves. It needs undici.
 */
export * as AddressGuard from "./adapters/webhooks/AddressGuard.ts"
export * as Signature from "./adapters/webhooks/Signature.ts"
export { sign } from "./adapters/webhooks/Signature.ts"
export * as Transport from "./adapters/webhooks/Transport.ts"
export { layer as webhookTransport } from "./adapters/webhooks/Transport.ts"
