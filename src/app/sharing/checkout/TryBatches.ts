import { Cause, Effect, Exit, Semaphore } from "effect"
import { LockTimeout } from "../../../ports/kernel/Transaction.ts"

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

/** Whether it waited for others for too long: whoever is in a batch would, alone, too. */
const isContended = (cause: Cause.Cause<never>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof LockTimeout)

/**
 * Does together what is asked for at the same time under one name: what comes while a batch is under way is the next one. `perform`
 * gives the answer of each item. Where it fails, the items are done one by one up to the one that cannot be done, and those after
 * it together: if that fails, too, it is for another reason than one of them, and they fail. Whoever asks is not interrupted before
 * the answer.
 */
export const makeBatches = <A, B>(perform: (items: ReadonlyArray<A>) => Effect.Effect<(item: A) => B>) => {
  const lines = new Map<string, Line<A, B>>()

  const answerAll = Effect.fnUntraced(function* (batch: ReadonlyArray<Asked<A, B>>) {
    const exit = yield* Effect.exit(perform(batch.map(({ item }) => item)))
    for (const each of batch) each.answer = Exit.map(exit, (answerOf) => answerOf(each.item))
    return exit
  })

  const answerApart = Effect.fnUntraced(function* (batch: ReadonlyArray<Asked<A, B>>) {
    for (const [index, each] of batch.entries()) {
      const exit = yield* answerAll([each])
      if (Exit.isSuccess(exit)) continue
      const rest = batch.slice(index + 1)
      if (rest.length > 0) yield* answerAll(rest)
      return
    }
  })

  const answer = (line: Line<A, B>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const batch = line.waiting
      line.waiting = []
      return Effect.flatMap(answerAll(batch), (exit) =>
        Exit.isSuccess(exit) || batch.length === 1 || isContended(exit.cause) ? Effect.void : answerApart(batch)
      )
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
