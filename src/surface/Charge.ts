export { births, Charge, Command, machine } from "../domain/payments/Charge.ts"
