import { Effect, Option } from "effect"
import { AuditEntry } from "../../domain/access/Audit.ts"
import { AuditStore } from "../../ports/access/AuditStore.ts"
import * as Generators from "../Generators.ts"
import { recordStore } from "./RecordStores.ts"
import { at, auditEntryOf, freshId } from "./Records.ts"
import { lawsOf, same, type Thoroughness } from "./Suite.ts"

const { law } = lawsOf(AuditStore)

/** The laws of {@link AuditStore}. */
export const audit = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "audit entries",
    port: Effect.map(AuditStore, ({ append, list }) => ({
      insert: append,
      find: (organisation_id, id) =>
        Effect.map(list(organisation_id, 10), (all) => Option.fromUndefinedOr(all.find((each) => each.id === id)))
    })),
    arbitrary: Generators.auditEntry,
    schema: AuditEntry,
    fresh: freshId("auditEntry"),
    appended: true
  })(() => [
    law("the newest entries of the organisation alone are listed, newest first", function* ({ store, id, other }) {
      const second = yield* auditEntryOf(id, { created_at: at(2) })
      const third = yield* auditEntryOf(id, { created_at: at(3) })
      const first = yield* auditEntryOf(id, { created_at: at(1) })
      const foreign = yield* auditEntryOf(other, { created_at: at(4) })
      yield* Effect.forEach([second, third, first, foreign], store.append)
      same(yield* store.list(id, 10), [third, second, first])
      same(yield* store.list(id, 2), [third, second])
      same(yield* store.list(other, 10), [foreign])
    })
  ])
