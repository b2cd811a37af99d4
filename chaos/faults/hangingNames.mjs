import { percentile } from "../../harness/Percentile.mjs"
import { seconds } from "../../harness/Program.mjs"
import { quantity } from "../../harness/Table.mjs"
import { openTarPit } from "../../harness/TarPit.mjs"
import { openNameServer, whyNoNames } from "../NameServer.mjs"
import { openWorld } from "../World.mjs"

const hanging = 16
const promptMillis = 1_000
const stopSeconds = 10

/** Sixteen names of a neighbour stop resolving; a healthy endpoint, which has a name too, goes on; then the process stops. */
async function withNames(context, names) {
  const world = await openWorld(context, { count: 1, wrap: names.wrap })
  try {
    const nowhere = await openTarPit()
    world.onClose(() => nowhere.close())
    const [healthy] = world.tenants
    const receiver = await world.openReceiver({ host: "healthy.answers.test" })
    await world.subscribe(healthy, { healthy: receiver.url("healthy") })
    const neighbour = await world.addTenant("names")
    const urls = Array.from({ length: hanging }, (_, n) => nowhere.url(n).replace("127.0.0.1", `n${n}.hangs.test`))
    await world.subscribeUncounted(neighbour, urls)
    await world.give(2, healthy)
    await world.settle(20)
    if (world.ledger.missing > 0) throw new Error("names did not resolve before any was to hang")
    names.hang()
    const endedAt = performance.now()
    await world.give(10, neighbour)
    const gifts = world.startGifts(20 * context.size, healthy)
    await seconds(15)
    await gifts.stop()
    await world.give(5, neighbour)
    await seconds(1)
    const waits = world.ledger.waits(endedAt)
    const arrived = waits.filter(Number.isFinite).length
    const p99 = percentile(waits, 99)
    await world.settle(30)
    const report = await world.report({ endedAt })
    await world.give(5, neighbour)
    const stop = await world.processes[0].stop()
    const broken = []
    if (!(p99 < promptMillis)) broken.push("a healthy endpoint waited")
    if (stop.seconds > stopSeconds || stop.status !== 0) broken.push("the stop took too long")
    return {
      ...report,
      notes: [
        `${arrived} of ${waits.length} healthy deliveries came while names hung, p99 ${quantity(p99, "ms")}`,
        `a stop took ${quantity(stop.seconds, "s")}, status ${stop.status}`
      ],
      broken: [...report.broken, ...broken]
    }
  } finally {
    await world.close()
  }
}

export const hangingNames = {
  title: `${hanging} names hang`,
  recoverWithin: 10,
  whyNot: whyNoNames,
  async run(context) {
    const names = await openNameServer()
    try {
      return await withNames(context, names)
    } finally {
      names.close()
    }
  }
}
