import * as Signature from "../../src/adapters/webhooks/Signature.ts"
import * as Conformance from "../../src/testing/Conformance.ts"
import { webhookAddresses, webhookTransport } from "./Adapters.ts"

Conformance.webhookSigner("the signature", { layer: Signature.layer, runs: 100 })
Conformance.webhookAddresses("the address guard", { ...webhookAddresses, runs: 50 })
Conformance.webhookTransport("the transport", webhookTransport)
