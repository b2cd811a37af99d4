import { Effect } from "effect"
import type { Service } from "../support/Service.ts"
import type { Points } from "./Points.ts"

/** Runs something that is cut off after so many points; whether it was. */
export const cutOff = async (
  { points, service }: { readonly points: Points; readonly service: Service },
  name: string,
  effect: Parameters<Service["run"]>[0],
  after: number
) => {
  let left = after
  let isCut = false
  points.at = () =>
    Effect.suspend(() => {
      left -= 1
      isCut ||= left < 0
      // Nothing runs in a process after the point at which it was stopped.
      return isCut ? Effect.interrupt : Effect.void
    })
  const exit = await service.run(Effect.exit(points.run(name, effect)))
  points.at = () => Effect.void
  return { isCut, exit }
}
