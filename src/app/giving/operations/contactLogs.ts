import { ContactLogRecord } from "../../../domain/giving/ContactLog.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, ContactLogs, takes } from "../ContactLogs.ts"

const logs = operationsOf(ContactLogs)
/** The operations of {@link ContactLogs}. */
export const contactLogOperations = {
  create: logs.forCaller({
    asks: asks.create,
    keyed: true,
    takes: takes.create,
    gives: ContactLogRecord,
    run: (use, donor, input) => use.create(donor, input)
  }),
  read: logs.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: ContactLogRecord,
    run: (use, donor, log) => use.read(donor, log)
  }),
  list: logs.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(ContactLogRecord),
    run: (use, donor, asked) => use.list(donor, asked)
  }),
  update: logs.forCaller({
    asks: asks.update,
    keyed: true,
    takes: takes.update,
    gives: ContactLogRecord,
    run: (use, donor, log, patch) => use.update(donor, log, patch)
  }),
  delete: logs.forCaller({
    asks: asks.delete,
    keyed: false,
    takes: takes.delete,
    gives: ContactLogRecord,
    run: (use, donor, log) => use.delete(donor, log)
  })
}
