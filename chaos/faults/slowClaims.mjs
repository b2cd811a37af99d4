import { seconds } from "../../harness/Program.mjs"
import { openWorld } from "../World.mjs"

const claimSeconds = 11
const lengthSeconds = 88

/** Each statement that leases rows takes so long; others are not held up. */
const slowDown = `
  create function slow_claim() returns trigger language plpgsql as $$
  begin
    perform pg_sleep(${claimSeconds} - extract(epoch from clock_timestamp() - statement_timestamp()));
    return new;
  end $$;
  create trigger slow_claim before update on pending_deliveries for each row
  when (old.lease_id is null and new.lease_id is not null) execute function slow_claim()`

export const slowClaims = {
  title: `Each claim takes ${claimSeconds} s, for ${lengthSeconds} s`,
  isQuiet: true,
  recoverWithin: 45,
  async run(context) {
    const world = await openWorld(context)
    try {
      const { url } = await world.openReceiver()
      await world.subscribe(world.tenants[0], { only: url("only") })
      await world.query(slowDown)
      await world.give(5)
      await seconds(lengthSeconds)
      await world.query("drop trigger slow_claim on pending_deliveries")
      const endedAt = performance.now()
      await world.settle(75)
      return await world.report({ endedAt, notes: ["10 deliveries"] })
    } finally {
      await world.close()
    }
  }
}
