import { Cause, type Context, Effect, Exit, type Fiber, ManagedRuntime } from "effect"
import { InvalidOption } from "../app/kernel/host/InvalidOption.ts"
import { roomy } from "../app/kernel/reaction/ProgramContext.ts"
import { Dispatcher } from "../app/outbox/Dispatcher.ts"
import { Mailer } from "../app/outbox/Mailer.ts"
import { Sweeper } from "../app/outbox/Sweeper.ts"
import { Renewer } from "../app/payments/Renewer.ts"
import { Settler } from "../app/payments/Settler.ts"
import { Distributor } from "../app/sharing/Distributor.ts"
import type { Attempt } from "../client/Attempt.ts"
import type { Caller } from "../domain/access/Caller.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import type { InvalidInput, MalformedInput, NotFound } from "../domain/kernel/Rejection.ts"
import type { Swept } from "../domain/outbox/Sweep.ts"
import type { NoticeTooLarge } from "../domain/payments/Notice.ts"
import type { NoticeRefused } from "../ports/payments/ProcessorNotices.ts"
import { AlmonerUnavailable, unavailable } from "./AlmonerUnavailable.ts"
import * as Application from "./Application.ts"
import { authenticate, findCaller, type HostUser } from "./Callers.ts"
import { makeConsumers, type Subscriptions } from "./Consumers.ts"
import { attempt, type EffectRunner, makeApi, makeCallerApi } from "./Face.ts"
import type { Api, CallerApi } from "./FaceTypes.ts"
import type { NoEvents } from "./HostEvents.ts"
import { type HostNotice, type NoticeReceipt, receiveNotice } from "./Notices.ts"
import { hasMailer, hasTransport, type Options } from "./Options.ts"
import { makeWithin, type Within } from "./Within.ts"
import { makeWorkers, type Workers } from "./Workers.ts"

/**
 * The fundraising service inside a host: every use case as a method that answers a promise. A call rejects with the use
 * case's tagged errors (`InvalidInput`, `NotFound`, `Forbidden`, …) or with {@link AlmonerUnavailable}; its `outcome()`
 * answers either as a value. Inputs and answers are JSON values as the API has them: instants are ISO 8601 strings in UTC.
 */
export interface Almoner<Client = never, Events = NoEvents> extends Omit<Api<Events>, "events"> {
  /** Events: read and listed, handled in this process, and emitted by the host. */
  readonly events: Api<Events>["events"] & Subscriptions<Events>
  /** The use cases bound to one caller: give this to code that serves users. */
  readonly as: (caller: Caller) => CallerApi<Events>
  /**
   * The caller for a user whom the host has authenticated. The organisation is read now, so that its plan is the
   * present one. The host vouches for user, organisation and scope. Fails with {@link NotFound} for an organisation that
   * there is not, with {@link InvalidInput} of the field at fault, and with {@link MalformedInput}.
   */
  readonly caller: (user: HostUser) => Attempt<Caller, InvalidInput | MalformedInput | NotFound | AlmonerUnavailable>
  /**
   * The caller of an API key; undefined when the text is no key, or the key is unknown or revoked. Fails with
   * {@link InvalidInput} (`request_id`) for an id that the audit could not record.
   */
  readonly authenticate: (
    apiKey: string,
    request_id?: string
  ) => Attempt<Caller | undefined, InvalidInput | AlmonerUnavailable>
  /** The use cases inside the transaction that the host has open on its own client. */
  readonly within: (client: Client) => Within<Events>
  /** Delivers every webhook that is due now; the number of attempts that were made. */
  readonly dispatch: () => Attempt<number, AlmonerUnavailable>
  /** Hands every event that is due now to the handlers that are subscribed here; the number of attempts that were made. */
  readonly consume: () => Attempt<number, AlmonerUnavailable>
  /** Sends every mail that is due now; the number of attempts that were made. */
  readonly sendMails: () => Attempt<number, AlmonerUnavailable>
  /**
   * Takes a notice of a payment processor in, for a host that has its own address for them: verified, stored, and applied soon by
   * started workers or {@link settle}. Fails with {@link NotFound} where nobody reads it, {@link NoticeTooLarge}, and
   * {@link NoticeRefused} where it is not signed by the processor: answer 404, 413 and 400, and say no reason.
   */
  readonly receiveNotice: (
    notice: HostNotice
  ) => Attempt<NoticeReceipt, NotFound | NoticeRefused | NoticeTooLarge | AlmonerUnavailable>
  /** Makes every due payment agree with its processor, and sends every due transfer; the number of those polled. */
  readonly settle: () => Attempt<number, AlmonerUnavailable>
  /**
   * Makes the invoices of recurring gifts that are due, takes their money, and ends what is to end; the number of gifts
   * that were polled. Started workers do it by themselves.
   */
  readonly renew: () => Attempt<number, AlmonerUnavailable>
  /**
   * Writes expiries, deletes what is past its retention, and returns the counts of each. Started workers do it by
   * themselves.
   */
  readonly sweep: () => Attempt<Swept, AlmonerUnavailable>
  readonly workers: Workers
  /**
   * Runs a program written with Effect over the services of this `Almoner`. It is interrupted by {@link close}, and then, as
   * after it, rejects with {@link AlmonerUnavailable}.
   */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Application.Application>) => Promise<A>
  /** The services of this `Almoner`, for programs written with Effect. */
  readonly services: Context.Context<Application.Application>
  /**
   * Stops the workers, lets calls and handlers of events that are under way end, within 8 seconds, and closes the store. What has
   * not ended by then is interrupted, and rejects with {@link AlmonerUnavailable}; what cannot be interrupted is waited for one
   * second more. A second call does nothing.
   */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Waits for what is under way, and after a time, when it is cut off, not much longer. docs/decisions/0094. */
const drain = async (ended: Promise<unknown>, cutOff: () => void): Promise<void> => {
  const timers = new Set<ReturnType<typeof setTimeout>>()
  const after = (millis: number) => new Promise<void>((resolve) => timers.add(setTimeout(resolve, millis)))
  const late = after(Limits.drainMillis).then(() => {
    cutOff()
    return after(Limits.cutOffMillis)
  })
  await Promise.race([ended, late])
  timers.forEach(clearTimeout)
}

const noTransport = "Nothing is delivered without a transport: open Almoner with webhookTransport of almoner/webhooks."

const noMailer = "Nothing is sent without a mailer: open Almoner with mailer."

const settleDue = Effect.zipWith(
  Settler.use(({ settleDue }) => settleDue),
  Distributor.use(({ distributeDue }) => distributeDue),
  (charges, transfers) => charges + transfers
)

/** Runs programs of a host. One may have no end: closing does not wait for it, and interrupts it. */
const programRunner =
  <R, F>(runtime: ManagedRuntime.ManagedRuntime<R, F>, isClosed: () => boolean) =>
  async <A, E>(effect: Effect.Effect<A, E, R>): Promise<A> => {
    if (!Effect.isEffect(effect)) throw new InvalidOption("effect", "run takes a program of Effect.")
    const exit = isClosed() ? Exit.interrupt() : await runtime.runPromiseExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw isClosed() && Cause.hasInterruptsOnly(exit.cause) ? unavailable(exit.cause) : Cause.squash(exit.cause)
  }

const open = async <Client, Events = NoEvents>(options: Options<Client, Events>): Promise<Almoner<Client, Events>> => {
  const runtime = ManagedRuntime.make(Application.layer(options))
  const opened = await Effect.runPromiseExit(runtime.contextEffect)
  if (Exit.isFailure(opened)) {
    await runtime.dispose()
    throw Cause.squash(opened.cause)
  }
  const services = roomy(opened.value)
  let closing: Promise<void> | undefined
  let isStopped = false
  const pending = new Map<Promise<unknown>, Fiber.Fiber<unknown, unknown>>()
  // A request of a handler that may still end is part of its work. What does not end was cut off by the stop.
  const isClosed = () => closing !== undefined && (isStopped || !consumers.isHandling())
  const run = <A, E>(effect: Effect.Effect<A, E, Application.Application>): Promise<Exit.Exit<A, E>> => {
    if (isClosed()) return Promise.resolve(Exit.interrupt())
    const fiber = Effect.runFork(Effect.provideContext(effect, services))
    const ending = new Promise<Exit.Exit<A, E>>((resolve) => fiber.addObserver(resolve))
    pending.set(ending, fiber)
    return ending.finally(() => pending.delete(ending))
  }
  const runUseCase: EffectRunner = run
  const deliver = <A>(effect: Effect.Effect<A, never, Dispatcher>) =>
    hasTransport(options) ? effect : Effect.die(new InvalidOption("webhookTransport", noTransport))
  const check = () => {
    if (closing !== undefined) throw new AlmonerUnavailable({ reason: "closed", message: "This Almoner is closed." })
  }
  const fork = (effect: Effect.Effect<never, never, Application.Application>) =>
    Effect.runFork(Effect.provideContext(effect, services))
  const consumers = makeConsumers<Events>({ run, fork, transactionClient: options.backend.transactionClient })
  const workers = makeWorkers(fork, check, consumers, { delivers: hasTransport(options), mails: hasMailer(options) })
  const close = (): Promise<void> => {
    if (closing !== undefined) return closing
    const ended = Promise.all([workers.stop(), ...pending.keys()]).then(() => {
      isStopped = true
      // What a handler began last and did not await.
      return Promise.all(pending.keys())
    })
    closing = drain(ended, () => {
      isStopped = true
      for (const fiber of pending.values()) fiber.interruptUnsafe()
    }).then(() => runtime.dispose())
    return closing
  }
  const face = makeApi<Events>(runUseCase)
  return {
    ...face,
    events: { ...face.events, subscribe: consumers.subscribe },
    as: (caller) => makeCallerApi(runUseCase, caller),
    caller: (user) => attempt(run(findCaller(user))),
    authenticate: (apiKey, request_id) => attempt(run(authenticate(apiKey, request_id))),
    within: makeWithin<Client, Events>(run, options.backend.within),
    dispatch: () => attempt(run(deliver(Dispatcher.use(({ deliverDue }) => deliverDue)))),
    consume: () => attempt(run(consumers.due)),
    sendMails: () =>
      attempt(
        run(
          hasMailer(options) ? Mailer.use(({ sendDue }) => sendDue) : Effect.die(new InvalidOption("mailer", noMailer))
        )
      ),
    receiveNotice: (notice) => attempt(run(receiveNotice(notice))),
    renew: () => attempt(run(Renewer.use(({ renewDue }) => renewDue))),
    settle: () => attempt(run(settleDue)),
    sweep: () => attempt(run(Sweeper.use(({ sweepOnce }) => sweepOnce))),
    workers,
    run: programRunner(runtime, isClosed),
    services,
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Opens {@link Almoner} in a host. */
export const Almoner = {
  /** Opens the store and makes the use cases. Rejects with an error whose message is a whole sentence. Starts no worker. */
  open,
  /** The same for programs that are written with Effect. */
  layer: Application.layer
}
