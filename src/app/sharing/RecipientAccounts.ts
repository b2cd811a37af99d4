import { type DateTime, Effect, Option, Result, Schema } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"
import { RecipientAccountLinkId } from "../../domain/kernel/Ids.ts"
import { birth, type Refusal } from "../../domain/kernel/Machine.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import * as Passphrase from "../../domain/sharing/Passphrase.ts"
import * as RecipientAccount from "../../domain/sharing/RecipientAccount.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { organisationNow, realNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { PassphraseFailures } from "../../ports/sharing/PassphraseFailures.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { keptIn, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { makePassphrases } from "./integration/Passphrases.ts"

type Link = RecipientAccount.RecipientAccount

/** The result of an exchange. */
export interface LinkResult {
  readonly link: Link
  /** Whether the link is new. */
  readonly created: boolean
}

type Outcome = Result.Result<LinkResult, InvalidInput | Passphrase.PassphraseLocked | Refusal>

const recipientAccountId = id(RecipientAccountLinkId, "recipient account")

const operations = Row.table("recipient_accounts", {
  link: Row.change(
    "Link a recipient account by its distribution passphrase",
    [body(RecipientAccount.PassphraseExchange, RecipientAccount.RecipientAccountRecord)],
    Schema.Struct({ link: RecipientAccount.RecipientAccountDetail, created: Schema.Boolean })
  ),
  read: Row.read("Read a linked recipient account", [recipientAccountId], RecipientAccount.RecipientAccountDetail),
  list: Row.list("List linked recipient accounts", RecipientAccount.listing, RecipientAccount.RecipientAccountRecord),
  update: Row.change(
    "Rename a linked recipient account",
    [recipientAccountId, body(RecipientAccount.RecipientAccountPatch, RecipientAccount.RecipientAccountDetail)],
    RecipientAccount.RecipientAccountDetail
  ),
  deactivate: Row.end(
    "Deactivate a linked recipient account",
    [recipientAccountId],
    RecipientAccount.RecipientAccountDetail
  )
})

/** Links recipients' accounts. decisions, section 4: Recipient accounts. */
export class RecipientAccounts extends Service<RecipientAccounts>()("almoner/app/RecipientAccounts", function* () {
  const store = yield* RecipientAccountStore
  const integrations = yield* IntegrationStore
  const window = yield* PassphraseFailures
  const passphrases = yield* makePassphrases
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const change = (yield* makeChange)({
    machine: RecipientAccount.machine,
    ...keptIn("recipient account", store),
    tell: (types, link) => types.map((type) => RecipientAccount.emissionOf(type, link))
  })

  /** The link with what its account's processor says now. */
  const present = Effect.fnUntraced(function* (link: Link) {
    const found = yield* integrations.find(link.recipient_organisation_id, link.recipient_integration_id)
    return { ...link, charges_enabled: Option.exists(found, ({ charges_enabled }) => charges_enabled) }
  })

  const exchange = Effect.fnUntraced(function* (
    { organisation }: Caller,
    { label, passphrase }: RecipientAccount.PassphraseExchange,
    at: DateTime.Utc
  ) {
    const holder = yield* Effect.fromResult(
      RecipientAccount.linkable(organisation, yield* passphrases.holderOf(passphrase))
    )
    const origin = {
      id: yield* tokens.id("recipientAccountLink"),
      organisation_id: organisation.id,
      introduction_id: null,
      recipient: holder.organisation,
      integration: holder.integration,
      label: label ?? null,
      at
    }
    const born = birth(RecipientAccount.machine, RecipientAccount.births.exchanged, () =>
      RecipientAccount.create(origin)
    )
    const { created, link } = yield* Effect.fromResult(
      RecipientAccount.linkableNow(yield* store.findOrInsert(born.state), holder)
    )
    if (created) {
      yield* change.announce(operations.link.requires.name, { ...born, state: link }, { organisation, at })
      return { link, created }
    }
    const held = { before: link, organisation, at }
    const commands: ReadonlyArray<RecipientAccount.Command> = link.is_active ? [] : [{ _tag: "Reactivate", at }]
    const { state } = yield* change.settle(operations.link.requires.name, held, commands)
    return { link: state, created }
    // What is refused leaves no link behind, and counts all the same.
  }, transaction.run)

  /** The outcome of an exchange as a value, even a refusal: its failure is counted whatever else is undone. */
  const counted = Effect.fnUntraced(function* (caller: Caller, input: RecipientAccount.PassphraseExchange) {
    const { id } = caller.organisation
    const kept = yield* window.findForUpdate(id)
    // A limit on callers: whoever moves the clock of a sandbox has no more guesses for it.
    const now = yield* realNow
    const failures = Passphrase.settledAt(kept, now)
    const lock = Passphrase.checkLock(failures, now)
    if (Result.isFailure(lock)) {
      if (failures.some((each, index) => each !== kept[index])) yield* window.replace(id, failures)
      const refused: Outcome = Result.fail(lock.failure)
      return refused
    }
    const outcome: Outcome = yield* Effect.result(exchange(caller, input, yield* organisationNow))
    const failed = Result.isFailure(outcome) && outcome.failure._tag === "InvalidInput"
    if (failed) yield* window.replace(id, Passphrase.withFailure(failures, now))
    return outcome
  }, transaction.run)

  /**
   * Links the account that a passphrase belongs to: a new link, one that becomes active again, or the one that is
   * active. `label` is for a new link only. Fails with {@link InvalidInput} (`passphrase`), which counts as a failed
   * exchange of the organisation, by whichever way it came in, and with {@link PassphraseLocked} while ten failures
   * count.
   */
  const link = Effect.fn("RecipientAccounts.link")(function* (input: RecipientAccount.PassphraseExchange) {
    const caller = yield* requireScope(operations.link)
    const linked = yield* Effect.fromResult(yield* counted(caller, input))
    return { ...linked, link: yield* present(linked.link) }
  })

  const found = readMethod("RecipientAccounts.read", operations.read, "recipient account", store)
  const read = (id: RecipientAccountLinkId) => Effect.flatMap(found(id), present)
  const list = listMethod("RecipientAccounts.list", operations.list, store)

  /** Renames a link, active or not. The same label again emits nothing. Fails with {@link InvalidInput} (`label`). */
  const update = Effect.fn("RecipientAccounts.update")(function* (
    id: RecipientAccountLinkId,
    patch: RecipientAccount.RecipientAccountPatch
  ) {
    const { state } = yield* change.revise(
      operations.update,
      id,
      Effect.fnUntraced(function* ({ at, before }) {
        if (patch.label === undefined) return []
        const label = yield* Effect.fromResult(RecipientAccount.labelOf(patch.label))
        return label === before.label ? [] : [{ _tag: "Rename", at, label }]
      })
    )
    return yield* present(state)
  }, transaction.run)

  /** Deactivates a link, which can be a recipient no more. Repeated, it leaves the link and emits the event again. */
  const deactivate = Effect.fn("RecipientAccounts.deactivate")(function* (id: RecipientAccountLinkId) {
    const { state } = yield* change.perform(operations.deactivate, id, (at) => ({ _tag: "Deactivate", at }), {
      repeat: "told again"
    })
    return yield* present(state)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { link, read, list, update, deactivate })
}) {}

/** The operations of {@link RecipientAccounts}. */
export const recipientAccountOperations = operationsOf(RecipientAccounts, operations)
