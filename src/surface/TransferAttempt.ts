export { births, Command, machine, TransferAttempt, TransferAttemptRecord } from "../domain/sharing/TransferAttempt.ts"
