import { DateTime, Duration } from "effect"
import fc from "fast-check"
import type { OrganisationId, WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { DeliveryStore, type Share } from "../../ports/outbox/DeliveryStore.ts"
import { claim, idsOf, newDelivery } from "./Claims.ts"
import { longAgo, newEndpoint, newOrganisation } from "./Records.ts"
import { lawsOf, same } from "./Suite.ts"

const { property } = lawsOf(DeliveryStore)

/** A queue of deliveries to one endpoint, with the endpoint's share. */
interface Queue {
  readonly dues: ReadonlyArray<number>
  readonly share: Share | null
}

const share = fc.option(fc.record({ room: fc.nat(4), under_way: fc.nat(5) }))

const tenants = fc.array(
  fc.record({
    share,
    queues: fc.array(fc.record({ share, dues: fc.array(fc.nat(1_000), { maxLength: 5 }) }), {
      minLength: 1,
      maxLength: 3
    })
  }),
  { minLength: 1, maxLength: 3 }
)

/**
 * Merges queues in turns: the next is the one that had fewest turns, among several the one whose next delivery is due
 * first, while it has room.
 */
const inTurns = (
  lines: ReadonlyArray<{ readonly share: Share; readonly line: ReadonlyArray<number> }>
): Array<{ readonly due: number; readonly place: number }> => {
  const turns: Array<{ readonly due: number; readonly place: number }> = []
  const given = lines.map(() => 0)
  for (;;) {
    const next = lines
      .map(({ line, share }, index) => ({
        index,
        due: line[given[index] ?? 0],
        place: share.under_way + (given[index] ?? 0) + 1
      }))
      .flatMap(({ due, ...each }) =>
        due === undefined || (given[each.index] ?? 0) >= (lines[each.index]?.share.room ?? 0) ? [] : [{ due, ...each }]
      )
      .toSorted((a, b) => a.place - b.place || a.due - b.due)[0]
    if (next === undefined) return turns
    given[next.index] = (given[next.index] ?? 0) + 1
    turns.push({ due: next.due, place: next.place })
  }
}

/** The law of the order in which queues take turns. */
export const turns = (runs: number) => [
  property(
    "what is due is handed out in turns: of organisations, and within them of endpoints, each within its room",
    ["DeliveryStore.claim MUST hand out the first by place within the organisation, then by due time"],
    runs,
    fc.record({
      tenants,
      perEndpoint: fc.integer({ min: 1, max: 4 }),
      perOrganisation: fc.integer({ min: 1, max: 8 }),
      limit: fc.integer({ min: 1, max: 12 })
    }),
    function* ({ limit, perEndpoint, perOrganisation, tenants }) {
      const endpoints = new Map<WebhookEndpointId, Share>()
      const organisations = new Map<OrganisationId, Share>()
      const dueOf = new Map<string, number>()
      // No two are due at the same time, so that there is one order.
      const taken = new Set<number>()
      const once = ({ dues }: Queue) =>
        dues.filter((due) => !taken.has(due) && taken.add(due)).toSorted((a, b) => a - b)
      const lines: Array<{ share: Share; line: Array<number> }> = []
      for (const tenant of tenants) {
        const { id } = yield* newOrganisation()
        if (tenant.share !== null) organisations.set(id, tenant.share)
        const queues: Array<{ share: Share; line: ReadonlyArray<number> }> = []
        for (const queue of tenant.queues) {
          const endpoint = yield* newEndpoint(id)
          if (queue.share !== null) endpoints.set(endpoint.id, queue.share)
          const line = once(queue)
          queues.push({ share: queue.share ?? { room: perEndpoint, under_way: 0 }, line })
          for (const due of line) {
            const next_attempt_at = DateTime.addDuration(longAgo, Duration.seconds(due))
            const { delivery } = yield* newDelivery(endpoint, { next_attempt_at })
            dueOf.set(delivery.id, due)
          }
        }
        lines.push({
          share: tenant.share ?? { room: perOrganisation, under_way: 0 },
          line: inTurns(queues).map(({ due }) => due)
        })
      }
      const claimed = yield* claim({
        limit,
        endpoints: { known: endpoints, others: perEndpoint },
        organisations: { known: organisations, others: perOrganisation }
      })
      same(
        idsOf(claimed).map((id) => dueOf.get(id) ?? -1),
        inTurns(lines)
          .map(({ due }) => due)
          .slice(0, limit)
      )
    }
  )
]
