export { births, Command, ConsumedEvent, machine } from "../domain/outbox/ConsumedEvent.ts"
