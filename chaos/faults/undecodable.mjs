import { seconds } from "../../harness/Program.mjs"
import { underLoad } from "../UnderLoad.mjs"

const plant = `
  insert into pending_deliveries (organisation_id, id, endpoint_id, event_id, event_type, attempt_count,
    next_attempt_at, created_at, updated_at)
  select organisation_id, $2, endpoint_id, coalesce($3, event_id), event_type, $4, created_at - interval '1 hour',
    created_at, updated_at
  from finished_deliveries where endpoint_id = $1 limit 1`

/** Ways in which a row can be wrong, with the ids that are planted for them. */
const wrong = {
  "an id that is none": ["no delivery's id", null, 0],
  "an impossible count": ["dlv_01jbadc0ntbadc0ntbadc0nt00", null, 99],
  "an event that is gone": ["dlv_01jbadeventbadeventbadev00", "evt_01jbadeventbadeventbadev00", 0]
}

export const undecodable = {
  title: "Rows that cannot be decoded, first in the queue",
  recoverWithin: 10,
  run: (context) =>
    underLoad(context, { after: 8, patience: 30, perSecond: 20 }, async (world) => {
      const [tenant] = world.tenants
      const { url } = await world.openReceiver()
      await world.subscribe(tenant, { third: url("third") })
      const planted = tenant.endpointIds.at(-1)
      await seconds(2)
      for (const values of Object.values(wrong)) {
        world.planted.add(values[0])
        await world.query(plant, [planted, ...values])
      }
      const endedAt = performance.now()
      // What waits beside the planted rows is no measure of quiet.
      tenant.endpointIds.pop()
      await seconds(8)
      const unseen = Object.entries(wrong).filter(([, [id]]) => !world.processes.some(({ log }) => log.includes(id)))
      return { endedAt, broken: unseen.map(([what]) => `nothing was logged of ${what}`) }
    })
}
