import { DateTime, Effect, Option, Schema } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import { type ChargeId, DonationId, type OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import { type Action, nextAction } from "../../../domain/payments/PollPlan.ts"
import type { ChargeState } from "../../../domain/payments/Settlement.ts"
import type { SettlementState } from "../../../domain/payments/StepApplication.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { storeTimeLateMillis } from "../../../ports/kernel/StoreTime.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { type PaymentProcessor, PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"
import { type GiftOfCharge, makeRenewalGifts } from "../subscription/RenewalGifts.ts"

interface ChargeAccount {
  readonly integration: Integration
  /** None where this installation has the processor no more. */
  readonly processor: Option.Option<PaymentProcessor>
}

/** A charge with all that is compared with its processor, whose it is, and where its money is taken. */
export interface LoadedCharge extends ChargeAccount {
  readonly state: ChargeState
  /** The mandate that the charge saves or is taken by; null for one that is taken once. */
  readonly mandate: Mandate | null
  readonly organisation: Organisation
}

const readDonation = Schema.decodeUnknownOption(DonationId)

/** Whether the money of a charge can go back through its processor: what was transferred to a bank account goes back by hand. */
export const paysBack = ({ method }: Pick<Charge, "method">, processor: Option.Option<PaymentProcessor>): boolean =>
  method !== "bank_transfer" && Option.exists(processor, ({ capabilities }) => capabilities.refunds)

/** Whether the processor can be asked to take the money: the mandate that it is taken by is there. */
export const isConfirmable = ({ mandate, processor, state }: LoadedCharge): boolean => {
  const isAtHand = state.charge.purpose === "invoice" ? mandate !== null : state.charge.sealed_token !== null
  return isAtHand && Option.exists(processor, ({ capabilities }) => capabilities.confirms)
}

/** The next action at a charge's processor. Where that cannot pay back, people do. */
export const actionOf = (loaded: LoadedCharge): Action => {
  const { processor, state } = loaded
  const action = nextAction(state, isConfirmable(loaded))
  return action._tag === "Refund" && !paysBack(state.charge, processor) ? { _tag: "Fetch" } : action
}

/**
 * Whether a poll is due by the store's time: whoever polls has put it off until the end, so that somebody has requested
 * another one since. The store's time may be late, and a poll that may be due is made.
 */
export const isLookRequested = (look_at: DateTime.Utc | null, storeTime: DateTime.Utc): boolean =>
  look_at !== null && DateTime.toEpochMillis(look_at) <= DateTime.toEpochMillis(storeTime) + storeTimeLateMillis

/** A charge that was just written, on which nothing hangs yet. */
export const newChargeState = (charge: Charge): ChargeState => ({
  charge,
  refunds: [],
  disputes: [],
  isLate: false,
  isMismatched: false
})

const services = Effect.all({
  charges: ChargeStore,
  disputes: DisputeStore,
  donations: DonationStore,
  exceptions: PaymentExceptionStore,
  integrations: IntegrationStore,
  organisations: OrganisationStore,
  processors: PaymentProcessors,
  refunds: RefundStore,
  mandates: MandateStore,
  renewalOf: makeRenewalGifts
})

type Services = Effect.Success<typeof services>

const giftOf = ({ donations }: Services, { organisation_id, purpose, subject_id }: Charge) =>
  Option.match(purpose === "donation" ? readDonation(subject_id) : Option.none(), {
    onNone: () => Effect.succeed<Donation | null>(null),
    onSome: (id) => Effect.map(donations.findForUpdate(organisation_id, id), Option.getOrNull)
  })

const paidFor = (services: Services, charge: Charge, organisation: Organisation) =>
  charge.purpose === "invoice"
    ? services.renewalOf(charge, organisation)
    : Effect.map(giftOf(services, charge), (gift): GiftOfCharge => ({ gift, renewal: null }))

/** The records of a charge, beside what it pays. Most charges have none. */
const stateOf = Effect.fnUntraced(function* ({ charges, disputes, exceptions, refunds }: Services, charge: Charge) {
  const { id, organisation_id } = charge
  const has = yield* charges.attached(organisation_id, id)
  const opened = has.exceptions ? yield* exceptions.ofCharge(organisation_id, id) : []
  const state: ChargeState = {
    charge,
    refunds: has.refunds ? yield* refunds.ofCharge(organisation_id, id) : [],
    disputes: has.disputes ? yield* disputes.ofCharge(organisation_id, id) : [],
    isLate: opened.some(({ kind }) => kind === "late_success"),
    isMismatched: opened.some(({ kind }) => kind === "mismatch")
  }
  return state
})

const hold = Effect.fnUntraced(function* (services: Services, organisation: Organisation, id: ChargeId) {
  const charge = yield* services.charges.findForUpdate(organisation.id, id)
  if (Option.isNone(charge)) return Option.none()
  const { gift, renewal } = yield* paidFor(services, charge.value, organisation)
  const state: SettlementState = { ...(yield* stateOf(services, charge.value)), gift, renewal }
  return Option.some(state)
})

const placeIn = ({ processors }: Services, integration: Integration): ChargeAccount => ({
  integration,
  processor: processors.find(integration.processor)
})

const placeOf = (
  services: Services,
  { integration_id, organisation_id }: Charge
): Effect.Effect<Option.Option<ChargeAccount>> =>
  Effect.map(
    services.integrations.find(organisation_id, integration_id),
    Option.map((integration) => placeIn(services, integration))
  )

const of = Effect.fnUntraced(function* (services: Services, charge: Charge, integration?: Integration) {
  const { mandate_id, organisation_id } = charge
  const [state, organisation, place, mandate] = yield* Effect.all(
    [
      stateOf(services, charge),
      services.organisations.find(organisation_id),
      integration === undefined ? placeOf(services, charge) : Effect.succeedSome(placeIn(services, integration)),
      mandate_id === null ? Effect.succeedNone : services.mandates.find(organisation_id, mandate_id)
    ],
    { concurrency: "unbounded" }
  )
  return Option.map(
    Option.all({ organisation, place }),
    ({ organisation, place }): LoadedCharge => ({ state, organisation, ...place, mandate: Option.getOrNull(mandate) })
  )
})

const find = Effect.fnUntraced(function* (services: Services, organisation_id: OrganisationId, id: ChargeId) {
  const charge = yield* services.charges.find(organisation_id, id)
  return Option.isNone(charge) ? Option.none() : yield* of(services, charge.value)
})

/** Loads charges with all their records. */
export const makeChargeLoader = Effect.map(services, (services) => ({
  /** Everything that is compared of a charge; none where there is no such charge. */
  find: (organisation_id: OrganisationId, id: ChargeId) => find(services, organisation_id, id),
  /** The charge's state with what it pays, locked until the transaction ends: first the charge and then its gift. */
  lock: (organisation: Organisation, id: ChargeId) => hold(services, organisation, id),
  /** Everything that is compared of a charge that was read, and whose account may have been, too; none where one is not there. */
  of: (charge: Charge, integration?: Integration) => of(services, charge, integration),
  placeOf: (charge: Charge) => placeOf(services, charge)
}))
