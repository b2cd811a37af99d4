export { births, CheckoutLink, CheckoutLinkRecord, Command, listing, machine } from "../domain/giving/CheckoutLink.ts"
