import { DateTime, Duration, Effect } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import * as SandboxClock from "../../domain/access/SandboxClock.ts"
import { AdvancedClock, OrganisationClock } from "../../domain/access/SandboxClock.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { addTime } from "../../domain/kernel/InstantRange.ts"
import { GuardRefused } from "../../domain/kernel/Machine.ts"
import { SandboxClockStore } from "../../ports/access/SandboxClockStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { makeCommitResult } from "../kernel/store/CommitResult.ts"
import { monotonicMillis } from "../kernel/time/Monotonic.ts"
import { makePaymentAccounts } from "../payments/account/PaymentAccounts.ts"
import { type ClockHold, lease, makeClockTurns } from "./sandbox/ClockTurn.ts"
import { makeSandboxWork } from "./sandbox/SandboxWork.ts"

/** Time never passes in longer steps: some work is due every day. */
const longestStep = Duration.days(1)

/** The operations of the sandbox clock. money, section 7: Sandbox clock. */
const operations = Row.table("sandbox", {
  read: Row.read("Read the organisation's clock", [], OrganisationClock),
  advance: Row.change("Move a sandbox's clock on", [body(SandboxClock.Advance)], AdvancedClock)
})

const refuse = (message: string) =>
  new GuardRefused({ machine: "Sandbox clock", command: "Advance", rule: "money, section 7: Sandbox clock", message })

/**
 * The clock of a sandbox, which can be moved on: what falls due meanwhile happens in its order, as it would have. money,
 * section 7: Sandbox clock; docs/decisions/0066.
 */
export class Sandbox extends Service<Sandbox>()("almoner/app/Sandbox", function* () {
  const accounts = yield* makePaymentAccounts
  const clocks = yield* SandboxClockStore
  const committed = yield* makeCommitResult
  const deliveries = yield* DeliveryStore
  const changeLog = yield* ChangeLog
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const { drain, next } = yield* makeSandboxWork
  const inTurn = yield* makeClockTurns

  const clockOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
    const ahead = yield* clocks.ahead(organisation_id)
    const clock: SandboxClock.OrganisationClock = {
      now: addTime(yield* realNow, { milliseconds: ahead }),
      ahead_seconds: Math.round(ahead / 1_000)
    }
    return clock
  })

  /** The time of the organisation, and how far it is ahead. */
  const read = Effect.fn("Sandbox.read")(function* () {
    const { organisation } = yield* requireScope(operations.read)
    return yield* clockOf(organisation.id)
  })

  const requireMovable = Effect.fnUntraced(function* (organisation: Organisation) {
    if (!organisation.is_sandbox) {
      return yield* refuse(`The clock of ${organisation.slug} cannot be moved: it is live. Use its sandbox.`)
    }
    const other = (yield* accounts.all(organisation)).find(({ processor }) => processor !== "test")
    if (other === undefined) return
    return yield* refuse(
      `The clock of ${organisation.slug} cannot be moved: its integration ${other.id} is at ${other.processor}, whose time is real.`
    )
  })

  /** In a host's own transaction nothing has committed when it ends: no worker would see what falls due. */
  const requireCommits = Effect.flatMap(committed(Effect.void), ({ hasCommitted }) =>
    hasCommitted ? Effect.void : refuse("The clock cannot be moved within a transaction of the host's.")
  )

  /** Moves the clock on, and with it what waits for the real time. False where somebody else has taken it over. */
  const move = Effect.fnUntraced(function* (organisation_id: OrganisationId, holder: string, by_millis: number) {
    const isMine = yield* clocks.advance(organisation_id, holder, by_millis, lease)
    if (isMine) yield* deliveries.bringForward(organisation_id, by_millis)
    return isMine
  }, transaction.run)

  /** Goes from one instant at which something is due to the next; whether it came to the end in the time that one request has. */
  const goOn = Effect.fnUntraced(function* (organisation_id: OrganisationId, held: ClockHold, until: DateTime.Utc) {
    const { deadline, holder } = held
    const isOver = Effect.map(monotonicMillis, (now) => now >= deadline)
    for (let wereSent = true; ; ) {
      wereSent = yield* drain(organisation_id, wereSent, isOver)
      if (yield* isOver) return false
      const { now } = yield* clockOf(organisation_id)
      const left = Duration.toMillis(DateTime.distance(now, until))
      if (left <= 0) return true
      const soon = yield* next(organisation_id, now, DateTime.min(until, addTime(now, longestStep)))
      const step = Math.min(left, Math.max(1, Duration.toMillis(DateTime.distance(now, soon))))
      if (!(yield* move(organisation_id, holder, step))) return false
    }
  })

  const noteAdvance = Effect.fnUntraced(function* (subject_id: OrganisationId, at: DateTime.Utc) {
    yield* changeLog.write({ operation: operations.advance.requires.name, subject_id, at, events: [] })
  }, transaction.run)

  /** Moves the clock, which is ours. What another request has moved meanwhile counts. */
  const moved = Effect.fnUntraced(function* (id: OrganisationId, held: ClockHold, given: SandboxClock.Advance) {
    const clock = yield* clockOf(id)
    const until = yield* Effect.fromResult(SandboxClock.target(given, clock))
    yield* noteAdvance(id, clock.now)
    const reached = yield* goOn(id, held, until)
    const advanced: SandboxClock.AdvancedClock = { ...(yield* clockOf(id)), until, reached }
    return advanced
  })

  /**
   * Moves the clock of a sandbox on. Everything that falls due meanwhile happens at its time and in its order, whether or not
   * workers run: lapses, settlements, renewals, retries, transfers, expiries, webhooks. Answers how far it came: within one
   * request's time, where much is due, not all the way (`reached`). Fails with {@link InvalidInput} for no duration, or one
   * too long, and with {@link GuardRefused} for live organisations, for those with an account at a real processor, for an
   * instant that has passed, and where another request waits already for the one that moves the clock.
   */
  const advance = Effect.fn("Sandbox.advance")(function* (given: SandboxClock.Advance) {
    const { organisation } = yield* requireScope(operations.advance)
    yield* requireMovable(organisation)
    const { id } = organisation
    const before = yield* clockOf(id)
    const until = yield* Effect.fromResult(SandboxClock.target(given, before))
    if (DateTime.isLessThan(until, before.now)) {
      const now = DateTime.formatIso(before.now)
      return yield* refuse(`The clock of ${organisation.slug} cannot be set back: it is at ${now}. Give a later to.`)
    }
    yield* requireCommits
    return yield* inTurn(id, yield* tokens.id("request"), {
      use: (held) => moved(id, held, given),
      busy: refuse(`The clock of ${organisation.slug} is being moved by another request. Wait until that ended.`)
    })
  })

  return checkedService(operations, { read, advance })
}) {}

/** The operations of {@link Sandbox}. */
export const sandboxOperations = operationsOf(Sandbox, operations, {
  advance: {
    // Each step commits by itself.
    holdsKey: true,
    prepare: (use, given) => Effect.map(use.advance(given), Effect.succeed)
  }
})
