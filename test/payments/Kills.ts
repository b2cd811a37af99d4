import { Effect } from "effect"
import { kills } from "../support/Rounds.ts"
import { spreadPoints } from "./Crashes.ts"
import { failpoints } from "./Failpoints.ts"

/** The points at which processes are killed: a few, or as many as whoever runs the tests asks for. */
export const pointsOf = (few: number) => Effect.promise(async () => spreadPoints(await failpoints(), kills(few)))

/** The longest that a test of so many may take, milliseconds. */
export const allowedMillis = (few: number): number => 120_000 + 20_000 * Math.min(500, kills(few))
