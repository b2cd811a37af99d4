import { Effect } from "effect"
import * as RevenueCode from "../../domain/giving/RevenueCode.ts"
import { RevenueCodeId } from "../../domain/kernel/Ids.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { nameOrNull, textOrNull } from "../../domain/kernel/Text.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { keptIn, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { refuseArchived } from "../kernel/store/RecordChecks.ts"

const notEmpty = (code: string): Effect.Effect<void, InvalidInput> =>
  nameOrNull(code) === null
    ? Effect.fail(new InvalidInput({ param: "code", message: "code must not be empty." }))
    : Effect.void

const revenueCodeId = id(RevenueCodeId, "revenue code")

const operations = Row.table("revenue_codes", {
  create: Row.change(
    "Make a revenue code",
    [body(RevenueCode.NewRevenueCode, RevenueCode.RevenueCodeRecord)],
    RevenueCode.RevenueCodeRecord
  ),
  read: Row.read("Read a revenue code", [revenueCodeId], RevenueCode.RevenueCodeRecord),
  list: Row.list("List revenue codes", RevenueCode.listing, RevenueCode.RevenueCodeRecord),
  update: Row.change(
    "Change a revenue code",
    [revenueCodeId, body(RevenueCode.RevenueCodePatch, RevenueCode.RevenueCodeRecord)],
    RevenueCode.RevenueCodeRecord
  ),
  archive: Row.end("Archive a revenue code", [revenueCodeId], RevenueCode.RevenueCodeRecord)
})

/** Keeps revenue codes. decisions, section 4: Revenue codes. */
export class RevenueCodes extends Service<RevenueCodes>()("almoner/app/RevenueCodes", function* () {
  const store = yield* RevenueCodeStore
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const change = (yield* makeChange)({
    machine: RevenueCode.machine,
    ...keptIn("revenue code", store),
    refuseEnded: (code) => refuseArchived("revenue code", code)
  })

  /** Makes an INTERNAL code. Fails with {@link AlreadyTaken} when the text has a code, archived or not. */
  const create = Effect.fn("RevenueCodes.create")(function* (input: RevenueCode.NewRevenueCode) {
    const { organisation } = yield* requireScope(operations.create)
    const at = yield* organisationNow
    const id = yield* tokens.id("revenueCode")
    yield* notEmpty(input.code)
    const born = birth(
      RevenueCode.machine,
      RevenueCode.births.made,
      (): RevenueCode.RevenueCode => ({
        id,
        organisation_id: organisation.id,
        code: input.code.trim(),
        namespace: "INTERNAL",
        description: textOrNull(input.description),
        is_fca: false,
        jurisdiction: null,
        archived_at: null,
        created_at: at,
        updated_at: at
      })
    )
    yield* store.insert(born.state)
    yield* change.announce(operations.create.requires.name, born, { organisation, at })
    return born.state
  }, transaction.run)

  const read = readMethod("RevenueCodes.read", operations.read, "revenue code", store)
  const list = listMethod("RevenueCodes.list", operations.list, store)

  /** Changes text or description. Records booked under the code show the new spelling; events keep the old one. */
  const update = Effect.fn("RevenueCodes.update")(function* (id: RevenueCodeId, patch: RevenueCode.RevenueCodePatch) {
    const { state } = yield* change.revise(
      operations.update,
      id,
      Effect.fnUntraced(function* ({ at, before }) {
        if (patch.code !== undefined) yield* notEmpty(patch.code)
        const changes = RevenueCode.changesOf(before, patch)
        return Object.keys(changes).length === 0 ? [] : [{ _tag: "Change", at, changes }]
      })
    )
    return state
  }, transaction.run)

  /** Archives a code. Repeating it leaves the record as it is. */
  const archive = Effect.fn("RevenueCodes.archive")(function* (id: RevenueCodeId) {
    const archived = change.perform(operations.archive, id, (at) => ({ _tag: "Archive", at }), { repeat: "audited" })
    // The text does not change, so it cannot be taken.
    const { state } = yield* Effect.catchTag(archived, "AlreadyTaken", Effect.die)
    return state
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { create, read, list, update, archive })
}) {}

/** The operations of {@link RevenueCodes}. */
export const revenueCodeOperations = operationsOf(RevenueCodes, operations)
