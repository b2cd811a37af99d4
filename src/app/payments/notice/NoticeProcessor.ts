import { Cause, type DateTime, Effect, Option, Result } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import * as Notice from "../../../domain/payments/Notice.ts"
import { lastingRule } from "../../../domain/payments/Subscription.ts"
import { isOutage, loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { makeOrganisationTime } from "../../access/caller/OrganisationTime.ts"
import { makeAccountMonitor } from "../account/AccountMonitor.ts"
import { makeChargeSync } from "../charge/ChargeSync.ts"
import { leaseDuration, syncTimeout } from "../charge/ChargeWriter.ts"
import { batchOf, untilNone } from "../worker/ClaimLoop.ts"
import { keyOf, makeNoticeTargets, type Target } from "./NoticeTargets.ts"

/**
 * Notices that are leased with one claim, and applied side by side: many name the same charge, which is fetched once.
 */
const batch = 32

const unreachable = "processor_unreachable"

type Commanding = (notice: Notice.Notice, at: DateTime.Utc) => Notice.Command

/** The name of a claimed notice's subject: notices of one name are about the same. */
const namedBy = ({
  account,
  charge_id,
  integration_id,
  object,
  organisation_id,
  processor,
  reference
}: Notice.Notice) => JSON.stringify([account, charge_id, integration_id, object, organisation_id, processor, reference])

interface Group {
  readonly target: Target
  readonly notices: ReadonlyArray<Notice.Notice>
}

/** The groups of what was found, in the order in which the first of each was claimed. */
const groupsOf = (found: ReadonlyArray<Group>): ReadonlyArray<Group> => {
  const groups = new Map<string, Group>()
  for (const { notices, target } of found) {
    const key = keyOf(target)
    groups.set(key, { target, notices: [...(groups.get(key)?.notices ?? []), ...notices] })
  }
  return [...groups.values()]
}

/**
 * The worker that applies stored notices: it asks the processor about a notice's subject, and the notice is applied
 * once the processor has answered. One that cannot be asked about is tried again by a schedule. One of a mandate is
 * applied once its recurring gift is due: whoever renews it asks before anything else, until there is an answer. Any
 * number of processes may run one.
 */
export const makeNoticeProcessor = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const store = yield* NoticeStore
  const subscriptions = yield* SubscriptionStore
  const transaction = yield* Transaction
  const chargeSync = yield* makeChargeSync
  const accounts = yield* makeAccountMonitor
  const targetOf = yield* makeNoticeTargets
  const timeOf = yield* makeOrganisationTime

  const inTimeOf = <A>(organisation_id: OrganisationId | null, effect: Effect.Effect<A>): Effect.Effect<A> =>
    organisation_id === null ? effect : timeOf(organisation_id)(effect)

  /** Writes the results of notices, each as it was claimed, unless somebody else did. */
  const concluded = Effect.fnUntraced(function* (
    notices: ReadonlyArray<Notice.Notice>,
    organisation_id: OrganisationId | null,
    commandOf: Commanding
  ) {
    const at = yield* store.now
    yield* store.conclude(
      notices.flatMap((before) => {
        const decision = decide(Notice.machine, before, commandOf(before, at))
        if (Result.isFailure(decision)) return []
        const { state } = decision.success
        return [{ before, after: { ...state, organisation_id: state.organisation_id ?? organisation_id } }]
      })
    )
  })

  /** Makes the recurring gift of a mandate due now. An ended one does not depend on its mandate. */
  const looked = Effect.fnUntraced(function* ({ organisation_id, subscription_id }: Mandate) {
    const held = yield* subscriptions.findForUpdate(organisation_id, subscription_id)
    if (Option.isNone(held) || !holds(lastingRule, held.value)) return
    yield* subscriptions.update({ ...held.value, look_at: yield* charges.now })
  }, transaction.run)

  const look = (mandate: Mandate) => timeOf(mandate.organisation_id)(looked(mandate))

  /** Asks the processor; whether it answered. */
  const ask = (target: Target): Effect.Effect<boolean> => {
    switch (target._tag) {
      case "Charge":
        return Effect.map(
          Effect.timeoutOption(chargeSync.ofHint(target.charge, target.integration), syncTimeout),
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
      if (target._tag === "Missing") return Notice.withoutCharge(notice, at, target.organisation_id !== null)
      if (target._tag === "Nothing") return { _tag: "Ignore", at }
      return wasReached ? { _tag: "Apply", at } : Notice.afterRefusal(notice, at, unreachable)
    }

  /** A failure stops no other notice, and is tried again: after the leases, where the store is away. */
  const orRefused = (notices: ReadonlyArray<Notice.Notice>, applying: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchCause(applying, (cause) =>
      Cause.hasInterruptsOnly(cause) || isOutage(cause)
        ? Effect.failCause(cause)
        : Effect.forEach(
            notices,
            (notice) =>
              Effect.andThen(
                Effect.logError(`The notice ${notice.id} could not be applied; it is tried again`, loggedCause(cause)),
                inTimeOf(
                  notice.organisation_id,
                  concluded([notice], notice.organisation_id, (each, at) =>
                    Notice.afterRefusal(each, at, "internal_error")
                  )
                )
              ),
            { discard: true }
          )
    )

  /** The targets of notices of one name; none where they could not be found out. */
  const found = Effect.fnUntraced(function* (notices: readonly [Notice.Notice, ...ReadonlyArray<Notice.Notice>]) {
    const groups: Array<Group> = []
    const finding = Effect.map(targetOf(notices[0]), (target) => void groups.push({ target, notices }))
    yield* orRefused(notices, finding)
    return groups
  })

  /** The processor is asked once, after all of them came. */
  const apply = ({ notices, target }: Group): Effect.Effect<void> => {
    const applying = Effect.flatMap(ask(target), (wasReached) =>
      concluded(notices, target.organisation_id, commandFor(target, wasReached))
    )
    return orRefused(notices, inTimeOf(target.organisation_id, applying))
  }

  const applyAll = Effect.fnUntraced(function* (claimed: ReadonlyArray<Notice.Notice>) {
    const named = new Map<string, readonly [Notice.Notice, ...ReadonlyArray<Notice.Notice>]>()
    for (const notice of claimed) {
      const same = named.get(namedBy(notice))
      named.set(namedBy(notice), same === undefined ? [notice] : [...same, notice])
    }
    const all = yield* Effect.forEach(named.values(), found, { concurrency: "unbounded" })
    yield* Effect.forEach(groupsOf(all.flat()), apply, { concurrency: "unbounded", discard: true })
  })

  /** Applies every notice that is due, of one organisation where it is asked for, and answers how many that were. */
  return (only?: OrganisationId): Effect.Effect<number> =>
    untilNone(batchOf(() => store.claim(batch, leaseDuration, only), applyAll))
})
