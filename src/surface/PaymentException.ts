export { births, Command, listing, machine, PaymentException } from "../domain/payments/PaymentException.ts"
