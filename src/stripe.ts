/**
 * Gifts at Stripe: `stripe({ live: { secretKey } })` is an option of `Almoner.open`; the adapter is for programs that put their
 * processors together themselves. It needs stripe.
 */
export * as StripeProcessor from "./adapters/processors/stripe/StripeProcessor.ts"
export { type StripeAccountKeys, type StripeKeys, stripe } from "./facade/Stripe.ts"
