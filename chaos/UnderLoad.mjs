/** The course that most faults take: gifts at a steady rate, the fault in their midst, and time to recover. */
import { seconds } from "../harness/Program.mjs"
import { openWorld } from "./World.mjs"

/**
 * Runs `inflict(world)`, which gives `{ endedAt, losses, notes, broken }`, while `endpoints` endpoints of one organisation
 * get the events of `perSecond` gifts a second, from `before` seconds before it to `after` seconds after it; then waits
 * `patience` seconds at most for what has not arrived. A `burst` of gifts right before the fault fills all places.
 */
export async function underLoad(
  context,
  {
    after = 4,
    before = 4,
    burst = 0,
    endpoints = 2,
    patience = 60,
    perSecond = 40,
    receiver = {},
    world: options = {}
  },
  inflict
) {
  const world = await openWorld(context, options)
  try {
    const { url } = await world.openReceiver(receiver)
    for (let n = 0; n < endpoints; n++) await world.subscribe(world.tenants[0], { [`e${n}`]: url(`e${n}`) })
    const gifts = world.startGifts(perSecond * context.size)
    await seconds(before)
    await world.give(burst * context.size)
    const fault = await inflict(world)
    await seconds(after)
    const { answered, refused, unanswered } = await gifts.stop(30)
    await world.settle(patience)
    const notes = [...(fault.notes ?? []), `${answered} gifts`]
    const broken = [...(fault.broken ?? [])]
    if (unanswered > 0) broken.push(`${unanswered} gifts were not answered within 30 s`)
    if (refused > 0) broken.push(`${refused} requests were answered 429`)
    return await world.report({ ...fault, notes, broken })
  } finally {
    await world.close()
  }
}

/** Between two numbers, by chance. */
export const between = (low, high) => low + Math.random() * (high - low)
