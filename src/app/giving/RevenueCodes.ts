import { Context, DateTime, Effect, Layer } from "effect"
import type { Operation } from "../../domain/access/Policy.ts"
import * as RevenueCode from "../../domain/giving/RevenueCode.ts"
import type { RevenueCodeId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import * as Machine from "../../domain/kernel/Machine.ts"
import { InvalidInput, RecordArchived } from "../../domain/kernel/Rejection.ts"
import { nameOrNull, textOrNull } from "../../domain/kernel/Text.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { Journal } from "../access/steps/Journal.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/Finding.ts"

const codeOf = (text: string): Effect.Effect<string, InvalidInput> => {
  const code = nameOrNull(text)
  return code === null
    ? Effect.fail(new InvalidInput({ param: "code", message: "code must not be empty." }))
    : Effect.succeed(code)
}

const decide = (code: RevenueCode.RevenueCode, command: RevenueCode.Command) =>
  Effect.map(Effect.fromResult(Machine.decide(RevenueCode.machine, code, command)), ({ state }) => state)

/** Keeps revenue codes. decisions, section 4: Revenue codes. */
export class RevenueCodes extends Context.Service<RevenueCodes>()("almoner/app/RevenueCodes", {
  make: Effect.gen(function* () {
    const store = yield* RevenueCodeStore
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const audit = (operation: Operation, subject_id: string, at: DateTime.Utc) =>
      journal.write({ operation, subject_id, at, events: [] })

    /** Makes an INTERNAL code. Fails with {@link AlreadyTaken} when there is one of this text, archived or not. */
    const create = Effect.fn("RevenueCodes.create")(function* (input: RevenueCode.NewRevenueCode) {
      const caller = yield* permitted("revenue_codes.create")
      const at = yield* DateTime.now
      const code: RevenueCode.RevenueCode = {
        id: yield* tokens.id("revenueCode"),
        organisation_id: caller.organisation.id,
        code: yield* codeOf(input.code),
        namespace: "INTERNAL",
        description: textOrNull(input.description),
        is_fca: false,
        archived_at: null,
        created_at: at,
        updated_at: at
      }
      yield* store.insert(code)
      yield* audit("revenue_codes.create", code.id, at)
      return code
    }, transaction.run)

    const read = Effect.fn("RevenueCodes.read")(function* (id: RevenueCodeId) {
      const caller = yield* permitted("revenue_codes.read")
      return yield* store.find(caller.organisation.id, id).pipe(orNotFound("revenue code", id))
    })

    const list = Effect.fn("RevenueCodes.list")(function* (query: ListQuery) {
      const caller = yield* permitted("revenue_codes.list")
      return yield* store.list(caller.organisation.id, query)
    })

    const findForUpdate = Effect.fnUntraced(function* (operation: Operation, id: RevenueCodeId) {
      const caller = yield* permitted(operation)
      return yield* store.findForUpdate(caller.organisation.id, id).pipe(orNotFound("revenue code", id))
    })

    /** Changes text or description. What is booked under the code shows it as it is spelled now; events keep what they said. */
    const update = Effect.fn("RevenueCodes.update")(function* (id: RevenueCodeId, patch: RevenueCode.RevenueCodePatch) {
      const before = yield* findForUpdate("revenue_codes.update", id)
      if (before.archived_at !== null) return yield* new RecordArchived({ record: "revenue code", id })
      const at = yield* DateTime.now
      if (patch.code !== undefined) yield* codeOf(patch.code)
      const changes = RevenueCode.changesOf(before, patch)
      const after = Object.keys(changes).length === 0 ? before : yield* decide(before, { _tag: "Change", at, changes })
      if (after !== before) yield* store.update(after)
      yield* audit("revenue_codes.update", id, at)
      return after
    }, transaction.run)

    /** Archives a code. A repetition leaves the record as it is. */
    const archive = Effect.fn("RevenueCodes.archive")(function* (id: RevenueCodeId) {
      const before = yield* findForUpdate("revenue_codes.archive", id)
      const at = yield* DateTime.now
      const after = before.archived_at === null ? yield* decide(before, { _tag: "Archive", at }) : before
      // The text does not change, so it cannot be taken.
      if (before.archived_at === null) yield* Effect.orDie(store.update(after))
      yield* audit("revenue_codes.archive", id, at)
      return after
    }, transaction.run)

    return { create, read, list, update, archive } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
