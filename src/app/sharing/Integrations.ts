import { Context, DateTime, Effect, Layer } from "effect"
import { type Integration, listing, NewIntegration } from "../../domain/access/Integration.ts"
import { staffReads, staffWrites } from "../../domain/access/Policy.ts"
import { IntegrationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { nameOrNull } from "../../domain/kernel/Text.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { checked } from "../access/steps/Checked.ts"
import { Journal } from "../access/steps/Journal.ts"
import { body, id, query } from "../access/steps/Operation.ts"
import { permittedToStaff } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/RecordChecks.ts"
import { Passphrases } from "./steps/Passphrases.ts"

/** An integration with its passphrase, which is shown once. */
export type Disclosed = Integration & { readonly passphrase: string }

/** The processor of integrations that are made by hand. */
const processor = "test"

const required = (param: "label" | "processor_connect_account_id", text: string) => {
  const value = nameOrNull(text)
  return value === null
    ? Effect.fail(new InvalidInput({ param, message: `${param} must not be empty.` }))
    : Effect.succeed(value)
}

/** The scope and plan that each operation requires. decisions, section 3. */
export const asks = {
  create: staffWrites("integrations.create"),
  list: staffReads("integrations.list"),
  rotatePassphrase: staffWrites("integrations.rotate_passphrase")
}

/** What each use case takes: the service refuses anything else. */
export const takes = {
  create: [body(NewIntegration)],
  list: [query(listing)],
  rotatePassphrase: [id(IntegrationId, "integration")]
} as const

/** Keeps an organisation's accounts at payment processors, and their passphrases. For operators. decisions, section 4. */
export class Integrations extends Context.Service<Integrations>()("almoner/app/Integrations", {
  make: Effect.gen(function* () {
    const store = yield* IntegrationStore
    const passphrases = yield* Passphrases
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    /** Makes an integration; the answer shows its passphrase. Fails with {@link InvalidInput} for an empty text. */
    const create = Effect.fn("Integrations.create")(function* (input: NewIntegration) {
      const { organisation } = yield* permittedToStaff(asks.create)
      const at = yield* DateTime.now
      const { passphrase, ...hashed } = yield* passphrases.draw
      const integration: Integration = {
        id: yield* tokens.id("integration"),
        organisation_id: organisation.id,
        label: yield* required("label", input.label),
        processor,
        processor_connect_account_id: yield* required(
          "processor_connect_account_id",
          input.processor_connect_account_id
        ),
        charges_enabled: true,
        ...hashed,
        passphrase_rotated_at: null,
        created_at: at,
        updated_at: at
      }
      yield* store.insert(integration)
      yield* journal.write({ operation: asks.create.name, subject_id: integration.id, at, events: [] })
      const disclosed: Disclosed = { ...integration, passphrase }
      return disclosed
    }, transaction.run)

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

    return checked(asks, takes, { create, list, rotatePassphrase })
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Passphrases.layer))
}
