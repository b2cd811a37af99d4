import fc from "fast-check"
import { Limits } from "../../domain/kernel/Limits.ts"
import { Command, Delivery } from "../../domain/outbox/Delivery.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { at, instant } from "./Month.ts"

/**
 * Webhook deliveries: due while they are pending, dated once they ended. A pending one has an attempt and an
 * interruption left.
 */
export const deliveries: Subject<Delivery, Command> = {
  schema: Delivery,
  states: fc
    .tuple(arbitraryOf(Delivery), instant, instant)
    .filter(
      ([{ attempt_count, interruption_count, status }]) =>
        status !== "PENDING" ||
        (attempt_count < Limits.deliveryAttempts && interruption_count < Limits.deliveryInterruptions)
    )
    .map(([delivery, created_at, ended_at]) => ({
      ...delivery,
      created_at,
      next_attempt_at: delivery.status === "PENDING" ? created_at : null,
      completed_at: delivery.status === "PENDING" ? null : ended_at
    })),
  commands: at(arbitraryOf(Command))
}
