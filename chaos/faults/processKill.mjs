import { seconds } from "../../harness/Program.mjs"
import { between, underLoad } from "../UnderLoad.mjs"

const crashing = async (world, lengthSeconds) => {
  const losses = []
  const until = performance.now() + lengthSeconds * 1_000
  while (performance.now() < until) {
    const victim = world.processes[Math.floor(Math.random() * world.processes.length)]
    losses.push(performance.now())
    await victim.kill()
    await victim.start()
    await seconds(between(0, 0.5))
  }
  return losses
}

export const killed = {
  title: "Processes killed (`kill -9`) at random",
  recoverWithin: 30,
  run: (context) =>
    underLoad(context, { receiver: { delayMillis: () => between(0, 300) } }, async (world) => {
      const losses = await crashing(world, 25 * context.size)
      return { endedAt: performance.now(), losses, notes: [`${losses.length} kills`] }
    })
}
