export {
  births,
  Command,
  machine,
  Payment,
  PaymentSummary,
  RecommendationSetPaymentRecord
} from "../domain/sharing/Payment.ts"
