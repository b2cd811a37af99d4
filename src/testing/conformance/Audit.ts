import { Effect } from "effect"
import { AuditEntryId } from "../../domain/kernel/Ids.ts"
import { AuditStore } from "../../ports/access/AuditStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { at, auditEntryOf, freshId, newOrganisation } from "./Records.ts"
import { forAll, law, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

/**
 * The laws of {@link AuditStore}.
 */
export const audit = (given: Thoroughness = {}) =>
  suite([
    law("an entry is read back as it was written", () =>
      forAll(
        runsOf(given),
        Generators.auditEntry,
        Effect.fnUntraced(function* (given) {
          const store = yield* AuditStore
          const { id: organisation_id } = yield* newOrganisation()
          const entry = { ...given, organisation_id, id: AuditEntryId.make(yield* freshId("auditEntry")) }
          yield* store.append(entry)
          same(yield* store.list(organisation_id, 10), [entry])
        })
      )
    ),

    law("the newest entries of the organisation alone are listed, newest first", () =>
      Effect.gen(function* () {
        const store = yield* AuditStore
        const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const second = yield* auditEntryOf(id, { created_at: at(2) })
        const third = yield* auditEntryOf(id, { created_at: at(3) })
        const first = yield* auditEntryOf(id, { created_at: at(1) })
        const foreign = yield* auditEntryOf(other.id, { created_at: at(4) })
        yield* Effect.forEach([second, third, first, foreign], store.append)
        same(yield* store.list(id, 10), [third, second, first])
        same(yield* store.list(id, 2), [third, second])
        same(yield* store.list(other.id, 10), [foreign])
      })
    ),

    law("an entry of a transaction that was rolled back is gone", () =>
      Effect.gen(function* () {
        const store = yield* AuditStore
        const transaction = yield* Transaction
        const { id } = yield* newOrganisation()
        yield* auditEntryOf(id).pipe(
          Effect.flatMap(store.append),
          Effect.andThen(Effect.fail("refused")),
          transaction.run,
          Effect.flip
        )
        same(yield* store.list(id, 10), [])
      })
    )
  ])
