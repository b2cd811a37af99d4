import { Effect, Fiber } from "effect"
import { Dispatcher } from "../app/outbox/Dispatcher.ts"
import { Mailer } from "../app/outbox/Mailer.ts"
import { Sweeper } from "../app/outbox/Sweeper.ts"
import { Background } from "../ports/kernel/Background.ts"
import type { Application } from "./Application.ts"

/**
 * The background workers of an `Almoner`: they deliver webhooks, write expiries and delete what is past its retention,
 * and send mails where there is a mailer.
 */
export interface Workers {
  /** Starts the workers. A second call does nothing. */
  readonly start: () => void
  /** Stops the workers: what is under way may end within 8 seconds, and is recorded. */
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

/** The workers of an `Almoner`. `check` throws where they may not start. */
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
