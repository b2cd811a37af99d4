/** Whether second attempts come when they are due, whatever the clocks do: a minute after the first. */
import { post } from "../harness/Requests.mjs"

const dueMillis = 60_000
const earlyMillis = 1_000
const lateMillis = 15_000

/** An endpoint of the tenant that refuses each first attempt. */
export async function watchRetries(world, tenant) {
  const refused = new Set()
  const receiver = await world.openReceiver({
    status: ({ id }) => {
      if (refused.has(id)) return 204
      refused.add(id)
      return 500
    }
  })
  await world.subscribe(tenant, { refusing: receiver.url("refusing") }, ["donor.created"])
  let sent = 0
  return {
    /** Makes so many donors, whose events are delivered at once. */
    async send(count) {
      for (let n = 0; n < count; n++) {
        const donor = { donor_type: "INDIVIDUAL", first_name: "Ada", last_name: `Retried ${sent++}` }
        await post(world.baseUrl, "/api/v1/donors", tenant.headers, donor)
      }
    },
    /** `{ notes, broken }` of all that was sent. */
    judge() {
      const gaps = world.ledger.arrivalsAt("refusing").map(([first, second]) => (second?.at ?? Number.NaN) - first.at)
      const early = gaps.filter((gap) => gap < dueMillis - earlyMillis).length
      const onTime = gaps.filter((gap) => gap >= dueMillis - earlyMillis && gap <= dueMillis + lateMillis).length
      const broken = []
      if (early > 0) broken.push(`${early} second attempts came early`)
      if (onTime + early < sent) broken.push(`${sent - onTime - early} second attempts did not come when they were due`)
      return { notes: [`${onTime} of ${sent} second attempts on time`], broken }
    }
  }
}
