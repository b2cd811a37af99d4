import { DateTime, Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"
import { actingIn } from "../../access/steps/Acting.ts"
import { Journal } from "../../access/steps/Journal.ts"
import { makeAccounts } from "./Accounts.ts"

const operation = "integrations.check"

const settler = { type: "SYSTEM", id: "settler" } as const

/** Makes what keeps it true whether accounts take charges: what the processor says is written. money, section 2: Integration. */
export const makeAccountChecks = Effect.gen(function* () {
  const integrations = yield* IntegrationStore
  const organisations = yield* OrganisationStore
  const processors = yield* PaymentProcessors
  const accounts = yield* makeAccounts
  const journal = yield* Journal
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const write = Effect.fnUntraced(function* ({ id, organisation_id }: Integration, charges_enabled: boolean) {
    const held = yield* integrations.findForUpdate(organisation_id, id)
    if (Option.isNone(held) || held.value.charges_enabled === charges_enabled) return
    const at = yield* DateTime.now
    yield* integrations.update({ ...held.value, charges_enabled, updated_at: at })
    yield* journal.write({ operation, subject_id: id, at, events: [] })
  }, transaction.run)

  const check = Effect.fnUntraced(function* (organisation: Organisation, integration: Integration, request_id: string) {
    const processor = processors.find(integration.processor)
    if (Option.isNone(processor)) return false
    const answer = yield* Effect.result(processor.value.fetchAccount(integration))
    if (Result.isSuccess(answer)) {
      const { charges_enabled } = answer.success
      if (charges_enabled === integration.charges_enabled) return true
      yield* write(integration, charges_enabled).pipe(actingIn(organisation, settler, request_id))
    } else {
      // Nothing is known of it now: what was known last holds until the next day.
      yield* Effect.logWarning(`The account of the integration ${integration.id} could not be looked at`)
    }
    return Result.isSuccess(answer)
  })

  /** Asks the processor about one account; whether it answered. */
  const one = Effect.fnUntraced(function* (integration: Integration) {
    const organisation = yield* organisations.find(integration.organisation_id)
    if (Option.isNone(organisation)) return true
    return yield* check(organisation.value, integration, yield* tokens.id("request"))
  })

  /** Asks every processor about the accounts of all organisations. */
  const all = Effect.gen(function* () {
    const request_id = yield* tokens.id("request")
    for (const organisation of yield* organisations.all) {
      for (const integration of yield* accounts.all(organisation)) {
        if (integration.is_active) yield* check(organisation, integration, request_id)
      }
    }
  })

  return { all, one } as const
})
