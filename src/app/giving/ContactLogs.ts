import { Effect, Option, Schema } from "effect"
import type { Actor, Caller } from "../../domain/access/Caller.ts"
import * as ContactLog from "../../domain/giving/ContactLog.ts"
import { ContactLogPatch, ContactLogRecord, listing, NewContactLog } from "../../domain/giving/ContactLog.ts"
import { ContactLogId, DonorId, type OrganisationId, UserId } from "../../domain/kernel/Ids.ts"
import { type ListQuery, within } from "../../domain/kernel/Listing.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { ContactLogStore } from "../../ports/giving/ContactLogStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf, pageOf, query } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound, refuseDeleted } from "../kernel/store/RecordChecks.ts"
import { refuseArchivedDonor } from "./donor/MergedDonor.ts"

const isUserId = Schema.is(UserId)

/** The user who wrote an entry; null where it came through a key. service-spec, Contact log entry. */
const recorderOf = ({ id, type }: Actor): UserId | null => (type === "USER" && isUserId(id) ? id : null)

const shown = (log: ContactLog.ContactLog) => ContactLog.recordOf(log, { include_notes: true })

const donorId = id(DonorId, "donor")
const logId = id(ContactLogId, "contact log")

const operations = Row.table("contact_logs", {
  create: Row.change("Log a contact", [donorId, body(NewContactLog, ContactLogRecord)], ContactLogRecord),
  read: Row.read("Read a contact", [donorId, logId], ContactLogRecord),
  list: Row.read("List a donor's contacts", [donorId, query(listing)], pageOf(ContactLogRecord)),
  update: Row.change("Change a contact", [donorId, logId, body(ContactLogPatch, ContactLogRecord)], ContactLogRecord),
  delete: Row.end("Delete a contact", [donorId, logId], ContactLogRecord)
})

/**
 * Keeps the notes of staff about contacts with donors. Every operation fails with {@link NotFound} for a donor or an
 * entry that the organisation or the donor does not have; those that change something fail with {@link RecordArchived}
 * for an archived donor. decisions, section 4: Contact logs.
 */
export class ContactLogs extends Service<ContactLogs>()("almoner/app/ContactLogs", function* () {
  const store = yield* ContactLogStore
  const donors = yield* DonorStore
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const findDonor = (caller: Caller, id: DonorId) =>
    donors.find(caller.organisation.id, id).pipe(orNotFound("donor", id))

  /** The donor, locked against archiving and merging. */
  const holdDonor = (organisation_id: OrganisationId, id: DonorId) =>
    donors.findForShare(organisation_id, id).pipe(orNotFound("donor", id))

  const change = (yield* makeChange)({
    machine: ContactLog.machine,
    /** The donor's entry, deleted or not, locked together with its donor. */
    lock: Effect.fnUntraced(function* (
      organisation_id,
      { donor_id, id }: { readonly donor_id: DonorId; readonly id: ContactLogId }
    ) {
      const donor = yield* holdDonor(organisation_id, donor_id)
      const log = yield* store
        .findForUpdate(organisation_id, id)
        .pipe(Effect.map(Option.filter((found) => found.donor_id === donor_id)), orNotFound("contact log", id))
      if (log.deleted_at === null) yield* refuseArchivedDonor(donor)
      return log
    }),
    refuseEnded: (log) => refuseDeleted("contact log", log),
    update: store.update,
    tell: () => []
  })

  /** Writes an entry. `occurred_at` is now when it is not given. */
  const create = Effect.fn("ContactLogs.create")(function* (donor_id: DonorId, input: ContactLog.NewContactLog) {
    const { actor, organisation } = yield* requireScope(operations.create)
    yield* refuseArchivedDonor(yield* holdDonor(organisation.id, donor_id))
    const at = yield* organisationNow
    const id = yield* tokens.id("contactLog")
    const born = birth(ContactLog.machine, ContactLog.births.written, () => ({
      ...ContactLog.entryOf(input, at),
      id,
      organisation_id: organisation.id,
      donor_id,
      recorded_by_id: recorderOf(actor),
      created_at: at,
      updated_at: at,
      deleted_at: null
    }))
    yield* store.insert(born.state)
    yield* change.announce(operations.create.requires.name, born, { organisation, at })
    return shown(born.state)
  }, transaction.run)

  /** A page of the donor's entries; the flag `include_notes` of the query shows or hides their notes. */
  const list = Effect.fn("ContactLogs.list")(function* (donor_id: DonorId, query: ListQuery) {
    const caller = yield* requireScope(operations.list)
    yield* findDonor(caller, donor_id)
    const page = yield* store.list(caller.organisation.id, within(query, "donor_id", donor_id))
    const include_notes = query.flags["include_notes"] !== false
    return { ...page, data: page.data.map((log) => ContactLog.recordOf(log, { include_notes })) }
  })

  const read = Effect.fn("ContactLogs.read")(function* (donor_id: DonorId, id: ContactLogId) {
    const caller = yield* requireScope(operations.read)
    yield* findDonor(caller, donor_id)
    return yield* store
      .find(caller.organisation.id, id)
      .pipe(
        Effect.map(Option.filter((found) => found.donor_id === donor_id)),
        orNotFound("contact log", id),
        Effect.map(shown)
      )
  })

  /** Changes an entry. A patch that changes nothing leaves `updated_at`. */
  const update = Effect.fn("ContactLogs.update")(function* (
    donor_id: DonorId,
    id: ContactLogId,
    patch: ContactLog.ContactLogPatch
  ) {
    const { state } = yield* change.revise(operations.update, { donor_id, id }, ({ at, before }) => {
      const changes = ContactLog.changesOf(before, patch)
      return Effect.succeed(Object.keys(changes).length === 0 ? [] : [{ _tag: "Change", at, changes }])
    })
    return shown(state)
  }, transaction.run)

  /** Deletes an entry: it is no longer read or listed. Repeating it leaves the entry as it is, but is audited again. */
  const remove = Effect.fn("ContactLogs.delete")(function* (donor_id: DonorId, id: ContactLogId) {
    const { state } = yield* change.perform(operations.delete, { donor_id, id }, (at) => ({ _tag: "Delete", at }), {
      repeat: "audited"
    })
    return shown(state)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { create, list, read, update, delete: remove })
}) {}

/** The operations of {@link ContactLogs}. */
export const contactLogOperations = operationsOf(ContactLogs, operations)
