import type { Delivery } from "../../src/domain/outbox/Delivery.ts"
import { deliveries } from "../../src/testing/subjects/Deliveries.ts"

/** Deliveries that nobody has tried yet. */
export const freshDeliveries = deliveries.states.map(
  (delivery): Delivery => ({
    ...delivery,
    status: "PENDING",
    attempt_count: 0,
    interruption_count: 0,
    next_attempt_at: delivery.created_at,
    completed_at: null
  })
)
