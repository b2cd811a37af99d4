export { births, Command, machine, PaymentAllocationRecord, Transfer } from "../domain/sharing/Transfer.ts"
