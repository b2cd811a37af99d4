import { Effect, Option } from "effect"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import type { TransferAttempt } from "../../src/domain/sharing/TransferAttempt.ts"
import { Transaction, TransferAttemptStore } from "../../src/ports.ts"

/** Makes a transfer due that is still to be looked at. A worker may have it at this moment. */
export const dueNow = (organisation_id: OrganisationId, id: TransferAttempt["id"]) =>
  Effect.gen(function* () {
    const store = yield* TransferAttemptStore
    const { run } = yield* Transaction
    const change = Effect.gen(function* () {
      const held = yield* store.findForUpdate(organisation_id, id)
      if (Option.isNone(held) || held.value.look_at === null) return
      yield* Effect.orDie(store.update({ ...held.value, look_at: yield* store.now }))
    })
    yield* run(change)
  })
