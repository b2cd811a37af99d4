import { Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { NewOnboarding, OnboardingLink } from "../../../domain/access/Onboarding.ts"
import type { Country } from "../../../domain/kernel/Countries.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import {
  PaymentProcessors,
  type ProcessorFailure,
  processorNotConfigured
} from "../../../ports/payments/PaymentProcessors.ts"
import type { Accountless } from "../../../ports/payments/ProcessorOnboarding.ts"

const account = "processor_connect_account_id"

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

/** What is said of a failure: to try again only where it may pass by itself. */
export const reasonOf = (failure: ProcessorFailure): string => {
  if (failure._tag === "ProcessorRefused") {
    return failure.code === processorNotConfigured ? failure.message : `The processor refuses it: ${failure.message}`
  }
  return failure.lasts ? failure.message : `The processor was not reached (${failure.reason}). Try again.`
}

/** Has processors open accounts, and their forms filled in. */
export const makeOnboarding = Effect.gen(function* () {
  const processors = yield* PaymentProcessors

  const of = (processor: string) =>
    Option.flatMap(processors.find(processor), ({ onboarding }) => Option.fromUndefinedOr(onboarding))

  /** Has the processor open an account, in a country where one is given. Fails with {@link InvalidInput} where it opens none. */
  const open = Effect.fnUntraced(function* (integration: Accountless, isOwn: boolean, country: Country | null) {
    const onboarding = of(integration.processor)
    if (isOwn) return yield* invalid(account, `${account} must be given for an own account: it is open already.`)
    if (Option.isNone(onboarding)) {
      return yield* invalid(
        account,
        `${account} must be given: no accounts are opened at ${integration.processor} here.`
      )
    }
    const answer = yield* Effect.result(onboarding.value.openAccount(integration, country))
    if (Result.isSuccess(answer)) return answer.success.account_id
    const where = country === null ? "" : ` in ${country}`
    return yield* invalid(
      account,
      `${account} must be given: no account could be opened${where}. ${reasonOf(answer.failure)}`
    )
  })

  /** A link for an account. Fails with {@link InvalidInput} where there is nothing to fill in, and where none was given. */
  const link = Effect.fnUntraced(function* (integration: Integration, addresses: NewOnboarding) {
    const { is_own, processor } = integration
    const onboarding = of(processor)
    if (is_own) {
      return yield* invalid("id", "id must not be that of an own account: it is looked after at the processor itself.")
    }
    if (Option.isNone(onboarding)) {
      return yield* invalid("id", `id must be that of an account that is set up here: at ${processor} none is.`)
    }
    const answer = yield* Effect.result(onboarding.value.onboard(integration, addresses))
    if (Result.isFailure(answer)) {
      return yield* invalid("return_url", `return_url and refresh_url got no link. ${reasonOf(answer.failure)}`)
    }
    const found: OnboardingLink = answer.success
    return found
  })

  return { link, open } as const
})
