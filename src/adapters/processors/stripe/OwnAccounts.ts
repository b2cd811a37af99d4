import { DateTime, Effect, Option, Redacted, Schema } from "effect"
import { type Integration, overlapRule } from "../../../domain/access/Integration.ts"
import { type Credentials, CredentialsText, NoticeSecretsText } from "../../../domain/access/OwnCredentials.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import type { Accountless } from "../../../ports/payments/ProcessorOnboarding.ts"
import { isSecretOf } from "./Keys.ts"
import { type Mode, modeOf } from "./Mode.ts"
import type { StripeOptions, StripePlatform } from "./StripeOptions.ts"

/** Own accounts whose keys are kept opened in this process. */
const keptAtMost = 1_000

const readCredentials = Schema.decodeUnknownOption(CredentialsText)
const readSecrets = Schema.decodeUnknownOption(NoticeSecretsText)

/** Credentials as the adapter uses them. */
export const platformOf = ({ notice_secrets, publishable_key, secret_key }: Credentials): StripePlatform => ({
  secretKey: Redacted.make(secret_key),
  publishableKey: publishable_key,
  noticeSecrets: notice_secrets.map((secret) => Redacted.make(secret))
})

/** Opens the credentials of integrations that are accounts of their own. */
export const makeOwnAccounts = Effect.fnUntraced(function* (options: Pick<StripeOptions, "baseUrl">) {
  const box = yield* SecretBox
  const opened = new Map<string, { readonly sealed: string; readonly mode: Mode }>()

  const keep = ({ id }: Accountless, sealed: string, mode: Mode) => {
    opened.delete(id)
    const [oldest] = opened.keys()
    if (opened.size >= keptAtMost && oldest !== undefined) opened.delete(oldest)
    opened.set(id, { sealed, mode })
    return mode
  }

  const open = (sealed: string, { id }: Accountless) => Effect.option(box.open(sealed, id))

  /** An account with its own keys. None where they are missing, cannot be opened, or are those of the other mode. */
  const modeOfOwn = Effect.fnUntraced(function* (integration: Accountless, is_sandbox: boolean) {
    const { id, sealed_credentials: sealed } = integration
    if (sealed === null) return undefined
    const known = opened.get(id)
    // Credentials that were rotated or sealed anew are opened again.
    if (known?.sealed === sealed) return known.mode
    const found = Option.flatMap(yield* open(sealed, integration), readCredentials)
    if (Option.isNone(found) || !isSecretOf(found.value.secret_key, is_sandbox)) return undefined
    const mode = modeOf(platformOf(found.value), options)
    return mode === undefined ? undefined : keep(integration, sealed, mode)
  })

  /** The notice secrets before the last rotation, as long as they are valid. */
  const formerSecretsOf = Effect.fnUntraced(function* (integration: Integration) {
    const { previous_sealed_notice_secrets: sealed } = integration
    if (sealed === null || !Rule.holdsAt(overlapRule, integration, yield* DateTime.now)) return []
    const found = Option.flatMap(yield* open(sealed, integration), readSecrets)
    return Option.getOrElse(found, () => []).map((secret) => Redacted.make(secret))
  })

  return { modeOfOwn, formerSecretsOf } as const
})
