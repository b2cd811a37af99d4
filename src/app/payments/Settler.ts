import { DateTime, Duration, Effect, Option } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { addTime } from "../../domain/kernel/InstantRange.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { orLogged } from "../../ports/kernel/LoggedCause.ts"
import { ChargeStore, type DueCharge } from "../../ports/payments/ChargeStore.ts"
import { NoticeStore } from "../../ports/payments/NoticeStore.ts"
import { TestBank } from "../../ports/payments/TestBank.ts"
import { Service } from "../kernel/service/Service.ts"
import { makeClaimLoop, untilDue, workThroughOutages } from "../kernel/worker/ClaimLoop.ts"
import { makeAccountMonitor } from "./account/PaymentAccounts.ts"
import { makeChargeSync } from "./charge/ChargeSync.ts"
import { leaseDuration, syncTimeout } from "./charge/ChargeWriter.ts"
import { makeNoticeProcessor } from "./notice/NoticeProcessor.ts"
import { makeTestBankNotices } from "./notice/TestBankNotices.ts"

/** Charges that are leased with one claim, and synced side by side. */
const batch = 8

/** How often the processors are asked what accounts can do. money, section 2: Integration. */
const accountsEvery = Duration.days(1)

/**
 * Makes charges agree with their processors: claims those that are due, and syncs each until it is as the processor
 * says. Applies the processors' notices, and sends those of the test processor. Any number of processes may run one
 * over the same store, and a crash leaves a charge due again. money, section 1.
 */
export class Settler extends Service<Settler>()("almoner/app/Settler", function* () {
  const charges = yield* ChargeStore
  const { ofId: syncCharge } = yield* makeChargeSync
  const { all: checkAccounts } = yield* makeAccountMonitor
  const notices = yield* NoticeStore
  const bank = yield* TestBank
  const applyNotices = yield* makeNoticeProcessor
  const sendTestNotices = yield* makeTestBankNotices

  /** One that breaks is due again after its lease, and stops no other. */
  const settleSafely = ({ id, organisation_id }: DueCharge): Effect.Effect<void> =>
    orLogged(
      Effect.asVoid(Effect.timeoutOption(syncCharge(organisation_id, id), syncTimeout)),
      `The charge ${id} could not be settled; it is tried again in a minute`
    )

  /** Claims and settles, some charges side by side, until none is due; of one organisation, where it is asked for. */
  const settleAll = makeClaimLoop("charge", (only) => charges.claim(batch, leaseDuration, only), settleSafely)

  /** Sends the simulated bank's notices, and applies those of all processors; how many those were. */
  const hear = (only?: OrganisationId) => Effect.andThen(sendTestNotices(only), applyNotices(only))

  /**
   * Applies the notices of processors, syncs every charge that is due, and answers how many charges that were. For
   * hosts with a job runner of their own, in place of {@link run}. Dies when the store is away, and may then be
   * called again.
   */
  const settleDue: Effect.Effect<number> = Effect.andThen(hear(), settleAll())

  /** As {@link settleDue}, of one organisation alone. Answers how many charges and notices that were. */
  const settleDueOf = (organisation_id: OrganisationId): Effect.Effect<number> =>
    Effect.zipWith(hear(organisation_id), settleAll(organisation_id), (heard, settled) => heard + settled)

  const untilNext = untilDue(Effect.map(charges.nextDue, Option.toArray), charges.wait)

  const untilHeard = untilDue(
    Effect.map(Effect.all([notices.nextDue, bank.nextDue]), (both) => both.flatMap(Option.toArray)),
    Effect.raceFirst(notices.wait, bank.wait)
  )

  /** Settles for as long as it is not interrupted; to be forked in a scope. It outlives any outage of the store. */
  const run: Effect.Effect<never> = Effect.suspend(() => {
    let accountsAt: DateTime.Utc | null = null
    const accounts = Effect.gen(function* () {
      const now = yield* realNow
      if (accountsAt !== null && DateTime.isLessThan(now, addTime(accountsAt, accountsEvery))) return
      yield* checkAccounts
      accountsAt = now
    })
    // Notices are applied while charges are settled, which may take as long as their processors do.
    const [settling, hearing] = [
      workThroughOutages("The store of charges", Effect.all([settleAll(), accounts, untilNext], { discard: true })),
      workThroughOutages("The store of processors' webhooks", Effect.andThen(hear(), untilHeard))
    ]
    return Effect.andThen(Effect.all([settling, hearing], { concurrency: "unbounded" }), Effect.never)
  })

  return { run, settleDue, settleDueOf, checkAccounts } as const
}) {}
