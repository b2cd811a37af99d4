import { Effect, type Scope } from "effect"

/** No place came free in time. */
export class NoSlot {
  readonly _tag = "NoPlace"
  /** Whether whoever asked holds places: then it waited for itself. */
  readonly holdsSome: boolean

  constructor(holdsSome: boolean) {
    this.holdsSome = holdsSome
  }
}

/** A number of places that are shared out among those who ask, by name. */
export interface FairSlots {
  /** A place until the scope closes. */
  readonly take: (who: string) => Effect.Effect<void, NoSlot, Scope.Scope>
}

interface Waiting {
  readonly who: string
  isPlaced: boolean
  go: () => void
}

/**
 * Places of which nobody gets more than there are left: the first takes half at most, the next half of the rest. So one
 * who fills its share leaves places to others, without any being set aside while nobody asks. Who waits is served in
 * turns: first who holds fewest, then who was served longest ago.
 */
export const makeFairSlots = (size: number, waitMillis: number): FairSlots => {
  const held = new Map<string, number>()
  const served = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let free = size
  let turn = 0

  const holds = (who: string): number => held.get(who) ?? 0

  /** Whose turn it was does not matter any more once nothing of it is held or asked for. */
  const forget = (who: string): void => {
    if (holds(who) > 0) return
    for (const each of waiting) if (each.who === who) return
    served.delete(who)
  }

  const comesBefore = (one: Waiting, other: Waiting): boolean => {
    const difference = holds(one.who) - holds(other.who)
    return difference === 0 ? (served.get(one.who) ?? -1) < (served.get(other.who) ?? -1) : difference < 0
  }

  const next = (): Waiting | undefined => {
    let first: Waiting | undefined
    for (const each of waiting) {
      if (holds(each.who) < free && (first === undefined || comesBefore(each, first))) first = each
    }
    return first
  }

  const serve = (): void => {
    for (let first = next(); first !== undefined; first = next()) {
      waiting.delete(first)
      first.isPlaced = true
      free -= 1
      held.set(first.who, holds(first.who) + 1)
      served.set(first.who, turn++)
      first.go()
    }
  }

  const give = (who: string): void => {
    free += 1
    if (holds(who) > 1) held.set(who, holds(who) - 1)
    else held.delete(who)
    serve()
    forget(who)
  }

  const leave = (me: Waiting): void => {
    if (me.isPlaced) give(me.who)
    else if (waiting.delete(me)) forget(me.who)
  }

  const placed = (me: Waiting): Effect.Effect<void, NoSlot> =>
    Effect.callback((resume) => {
      const timer = setTimeout(() => resume(Effect.fail(new NoSlot(holds(me.who) > 0))), waitMillis)
      me.go = () => {
        clearTimeout(timer)
        resume(Effect.void)
      }
      waiting.add(me)
      serve()
      return Effect.sync(() => clearTimeout(timer))
    })

  return {
    take: (who) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const me: Waiting = { who, isPlaced: false, go: () => {} }
          return restore(placed(me)).pipe(
            // Who is served and goes away at the same moment has the place, and gives it back.
            Effect.onError(() => Effect.sync(() => leave(me))),
            Effect.andThen(Effect.addFinalizer(() => Effect.sync(() => give(who))))
          )
        })
      )
  }
}
