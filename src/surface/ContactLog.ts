export {
  births,
  Command,
  ContactLog,
  ContactLogPatch,
  ContactLogRecord,
  derivedColumns,
  listing,
  machine,
  NewContactLog
} from "../domain/giving/ContactLog.ts"
