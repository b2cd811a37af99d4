import { Effect } from "effect"
import { AuditEntry } from "../../domain/access/Audit.ts"
import { AuditStore } from "../../ports/access/AuditStore.ts"
import { atBounds } from "../Bounds.ts"
import * as Generators from "../Generators.ts"
import { at, auditEntryOf, freshId } from "./Records.ts"
import { inTransaction, lawsOf, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

const { law, property } = lawsOf(AuditStore)

/** The laws of {@link AuditStore}. */
export const audit = (given: Thoroughness = {}) =>
  suite([
    property(
      "an entry is read back as it was written",
      [],
      runsOf(given),
      atBounds(AuditEntry, Generators.auditEntry),
      function* (given, { store, id: organisation_id }) {
        const entry = { ...given, organisation_id, id: yield* freshId("auditEntry") }
        yield* store.append(entry)
        same(yield* store.list(organisation_id, 10), [entry])
      }
    ),

    law("the newest entries of the organisation alone are listed, newest first", function* ({ store, id, other }) {
      const second = yield* auditEntryOf(id, { created_at: at(2) })
      const third = yield* auditEntryOf(id, { created_at: at(3) })
      const first = yield* auditEntryOf(id, { created_at: at(1) })
      const foreign = yield* auditEntryOf(other, { created_at: at(4) })
      yield* Effect.forEach([second, third, first, foreign], store.append)
      same(yield* store.list(id, 10), [third, second, first])
      same(yield* store.list(id, 2), [third, second])
      same(yield* store.list(other, 10), [foreign])
    }),

    law("an entry of a transaction that was rolled back is gone", function* ({ store, id }) {
      yield* auditEntryOf(id).pipe(
        Effect.flatMap(store.append),
        Effect.andThen(Effect.fail("refused")),
        inTransaction,
        Effect.flip
      )
      same(yield* store.list(id, 10), [])
    })
  ])
