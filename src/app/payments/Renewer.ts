import { Effect, Option } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { addTime } from "../../domain/kernel/InstantRange.ts"
import { decide } from "../../domain/kernel/Machine.ts"
import { holds } from "../../domain/kernel/Rule.ts"
import * as Mandate from "../../domain/payments/Mandate.ts"
import * as Subscription from "../../domain/payments/Subscription.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { orLogged } from "../../ports/kernel/LoggedCause.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { MandateStore } from "../../ports/payments/MandateStore.ts"
import {
  mandateMissing,
  mandatesOf,
  PaymentProcessors,
  type ProcessorFailure
} from "../../ports/payments/PaymentProcessors.ts"
import { type DueSubscription, SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import { actingIn, makeOrganisationTime } from "../access/caller/CallerContext.ts"
import { Service } from "../kernel/service/Service.ts"
import { makeClaimLoop, untilDue, workThroughOutages } from "../kernel/worker/ClaimLoop.ts"
import { newChargeState } from "./charge/ChargeLoader.ts"
import { makeChargeSync } from "./charge/ChargeSync.ts"
import { leaseDuration, syncTimeout } from "./charge/ChargeWriter.ts"
import { makeExceptionReporter } from "./exception/ExceptionReporter.ts"
import { endingFor, makeSubscriptionChange } from "./subscription/SubscriptionOutcome.ts"
import { makeSubscriptionRenewal, type RenewalCharge, renewer } from "./subscription/SubscriptionSetup.ts"

/** Recurring gifts that are leased with one claim, and renewed side by side. */
const batch = 8

const operation = "subscriptions.renew"

const missingReason =
  "The processor has nothing of the means of payment that was kept for this recurring gift: it is asked with another account's key, so nothing is charged. Set the key of the account that the gift was set up at."

const isMissing = (failure: ProcessorFailure): boolean =>
  failure._tag === "ProcessorUnreachable" && failure.reason === mandateMissing

/**
 * Renews recurring gifts: claims those that are due, makes the invoices of the days that have come, takes their money by the
 * mandates, tries again what could not be paid, and ends what is to end. Any number of processes may run one over the same
 * store, and a crash leaves a gift due again. money, section 7.
 */
export class Renewer extends Service<Renewer>()("almoner/app/Renewer", function* () {
  const change = yield* makeSubscriptionChange
  const { ofKnown: syncCharge } = yield* makeChargeSync
  const integrations = yield* IntegrationStore
  const mandates = yield* MandateStore
  const organisations = yield* OrganisationStore
  const processors = yield* PaymentProcessors
  const raising = yield* makeExceptionReporter
  const renewing = yield* makeSubscriptionRenewal
  const subscriptions = yield* SubscriptionStore
  const timeOf = yield* makeOrganisationTime
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const acting = Effect.fnUntraced(function* <A, E, R>(organisation: Organisation, effect: Effect.Effect<A, E, R>) {
    return yield* transaction.run(effect).pipe(actingIn(organisation, renewer, yield* tokens.id("request")))
  })

  /** Where the mandate is kept; none where this installation has the processor no more, or it keeps none. */
  const keeperOf = Effect.fnUntraced(function* ({ integration_id, organisation_id }: Mandate.Mandate) {
    const integration = yield* integrations.find(organisation_id, integration_id)
    if (Option.isNone(integration)) return Option.none()
    const processor = processors.find(integration.value.processor)
    return Option.map(Option.all({ processor, keeps: Option.flatMap(processor, mandatesOf) }), (found) => ({
      ...found,
      integration: integration.value
    }))
  })

  const tomorrow = Effect.fnUntraced(function* (organisation_id: OrganisationId, id: Subscription.Subscription["id"]) {
    const held = yield* subscriptions.findForUpdate(organisation_id, id)
    if (Option.isNone(held)) return
    const next = addTime(yield* organisationNow, { days: 1 })
    yield* subscriptions.update(yield* change.looked(held.value, next))
  })

  /** Writes that a mandate can be charged no more, and ends what it paid for, which the donor's bank gives no reason of. */
  const revoked = (organisation: Organisation, { id, mandate_id }: Subscription.Subscription) =>
    acting(
      organisation,
      Effect.gen(function* () {
        const held = yield* subscriptions.findForUpdate(organisation.id, id)
        const mandate = yield* mandates.findForUpdate(organisation.id, mandate_id)
        if (Option.isNone(held) || Option.isNone(mandate)) return
        const at = yield* organisationNow
        if (mandate.value.status !== "REVOKED") {
          const decision = decide(Mandate.machine, mandate.value, { _tag: "Revoke", at })
          yield* mandates.update((yield* Effect.orDie(Effect.fromResult(decision))).state)
        }
        const ended = holds(Subscription.lastingRule, held.value)
          ? yield* Effect.orDie(change.end(operation, held.value, endingFor(null), at))
          : held.value
        yield* subscriptions.update({ ...ended, look_at: null })
      })
    )

  /** Opens an exception, once, where a processor knows nothing of a mandate: nobody can say whether that stands. */
  const told = <A>(
    organisation: Organisation,
    integration: Integration,
    { amount_cents, id: subject_id }: Subscription.Subscription,
    asked: Effect.Effect<A, ProcessorFailure>
  ) =>
    Effect.result(
      Effect.tapError(asked, (failure) =>
        isMissing(failure)
          ? raising.raise(organisation, integration, {
              kind: "mismatch",
              charge_id: null,
              subject_id,
              amount_cents,
              reason: missingReason
            })
          : Effect.void
      )
    )

  /** Has the processor forget what an ended gift was paid by, once nothing of it is under way. */
  const forget = Effect.fnUntraced(function* (organisation: Organisation, subscription: Subscription.Subscription) {
    const { id, mandate_id } = subscription
    const mandate = yield* mandates.find(organisation.id, mandate_id)
    if (yield* renewing.isUnderWay(subscription)) {
      // A charge under way has the gift polled when it has settled.
      yield* acting(organisation, renewing.lookNever(organisation.id, id))
      return
    }
    const keeper = Option.isSome(mandate) ? yield* keeperOf(mandate.value) : Option.none()
    if (Option.isSome(mandate) && Option.isSome(keeper) && mandate.value.status === "ACTIVE") {
      const { integration, keeps } = keeper.value
      const asked = keeps.revokeMandate(integration, mandate.value)
      const answer = yield* told(organisation, integration, subscription, asked)
      if (answer._tag === "Failure" && answer.failure._tag === "ProcessorUnreachable") {
        // It is tried again when the lease is over, and where a person must do something first, after a day.
        if (isMissing(answer.failure)) yield* acting(organisation, tomorrow(organisation.id, id))
        return
      }
    }
    yield* revoked(organisation, subscription)
  })

  /** Whether the mandate can be charged; none where the processor was not reached. */
  const fetched = Effect.fnUntraced(function* (
    organisation: Organisation,
    seen: Subscription.Subscription,
    mandate: Mandate.Mandate
  ) {
    const keeper = yield* keeperOf(mandate)
    if (Option.isNone(keeper)) return Option.none()
    const { integration, keeps } = keeper.value
    const answer = yield* told(organisation, integration, seen, keeps.fetchMandate(integration, mandate))
    return answer._tag === "Success" ? Option.some({ ...keeper.value, state: answer.success }) : Option.none()
  })

  const renewed = Effect.fnUntraced(function* (organisation: Organisation, seen: Subscription.Subscription) {
    const mandate = yield* mandates.find(organisation.id, seen.mandate_id)
    if (Option.isNone(mandate)) return
    if (mandate.value.status === "PENDING") {
      yield* acting(organisation, renewing.awaited(organisation, seen.id))
      return
    }
    // Where the processor is not reached it is tried again when the lease is over.
    const keeper = yield* fetched(organisation, seen, mandate.value)
    if (Option.isNone(keeper)) return
    const { integration, processor, state } = keeper.value
    if (state === "revoked") return yield* revoked(organisation, seen)
    const taking = { integration, processor, methods: integration.methods }
    const charge: RenewalCharge = yield* acting(organisation, renewing.renew(organisation, seen.id, taking))
    if (charge === null) return
    const place = { organisation, integration, processor: Option.some(processor) }
    yield* syncCharge({ ...place, mandate: mandate.value, state: newChargeState(charge) })
  })

  const renewNow = Effect.fnUntraced(function* ({ id, organisation_id }: DueSubscription) {
    const organisation = yield* organisations.find(organisation_id)
    const seen = yield* subscriptions.find(organisation_id, id)
    if (Option.isNone(organisation) || Option.isNone(seen)) return
    if (holds(Subscription.lastingRule, seen.value)) yield* renewed(organisation.value, seen.value)
    else yield* forget(organisation.value, seen.value)
  })

  const renew = (due: DueSubscription) => timeOf(due.organisation_id)(renewNow(due))

  /** One that breaks is due again after its lease, and stops no other. */
  const renewSafely = (due: DueSubscription): Effect.Effect<void> =>
    orLogged(
      Effect.asVoid(Effect.timeoutOption(renew(due), syncTimeout)),
      `The recurring gift ${due.id} could not be renewed; it is tried again in a minute`
    )

  const renewAll = makeClaimLoop("subscription", (only) => subscriptions.claim(batch, leaseDuration, only), renewSafely)

  /**
   * Renews every recurring gift that is due, and answers how many that were. For hosts with a job runner of their
   * own, in place of {@link run}. Dies when the store is away, and may then be called again.
   */
  const renewDue: Effect.Effect<number> = renewAll()

  /** As {@link renewDue}, of one organisation alone. */
  const renewDueOf: (organisation_id: OrganisationId) => Effect.Effect<number> = renewAll

  const untilNext = untilDue(Effect.map(subscriptions.nextDue, Option.toArray), Effect.never)

  /** Renews for as long as it is not interrupted; to be forked in a scope. It outlives any outage of the store. */
  const run = workThroughOutages("The store of recurring gifts", Effect.andThen(renewDue, untilNext))

  return { run, renewDue, renewDueOf } as const
}) {}
