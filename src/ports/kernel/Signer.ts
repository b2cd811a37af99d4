import { Context } from "effect"

/** Signs deliveries. service-spec, Delivery shape: Signing. */
export class WebhookSigner extends Context.Service<
  WebhookSigner,
  {
    /**
     * The `webhook-signature` header over `id.timestamp.body`: one signature for each secret, in their order, separated by a
     * space. MUST take the UTF-8 bytes of the whole secret as the key. `timestamp` is in Unix seconds.
     */
    sign(secrets: ReadonlyArray<string>, id: string, timestamp: number, body: string): string
  }
>()("almoner/ports/Signer") {}
