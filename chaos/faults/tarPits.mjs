import { percentile } from "../../harness/Percentile.mjs"
import { seconds } from "../../harness/Program.mjs"
import { quantity } from "../../harness/Table.mjs"
import { openTarPit } from "../../harness/TarPit.mjs"
import { endpointsMost } from "../../harness/Tenants.mjs"
import { openWorld } from "../World.mjs"

const promptMillis = 1_000

/** Endpoints that accept and never answer, of the healthy one's own organisation while it has room for them. */
async function hangingTenants(world, count, pit) {
  const urls = Array.from({ length: count }, (_, n) => pit.url(n))
  if (count < endpointsMost) {
    await world.subscribeUncounted(world.tenants[0], urls)
    return [world.tenants[0]]
  }
  const tenants = []
  for (let from = 0; from < count; from += endpointsMost) {
    const tenant = await world.addTenant(`pit-${from}`)
    await world.subscribeUncounted(tenant, urls.slice(from, from + endpointsMost))
    tenants.push(tenant)
  }
  return tenants
}

const titleOf = (count) => {
  const endpoints = count === 1 ? "One endpoint" : `${count} endpoints`
  return `${endpoints} of ${count < endpointsMost ? "the same organisation" : "other organisations"} never answering`
}

const tarPits = (count) => ({
  title: titleOf(count),
  recoverWithin: 10,
  async run(context) {
    const world = await openWorld(context, { count: 1 })
    try {
      const pit = await openTarPit()
      world.onClose(() => pit.close())
      const [healthy] = world.tenants
      const tenants = await hangingTenants(world, count, pit)
      await Promise.all(tenants.map((tenant) => world.give(10, tenant)))
      const { url } = await world.openReceiver()
      await world.subscribe(healthy, { healthy: url("healthy") })
      const gifts = world.startGifts(20 * context.size, healthy)
      const startedAt = performance.now()
      await seconds(5)
      const measuredFrom = performance.now()
      await seconds(15)
      await gifts.stop()
      await world.settle(60)
      const waits = world.ledger.waits(measuredFrom)
      const [p50, p99] = [percentile(waits, 50), percentile(waits, 99)]
      const report = await world.report({ endedAt: startedAt })
      return {
        ...report,
        notes: [`from 5 s on a healthy endpoint waited p50 ${quantity(p50, "ms")}, p99 ${quantity(p99, "ms")}`],
        broken: p99 < promptMillis ? report.broken : [...report.broken, "a healthy endpoint waited"]
      }
    } finally {
      await world.close()
    }
  }
})

export const tarPit1 = tarPits(1)
export const tarPit16 = tarPits(16)
export const tarPit140 = tarPits(140)
