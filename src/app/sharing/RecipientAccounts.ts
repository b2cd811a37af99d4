import { Context, DateTime, Effect, Layer, Result } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"
import type { Operation } from "../../domain/access/Policy.ts"
import type { RecipientAccountLinkId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import * as Machine from "../../domain/kernel/Machine.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import * as Passphrase from "../../domain/sharing/Passphrase.ts"
import * as RecipientAccount from "../../domain/sharing/RecipientAccount.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { PassphraseFailures } from "../../ports/sharing/PassphraseFailures.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { type Emission, Journal } from "../access/steps/Journal.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/Finding.ts"
import { Passphrases } from "./steps/Passphrases.ts"

type Link = RecipientAccount.RecipientAccount

/** What an exchange came to. */
export interface Linked {
  readonly link: Link
  /** Whether the link is new. */
  readonly created: boolean
}

type Refused = Machine.GuardRefused | Machine.IllegalTransition

type Outcome = Result.Result<Linked, InvalidInput | Passphrase.PassphraseLocked | Refused>

const decide = (link: Link, command: RecipientAccount.Command) =>
  Effect.fromResult(Machine.decide(RecipientAccount.machine, link, command))

const emissionOf = (type: RecipientAccount.RecipientAccountEvent, link: Link): Emission =>
  type === "recipient_org_account_link.created"
    ? { type, data: RecipientAccount.createdEventDataOf(link) }
    : { type, data: RecipientAccount.eventDataOf(link) }

/** Links recipients' accounts. decisions, section 4: Recipient accounts. */
export class RecipientAccounts extends Context.Service<RecipientAccounts>()("almoner/app/RecipientAccounts", {
  make: Effect.gen(function* () {
    const store = yield* RecipientAccountStore
    const window = yield* PassphraseFailures
    const passphrases = yield* Passphrases
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const record = (
      operation: Operation,
      link: Link,
      at: DateTime.Utc,
      events: ReadonlyArray<RecipientAccount.RecipientAccountEvent>
    ) => journal.write({ operation, subject_id: link.id, at, events: events.map((type) => emissionOf(type, link)) })

    const exchange = Effect.fnUntraced(function* (
      { organisation }: Caller,
      { label, passphrase }: RecipientAccount.PassphraseExchange,
      at: DateTime.Utc
    ) {
      const holder = yield* Effect.fromResult(
        RecipientAccount.linkable(organisation, yield* passphrases.holderOf(passphrase))
      )
      const draft = RecipientAccount.create({
        id: yield* tokens.id("recipientAccountLink"),
        organisation_id: organisation.id,
        introduction_id: null,
        recipient: holder.organisation,
        integration: holder.integration,
        label: label ?? null,
        at
      })
      const { created, link } = yield* store.findOrInsert(draft)
      if (created) {
        yield* record("recipient_accounts.link", link, at, ["recipient_org_account_link.created"])
        return { link, created }
      }
      const { events, state } = link.is_active
        ? { state: link, events: [] }
        : yield* decide(link, { _tag: "Reactivate", at })
      if (state !== link) yield* store.update(state)
      yield* record("recipient_accounts.link", state, at, events)
      return { link: state, created }
    }, transaction.run)

    /** What became of an exchange, refused or not, so that its failure is counted whatever else is undone. */
    const counted = Effect.fnUntraced(function* (caller: Caller, input: RecipientAccount.PassphraseExchange) {
      const { id } = caller.organisation
      const kept = yield* window.findForUpdate(id)
      const at = yield* DateTime.now
      const failures = Passphrase.settledAt(kept, at)
      const lock = Passphrase.checkLock(failures, at)
      if (Result.isFailure(lock)) {
        if (failures.some((each, index) => each !== kept[index])) yield* window.replace(id, failures)
        const refused: Outcome = Result.fail(lock.failure)
        return refused
      }
      const outcome: Outcome = yield* Effect.result(exchange(caller, input, at))
      const failed = Result.isFailure(outcome) && outcome.failure._tag === "InvalidInput"
      if (failed) yield* window.replace(id, Passphrase.withFailure(failures, at))
      return outcome
    }, transaction.run)

    /**
     * Links the account that a passphrase belongs to: a new link, one that becomes active again, or the one that is active.
     * `label` is for a new link only. Fails with {@link InvalidInput} (`passphrase`), which is counted over all doors of
     * the organisation, and with {@link PassphraseLocked} while ten failures count.
     */
    const link = Effect.fn("RecipientAccounts.link")(function* (input: RecipientAccount.PassphraseExchange) {
      const caller = yield* permitted("recipient_accounts.link")
      return yield* Effect.fromResult(yield* counted(caller, input))
    })

    const read = Effect.fn("RecipientAccounts.read")(function* (id: RecipientAccountLinkId) {
      const caller = yield* permitted("recipient_accounts.read")
      return yield* store.find(caller.organisation.id, id).pipe(orNotFound("recipient account", id))
    })

    const list = Effect.fn("RecipientAccounts.list")(function* (query: ListQuery) {
      const caller = yield* permitted("recipient_accounts.list")
      return yield* store.list(caller.organisation.id, query)
    })

    const findForUpdate = Effect.fnUntraced(function* (operation: Operation, id: RecipientAccountLinkId) {
      const caller = yield* permitted(operation)
      return yield* store.findForUpdate(caller.organisation.id, id).pipe(orNotFound("recipient account", id))
    })

    /** Renames a link, active or not. The same label again emits nothing. Fails with {@link InvalidInput} (`label`). */
    const update = Effect.fn("RecipientAccounts.update")(function* (
      id: RecipientAccountLinkId,
      patch: RecipientAccount.RecipientAccountPatch
    ) {
      const before = yield* findForUpdate("recipient_accounts.update", id)
      const at = yield* DateTime.now
      const label =
        patch.label === undefined ? before.label : yield* Effect.fromResult(RecipientAccount.labelOf(patch.label))
      const { events, state } =
        label === before.label ? { state: before, events: [] } : yield* decide(before, { _tag: "Rename", at, label })
      if (state !== before) yield* store.update(state)
      yield* record("recipient_accounts.update", state, at, events)
      return state
    }, transaction.run)

    /** Deactivates a link, which can be a recipient no more. A repetition leaves it as it is, and is emitted again. */
    const deactivate = Effect.fn("RecipientAccounts.deactivate")(function* (id: RecipientAccountLinkId) {
      const before = yield* findForUpdate("recipient_accounts.deactivate", id)
      const at = yield* DateTime.now
      const { events, state } = before.is_active
        ? yield* decide(before, { _tag: "Deactivate", at })
        : { state: before, events: RecipientAccount.machine.table.Deactivate.emits }
      if (state !== before) yield* store.update(state)
      yield* record("recipient_accounts.deactivate", state, at, events)
      return state
    }, transaction.run)

    return { link, read, list, update, deactivate } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Passphrases.layer))
}
