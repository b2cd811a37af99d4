import { type DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { type Integration, keptBankAccount, type NewIntegration } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import {
  type CredentialRotation,
  type Credentials,
  CredentialsText,
  NoticeSecretsText,
  rotateCredentials
} from "../../../domain/access/OwnCredentials.ts"
import { accountFault, processorMissing, processorRefusal, usualProcessor } from "../../../domain/access/Processor.ts"
import { isChargeable } from "../../../domain/kernel/ChargeCurrency.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { nameOrNull } from "../../../domain/kernel/Text.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { type Account, PaymentProcessors, processorNotConfigured } from "../../../ports/payments/PaymentProcessors.ts"
import type { Accountless } from "../../../ports/payments/ProcessorOnboarding.ts"
import { makePageDomains } from "../../payments/account/PaymentAccounts.ts"
import { makeOnboarding, reasonOf } from "./Onboarding.ts"

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const readCredentials = Schema.decodeUnknownOption(CredentialsText)
const writeCredentials = Schema.encodeSync(CredentialsText)
const writeSecrets = Schema.encodeSync(NoticeSecretsText)

/** An integration without credentials of its own. */
const none = {
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
    if (processor.value.checkCredentials === undefined) {
      return yield* invalid(
        "is_own",
        `is_own must not be true at ${name}: its accounts have no credentials of their own.`
      )
    }
    return yield* Effect.mapError(processor.value.checkCredentials(integration, credentials), ({ fault, field }) =>
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

/** Asks the processor about new accounts. */
const makeAccountTrial = Effect.gen(function* () {
  const processors = yield* PaymentProcessors
  const own = yield* makeOwnCredentials
  const registerDomain = yield* makePageDomains

  const paidOut = ({ charges_enabled, currency }: Account, { settlement_currency }: Integration) => {
    if (currency === settlement_currency) return Effect.succeed(charges_enabled)
    const message = `settlement_currency must be ${currency}, in which the processor pays this account out.`
    return Effect.fail(new InvalidInput({ param: "settlement_currency", message }))
  }

  /**
   * The processor's answer about an account. Where nobody was asked (this installation has no key of the processor, or does
   * not reach it now), the account takes no charges until the processor has said that it does. Fails with {@link
   * InvalidInput} for an account that the processor does not know, or that is paid out in another currency, and where the
   * processor does not accept this installation's key.
   */
  const chargesEnabled = Effect.fnUntraced(function* (integration: Integration) {
    const processor = processors.find(integration.processor)
    if (Option.isNone(processor)) return false
    const answer = yield* Effect.result(processor.value.fetchAccount(integration))
    if (Result.isFailure(answer)) {
      const { failure } = answer
      const isUnasked = failure._tag === "ProcessorRefused" ? failure.code === processorNotConfigured : !failure.lasts
      if (isUnasked) return false
      const message = `The account cannot be had. ${reasonOf(failure)}`
      return yield* new InvalidInput({ param: "processor_connect_account_id", message })
    }
    return yield* paidOut(answer.success, integration)
  })

  const tried = Effect.fnUntraced(function* (drafted: Integration, credentials: Credentials | null) {
    if (credentials === null) return { ...drafted, charges_enabled: yield* chargesEnabled(drafted) }
    const account = yield* own.check(drafted, credentials, "credentials.")
    const charges_enabled = yield* paidOut(account, drafted)
    return { ...drafted, charges_enabled, is_own: true, sealed_credentials: yield* own.seal(drafted, credentials) }
  })

  /** An integration with what the processor says of it, and with its own credentials, if any, tried and sealed. */
  return Effect.fnUntraced(function* (drafted: Integration, credentials: Credentials | null) {
    const integration: Integration = yield* tried(drafted, credentials)
    if (integration.charges_enabled) yield* registerDomain(integration)
    return integration
  })
})

/** How donors may pay to an account for which nothing is said. */
const usualMethods = ["card", "au_becs_debit", "payto"] as const

/** How donors may pay to an account of a processor, and the bank account that it needs. */
const waysOf = (processor: string, { bank_account, methods }: NewIntegration) => {
  const invalid = (param: string, message: string) => Effect.fail(new InvalidInput({ param, message }))
  const given = bank_account ?? null
  if (processor !== "bank") {
    return given === null
      ? Effect.succeed({ methods: methods ?? usualMethods, bank_account: null })
      : invalid("bank_account", `bank_account must not be given at ${processor}: donors transfer to accounts at bank.`)
  }
  if (given === null) return invalid("bank_account", "bank_account must be given: donors are told to transfer to it.")
  if ((methods ?? []).some((method) => method !== "bank_transfer")) {
    return invalid("methods", "methods must be bank_transfer alone: a bank account takes nothing else.")
  }
  return Effect.succeed({ methods: ["bank_transfer"] as const, bank_account: keptBankAccount(given) })
}

const credentialsOf = ({ credentials, is_own }: NewIntegration) => {
  const given = credentials ?? null
  if (is_own === true && given === null) {
    const message = "credentials must be given for an own account: nothing can be asked of it without them."
    return Effect.fail(new InvalidInput({ param: "credentials", message }))
  }
  if (is_own !== true && given !== null) {
    const message = "credentials must not be given unless is_own is true: other accounts are asked with the platform's."
    return Effect.fail(new InvalidInput({ param: "credentials", message }))
  }
  const own: Credentials | null = given === null ? null : { ...given, notice_secrets: given.notice_secrets ?? [] }
  return Effect.succeed(own)
}

const required = (param: "label" | "processor_connect_account_id", text: string) => {
  const value = nameOrNull(text)
  return value === null
    ? Effect.fail(new InvalidInput({ param, message: `${param} must not be empty.` }))
    : Effect.succeed(value)
}

/** Draws up integrations from their input. */
export const makeIntegrationCreation = Effect.gen(function* () {
  const onboarding = yield* makeOnboarding
  const processors = yield* PaymentProcessors
  const tokens = yield* Tokens
  const trial = yield* makeAccountTrial

  /** The account as it is asked for, before anybody was asked about it. */
  const draft = Effect.fnUntraced(function* (organisation: Organisation, input: NewIntegration) {
    const at = yield* organisationNow
    const processor = input.processor ?? usualProcessor(organisation)
    const refusal = processorRefusal(organisation, processor)
    if (refusal !== null) return yield* refusal
    // Accounts at Stripe may be written before this installation has a key of it.
    if (processor !== "stripe" && Option.isNone(processors.find(processor))) return yield* processorMissing(processor)
    const settlement_currency = input.settlement_currency ?? organisation.default_currency
    if (!isChargeable(settlement_currency)) {
      const message = `settlement_currency must be one with hundredths, or JPY: no gifts are taken in ${settlement_currency}.`
      return yield* new InvalidInput({ param: "settlement_currency", message })
    }
    const ways = yield* waysOf(processor, input)
    const integration: Accountless = {
      id: yield* tokens.id("integration"),
      organisation_id: organisation.id,
      label: yield* required("label", input.label),
      processor,
      charges_enabled: false,
      settlement_currency,
      is_default: false,
      is_active: true,
      ...ways,
      statement_mapping: null,
      statement_until: null,
      passphrase_hash: null,
      passphrase_key_id: null,
      passphrase_rotated_at: null,
      ...none,
      created_at: at,
      updated_at: at
    }
    return integration
  })

  /** The account's identifier as it was given, or that of an account that was opened for it. */
  const accountOf = Effect.fnUntraced(function* (drafted: Accountless, input: NewIntegration) {
    const given = input.processor_connect_account_id ?? null
    const country = input.country ?? null
    if (given === null) return yield* onboarding.open(drafted, input.is_own === true, country)
    if (country !== null) {
      const message =
        "country must not be given beside processor_connect_account_id: an account that is open already has its country."
      return yield* new InvalidInput({ param: "country", message })
    }
    const id = yield* required("processor_connect_account_id", given)
    const fault = accountFault(drafted.processor, id)
    return fault === null ? id : yield* new InvalidInput({ param: "processor_connect_account_id", message: fault })
  })

  /** An integration that is not written yet: its account is opened where none was given, and its processor was asked about it. */
  return Effect.fnUntraced(function* (organisation: Organisation, input: NewIntegration) {
    const drafted = yield* draft(organisation, input)
    const credentials = yield* credentialsOf(input)
    const processor_connect_account_id = yield* accountOf(drafted, input)
    return yield* trial({ ...drafted, processor_connect_account_id }, credentials)
  })
})
