export { births, Command, listing, machine, NewRefund, Refund, RefundRecord } from "../domain/giving/Refund.ts"
