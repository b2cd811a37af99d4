import { addBacklog } from "../../harness/Backlog.mjs"
import { percentile } from "../../harness/Percentile.mjs"
import { seconds } from "../../harness/Program.mjs"
import { quantity } from "../../harness/Table.mjs"
import { openReceiver } from "../Receiver.mjs"
import { openWorld } from "../World.mjs"

const endpoints = 20
const small = 10_000
const large = 600_000
const measuredSeconds = 15

/** The rate with a long backlog must be so much of that with a short one. */
const shareOfRate = 1 / 3

/** Counts what comes, in place of a ledger: nothing is expected of any single one. */
class Tally {
  count = 0
  doubled = 0
  #seen = new Set()

  arrived({ id }) {
    this.count++
    if (this.#seen.has(id)) this.doubled++
    this.#seen.add(id)
  }
}

/** Deliveries a second from the first one on, over the given time or until `count` have come; 0 when none comes within a minute. */
async function rate(tally, forSeconds, count = Number.POSITIVE_INFINITY) {
  const from = tally.count
  for (let tries = 0; tally.count === from && tries < 600; tries++) await seconds(0.1)
  const [start, startedAt] = [tally.count, performance.now()]
  const until = startedAt + forSeconds * 1_000
  while (performance.now() < until && tally.count < from + count) await seconds(0.05)
  return (tally.count - start) / ((performance.now() - startedAt) / 1_000)
}

async function measure(context, world) {
  const tally = new Tally()
  const busyReceiver = await openReceiver(tally)
  world.onClose(() => busyReceiver.close())
  const quiet = world.tenants[0]
  const { url } = await world.openReceiver()
  await world.subscribe(quiet, { quiet: url("quiet") })
  const busy = await world.addTenant("backlog")
  const urls = Array.from({ length: endpoints }, (_, n) => busyReceiver.url(String(n)))
  await world.subscribeUncounted(busy, urls)
  await world.query("alter table pending_deliveries set (autovacuum_enabled = false)")
  await world.give(1, busy)
  for (let tries = 0; tally.count < 2 * endpoints && tries < 100; tries++) await seconds(0.1)
  await seconds(1)
  const { organisationId } = busy
  const query = (text, values) => world.query(text, values)
  await addBacklog(query, { count: small, endpoints, organisationId })
  const short = await rate(tally, 60, small)
  const [only] = world.processes
  await only.stop()
  const count = large * context.size
  await addBacklog(query, { count, endpoints, from: small, organisationId })
  await only.start()
  const endedAt = performance.now()
  const gifts = world.startGifts(5, quiet)
  const long = await rate(tally, measuredSeconds)
  await gifts.stop()
  await world.settle(30)
  return { doubled: tally.doubled, endedAt, count, long, short, waits: world.ledger.waits(endedAt) }
}

export const backlog = {
  title: `A start on a backlog of ${large.toLocaleString("en")}, the table never analysed`,
  recoverWithin: 15,
  async run(context) {
    const world = await openWorld(context, { count: 1 })
    try {
      const { doubled, endedAt, count, long, short, waits } = await measure(context, world)
      const report = await world.report({ endedAt })
      const share = long / short
      return {
        ...report,
        doubled: report.doubled + doubled,
        notes: [
          `${quantity(long, "deliveries/s")} with ${count.toLocaleString("en")} pending, ${quantity(short, "deliveries/s")} with ${small.toLocaleString("en")}`,
          `another organisation waited p50 ${quantity(percentile(waits, 50), "ms")}, p99 ${quantity(percentile(waits, 99), "ms")}`
        ],
        broken: share >= shareOfRate ? report.broken : [...report.broken, "a long backlog is slower than a short one"]
      }
    } finally {
      await world.close()
    }
  }
}
