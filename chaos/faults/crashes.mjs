import { seconds } from "../../harness/Program.mjs"
import { openEmbeddedWorld } from "../World.mjs"

const crashCount = 6
const apartSeconds = 12.5

/** The embedded database ends all leases at a start, so that each crash is an attempt cut short. */
export const crashes = {
  title: "Six crashes in 75 s with ten deliveries under way, embedded database",
  isQuiet: true,
  recoverWithin: 90,
  async run() {
    const world = await openEmbeddedWorld()
    try {
      const [tenant] = world.tenants
      const [process] = world.processes
      const hangs = new Set()
      let isHanging = true
      const { url } = await world.openReceiver({
        delayMillis: () => (isHanging ? 3_600_000 : 0),
        status: ({ id }) => {
          if (isHanging) hangs.add(id)
          return isHanging ? 500 : 204
        }
      })
      await world.subscribe(tenant, { only: url("only") })
      await world.give(5)
      const losses = []
      for (let crash = 0; crash < crashCount; crash++) {
        await seconds(crash === 0 ? 2 : apartSeconds - 5)
        losses.push(performance.now())
        await process.kill()
        const downSince = performance.now()
        if (crash === crashCount - 1) isHanging = false
        await process.start()
        await seconds(Math.max(0, 5 - (performance.now() - downSince) / 1_000))
      }
      const endedAt = performance.now()
      await world.settle(100)
      return await world.report({ endedAt, losses, notes: [`${hangs.size} deliveries under way when it crashed`] })
    } finally {
      await world.close()
    }
  }
}
