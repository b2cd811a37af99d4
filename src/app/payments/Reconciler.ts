import { Cause, DateTime, Duration, Effect, Option, Random } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { subtractTime } from "../../domain/kernel/InstantRange.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import {
  emptyReport,
  lineOf,
  overlap,
  type Reconciliation,
  ReconciliationReport,
  ReconciliationRequest
} from "../../domain/payments/Reconciliation.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { organisationNow, realNow } from "../../ports/kernel/AheadClock.ts"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { guard } from "../../ports/kernel/WorkGuard.ts"
import { type PaymentProcessor, PaymentProcessors } from "../../ports/payments/PaymentProcessors.ts"
import type { NoticePage } from "../../ports/payments/ProcessorNotices.ts"
import { ReconciliationStore } from "../../ports/payments/ReconciliationStore.ts"
import { makeOrganisationTime } from "../access/caller/CallerContext.ts"
import { operationsOf, optionalBody } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { makeStoreOutage } from "../kernel/store/StoreOutage.ts"
import { monotonicMillis } from "../kernel/time/Monotonic.ts"
import { makePaymentAccounts } from "./account/PaymentAccounts.ts"
import { NoticeReceiver } from "./notice/NoticeReceiver.ts"
import { makeChargeComparison } from "./reconciliation/ChargeComparison.ts"
import { type AccountRun, type AccountRunFailure, AccountTaken } from "./reconciliation/ChargeRepair.ts"
import { makeDayComparison } from "./reconciliation/DayComparison.ts"

/** How much of a second's requests may go out at once. */
const burstMillis = 1_000

/**
 * Lets requests to a processor through, at most so many a second on the average. A change of the computer's clock
 * neither holds them up nor lets them all through.
 */
export const makeProcessorPacer = (perSecond: number): Effect.Effect<void> => {
  const apart = 1_000 / perSecond
  let next = Number.NEGATIVE_INFINITY
  return Effect.suspend(() =>
    Effect.flatMap(monotonicMillis, (now) => {
      const slot = Math.max(next, now - burstMillis) + apart
      next = slot
      return slot <= now ? Effect.void : Effect.sleep(Duration.millis(slot - now))
    })
  )
}

/** Applies the notices that were lost on their way. money, section 8. */
const makeNoticeBackfill = Effect.gen(function* () {
  const { takeUnseen } = yield* NoticeReceiver

  /**
   * Takes what the processor lists from where the last time ended. What is kept is the place of a day ago: a processor may
   * list a notice later than another that it made after it.
   */
  return Effect.fnUntraced(function* (run: AccountRun): Effect.fn.Return<void, AccountRunFailure> {
    const settled = subtractTime(yield* organisationNow, overlap)
    let cursor = run.reached().notices_cursor
    for (let hasMore = true; hasMore; ) {
      yield* run.pace
      const page: NoticePage = yield* run.processor.noticesSince(run.integration, cursor)
      run.count("notices_applied", yield* takeUnseen(run.integration, page.notices))
      const isOld = page.notices.every(({ created_at }) => DateTime.isLessThan(created_at, settled))
      yield* run.keep(isOld && page.notices.length > 0 ? { notices_cursor: page.cursor } : {})
      hasMore = page.has_more && page.cursor !== cursor
      cursor = page.cursor
    }
  })
})

/** The lease of an account for whoever reconciles it: every page extends it. */
const lease = Duration.minutes(5)

const every = Duration.hours(1)

/** An account that another process reconciled within this time is passed over. */
const soon = Duration.minutes(30)

/** Processes that start together do not begin together: the first reconciliation comes within this time, milliseconds. */
const firstWithinMillis = 60_000

/** How long to leave the store alone after it broke. */
const againAfter = Duration.minutes(1)

/**
 * How long until the next time. An account that somebody had may be that of a process that ended in the middle of it, and is
 * free when its lease is over.
 */
const waitAfter = (done: Option.Option<ReconciliationReport>): Duration.Duration => {
  if (Option.isNone(done)) return againAfter
  return done.value.accounts_busy > 0 ? lease : every
}

const operations = Row.table("reconciler", {
  reconcile: Row.keeper(
    "Hold all charges and books against what the payment processors have, and repair what differs",
    [optionalBody(ReconciliationRequest)],
    ReconciliationReport
  )
})

interface Account {
  readonly organisation: Organisation
  readonly integration: Integration
  readonly processor: PaymentProcessor
}

interface Plan {
  readonly since: DateTime.Utc | null
  /** Accounts that were reconciled after this are passed over; none are where it is null. */
  readonly unlessAfter: DateTime.Utc | null
}

/**
 * Compares charges and books with processors, account by account: the charges that they list, the notices that never
 * came, and the movements of each day. A difference is repaired by a sync of the charge; for one that cannot be
 * repaired an exception is opened. Any number may run beside each other: an account is one's at a time. money, section
 * 8.
 */
export class Reconciler extends Service<Reconciler>()("almoner/app/Reconciler", function* () {
  const accounts = yield* makePaymentAccounts
  const organisations = yield* OrganisationStore
  const processors = yield* PaymentProcessors
  const store = yield* ReconciliationStore
  const timeOf = yield* makeOrganisationTime
  const tokens = yield* Tokens
  const compareDays = yield* makeDayComparison
  const lookAtListed = yield* makeChargeComparison
  const applyMissed = yield* makeNoticeBackfill

  const runOf = (account: Account, first: Reconciliation, holder: string, count: AccountRun["count"]): AccountRun => {
    let reached = first
    return {
      ...account,
      count,
      pace: makeProcessorPacer(Limits.reconcileRequestsPerSecond),
      reached: () => reached,
      keep: (more) =>
        Effect.suspend(() => {
          reached = { ...reached, ...more }
          return Effect.flatMap(store.save(reached, holder, lease), (isKept) =>
            isKept ? Effect.void : Effect.fail(new AccountTaken())
          )
        })
    }
  }

  const follow = Effect.fnUntraced(function* (run: AccountRun, { since }: Plan) {
    yield* applyMissed(run)
    if (run.processor.capabilities.statements) {
      yield* lookAtListed(run, since)
      yield* compareDays(run, since)
    }
    yield* run.keep({ reconciled_at: yield* realNow })
    run.count("accounts", 1)
  })

  const claimed = Effect.fnUntraced(function* (
    account: Account,
    plan: Plan,
    { count, holder }: { readonly count: AccountRun["count"]; readonly holder: string }
  ) {
    const { id, organisation_id } = account.integration
    const found = yield* store.claim(organisation_id, id, holder, lease)
    if (Option.isNone(found)) return count("accounts_busy", 1)
    const { reconciled_at } = found.value
    const isFresh =
      plan.unlessAfter !== null && reconciled_at !== null && DateTime.isGreaterThan(reconciled_at, plan.unlessAfter)
    const unreached = (reason: string) =>
      Effect.andThen(
        Effect.logWarning(`The account ${id} could not be reconciled to the end: ${reason}`),
        Effect.sync(() => count("accounts_unreached", 1))
      )
    yield* (
      isFresh ? Effect.void : timeOf(organisation_id)(follow(runOf(account, found.value, holder, count), plan))
    ).pipe(
      Effect.catchTags({
        Overtaken: () => Effect.sync(() => count("accounts_busy", 1)),
        ProcessorRefused: ({ code }) => unreached(code),
        ProcessorUnreachable: ({ lasts, message, reason }) => unreached(lasts ? message : reason)
      }),
      Effect.ensuring(store.release(organisation_id, id, holder))
    )
  })

  /** One account that breaks stops no other. */
  const safely = (effect: Effect.Effect<void>, { integration: { id } }: Account, count: AccountRun["count"]) =>
    Effect.catchCause(effect, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.andThen(
            Effect.logError(`The account ${id} could not be reconciled`, loggedCause(cause)),
            Effect.sync(() => count("accounts_unreached", 1))
          )
    )

  const all = Effect.fnUntraced(function* (plan: Plan) {
    const holder = yield* tokens.id("request")
    let counts: ReconciliationReport = emptyReport
    const count: AccountRun["count"] = (what, more) => {
      counts = { ...counts, [what]: counts[what] + more }
    }
    for (const organisation of yield* organisations.all) {
      for (const integration of yield* accounts.all(organisation)) {
        const processor = processors.find(integration.processor)
        if (Option.isNone(processor)) continue
        const account = { organisation, integration, processor: processor.value }
        const work = { kind: "account", id: integration.id } as const
        yield* guard(work, safely(claimed(account, plan, { count, holder }), account, count))
      }
    }
    yield* Effect.logInfo(`Reconciled: ${lineOf(counts)}`)
    return counts
  })

  /**
   * Reconciles every account; answers and logs what was compared, repaired and could not be. With `since`, everything
   * since then is compared again. Dies where the store is away, and may then be called again.
   */
  const reconcile = Effect.fn("Reconciler.reconcile")(function* ({ since }: ReconciliationRequest) {
    return yield* all({ since: since ?? null, unlessAfter: null })
  })

  /** Reconciles soon, and then every hour, for as long as it is not interrupted; to be forked in a scope. */
  const run: Effect.Effect<never> = Effect.gen(function* () {
    const outage = makeStoreOutage("The store that is reconciled")
    yield* Effect.sleep(Duration.millis(yield* Random.nextIntBetween(0, firstWithinMillis)))
    const round = (isFirst: boolean) =>
      Effect.gen(function* () {
        const now = yield* organisationNow
        const unlessAfter = isFirst ? null : subtractTime(now, soon)
        const done = yield* outage.watch(all({ since: null, unlessAfter }))
        yield* Effect.sleep(waitAfter(done))
      })
    return yield* Effect.andThen(round(true), Effect.forever(round(false)))
  })

  return { ...checkedService(operations, { reconcile }), run } as const
}) {}

/** The operations of {@link Reconciler}. */
export const reconcilerOperations = operationsOf(Reconciler, operations)
