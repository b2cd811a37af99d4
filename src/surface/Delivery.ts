export {
  births,
  Command,
  Delivery,
  DeliveryDetail,
  DeliveryRecord,
  listing,
  machine
} from "../domain/outbox/Delivery.ts"
