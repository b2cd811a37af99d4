import { Effect, Fiber } from "effect"
import { Recounter } from "../app/compliance/Recounter.ts"
import { Dispatcher } from "../app/outbox/Dispatcher.ts"
import { Mailer } from "../app/outbox/Mailer.ts"
import { Sweeper } from "../app/outbox/Sweeper.ts"
import { Reconciler } from "../app/payments/Reconciler.ts"
import { Renewer } from "../app/payments/Renewer.ts"
import { Settler } from "../app/payments/Settler.ts"
import { Distributor } from "../app/sharing/Distributor.ts"
import { Background } from "../ports/kernel/Background.ts"
import type { Application } from "./Application.ts"

/**
 * The background workers of an `Almoner`: they deliver webhooks where there is a transport, make payments agree with their
 * processors, bring shared ones to their recipients, and hold the books against them, renew recurring gifts, write expiries and delete what is past its retention, send mails where there is a mailer, and hand events to the
 * handlers that are subscribed.
 */
export interface Workers {
  /** Starts the workers. A second call does nothing. */
  readonly start: () => void
  /** Stops the workers: what is under way may end within 8 seconds, and is recorded. */
  readonly stop: () => Promise<void>
}

type Fork = (effect: Effect.Effect<never, never, Application>) => Fiber.Fiber<never, unknown>

const dispatching = Dispatcher.use(({ run }) => run)

const distributing = Distributor.use(({ run }) => run)

const sending = Mailer.use(({ run }) => run)

const reconciling = Reconciler.use(({ run }) => run)

const recounting = Recounter.use(({ run }) => run)

const renewing = Renewer.use(({ run }) => run)

const settling = Settler.use(({ run }) => run)

const sweeping = Sweeper.use(({ run }) => run)

const together = (
  workers: ReadonlyArray<Effect.Effect<never, never, Application>>
): Effect.Effect<never, never, Application> =>
  Effect.andThen(Effect.all(workers, { concurrency: "unbounded" }), Effect.never).pipe(
    Effect.provideService(Background, true)
  )

/** The workers of an `Almoner`. `check` throws where they may not start. */
export const makeWorkers = (
  fork: Fork,
  check: () => void,
  consumers: Pick<Workers, "start" | "stop">,
  has: { readonly delivers: boolean; readonly mails: boolean }
): Workers => {
  let running: Fiber.Fiber<never, unknown> | undefined
  return {
    start: () => {
      check()
      const all = [
        sweeping,
        settling,
        recounting,
        renewing,
        distributing,
        reconciling,
        ...(has.delivers ? [dispatching] : []),
        ...(has.mails ? [sending] : [])
      ]
      running ??= fork(together(all))
      consumers.start()
    },
    stop: async () => {
      const stopping = running
      running = undefined
      const stopped = stopping === undefined ? undefined : Effect.runPromise(Fiber.interrupt(stopping))
      await Promise.all([stopped, consumers.stop()])
    }
  }
}
