import { type DateTime, Effect } from "effect"
import { type Integration, isDefault } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { orNotFound } from "../../kernel/store/RecordChecks.ts"
import { makePaymentAccounts } from "../../payments/account/PaymentAccounts.ts"
import { Passphrases } from "./Passphrases.ts"

/** An integration with its passphrase, which is shown once. */
export type IntegrationWithPassphrase = Integration & { readonly passphrase: string }

/** Writes integrations, of which at most one takes its organisation's gifts. */
export const makeIntegrationWriter = Effect.gen(function* () {
  const accounts = yield* makePaymentAccounts
  const changeLog = yield* ChangeLog
  const organisations = yield* OrganisationStore
  const passphrases = yield* Passphrases
  const store = yield* IntegrationStore
  const transaction = yield* Transaction

  /** The default account until now takes the organisation's gifts no more. The organisation is locked. */
  const undefault = Effect.fnUntraced(function* (organisation: Organisation, at: DateTime.Utc) {
    for (const each of yield* accounts.all(organisation)) {
      if (each.is_default) yield* store.update({ ...each, is_default: false, updated_at: at })
    }
  })

  /** An integration, locked with its organisation until the transaction ends. */
  const held = (organisation: Organisation, id: IntegrationId) =>
    Effect.andThen(
      organisations.findForUpdate(organisation.id),
      store.findForUpdate(organisation.id, id).pipe(orNotFound("integration", id))
    )

  /** Writes a new integration, with a passphrase. */
  const insert = Effect.fnUntraced(function* (
    operation: string,
    organisation: Organisation,
    drafted: Integration,
    asked: boolean
  ) {
    yield* organisations.findForUpdate(organisation.id)
    const { created_at: at } = drafted
    const isFirst = !(yield* accounts.all(organisation)).some(isDefault)
    const is_default = asked || isFirst
    if (is_default) yield* undefault(organisation, at)
    const { passphrase, ...hashed } = yield* passphrases.draw
    const integration: Integration = { ...drafted, ...hashed, is_default }
    yield* store.insert(integration)
    yield* changeLog.write({ operation, subject_id: integration.id, at, events: [] })
    const disclosed: IntegrationWithPassphrase = { ...integration, passphrase }
    return disclosed
  }, transaction.run)

  return { held, insert, undefault } as const
})
