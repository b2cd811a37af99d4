export { births, Command, Invoice, InvoiceRecord, machine } from "../domain/payments/Invoice.ts"
