import { type DateTime, Effect, Option } from "effect"
import {
  DisclosedIntegration,
  type Integration,
  IntegrationRecord,
  isDefault,
  keptBankAccount,
  listing,
  NewBankAccount,
  NewIntegration
} from "../../domain/access/Integration.ts"
import { NewOnboarding, OnboardingLink } from "../../domain/access/Onboarding.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { CredentialRotation, replaces } from "../../domain/access/OwnCredentials.ts"
import { IntegrationId } from "../../domain/kernel/Ids.ts"
import { InvalidInput, RecordArchived } from "../../domain/kernel/Rejection.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeAccountMonitor, makePaymentAccounts } from "../payments/account/PaymentAccounts.ts"
import { makeIntegrationCreation, makeOwnCredentials } from "./integration/IntegrationCreation.ts"
import { makeOnboarding, reasonOf } from "./integration/Onboarding.ts"
import { makePassphrases } from "./integration/Passphrases.ts"

/** An integration with its passphrase, which is shown once. */
type IntegrationWithPassphrase = Integration & { readonly passphrase: string }

/** Writes integrations, of which at most one takes its organisation's gifts. */
const makeIntegrationWriter = Effect.gen(function* () {
  const accounts = yield* makePaymentAccounts
  const changeLog = yield* ChangeLog
  const organisations = yield* OrganisationStore
  const passphrases = yield* makePassphrases
  const store = yield* IntegrationStore
  const transaction = yield* Transaction

  /** The default account until now takes the organisation's gifts no more. The organisation is locked. */
  const undefault = Effect.fnUntraced(function* (organisation: Organisation, at: DateTime.Utc) {
    for (const { id, is_default } of yield* accounts.all(organisation)) {
      const before = is_default ? yield* store.findForUpdate(organisation.id, id) : Option.none()
      if (Option.isSome(before)) yield* store.update({ ...before.value, is_default: false, updated_at: at })
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

  return { held, insert, passphrases, undefault } as const
})

export type { IntegrationWithPassphrase }

/** `create` asks for the account of a processor that is known to be the bank: no `Effect.fn` has a type parameter. */
type AskingForAccount<S extends { readonly create: (input: NewIntegration) => unknown }> = Omit<S, "create"> & {
  readonly create: <const P extends string = string>(input: NewIntegration<P>) => ReturnType<S["create"]>
}

const integrationId = id(IntegrationId, "integration")

const operations = Row.table("integrations", {
  create: Row.staffChange(
    "Make a processor integration and show its distribution passphrase once",
    [body(NewIntegration)],
    DisclosedIntegration
  ),
  onboard: Row.staffChange(
    "Make a link under which an organisation tells the processor what it asks for; it can be opened once",
    [integrationId, body(NewOnboarding)],
    OnboardingLink
  ),
  check: Row.staffChange("Ask the processor now whether an account takes charges", [integrationId], IntegrationRecord),
  list: Row.staffList("List processor integrations, newest first", listing, IntegrationRecord),
  rotatePassphrase: Row.staffChange(
    "Give an integration a new passphrase and show it once: the old one stops, what it linked stays linked",
    [integrationId],
    DisclosedIntegration
  ),
  setDefault: Row.staffChange(
    "Have an integration take the organisation's gifts from now on",
    [integrationId],
    IntegrationRecord
  ),
  setBankAccount: Row.staffChange(
    "Tell donors another bank account from now on, those too who have not paid yet",
    [integrationId, body(NewBankAccount)],
    IntegrationRecord
  ),
  rotateCredentials: Row.staffChange(
    "Give an own account new credentials; former webhook secrets stay valid for a while",
    [integrationId, body(CredentialRotation)],
    IntegrationRecord
  ),
  deactivate: Row.staffChange(
    "Have an integration take no gifts any more; what was given settles, and links to it stay",
    [integrationId],
    IntegrationRecord
  )
})

/** Keeps an organisation's accounts at payment processors, and their passphrases. For operators. decisions, section 4. */
export class Integrations extends Service<Integrations>()("almoner/app/Integrations", function* () {
  const { held, insert, passphrases, undefault } = yield* makeIntegrationWriter
  const store = yield* IntegrationStore
  const own = yield* makeOwnCredentials
  const newIntegration = yield* makeIntegrationCreation
  const checks = yield* makeAccountMonitor
  const onboarding = yield* makeOnboarding
  const changeLog = yield* ChangeLog
  const transaction = yield* Transaction

  /**
   * Makes an integration; the answer shows its passphrase. The first of an organisation takes its gifts, and so does one that
   * is made the default. Where no account is given, the processor opens one. Fails with {@link InvalidInput} for an empty
   * text, a processor that the organisation may not use, a currency in which no gifts are taken, an account that the processor
   * does not know or open, and credentials that are missing, of the other mode or account, or not accepted; they stay secret.
   */
  const create = Effect.fn("Integrations.create")(function* (input: NewIntegration) {
    const { organisation } = yield* requireStaff(operations.create)
    const drafted = yield* newIntegration(organisation, input)
    return yield* insert(operations.create.requires.name, organisation, drafted, input.is_default ?? false)
  })

  /**
   * A link to the processor's form, to be opened once and soon by whoever acts for the organisation. Fails with
   * {@link InvalidInput} of `id` where accounts are not set up here, and of `return_url` where the processor gave none.
   */
  const onboard = Effect.fn("Integrations.onboard")(function* (id: IntegrationId, input: NewOnboarding) {
    const { organisation } = yield* requireStaff(operations.onboard)
    const integration = yield* store.find(organisation.id, id).pipe(orNotFound("integration", id))
    const link = yield* onboarding.link(integration, input)
    const at = yield* organisationNow
    yield* transaction.run(
      changeLog.write({ operation: operations.onboard.requires.name, subject_id: id, at, events: [] })
    )
    return link
  })

  /** Asks the processor now whether an account takes charges: after somebody has come back from its form. */
  const check = Effect.fn("Integrations.check")(function* (id: IntegrationId) {
    const { organisation } = yield* requireStaff(operations.check)
    const before = yield* store.find(organisation.id, id).pipe(orNotFound("integration", id))
    const failure = yield* checks.one(before)
    if (Option.isSome(failure)) {
      const message = `id is that of an account that cannot be looked at now. ${reasonOf(failure.value)}`
      return yield* new InvalidInput({ param: "id", message })
    }
    return yield* store.find(organisation.id, id).pipe(orNotFound("integration", id))
  })

  /** Gives an integration a new passphrase: the old one stops working at once. Existing links stay. */
  const rotatePassphrase = Effect.fn("Integrations.rotatePassphrase")(function* (id: IntegrationId) {
    const { organisation } = yield* requireStaff(operations.rotatePassphrase)
    const before = yield* store.findForUpdate(organisation.id, id).pipe(orNotFound("integration", id))
    const at = yield* organisationNow
    const { passphrase, ...hashed } = yield* passphrases.draw
    const after: Integration = { ...before, ...hashed, passphrase_rotated_at: at, updated_at: at }
    yield* store.update(after)
    yield* changeLog.write({ operation: operations.rotatePassphrase.requires.name, subject_id: id, at, events: [] })
    const disclosed: IntegrationWithPassphrase = { ...after, passphrase }
    return disclosed
  }, transaction.run)

  /** Has an integration take the organisation's gifts from now on. Fails with {@link RecordArchived} for an inactive one. */
  const setDefault = Effect.fn("Integrations.setDefault")(function* (id: IntegrationId) {
    const { organisation } = yield* requireStaff(operations.setDefault)
    const before = yield* held(organisation, id)
    const at = yield* organisationNow
    if (!before.is_active) {
      const instead = "It takes no gifts any more: choose another one, or make a new one."
      return yield* new RecordArchived({ record: "integration", id, ending: "disabled", instead })
    }
    const after: Integration = { ...before, is_default: true, updated_at: at }
    if (!before.is_default) {
      yield* undefault(organisation, at)
      yield* store.update(after)
    }
    yield* changeLog.write({ operation: operations.setDefault.requires.name, subject_id: id, at, events: [] })
    return before.is_default ? before : after
  }, transaction.run)

  /**
   * Tells donors another bank account from now on, those too who were told the old one and have not paid. What is on the old
   * one is imported still. Fails with {@link InvalidInput} of `id` for an integration that is no bank account.
   */
  const setBankAccount = Effect.fn("Integrations.setBankAccount")(function* (id: IntegrationId, input: NewBankAccount) {
    const { organisation } = yield* requireStaff(operations.setBankAccount)
    const before = yield* held(organisation, id)
    if (before.processor !== "bank") {
      const message = "id must be that of an integration of the processor bank: others have no bank account."
      return yield* new InvalidInput({ param: "id", message })
    }
    const at = yield* organisationNow
    const after: Integration = { ...before, bank_account: keptBankAccount(input), updated_at: at }
    yield* store.update(after)
    yield* changeLog.write({ operation: operations.setBankAccount.requires.name, subject_id: id, at, events: [] })
    return after
  }, transaction.run)

  const replaceCredentials = Effect.fnUntraced(function* (
    organisation: Organisation,
    id: IntegrationId,
    rotation: CredentialRotation
  ) {
    const at = yield* organisationNow
    const after = yield* own.rotate(yield* held(organisation, id), rotation, at)
    yield* store.update(after)
    yield* changeLog.write({ operation: operations.rotateCredentials.requires.name, subject_id: id, at, events: [] })
    return after
  }, transaction.run)

  /**
   * Gives an own account new credentials, once the processor has accepted them; what is not given stays. Former notice
   * secrets are valid for `overlap_hours` more, and a former key from now on no longer. Fails with {@link InvalidInput} for an
   * integration without credentials of its own, for credentials of the other mode or another account, for those that are not
   * accepted, and where that could not be asked: then nothing has changed.
   */
  const rotateCredentials = Effect.fn("Integrations.rotateCredentials")(function* (
    id: IntegrationId,
    rotation: CredentialRotation
  ) {
    const { organisation } = yield* requireStaff(operations.rotateCredentials)
    const before = yield* store.find(organisation.id, id).pipe(orNotFound("integration", id))
    if (!before.is_own) {
      const message = "id must be that of an own account: others have no credentials of their own."
      return yield* new InvalidInput({ param: "id", message })
    }
    if (!replaces(rotation)) {
      const message = "secret_key must be given, or publishable_key or notice_secrets: nothing else is rotated."
      return yield* new InvalidInput({ param: "secret_key", message })
    }
    const { credentials } = yield* own.after(before, rotation)
    yield* own.check(before, credentials, "")
    return yield* replaceCredentials(organisation, id, rotation)
  })

  /**
   * Has an integration take no gifts any more, for good. What was given through it settles as it settles, and what links to
   * it stays. An organisation whose default it was takes none until another one is made the default.
   */
  const deactivate = Effect.fn("Integrations.deactivate")(function* (id: IntegrationId) {
    const { organisation } = yield* requireStaff(operations.deactivate)
    const before = yield* held(organisation, id)
    const at = yield* organisationNow
    const after: Integration = { ...before, is_active: false, is_default: false, updated_at: at }
    if (before.is_active) yield* store.update(after)
    yield* changeLog.write({ operation: operations.deactivate.requires.name, subject_id: id, at, events: [] })
    return before.is_active ? after : before
  }, transaction.run)

  const service = yield* serviceInOrganisationTime(operations, {
    create,
    onboard,
    check,
    list: listMethod("Integrations.list", operations.list, store),
    rotatePassphrase,
    setDefault,
    setBankAccount,
    rotateCredentials,
    deactivate
  })
  const asking: AskingForAccount<typeof service> = service
  return asking
}) {}

/** The operations of {@link Integrations}. */
export const integrationOperations = operationsOf(Integrations, operations)
