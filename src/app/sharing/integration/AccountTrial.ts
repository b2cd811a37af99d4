import { Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Credentials } from "../../../domain/access/OwnCredentials.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { type Account, PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"
import { makeOwnCredentials } from "./OwnCredentials.ts"

/** Asks the processor about new accounts. */
export const makeAccountTrial = Effect.gen(function* () {
  const processors = yield* PaymentProcessors
  const own = yield* makeOwnCredentials

  const paidOut = ({ charges_enabled, currency }: Account, { settlement_currency }: Integration) => {
    if (currency === settlement_currency) return Effect.succeed(charges_enabled)
    const message = `settlement_currency must be ${currency}, in which the processor pays this account out.`
    return Effect.fail(new InvalidInput({ param: "settlement_currency", message }))
  }

  /**
   * The processor's answer about an account. Where this installation does not have the processor, the operator is
   * believed; where it is not reached, the account takes no charges until the worker has reached it. Fails with {@link
   * InvalidInput} for an account that the processor does not know, or that is paid out in another currency.
   */
  const chargesEnabled = Effect.fnUntraced(function* (integration: Integration) {
    const processor = processors.find(integration.processor)
    if (Option.isNone(processor)) return true
    const answer = yield* Effect.result(processor.value.fetchAccount(integration))
    if (Result.isFailure(answer)) {
      if (answer.failure._tag === "ProcessorUnreachable") return false
      const message = `The processor refuses this account: ${answer.failure.message}`
      return yield* new InvalidInput({ param: "processor_connect_account_id", message })
    }
    return yield* paidOut(answer.success, integration)
  })

  /** An integration with what the processor says of it, and with its own credentials, if any, tried and sealed. */
  return Effect.fnUntraced(function* (drafted: Integration, credentials: Credentials | null) {
    if (credentials === null) return { ...drafted, charges_enabled: yield* chargesEnabled(drafted) }
    const account = yield* own.check(drafted, credentials, "credentials.")
    const charges_enabled = yield* paidOut(account, drafted)
    return { ...drafted, charges_enabled, is_own: true, sealed_credentials: yield* own.seal(drafted, credentials) }
  })
})
