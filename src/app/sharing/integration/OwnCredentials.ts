import { type DateTime, Duration, Effect, Option, Schema } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import {
  type CredentialRotation,
  type Credentials,
  CredentialsText,
  NoticeSecretsText,
  rotateCredentials
} from "../../../domain/access/OwnCredentials.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import { PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const readCredentials = Schema.decodeUnknownOption(CredentialsText)
const writeCredentials = Schema.encodeSync(CredentialsText)
const writeSecrets = Schema.encodeSync(NoticeSecretsText)

/** An integration without credentials of its own. */
export const none = {
  is_own: false,
  sealed_credentials: null,
  previous_sealed_notice_secrets: null,
  previous_notice_secrets_expire_at: null,
  credentials_rotated_at: null
} as const

/** Tries, seals and rotates the credentials of own accounts. */
export const makeOwnCredentials = Effect.gen(function* () {
  const box = yield* SecretBox
  const processors = yield* PaymentProcessors

  /**
   * Asks the processor for the account of an integration with credentials that it is to have. `at` is what their names begin
   * with in the input. Fails with {@link InvalidInput}, which repeats none of them.
   */
  const check = Effect.fnUntraced(function* (integration: Integration, credentials: Credentials, at: string) {
    const { processor: name } = integration
    const processor = processors.find(name)
    if (Option.isNone(processor)) {
      return yield* invalid(
        "processor",
        `processor must be one that is set up here: ${name} is not, so no key of it can be tried.`
      )
    }
    const { checkCredentials } = processor.value
    if (checkCredentials === undefined) {
      return yield* invalid(
        "is_own",
        `is_own must not be true at ${name}: its accounts have no credentials of their own.`
      )
    }
    return yield* Effect.mapError(checkCredentials(integration, credentials), ({ fault, field }) =>
      invalid(`${at}${field}`, `${at}${field} ${fault}`)
    )
  })

  const seal = ({ id }: Integration, credentials: Credentials) => box.seal(writeCredentials(credentials), id)

  /** The credentials that an integration has; null where they cannot be opened. */
  const open = ({ id, sealed_credentials: sealed }: Integration) =>
    sealed === null
      ? Effect.succeed(null)
      : Effect.map(Effect.option(box.open(sealed, id)), (text) =>
          Option.getOrNull(Option.flatMap(text, readCredentials))
        )

  /** The credentials that an integration has after a rotation. Fails with {@link InvalidInput} where one is not known. */
  const after = Effect.fnUntraced(function* (integration: Integration, rotation: CredentialRotation) {
    const before = yield* open(integration)
    const credentials = rotateCredentials(before, rotation)
    if (credentials !== null) return { before, credentials }
    const message =
      "secret_key, publishable_key and notice_secrets must all be given: the credentials until now cannot be opened, because their encryption key was taken away."
    return yield* invalid("secret_key", message)
  })

  /** The former notice secrets: they stay valid for a while where new ones come. */
  const formerOf = Effect.fnUntraced(function* (
    integration: Integration,
    before: Credentials | null,
    { notice_secrets, overlap_hours }: CredentialRotation,
    at: DateTime.Utc
  ) {
    if (notice_secrets === undefined || notice_secrets === null) {
      const { previous_notice_secrets_expire_at, previous_sealed_notice_secrets } = integration
      return { previous_notice_secrets_expire_at, previous_sealed_notice_secrets }
    }
    const hours = overlap_hours ?? Limits.secretOverlapDefaultHours
    const former = before?.notice_secrets ?? []
    return former.length === 0 || hours === 0
      ? { previous_sealed_notice_secrets: null, previous_notice_secrets_expire_at: null }
      : {
          previous_sealed_notice_secrets: yield* box.seal(writeSecrets(former), integration.id),
          previous_notice_secrets_expire_at: addTime(at, Duration.hours(hours))
        }
  })

  /** An integration with its credentials rotated. Nothing is asked: what it gives was tried before. */
  const rotate = Effect.fnUntraced(function* (
    integration: Integration,
    rotation: CredentialRotation,
    at: DateTime.Utc
  ) {
    const { before, credentials } = yield* after(integration, rotation)
    const changed: Integration = {
      ...integration,
      ...(yield* formerOf(integration, before, rotation, at)),
      sealed_credentials: yield* seal(integration, credentials),
      credentials_rotated_at: at,
      updated_at: at
    }
    return changed
  })

  return { after, check, rotate, seal } as const
})
