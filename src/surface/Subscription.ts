export { births, Command, listing, machine, Subscription, SubscriptionRecord } from "../domain/payments/Subscription.ts"
