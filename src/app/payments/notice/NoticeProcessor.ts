import { Cause, type DateTime, Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import * as Notice from "../../../domain/payments/Notice.ts"
import { lastingRule } from "../../../domain/payments/Subscription.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { isOutage, loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { guard } from "../../../ports/kernel/WorkGuard.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { Reactions } from "../../kernel/reaction/Reactions.ts"
import { batchOf, untilNone } from "../../kernel/worker/ClaimLoop.ts"
import { makeAccountMonitor } from "../account/PaymentAccounts.ts"
import { makeChargeSync } from "../charge/ChargeSync.ts"
import { leaseDuration, syncTimeout } from "../charge/ChargeWriter.ts"

/** The target of a notice: the object to fetch from the processor, and its owner. */
type Target =
  | {
      readonly _tag: "Charge"
      readonly organisation_id: OrganisationId
      readonly charge: Charge
      readonly integration: Integration
    }
  | { readonly _tag: "Mandates"; readonly organisation_id: OrganisationId; readonly mandates: ReadonlyArray<Mandate> }
  | {
      readonly _tag: "Accounts"
      readonly organisation_id: OrganisationId
      readonly integrations: ReadonlyArray<Integration>
    }
  | { readonly _tag: "Missing"; readonly organisation_id: OrganisationId | null }
  | { readonly _tag: "Nothing"; readonly organisation_id: OrganisationId | null }

/** The key of a target: targets of one key are fetched once. */
const keyOf = (target: Target): string => {
  switch (target._tag) {
    case "Charge":
      return target.charge.id
    case "Mandates":
      return target.mandates.map(({ id }) => id).join(" ")
    case "Accounts":
      return target.integrations.map(({ id }) => id).join(" ")
    default:
      return `${target._tag} ${target.organisation_id}`
  }
}

/** Finds the targets of notices: by our id in the metadata, then by the reference. */
const makeNoticeTargets = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const integrations = yield* IntegrationStore
  const mandates = yield* MandateStore

  const chargesOf = Effect.fnUntraced(function* (
    { integration_id, processor, reference }: Notice.Notice,
    ours: Option.Option<Charge>
  ) {
    if (Option.isSome(ours)) return [ours.value]
    if (reference === null) return []
    if (integration_id === null) return yield* charges.ofProcessor(processor, reference)
    return Option.toArray(yield* charges.ofReference(integration_id, reference))
  })

  const mandatesOf = Effect.fnUntraced(function* (
    { processor, reference }: Notice.Notice,
    ours: Option.Option<Charge>
  ) {
    if (Option.isNone(ours)) return reference === null ? [] : yield* mandates.ofReference(processor, reference)
    const { mandate_id, organisation_id } = ours.value
    return mandate_id === null ? [] : Option.toArray(yield* mandates.find(organisation_id, mandate_id))
  })

  const accountsOf = Effect.fnUntraced(function* ({ account, integration_id, processor }: Notice.Notice) {
    if (integration_id === null) {
      const found = account === null ? [] : yield* integrations.ofAccount(processor, account)
      // An own account sends notices to its own address, and nobody else sends any of it.
      return found.filter(({ is_own }) => !is_own)
    }
    return Option.toArray(
      Option.filter(
        yield* integrations.ofId(integration_id),
        (found) => account === null || account === found.processor_connect_account_id
      )
    )
  })

  /** The candidates for a notice's target, with their account: one of another integration concerns nothing of ours. */
  const concernedBy = Effect.fnUntraced(function* <A extends Pick<Charge, "integration_id" | "organisation_id">>(
    notice: Notice.Notice,
    found: ReadonlyArray<A>
  ) {
    const all = yield* Effect.forEach(found, (its) =>
      Effect.map(
        integrations.find(its.organisation_id, its.integration_id),
        Option.map((integration) => ({ its, integration }))
      )
    )
    return all.flatMap(Option.toArray).filter(({ integration, its }) => Notice.concerns(notice, its, integration))
  })

  const accountTarget = Effect.fnUntraced(function* (notice: Notice.Notice): Effect.fn.Return<Target> {
    const accounts = yield* accountsOf(notice)
    const [first] = accounts
    const organisation_id = notice.organisation_id ?? first?.organisation_id ?? null
    return notice.object === "account" && first !== undefined
      ? { _tag: "Accounts", organisation_id: first.organisation_id, integrations: accounts }
      : { _tag: "Nothing", organisation_id }
  })

  return Effect.fnUntraced(function* (notice: Notice.Notice): Effect.fn.Return<Target> {
    const { charge_id, object } = notice
    if (object === "account") return yield* accountTarget(notice)
    const ours = charge_id === null ? Option.none<Charge>() : yield* charges.ofId(charge_id)
    const kept = object === "mandate" ? yield* mandatesOf(notice, ours) : []
    const taken = object === "mandate" ? [] : yield* chargesOf(notice, ours)
    const concerned = (yield* concernedBy(notice, kept)).map(({ its }) => its)
    const [mandate] = concerned
    if (mandate !== undefined) {
      return { _tag: "Mandates", organisation_id: mandate.organisation_id, mandates: concerned }
    }
    const [first] = yield* concernedBy(notice, taken)
    if (first !== undefined) {
      const { integration, its: charge } = first
      return { _tag: "Charge", organisation_id: charge.organisation_id, charge, integration }
    }
    const { organisation_id } = yield* accountTarget(notice)
    const isMissing = charge_id !== null && Option.isNone(ours) && kept.length + taken.length === 0
    return { _tag: isMissing ? "Missing" : "Nothing", organisation_id }
  })
})

/** Notices that are leased with one claim, and applied side by side: many name the same charge, which is fetched once. */
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
  const { transfersDoubted } = yield* Reactions
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
  const ask = (target: Target, isOfTransfer: boolean): Effect.Effect<boolean> => {
    switch (target._tag) {
      case "Charge": {
        // A transfer that is told of is looked at beside its charge.
        const asking = Effect.andThen(
          isOfTransfer ? transfersDoubted(target.charge) : Effect.succeed(true),
          (wasReached) =>
            Effect.map(chargeSync.ofHint(target.charge, target.integration), (reached) => reached && wasReached)
        )
        return Effect.map(
          Effect.timeoutOption(asking, syncTimeout),
          Option.getOrElse(() => false)
        )
      }
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
                Effect.logError(
                  `The processor's webhook ${notice.id} could not be applied; it is tried again`,
                  loggedCause(cause)
                ),
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
    const applying = Effect.flatMap(
      ask(
        target,
        notices.some(({ object }) => object === "transfer")
      ),
      (wasReached) => concluded(notices, target.organisation_id, commandFor(target, wasReached))
    )
    return Effect.asVoid(
      guard({ kind: "notice", id: keyOf(target) }, orRefused(notices, inTimeOf(target.organisation_id, applying)))
    )
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
