import { Effect, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { CredentialField, Credentials } from "../../../domain/access/OwnCredentials.ts"
import { CredentialsRefused, type ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import { Account } from "./Objects.ts"
import type { StripeApi } from "./StripeApi.ts"

const modeOfKey = (is_sandbox: boolean) => (is_sandbox ? "test" : "live")

const secretKeys = { live: /^(?:sk|rk)_live_\w+$/u, test: /^(?:sk|rk)_test_\w+$/u }
const publishableKeys = { live: /^pk_live_\w+$/u, test: /^pk_test_\w+$/u }

/** Whether a secret key is one of a sandbox's mode, or of a live organisation's. */
export const isSecretOf = (key: string, is_sandbox: boolean): boolean => secretKeys[modeOfKey(is_sandbox)].test(key)

const refuse = (field: CredentialField, fault: string) => new CredentialsRefused({ field, fault })

const otherMode = (field: CredentialField, prefix: string, is_sandbox: boolean) => {
  const mode = modeOfKey(is_sandbox)
  const why = is_sandbox ? "the organisation is a sandbox" : "the organisation is live"
  return refuse(field, `must be a key of Stripe's ${mode} mode, ${prefix}_${mode}_…, because ${why}.`)
}

/** The fault of credentials that can be seen without asking; null where there is none. */
const faultIn = ({ notice_secrets, publishable_key, secret_key }: Credentials, is_sandbox: boolean) => {
  if (!isSecretOf(secret_key, is_sandbox)) return otherMode("secret_key", "sk", is_sandbox)
  if (!publishableKeys[modeOfKey(is_sandbox)].test(publishable_key))
    return otherMode("publishable_key", "pk", is_sandbox)
  return notice_secrets.every((secret) => /^whsec_\w+$/u.test(secret))
    ? null
    : refuse("notice_secrets", "must be signing secrets of Stripe's endpoints, whsec_….")
}

const failed = (failure: ProcessorFailure) => {
  if (failure._tag === "ProcessorRefused") return refuse("secret_key", `is refused by Stripe (${failure.code}).`)
  switch (failure.reason) {
    case "key_not_accepted":
      return refuse("secret_key", "is not accepted by Stripe: it was mistyped, rolled or deleted.")
    case "not_permitted":
      return refuse("secret_key", "may not read its account. Permit the restricted key to read accounts.")
    default:
      return refuse("secret_key", `could not be tried, because Stripe was not reached (${failure.reason}). Try again.`)
  }
}

/** Tries credentials that an own account is to have. */
export const checkKeys = Effect.fnUntraced(function* (
  api: StripeApi,
  { processor_connect_account_id: id }: Integration,
  credentials: Credentials,
  is_sandbox: boolean
) {
  const fault = faultIn(credentials, is_sandbox)
  if (fault !== null) return yield* fault
  const answer = yield* Effect.result(api.call(Account, ({ accounts }) => accounts.retrieveCurrent()))
  if (Result.isFailure(answer)) return yield* failed(answer.failure)
  const found = answer.success
  if (found.id !== id)
    return yield* refuse("secret_key", `must be a key of the account ${id}, and is another account's.`)
  return { charges_enabled: found.charges_enabled, currency: found.default_currency.toUpperCase() }
})
