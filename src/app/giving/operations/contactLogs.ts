import { ContactLogPatch, ContactLogRecord, listing, NewContactLog } from "../../../domain/giving/ContactLog.ts"
import { ContactLogId, DonorId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, ContactLogs } from "../ContactLogs.ts"

const logs = operationsOf(ContactLogs)
const donorId = id(DonorId, "donor")
const logId = id(ContactLogId, "contact log")

/** The operations of {@link ContactLogs}. */
export const contactLogOperations = {
  create: logs.forCaller({
    asks: asks.create,
    keyed: true,
    takes: [donorId, body(NewContactLog, ContactLogRecord)],
    gives: ContactLogRecord,
    run: (use, donor, input) => use.create(donor, input)
  }),
  read: logs.forCaller({
    asks: asks.read,
    takes: [donorId, logId],
    gives: ContactLogRecord,
    run: (use, donor, log) => use.read(donor, log)
  }),
  list: logs.forCaller({
    asks: asks.list,
    takes: [donorId, query(listing)],
    gives: pageOf(ContactLogRecord),
    run: (use, donor, asked) => use.list(donor, asked)
  }),
  update: logs.forCaller({
    asks: asks.update,
    keyed: true,
    takes: [donorId, logId, body(ContactLogPatch, ContactLogRecord)],
    gives: ContactLogRecord,
    run: (use, donor, log, patch) => use.update(donor, log, patch)
  }),
  remove: logs.forCaller({
    asks: asks.remove,
    keyed: false,
    takes: [donorId, logId],
    gives: ContactLogRecord,
    run: (use, donor, log) => use.remove(donor, log)
  })
}
