import { Context, DateTime, Duration, Effect, Option } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { addTime, instantAt } from "../../../domain/kernel/InstantRange.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import type { FindExpirable } from "../../../ports/kernel/Expirable.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { TestBank } from "../../../ports/payments/TestBank.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { makeDutyReminders } from "../../compliance/disclosure/DutyReminders.ts"
import { makeDisableFailing } from "../endpoint/FailingEndpoints.ts"
import { makeSummaryWriter } from "../summary/SummaryWriter.ts"
import { makeIntroductionExpiry, makeLinkExpiry } from "../sweep/Expiry.ts"

/** How long another worker may take with a webhook before time goes on without it. */
const patience = Duration.seconds(2)

const pollEvery = Duration.millis(20)

/** Another worker that holds a delivery gives it back within this time. */
const underWay = Duration.seconds(20)

/** Records that cannot be read, and so expire never, are passed over up to so many. */
const unreadableAtMost = 100

/**
 * Sends the webhooks of an organisation that are due, until the time of the request is over, and answers how many that were.
 * Where a composition has none, they are left to whoever sends webhooks there.
 */
export const SandboxDelivery = Context.Reference<
  (organisation_id: OrganisationId, isOver: Effect.Effect<boolean>) => Effect.Effect<number>
>("almoner/app/SandboxWork/Delivering", { defaultValue: () => () => Effect.succeed(0) })

/** The work of the money workers on one due organisation; each answers how much it did. */
export class MoneyWorkers extends Context.Service<
  MoneyWorkers,
  ReadonlyArray<(organisation_id: OrganisationId) => Effect.Effect<number>>
>()("almoner/app/SandboxWork/MoneyWorkers") {}

/** Does all work that is due of one organisation, and answers when more is. */
export const makeSandboxWork = Effect.gen(function* () {
  const deliver = yield* SandboxDelivery
  const money = yield* MoneyWorkers
  const bank = yield* TestBank
  const charges = yield* ChargeStore
  const deliveries = yield* DeliveryStore
  const introductions = yield* IntroductionStore
  const links = yield* CheckoutLinkStore
  const notices = yield* NoticeStore
  const subscriptions = yield* SubscriptionStore
  const transfers = yield* TransferAttemptStore
  const disableFailing = yield* makeDisableFailing("sweeper")
  const expireIntroductions = yield* makeIntroductionExpiry
  const expireLinks = yield* makeLinkExpiry
  const remindOfDuties = yield* makeDutyReminders
  const writeSummaries = yield* makeSummaryWriter

  /** Waits for webhooks that other workers send at this moment, so that what comes later is sent later; whether they were. */
  const sent = (organisation_id: OrganisationId) =>
    Effect.gen(function* () {
      for (;;) {
        const until = yield* deliveries.untilDueOf(organisation_id)
        if (!Option.exists(until, (left) => Duration.isLessThanOrEqualTo(left, underWay))) return
        yield* Effect.sleep(pollEvery)
      }
    }).pipe(Effect.timeoutOption(patience), Effect.map(Option.isSome))

  /**
   * Does everything that is due by the organisation's clock, and what follows from it at once. Answers whether its webhooks
   * were sent in time: where nobody sends them, they are not waited for again. It begins nothing more once the time of the
   * request is over; what is left is due at the next one.
   */
  const drain = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    waits: boolean,
    isOver: Effect.Effect<boolean>
  ) {
    for (let done = 1; done > 0; ) {
      done = 0
      for (const work of money) {
        if (yield* isOver) return false
        done += yield* work(organisation_id)
      }
    }
    yield* expireIntroductions(organisation_id)
    yield* expireLinks(organisation_id)
    yield* remindOfDuties(organisation_id)
    yield* writeSummaries(organisation_id)
    yield* deliver(organisation_id, isOver)
    const wereSent = waits && (yield* sent(organisation_id))
    yield* disableFailing
    return wereSent
  })

  /** When the first record runs out after `now` and by `until`. Those that cannot be read have run out, and stay as they are. */
  const expiry = Effect.fnUntraced(function* (
    expirable: FindExpirable,
    organisation_id: OrganisationId,
    now: DateTime.Utc,
    until: DateTime.Utc
  ) {
    const unreadable = (yield* expirable(now, unreadableAtMost, [], organisation_id)).map(({ id }) => id)
    const [first] = yield* expirable(until, 1, unreadable, organisation_id)
    return first === undefined ? [] : [instantAt(first.expired_millis)]
  })

  /** The next instant at which something is due, by `until` at the latest. */
  const next = Effect.fnUntraced(function* (organisation_id: OrganisationId, now: DateTime.Utc, until: DateTime.Utc) {
    const waits = yield* Effect.all([
      bank.nextDueOf(organisation_id),
      charges.nextDueOf(organisation_id),
      notices.nextDueOf(organisation_id),
      subscriptions.nextDueOf(organisation_id),
      transfers.nextDueOf(organisation_id)
    ])
    // Webhooks that are due already hold time up no longer.
    const webhooks = Option.filter(yield* deliveries.untilDueOf(organisation_id), Duration.isPositive)
    const instants = [...waits, webhooks].flatMap(Option.toArray).map((wait) => addTime(now, wait))
    const expiries = [
      ...(yield* expiry(introductions.expirable, organisation_id, now, until)),
      ...(yield* expiry(links.expirable, organisation_id, now, until))
    ]
    return [...instants, ...expiries].reduce(DateTime.min, until)
  })

  return { drain, next } as const
})
