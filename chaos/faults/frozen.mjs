import { seconds } from "../../harness/Program.mjs"
import { between, underLoad } from "../UnderLoad.mjs"

/** Past the lease of 20 seconds, so that others have taken over what they held. */
const frozenSeconds = 26

export const frozen = {
  title: "All processes but one frozen (SIGSTOP) for 26 s",
  recoverWithin: 30,
  run: (context) =>
    underLoad(
      context,
      { burst: 200, endpoints: 6, perSecond: 30, receiver: { delayMillis: () => between(50, 240) } },
      async (world) => {
        const victims = world.processes.slice(1)
        for (const victim of victims) victim.freeze()
        const losses = [performance.now()]
        await seconds(frozenSeconds)
        const wakes = []
        for (const victim of victims) {
          wakes.push(performance.now())
          victim.thaw()
        }
        return { endedAt: performance.now(), losses, wakes }
      }
    )
}
