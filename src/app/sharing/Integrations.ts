import { Context, DateTime, Effect, Layer } from "effect"
import {
  type Integration,
  isDefault,
  keptBankAccount,
  listing,
  NewBankAccount,
  NewIntegration
} from "../../domain/access/Integration.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { CredentialRotation, type Credentials, replaces } from "../../domain/access/OwnCredentials.ts"
import { staffReads, staffWrites } from "../../domain/access/Policy.ts"
import { processorRefusal, usualProcessor } from "../../domain/access/Processor.ts"
import { IntegrationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { InvalidInput, RecordArchived } from "../../domain/kernel/Rejection.ts"
import { nameOrNull } from "../../domain/kernel/Text.ts"
import { isChargeable } from "../../domain/payments/ChargeCurrency.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { checkedInTime } from "../access/steps/Checked.ts"
import { Journal } from "../access/steps/Journal.ts"
import { body, id, query } from "../access/steps/Operation.ts"
import { permittedToStaff } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/RecordChecks.ts"
import { makeAccounts } from "../payments/steps/Accounts.ts"
import { makeAccountTrial } from "./steps/AccountTrial.ts"
import { makeOwnCredentials, none } from "./steps/OwnCredentials.ts"
import { Passphrases } from "./steps/Passphrases.ts"

/** An integration with its passphrase, which is shown once. */
export type Disclosed = Integration & { readonly passphrase: string }

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

/** The credentials of a new integration; null where it has none of its own. */
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

/**
 * The scope and plan that each operation requires. decisions, section 3.
 * @example Integrations.asks.setDefault // => { who: "operator", name: "integrations.set_default", scope: "WRITE" }
 */
export const asks = {
  create: staffWrites("integrations.create"),
  list: staffReads("integrations.list"),
  rotatePassphrase: staffWrites("integrations.rotate_passphrase"),
  setDefault: staffWrites("integrations.set_default"),
  setBankAccount: staffWrites("integrations.set_bank_account"),
  rotateCredentials: staffWrites("integrations.rotate_credentials"),
  deactivate: staffWrites("integrations.deactivate")
}

/**
 * What each use case takes: the service refuses anything else.
 * @example Integrations.takes.setBankAccount[1].schema === Integration.NewBankAccount // => true
 */
export const takes = {
  create: [body(NewIntegration)],
  list: [query(listing)],
  rotatePassphrase: [id(IntegrationId, "integration")],
  setDefault: [id(IntegrationId, "integration")],
  setBankAccount: [id(IntegrationId, "integration"), body(NewBankAccount)],
  rotateCredentials: [id(IntegrationId, "integration"), body(CredentialRotation)],
  deactivate: [id(IntegrationId, "integration")]
} as const

/**
 * Keeps an organisation's accounts at payment processors, and their passphrases. For operators. decisions, section 4.
 *
 * @example
 * ```ts
 * const program = Integrations.Integrations.use((integrations) => integrations.setDefault(integration_id))
 * ```
 */
export class Integrations extends Context.Service<Integrations>()("almoner/app/Integrations", {
  make: Effect.gen(function* () {
    const store = yield* IntegrationStore
    const organisations = yield* OrganisationStore
    const accounts = yield* makeAccounts
    const own = yield* makeOwnCredentials
    const trial = yield* makeAccountTrial
    const passphrases = yield* Passphrases
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    /** The default account until now takes the organisation's gifts no more. The organisation is held. */
    const undefault = Effect.fnUntraced(function* (organisation: Organisation, at: DateTime.Utc) {
      for (const each of yield* accounts.all(organisation)) {
        if (each.is_default) yield* store.update({ ...each, is_default: false, updated_at: at })
      }
    })

    /** The account as it is asked for, before anybody was asked about it. */
    const draft = Effect.fnUntraced(function* (organisation: Organisation, input: NewIntegration) {
      const at = yield* DateTime.now
      const processor = input.processor ?? usualProcessor(organisation)
      const refusal = processorRefusal(organisation, processor)
      if (refusal !== null) return yield* refusal
      const settlement_currency = input.settlement_currency ?? organisation.default_currency
      if (!isChargeable(settlement_currency)) {
        const message = `settlement_currency must be one with hundredths, or JPY: no gifts are taken in ${settlement_currency}.`
        return yield* new InvalidInput({ param: "settlement_currency", message })
      }
      const ways = yield* waysOf(processor, input)
      const integration: Integration = {
        id: yield* tokens.id("integration"),
        organisation_id: organisation.id,
        label: yield* required("label", input.label),
        processor,
        processor_connect_account_id: yield* required(
          "processor_connect_account_id",
          input.processor_connect_account_id
        ),
        charges_enabled: false,
        settlement_currency,
        is_default: false,
        is_active: true,
        ...ways,
        passphrase_hash: null,
        passphrase_key_id: null,
        passphrase_rotated_at: null,
        ...none,
        created_at: at,
        updated_at: at
      }
      return integration
    })

    const write = Effect.fnUntraced(function* (organisation: Organisation, drafted: Integration, asked: boolean) {
      yield* organisations.findForUpdate(organisation.id)
      const { created_at: at } = drafted
      const isFirst = !(yield* accounts.all(organisation)).some(isDefault)
      const is_default = asked || isFirst
      if (is_default) yield* undefault(organisation, at)
      const { passphrase, ...hashed } = yield* passphrases.draw
      const integration: Integration = { ...drafted, ...hashed, is_default }
      yield* store.insert(integration)
      yield* journal.write({ operation: asks.create.name, subject_id: integration.id, at, events: [] })
      const disclosed: Disclosed = { ...integration, passphrase }
      return disclosed
    }, transaction.run)

    /**
     * Makes an integration; the answer shows its passphrase. The first of an organisation takes its gifts, and so does one that
     * is made the default. Fails with {@link InvalidInput} for an empty text, a processor that the organisation may not use, a
     * currency in which no gifts are taken, an account that the processor does not know, and credentials of its own that are
     * missing, of the other mode, of another account, or not accepted. Those are sealed, and never shown.
     */
    const create = Effect.fn("Integrations.create")(function* (input: NewIntegration) {
      const { organisation } = yield* permittedToStaff(asks.create)
      const drafted = yield* draft(organisation, input)
      const integration = yield* trial(drafted, yield* credentialsOf(input))
      return yield* write(organisation, integration, input.is_default ?? false)
    })

    const list = Effect.fn("Integrations.list")(function* (query: ListQuery) {
      const { organisation } = yield* permittedToStaff(asks.list)
      return yield* store.list(organisation.id, query)
    })

    /** Gives an integration a new passphrase: the old one stops working at once. Existing links stay. */
    const rotatePassphrase = Effect.fn("Integrations.rotatePassphrase")(function* (id: IntegrationId) {
      const { organisation } = yield* permittedToStaff(asks.rotatePassphrase)
      const before = yield* store.findForUpdate(organisation.id, id).pipe(orNotFound("integration", id))
      const at = yield* DateTime.now
      const { passphrase, ...hashed } = yield* passphrases.draw
      const after: Integration = { ...before, ...hashed, passphrase_rotated_at: at, updated_at: at }
      yield* store.update(after)
      yield* journal.write({ operation: asks.rotatePassphrase.name, subject_id: id, at, events: [] })
      const disclosed: Disclosed = { ...after, passphrase }
      return disclosed
    }, transaction.run)

    const held = (organisation: Organisation, id: IntegrationId) =>
      Effect.andThen(
        organisations.findForUpdate(organisation.id),
        store.findForUpdate(organisation.id, id).pipe(orNotFound("integration", id))
      )

    /** Has an integration take the organisation's gifts from now on. Fails with {@link RecordArchived} for an inactive one. */
    const setDefault = Effect.fn("Integrations.setDefault")(function* (id: IntegrationId) {
      const { organisation } = yield* permittedToStaff(asks.setDefault)
      const before = yield* held(organisation, id)
      const at = yield* DateTime.now
      if (!before.is_active) {
        const instead = "It takes no gifts any more: choose another one, or make a new one."
        return yield* new RecordArchived({ record: "integration", id, ending: "disabled", instead })
      }
      const after: Integration = { ...before, is_default: true, updated_at: at }
      if (!before.is_default) {
        yield* undefault(organisation, at)
        yield* store.update(after)
      }
      yield* journal.write({ operation: asks.setDefault.name, subject_id: id, at, events: [] })
      return before.is_default ? before : after
    }, transaction.run)

    /**
     * Tells donors another bank account from now on, those too who were told the old one and have not paid. What is on the old
     * one is imported still. Fails with {@link InvalidInput} of `id` for an integration that is no bank account.
     */
    const setBankAccount = Effect.fn("Integrations.setBankAccount")(function* (
      id: IntegrationId,
      input: NewBankAccount
    ) {
      const { organisation } = yield* permittedToStaff(asks.setBankAccount)
      const before = yield* held(organisation, id)
      if (before.processor !== "bank") {
        const message = "id must be that of an integration of the processor bank: others have no bank account."
        return yield* new InvalidInput({ param: "id", message })
      }
      const at = yield* DateTime.now
      const after: Integration = { ...before, bank_account: keptBankAccount(input), updated_at: at }
      yield* store.update(after)
      yield* journal.write({ operation: asks.setBankAccount.name, subject_id: id, at, events: [] })
      return after
    }, transaction.run)

    const replaceCredentials = Effect.fnUntraced(function* (
      organisation: Organisation,
      id: IntegrationId,
      rotation: CredentialRotation
    ) {
      const at = yield* DateTime.now
      const after = yield* own.rotate(yield* held(organisation, id), rotation, at)
      yield* store.update(after)
      yield* journal.write({ operation: asks.rotateCredentials.name, subject_id: id, at, events: [] })
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
      const { organisation } = yield* permittedToStaff(asks.rotateCredentials)
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
      const { organisation } = yield* permittedToStaff(asks.deactivate)
      const before = yield* held(organisation, id)
      const at = yield* DateTime.now
      const after: Integration = { ...before, is_active: false, is_default: false, updated_at: at }
      if (before.is_active) yield* store.update(after)
      yield* journal.write({ operation: asks.deactivate.name, subject_id: id, at, events: [] })
      return before.is_active ? after : before
    }, transaction.run)

    return yield* checkedInTime(asks, takes, {
      create,
      list,
      rotatePassphrase,
      setDefault,
      setBankAccount,
      rotateCredentials,
      deactivate
    })
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Passphrases.layer))
}
