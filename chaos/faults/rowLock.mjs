import pg from "pg"
import { seconds } from "../../harness/Program.mjs"
import { between, underLoad } from "../UnderLoad.mjs"

const heldSeconds = 11

export const locked = {
  title: `The queue's table is locked for ${heldSeconds} s`,
  recoverWithin: 30,
  run: (context) =>
    underLoad(context, { endpoints: 4, receiver: { delayMillis: () => between(50, 240) } }, async (world) => {
      const client = new pg.Client({ connectionString: world.database.url })
      await client.connect()
      try {
        await client.query("begin; lock table pending_deliveries in share row exclusive mode")
        await seconds(heldSeconds)
        await client.query("commit")
      } finally {
        await client.end()
      }
      return { endedAt: performance.now() }
    })
}
