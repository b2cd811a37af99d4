import { Cause, type DateTime, Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { NoticeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import * as Notice from "../../../domain/payments/Notice.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { isOutage, loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { makeOrganisationTime } from "../../access/steps/OrganisationTime.ts"
import { makeAccountChecks } from "./AccountChecks.ts"
import { batchOf, untilNone } from "./Batch.ts"
import { makeConverge } from "./Converge.ts"
import { lease, within } from "./Recording.ts"

/** Notices that are leased with one claim, and applied side by side: many tell of the same charge, which is asked for once. */
const batch = 32

const unreachable = "processor_unreachable"

/** What becomes of a notice at an instant. */
type Commanding = (notice: Notice.Notice, at: DateTime.Utc) => Notice.Command

/** What a notice makes somebody ask the processor for, and whose that is. */
type Target =
  | { readonly _tag: "Charge"; readonly organisation_id: OrganisationId; readonly charge: Charge }
  | {
      readonly _tag: "Accounts"
      readonly organisation_id: OrganisationId
      readonly integrations: ReadonlyArray<Integration>
    }
  | { readonly _tag: "Missing"; readonly organisation_id: OrganisationId | null }
  | { readonly _tag: "Nothing"; readonly organisation_id: OrganisationId | null }

const keyOf = (target: Target): string => {
  switch (target._tag) {
    case "Charge":
      return target.charge.id
    case "Accounts":
      return target.integrations.map(({ id }) => id).join(" ")
    default:
      return target._tag
  }
}

/** Makes what finds what notices are about. */
const makeTargets = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const integrations = yield* IntegrationStore

  /** By our id in the metadata, then by the reference. */
  const chargesOf = Effect.fnUntraced(function* ({ charge_id, integration_id, processor, reference }: Notice.Notice) {
    const ours = charge_id === null ? Option.none<Charge>() : yield* charges.ofId(charge_id)
    if (Option.isSome(ours)) return [ours.value]
    if (reference === null) return []
    if (integration_id === null) return yield* charges.ofProcessor(processor, reference)
    return Option.toArray(yield* charges.ofReference(integration_id, reference))
  })

  const accountsOf = Effect.fnUntraced(function* ({ account, integration_id, processor }: Notice.Notice) {
    if (integration_id === null) {
      const found = account === null ? [] : yield* integrations.ofAccount(processor, account)
      // An own account tells at its own address, and nobody else tells of it.
      return found.filter(({ is_own }) => !is_own)
    }
    return Option.toArray(
      Option.filter(
        yield* integrations.ofId(integration_id),
        (found) => account === null || account === found.processor_connect_account_id
      )
    )
  })

  /** One of a charge that another integration takes concerns nothing of ours. */
  return Effect.fnUntraced(function* (notice: Notice.Notice): Effect.fn.Return<Target> {
    const { charge_id, object } = notice
    const found = object === "account" ? [] : yield* chargesOf(notice)
    for (const charge of found) {
      const { integration_id, organisation_id } = charge
      const integration = yield* integrations.find(organisation_id, integration_id)
      if (Option.exists(integration, (each) => Notice.concerns(notice, charge, each))) {
        return { _tag: "Charge", organisation_id, charge }
      }
    }
    const accounts = yield* accountsOf(notice)
    const [first] = accounts
    const organisation_id = notice.organisation_id ?? first?.organisation_id ?? null
    if (object === "account" && first !== undefined) {
      return { _tag: "Accounts", organisation_id: first.organisation_id, integrations: accounts }
    }
    return { _tag: found.length === 0 && charge_id !== null ? "Missing" : "Nothing", organisation_id }
  })
})

/**
 * Makes the worker that applies stored notices: it asks the processor about whatever a notice concerns, and the notice is applied
 * once the processor has answered. What cannot be asked is tried again by a schedule. Any number of processes may run one.
 */
export const makeNoticeApplying = Effect.gen(function* () {
  const store = yield* NoticeStore
  const transaction = yield* Transaction
  const converge = yield* makeConverge
  const accounts = yield* makeAccountChecks
  const targetOf = yield* makeTargets
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

  /** Asks the processor; whether it answered. */
  const ask = (target: Target): Effect.Effect<boolean> => {
    switch (target._tag) {
      case "Charge":
        return Effect.map(
          Effect.timeoutOption(converge(target.organisation_id, target.charge.id), within),
          Option.getOrElse(() => false)
        )
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
