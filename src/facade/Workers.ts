import { Effect, Fiber } from "effect"
import { Dispatcher } from "../app/outbox/Dispatcher.ts"
import { Mailer } from "../app/outbox/Mailer.ts"
import { Sweeper } from "../app/outbox/Sweeper.ts"
import { Background } from "../ports/kernel/Background.ts"
import type { Application } from "./Application.ts"

/**
 * What goes on by itself while it is started: webhooks are delivered, what time has done is written, and mails are sent where
 * there is a mailer.
 */
export interface Workers {
  /** Starts them. A repetition does nothing. */
  readonly start: () => void
  /** Lets what is under way end, within 8 seconds, and records it. */
  readonly stop: () => Promise<void>
}

type Fork = (effect: Effect.Effect<never, never, Application>) => Fiber.Fiber<never, unknown>

const dispatching = Dispatcher.use(({ run }) => run)

const sending = Mailer.use(({ run }) => run)

const sweeping = Sweeper.use(({ run }) => run)

const together = (
  workers: ReadonlyArray<Effect.Effect<never, never, Application>>
): Effect.Effect<never, never, Application> =>
  Effect.andThen(Effect.all(workers, { concurrency: "unbounded" }), Effect.never).pipe(
    Effect.provideService(Background, true)
  )

/** The workers of an `Almoner`. `check` is asked whether they may start. */
export const makeWorkers = (fork: Fork, check: () => void, hasMailer: boolean): Workers => {
  let running: Fiber.Fiber<never, unknown> | undefined
  return {
    start: () => {
      check()
      running ??= fork(together(hasMailer ? [dispatching, sweeping, sending] : [dispatching, sweeping]))
    },
    stop: async () => {
      const stopping = running
      running = undefined
      if (stopping !== undefined) await Effect.runPromise(Fiber.interrupt(stopping))
    }
  }
}
