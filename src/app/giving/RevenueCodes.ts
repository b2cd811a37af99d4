import { Context, DateTime, Effect, Layer } from "effect"
import { reads, writes } from "../../domain/access/Policy.ts"
import * as RevenueCode from "../../domain/giving/RevenueCode.ts"
import { RevenueCodeId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { nameOrNull, textOrNull } from "../../domain/kernel/Text.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { makeChange } from "../access/steps/Change.ts"
import { checkedInTime } from "../access/steps/Checked.ts"
import { body, id, query } from "../access/steps/Operation.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound, refuseArchived } from "../kernel/steps/RecordChecks.ts"

const notEmpty = (code: string): Effect.Effect<void, InvalidInput> =>
  nameOrNull(code) === null
    ? Effect.fail(new InvalidInput({ param: "code", message: "code must not be empty." }))
    : Effect.void

/** The scope and plan that each operation requires. decisions, section 3. */
export const asks = {
  create: writes("revenue_codes.create"),
  read: reads("revenue_codes.read"),
  list: reads("revenue_codes.list"),
  update: writes("revenue_codes.update"),
  archive: writes("revenue_codes.archive")
}

const revenueCodeId = id(RevenueCodeId, "revenue code")

/** What each use case takes: the service refuses anything else. */
export const takes = {
  create: [body(RevenueCode.NewRevenueCode, RevenueCode.RevenueCodeRecord)],
  read: [revenueCodeId],
  list: [query(RevenueCode.listing)],
  update: [revenueCodeId, body(RevenueCode.RevenueCodePatch, RevenueCode.RevenueCodeRecord)],
  archive: [revenueCodeId]
} as const

/** Keeps revenue codes. decisions, section 4: Revenue codes. */
export class RevenueCodes extends Context.Service<RevenueCodes>()("almoner/app/RevenueCodes", {
  make: Effect.gen(function* () {
    const store = yield* RevenueCodeStore
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const change = (yield* makeChange)({
      machine: RevenueCode.machine,
      lock: (organisation_id, id: RevenueCodeId) =>
        store.findForUpdate(organisation_id, id).pipe(orNotFound("revenue code", id)),
      refuseEnded: (code) => refuseArchived("revenue code", code),
      update: store.update,
      tell: () => []
    })

    /** Makes an INTERNAL code. Fails with {@link AlreadyTaken} when the text has a code, archived or not. */
    const create = Effect.fn("RevenueCodes.create")(function* (input: RevenueCode.NewRevenueCode) {
      const { organisation } = yield* permitted(asks.create)
      const at = yield* DateTime.now
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
          archived_at: null,
          created_at: at,
          updated_at: at
        })
      )
      yield* store.insert(born.state)
      yield* change.announce(asks.create.name, born, { organisation, at })
      return born.state
    }, transaction.run)

    const read = Effect.fn("RevenueCodes.read")(function* (id: RevenueCodeId) {
      const caller = yield* permitted(asks.read)
      return yield* store.find(caller.organisation.id, id).pipe(orNotFound("revenue code", id))
    })

    const list = Effect.fn("RevenueCodes.list")(function* (query: ListQuery) {
      const caller = yield* permitted(asks.list)
      return yield* store.list(caller.organisation.id, query)
    })

    /** Changes text or description. Records booked under the code show the new spelling; events keep the old one. */
    const update = Effect.fn("RevenueCodes.update")(function* (id: RevenueCodeId, patch: RevenueCode.RevenueCodePatch) {
      const { state } = yield* change.revise(
        asks.update,
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
      const archived = change.perform(asks.archive, id, (at) => ({ _tag: "Archive", at }), {
        repeat: "audited"
      })
      // The text does not change, so it cannot be taken.
      const { state } = yield* Effect.catchTag(archived, "AlreadyTaken", Effect.die)
      return state
    }, transaction.run)

    return yield* checkedInTime(asks, takes, { create, read, list, update, archive })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
