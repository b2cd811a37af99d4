import { layer } from "@effect/vitest"
import { apiKeys } from "./conformance/ApiKeys.ts"
import { audit } from "./conformance/Audit.ts"
import { deliveries } from "./conformance/Deliveries.ts"
import { donations } from "./conformance/Donations.ts"
import { donors } from "./conformance/Donors.ts"
import { idempotency } from "./conformance/Idempotency.ts"
import { intake } from "./conformance/Intake.ts"
import { organisations } from "./conformance/Organisations.ts"
import { outboxes } from "./conformance/Outboxes.ts"
import { revenueCodes } from "./conformance/RevenueCodes.ts"
import { signals } from "./conformance/Signals.ts"
import { runsOf, type Subject } from "./conformance/Suite.ts"
import { transactions } from "./conformance/Transactions.ts"
import { webhookEndpoints } from "./conformance/WebhookEndpoints.ts"

export { rateLimiter } from "./conformance/RateLimiters.ts"
export type { Stores, Subject } from "./conformance/Suite.ts"

/**
 * Registers what every adapter of the store ports must pass: each MUST of `src/ports`, as a vitest suite.
 *
 * ```ts
 * conformance("my stores", { layer: MyStores.layer, putSegment, serial: false })
 * ```
 */
export const conformance = <R, E>(name: string, subject: Subject<R, E>): void => {
  const runs = runsOf(subject)
  layer(subject.layer, { excludeTestServices: true, timeout: "2 minutes" })(name, (it) => {
    it.describe("Transaction", () => transactions(it, runs))
    it.describe("OrganisationStore", () => organisations(it, runs))
    it.describe("ApiKeyStore", () => apiKeys(it, runs))
    it.describe("DonorStore", () => donors(it, subject))
    it.describe("DonationStore", () => donations(it, runs))
    it.describe("RevenueCodeStore", () => revenueCodes(it, runs))
    it.describe("WebhookEndpointStore", () => webhookEndpoints(it, runs))
    it.describe("DeliverySignal", () => signals(it))
    it.describe("Outbox", () => outboxes(it, runs))
    it.describe("DeliveryStore", () => deliveries(it, runs))
    it.describe("IdempotencyStore", () => idempotency(it, subject))
    it.describe("DonationIntake", () => intake(it, subject))
    it.describe("AuditStore", () => audit(it, runs))
  })
}
