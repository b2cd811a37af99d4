import { seconds } from "../../harness/Program.mjs"
import { watchRetries } from "../Retries.mjs"
import { between, underLoad } from "../UnderLoad.mjs"

const hourMillis = 3_600_000

/** The default rate with a small burst, so that a bucket that waits for its time is soon seen. */
const limited = { RATE_LIMIT_PER_SECOND: "100", RATE_LIMIT_BURST: "30" }

const step = (title, millis) => ({
  title,
  isQuiet: true,
  recoverWithin: 10,
  async run(context) {
    let retries
    const load = { after: 10, patience: 80, perSecond: 20, world: { env: () => limited } }
    const found = await underLoad(context, load, async (world) => {
      retries = await watchRetries(world, world.tenants[0])
      await retries.send(5)
      await seconds(1)
      for (const process of world.processes) process.setClock(millis)
      const endedAt = performance.now()
      await seconds(1)
      await retries.send(5).catch(() => {})
      return { endedAt }
    })
    const { broken, notes } = retries.judge()
    return { ...found, notes: [...found.notes, ...notes], broken: [...found.broken, ...broken] }
  }
})

export const clockBack = step("All clocks step back by an hour", -hourMillis)

export const clockForward = step("All clocks step forward by an hour", hourMillis)

export const clockAhead = {
  title: "One process's clock is 30 s ahead",
  recoverWithin: 10,
  run: (context) =>
    underLoad(
      context,
      {
        perSecond: 60,
        receiver: { delayMillis: () => between(50, 500) },
        world: { env: (index) => (index === 0 ? { CHAOS_CLOCK_MILLIS: "30000" } : {}) }
      },
      async () => {
        const endedAt = performance.now()
        await seconds(15 * context.size)
        return { endedAt }
      }
    )
}
