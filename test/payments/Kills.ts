import { Effect } from "effect"
import { everyFailpoint } from "../support/Rounds.ts"
import { failpoints, spread } from "./Crashes.ts"

/** The points at which processes are killed: all, or so many of them where that would take too long. */
export const pointsOf = (few: number) =>
  Effect.promise(async () => {
    const all = await failpoints()
    return everyFailpoint ? all : spread(all, few)
  })

/** The longest that a test of them may take, milliseconds. */
export const allowedMillis = everyFailpoint ? 3_600_000 : 120_000
