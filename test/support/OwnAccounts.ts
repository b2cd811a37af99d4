import { Effect } from "effect"
import type { Integration } from "../../src/domain/access/Integration.ts"
import { SecretBox } from "../../src/ports/kernel/SecretBox.ts"
import type { StripeDouble } from "./stripe/StripeDouble.ts"

export const connectedAccountOf = (integration: Integration): Integration => ({
  ...integration,
  processor: "stripe",
  processor_connect_account_id: `acct_${integration.id}`
})

/** The keys of an own account. */
export const keysOf = (id: string, mode: "live" | "test" = "test") => ({
  secret_key: `sk_${mode}_own${id}`,
  publishable_key: `pk_${mode}_own${id}`,
  notice_secrets: [`whsec_own${id}`]
})

/** An integration that is an own account at a double, with keys that open there. */
export const ownAccountOf = Effect.fnUntraced(function* (double: StripeDouble, integration: Integration) {
  const box = yield* SecretBox
  const { id } = integration
  const keys = keysOf(id)
  double.ownKey(keys.secret_key, `acct_${id}`)
  const own: Integration = {
    ...connectedAccountOf(integration),
    is_own: true,
    sealed_credentials: yield* box.seal(JSON.stringify(keys), id)
  }
  return own
})
