export {
  catalogue,
  type EventData,
  EventJson,
  EventRecord,
  type EventType,
  eventTypes,
  listing
} from "../domain/outbox/Event.ts"
