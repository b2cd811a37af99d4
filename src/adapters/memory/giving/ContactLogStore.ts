import { Effect, Layer, Option } from "effect"
import { type ContactLog, derivedColumns, undeletedRule } from "../../../domain/giving/ContactLog.ts"
import type { ContactLogId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { ContactLogStore } from "../../../ports/giving/ContactLogStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords, type RecordTable } from "../Records.ts"
import { makeDonorReferences } from "./DonorReferences.ts"

const contactLogs: RecordTable<ContactLog> = {
  table: (state) => state.contactLogs,
  with: (state, contactLogs) => ({ ...state, contactLogs }),
  columns: (log) => ({ ...log, ...derivedColumns(log) }),
  hidden: (log) => !Rule.holds(undeletedRule, log)
}

/** Contact logs in memory. */
export const layer = Layer.effect(
  ContactLogStore,
  Effect.map(Memory, (memory) => {
    const records = makeRecords<ContactLog, ContactLogId>(memory, contactLogs)
    return ContactLogStore.of({
      ...records,
      ...makeDonorReferences(memory, contactLogs),
      find: (organisation_id, id) =>
        Effect.map(
          records.find(organisation_id, id),
          Option.filter((log) => Rule.holds(undeletedRule, log))
        )
    })
  })
)
