import { Effect, Exit, Semaphore } from "effect"

/** What was asked for, with its answer once there is one. */
interface Asked<A, B> {
  readonly item: A
  answer: Exit.Exit<B> | undefined
}

/** Those who ask for the same, one batch after the other. */
interface Line<A, B> {
  readonly turn: Semaphore.Semaphore
  waiting: ReadonlyArray<Asked<A, B>>
  users: number
}

/**
 * Does together what is asked for at the same time under one name: what comes while a batch is under way is the next one. `perform`
 * gives the answer of each item; where it fails, all of a batch do. Whoever asks is not interrupted before the answer.
 */
export const makeBatches = <A, B>(perform: (items: ReadonlyArray<A>) => Effect.Effect<(item: A) => B>) => {
  const lines = new Map<string, Line<A, B>>()

  const answer = (line: Line<A, B>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const batch = line.waiting
      line.waiting = []
      return Effect.map(Effect.exit(perform(batch.map(({ item }) => item))), (exit) => {
        for (const each of batch) each.answer = Exit.map(exit, (answerOf) => answerOf(each.item))
      })
    })

  return (name: string, item: A): Effect.Effect<B> =>
    Effect.suspend(() => {
      const line = lines.get(name) ?? { turn: Semaphore.makeUnsafe(1), waiting: [], users: 0 }
      const asked: Asked<A, B> = { item, answer: undefined }
      lines.set(name, line)
      line.users += 1
      line.waiting = [...line.waiting, asked]
      const answered = (): Effect.Effect<B> => asked.answer ?? Effect.andThen(answer(line), Effect.suspend(answered))
      return line.turn.withPermit(Effect.suspend(answered)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            line.users -= 1
            if (line.users === 0) lines.delete(name)
          })
        )
      )
    }).pipe(Effect.uninterruptible)
}
