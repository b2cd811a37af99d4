import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { Actor, Caller } from "../../domain/access/Caller.ts"
import type { Operation } from "../../domain/access/Policy.ts"
import * as ContactLog from "../../domain/giving/ContactLog.ts"
import { type ContactLogId, type DonorId, UserId } from "../../domain/kernel/Ids.ts"
import { type ListQuery, within } from "../../domain/kernel/Listing.ts"
import * as Machine from "../../domain/kernel/Machine.ts"
import { NotFound } from "../../domain/kernel/Rejection.ts"
import { ContactLogStore } from "../../ports/giving/ContactLogStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { Journal } from "../access/steps/Journal.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound, refuseArchived } from "../kernel/steps/Finding.ts"

const isUserId = Schema.is(UserId)

/** The user who writes an entry down; nobody where it comes through a key. service-spec, Contact log entry. */
const recorderOf = ({ id, type }: Actor): UserId | null => (type === "USER" && isUserId(id) ? id : null)

const decide = (log: ContactLog.ContactLog, command: ContactLog.Command) =>
  Effect.map(Effect.fromResult(Machine.decide(ContactLog.machine, log, command)), ({ state }) => state)

const shown = (log: ContactLog.ContactLog) => ContactLog.recordOf(log, { include_notes: true })

/**
 * Keeps what staff write down of contacts with a donor. Every operation fails with {@link NotFound} for a donor or an entry
 * that the organisation or the donor does not have; those that change something fail with {@link RecordArchived} for an
 * archived donor. decisions, section 4: Contact logs.
 */
export class ContactLogs extends Context.Service<ContactLogs>()("almoner/app/ContactLogs", {
  make: Effect.gen(function* () {
    const store = yield* ContactLogStore
    const donors = yield* DonorStore
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const audit = (operation: Operation, subject_id: string, at: DateTime.Utc) =>
      journal.write({ operation, subject_id, at, events: [] })

    const findDonor = (caller: Caller, id: DonorId) =>
      donors.find(caller.organisation.id, id).pipe(orNotFound("donor", id))

    /** The donor, held against archiving and merging. */
    const holdDonor = (caller: Caller, id: DonorId) =>
      donors.findForShare(caller.organisation.id, id).pipe(orNotFound("donor", id))

    /** The donor's entry, deleted or not, held with its donor. */
    const findForUpdate = Effect.fnUntraced(function* (operation: Operation, donor_id: DonorId, id: ContactLogId) {
      const caller = yield* permitted(operation)
      const donor = yield* holdDonor(caller, donor_id)
      const log = yield* store
        .findForUpdate(caller.organisation.id, id)
        .pipe(Effect.map(Option.filter((found) => found.donor_id === donor_id)), orNotFound("contact log", id))
      return { donor, log }
    })

    /** Writes an entry down. `occurred_at` is now when it is not given. */
    const create = Effect.fn("ContactLogs.create")(function* (donor_id: DonorId, input: ContactLog.NewContactLog) {
      const caller = yield* permitted("contact_logs.create")
      yield* refuseArchived("donor", yield* holdDonor(caller, donor_id))
      const at = yield* DateTime.now
      const log: ContactLog.ContactLog = {
        ...ContactLog.entryOf(input, at),
        id: yield* tokens.id("contactLog"),
        organisation_id: caller.organisation.id,
        donor_id,
        recorded_by_id: recorderOf(caller.actor),
        created_at: at,
        updated_at: at,
        deleted_at: null
      }
      yield* store.insert(log)
      yield* audit("contact_logs.create", log.id, at)
      return shown(log)
    }, transaction.run)

    /** A page of the donor's entries; the flag `include_notes` of the query shows or hides their notes. */
    const list = Effect.fn("ContactLogs.list")(function* (donor_id: DonorId, query: ListQuery) {
      const caller = yield* permitted("contact_logs.list")
      yield* findDonor(caller, donor_id)
      const page = yield* store.list(caller.organisation.id, within(query, "donor_id", donor_id))
      const include_notes = query.flags["include_notes"] !== false
      return { ...page, data: page.data.map((log) => ContactLog.recordOf(log, { include_notes })) }
    })

    const read = Effect.fn("ContactLogs.read")(function* (donor_id: DonorId, id: ContactLogId) {
      const caller = yield* permitted("contact_logs.read")
      yield* findDonor(caller, donor_id)
      return yield* store
        .find(caller.organisation.id, id)
        .pipe(
          Effect.map(Option.filter((found) => found.donor_id === donor_id)),
          orNotFound("contact log", id),
          Effect.map(shown)
        )
    })

    /** Changes an entry. A patch that changes nothing keeps its date. */
    const update = Effect.fn("ContactLogs.update")(function* (
      donor_id: DonorId,
      id: ContactLogId,
      patch: ContactLog.ContactLogPatch
    ) {
      const { donor, log } = yield* findForUpdate("contact_logs.update", donor_id, id)
      if (log.deleted_at !== null) return yield* new NotFound({ record: "contact log", id })
      yield* refuseArchived("donor", donor)
      const at = yield* DateTime.now
      const changes = ContactLog.changesOf(log, patch)
      const next = Object.keys(changes).length === 0 ? log : yield* decide(log, { _tag: "Change", at, changes })
      if (next !== log) yield* store.update(next)
      yield* audit("contact_logs.update", id, at)
      return shown(next)
    }, transaction.run)

    /** Deletes an entry: it is read and listed no more. A repetition leaves it as it is, and is audited again. */
    const remove = Effect.fn("ContactLogs.remove")(function* (donor_id: DonorId, id: ContactLogId) {
      const { donor, log } = yield* findForUpdate("contact_logs.delete", donor_id, id)
      if (log.deleted_at === null) yield* refuseArchived("donor", donor)
      const at = yield* DateTime.now
      const next = log.deleted_at === null ? yield* decide(log, { _tag: "Delete", at }) : log
      if (next !== log) yield* store.update(next)
      yield* audit("contact_logs.delete", id, at)
      return shown(next)
    }, transaction.run)

    return { create, list, read, update, remove } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
