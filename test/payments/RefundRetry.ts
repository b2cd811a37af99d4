import { Effect } from "effect"
import type { GiftLife } from "./GivingSite.ts"

/** How REST is asked to give something back. */
interface Asked {
  /** What the points are named by. */
  readonly operation: string
  readonly path: string
  readonly body: object
  /** What the key begins with. */
  readonly key: string
  /** What the refusal says while the money is on its way, and how a worker brings it there. */
  readonly underWay: string
  readonly work: () => Promise<void>
}

/**
 * Staff give something back, by REST, as often as they must ask for it: whoever was to bring the money on may be gone, which
 * the worker does then, and another process may be at it now.
 */
export const giveBack = async ({ place, service }: GiftLife, asked: Asked): Promise<void> => {
  for (let attempt = 1; ; ) {
    const sent = Effect.promise(() => service.send(place.key, asked.path, asked.body, `${asked.key}, ${attempt}`))
    const answer = await service.run(service.points.run(asked.operation, sent))
    if (answer.status === 200) return
    const text = await answer.text()
    if (text.includes(asked.underWay)) {
      attempt += 1
      await asked.work()
    } else if (!text.includes("still being processed")) {
      throw new Error(`The refund was refused: ${text}`)
    }
    await new Promise((resume) => setTimeout(resume, 20))
  }
}
