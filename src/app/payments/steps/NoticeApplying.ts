import { Cause, type DateTime, Effect, Option, Result } from "effect"
import type { NoticeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import * as Notice from "../../../domain/payments/Notice.ts"
import { lasting } from "../../../domain/payments/Subscription.ts"
import { isOutage, loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { makeOrganisationTime } from "../../access/steps/OrganisationTime.ts"
import { makeAccountChecks } from "./AccountChecks.ts"
import { batchOf, untilNone } from "./Batch.ts"
import { makeConverge } from "./Converge.ts"
import { keyOf, makeNoticeTargets, type Target } from "./NoticeTargets.ts"
import { lease, within } from "./Recording.ts"

/** Notices that are leased with one claim, and applied side by side: many tell of the same charge, which is asked for once. */
const batch = 32

const unreachable = "processor_unreachable"

/** What becomes of a notice at an instant. */
type Commanding = (notice: Notice.Notice, at: DateTime.Utc) => Notice.Command

/**
 * Makes the worker that applies stored notices: it asks the processor about whatever a notice concerns, and the notice is applied
 * once the processor has answered. What cannot be asked is tried again by a schedule. One of a mandate is applied once its
 * recurring gift is to be looked at: whoever renews it asks before anything else, until there is an answer. Any number of
 * processes may run one.
 */
export const makeNoticeApplying = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const store = yield* NoticeStore
  const subscriptions = yield* SubscriptionStore
  const transaction = yield* Transaction
  const converge = yield* makeConverge
  const accounts = yield* makeAccountChecks
  const targetOf = yield* makeNoticeTargets
  const timeOf = yield* makeOrganisationTime

  /** Writes what became of a notice, unless somebody else did. */
  const concluded = Effect.fnUntraced(function* (
    id: NoticeId,
    organisation_id: OrganisationId | null,
    commandOf: Commanding
  ) {
    const held = yield* store.hold(id)
    if (Option.isNone(held)) return
    const decision = decide(Notice.machine, held.value, commandOf(held.value, yield* store.now))
    if (Result.isFailure(decision)) return
    const { state } = decision.success
    yield* store.update({ ...state, organisation_id: state.organisation_id ?? organisation_id })
  }, transaction.run)

  const conclude = (id: NoticeId, organisation_id: OrganisationId | null, commandOf: Commanding) => {
    const concluding = concluded(id, organisation_id, commandOf)
    return organisation_id === null ? concluding : timeOf(organisation_id)(concluding)
  }

  /** Has the recurring gift of a mandate looked at now. One that has ended is told nothing by what became of its mandate. */
  const looked = Effect.fnUntraced(function* ({ organisation_id, subscription_id }: Mandate) {
    const held = yield* subscriptions.findForUpdate(organisation_id, subscription_id)
    if (Option.isNone(held) || !holds(lasting, held.value)) return
    yield* subscriptions.update({ ...held.value, look_at: yield* charges.now })
  }, transaction.run)

  const look = (mandate: Mandate) => timeOf(mandate.organisation_id)(looked(mandate))

  /** Asks the processor; whether it answered. */
  const ask = (target: Target): Effect.Effect<boolean> => {
    switch (target._tag) {
      case "Charge":
        return Effect.map(
          Effect.timeoutOption(converge(target.organisation_id, target.charge.id), within),
          Option.getOrElse(() => false)
        )
      case "Mandates":
        return Effect.as(Effect.forEach(target.mandates, look, { discard: true }), true)
      case "Accounts":
        return Effect.map(Effect.forEach(target.integrations, accounts.one), (all) => all.every((reached) => reached))
      default:
        return Effect.succeed(true)
    }
  }

  const commandFor =
    (target: Target, wasReached: boolean): Commanding =>
    (notice, at) => {
      if (target._tag === "Missing") return Notice.missing(notice, at, target.organisation_id !== null)
      if (target._tag === "Nothing") return { _tag: "Ignore", at }
      return wasReached ? { _tag: "Apply", at } : Notice.refused(notice, at, unreachable)
    }

  /** One that breaks stops no other, and is tried again. Where the store is away, all of them are after their leases. */
  const safely = (notice: Notice.Notice, applying: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchCause(applying, (cause) =>
      Cause.hasInterruptsOnly(cause) || isOutage(cause)
        ? Effect.failCause(cause)
        : Effect.andThen(
            Effect.logError(`The notice ${notice.id} could not be applied; it is tried again`, loggedCause(cause)),
            conclude(notice.id, notice.organisation_id, (held, at) => Notice.refused(held, at, "internal_error"))
          )
    )

  const applyAll = Effect.fnUntraced(function* (claimed: ReadonlyArray<Notice.Notice>) {
    const asked = new Map<string, Effect.Effect<boolean>>()
    const asking = (target: Target) =>
      Effect.gen(function* () {
        const known = asked.get(keyOf(target))
        if (known !== undefined) return yield* known
        const once = yield* Effect.cached(ask(target))
        // Another fiber may have been as fast: whichever is kept, the processor is asked after all of them came.
        asked.set(keyOf(target), asked.get(keyOf(target)) ?? once)
        return yield* asked.get(keyOf(target)) ?? once
      })
    const apply = Effect.fnUntraced(function* (notice: Notice.Notice) {
      const target = yield* targetOf(notice)
      const wasReached = yield* asking(target)
      yield* conclude(notice.id, target.organisation_id, commandFor(target, wasReached))
    })
    yield* Effect.forEach(claimed, (notice) => safely(notice, apply(notice)), {
      concurrency: "unbounded",
      discard: true
    })
  })

  /** Applies every notice that is due, of one organisation where it is asked for, and answers how many that were. */
  return (only?: OrganisationId): Effect.Effect<number> =>
    untilNone(batchOf(() => store.claim(batch, lease, only), applyAll))
})
