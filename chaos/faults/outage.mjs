import { startPostgres } from "../../harness/Postgres.mjs"
import { seconds } from "../../harness/Program.mjs"
import { between, underLoad } from "../UnderLoad.mjs"

export const outage = {
  title: "The database is away for 25 s",
  recoverWithin: 30,
  async run(context) {
    const postgres = await startPostgres()
    try {
      const load = { burst: 200, endpoints: 6, perSecond: 30, receiver: { delayMillis: () => between(50, 240) } }
      return await underLoad({ ...context, postgres }, load, async () => {
        await postgres.halt()
        await seconds(25)
        await postgres.resume()
        return { endedAt: performance.now() }
      })
    } finally {
      await postgres.stop()
    }
  }
}
