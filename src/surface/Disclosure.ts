export { births, Command, Disclosure, DisclosureRecord, listing, machine } from "../domain/compliance/Disclosure.ts"
