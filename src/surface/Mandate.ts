export { births, Command, Mandate, machine } from "../domain/payments/Mandate.ts"
