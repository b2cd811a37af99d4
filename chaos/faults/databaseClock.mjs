import { startPostgres } from "../../harness/Postgres.mjs"
import { seconds } from "../../harness/Program.mjs"
import { fakeTime, whyNoFakeTime } from "../FakeTime.mjs"
import { underLoad } from "../UnderLoad.mjs"

const step = (title, offsetSeconds) => ({
  title,
  recoverWithin: 30,
  whyNot: whyNoFakeTime,
  async run(context) {
    const clock = fakeTime()
    const { chmod } = await import("node:fs/promises")
    await chmod(clock.folder, 0o755)
    const postgres = await startPostgres({ env: clock.env })
    try {
      return await underLoad(
        { ...context, postgres },
        { perSecond: 20, world: { env: () => ({ RATE_LIMITER: "postgres" }) } },
        async () => {
          clock.set(offsetSeconds)
          const steppedAt = performance.now()
          await seconds(8)
          // Leases that end at once look as if their workers had been lost.
          return { endedAt: steppedAt, losses: [steppedAt] }
        }
      )
    } finally {
      await postgres.stop()
      clock.close()
    }
  }
})

export const databaseClockBack = step("The database's clock steps back by an hour", -3_600)

export const databaseClockForward = step("The database's clock steps forward by an hour", 3_600)
