export { births, Command, Dispute, machine } from "../domain/payments/Dispute.ts"
