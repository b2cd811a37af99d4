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
 * gives the answer of each item; where it fails, each of a batch is done alone, so that one that cannot be done fails none beside it.
 * Whoever asks is not interrupted before the answer.
 */
export const makeBatches = <A, B>(perform: (items: ReadonlyArray<A>) => Effect.Effect<(item: A) => B>) => {
  const lines = new Map<string, Line<A, B>>()

  const answerAll = (batch: ReadonlyArray<Asked<A, B>>): Effect.Effect<void> =>
    Effect.flatMap(Effect.exit(perform(batch.map(({ item }) => item))), (exit) => {
      if (Exit.isFailure(exit) && batch.length > 1) {
        return Effect.forEach(batch, (each) => answerAll([each]), { discard: true })
      }
      for (const each of batch) each.answer = Exit.map(exit, (answerOf) => answerOf(each.item))
      return Effect.void
    })

  const answer = (line: Line<A, B>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const batch = line.waiting
      line.waiting = []
      return answerAll(batch)
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
