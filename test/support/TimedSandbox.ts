import { Effect, Layer } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as RateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import * as StatementMarkup from "../../src/adapters/processors/bank/StatementMarkup.ts"
import * as AddressGuard from "../../src/adapters/webhooks/AddressGuard.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { keyRing } from "../conformance/KeyRings.ts"
import { secretBox } from "../conformance/Seal.ts"
import { harbourTrust } from "./HarbourTrust.ts"
import { asOperator } from "./Tenant.ts"

/** What the use cases need of a memory that the clock of a test moves. */
export const timedStores = Layer.provide(Stores.layer, secretBox).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      secretBox,
      StatementMarkup.layer,
      Tokens.layer,
      RateLimiter.layer({}),
      AddressGuard.layerWith(() => Promise.resolve([])),
      Layer.provide(EncryptionKeys.layerMacs, keyRing(["a"]))
    )
  )
)

/** A sandbox with an account at the test processor. */
export const timedSandbox = Effect.gen(function* () {
  const { sandbox: organisation } = yield* harbourTrust
  const integration = yield* Integrations.use((use) =>
    use.create({ label: "Main", processor_connect_account_id: "acct_1" })
  ).pipe(asOperator(organisation))
  return { organisation, integration }
}).pipe(Effect.orDie)
