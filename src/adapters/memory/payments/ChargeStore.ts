import { DateTime, Effect, Option, Queue, Struct } from "effect"
import type { ChargeId } from "../../../domain/kernel/Ids.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { receivedCents } from "../../../domain/payments/BankTransfer.ts"
import { awaitedTransferRule, type Charge, lapsedTransferRule, unendedRule } from "../../../domain/payments/Charge.ts"
import { undecidedRule } from "../../../domain/payments/Dispute.ts"
import { type AwaitedGift, payerNamesOf } from "../../../domain/payments/GiftCandidate.ts"
import { organisationNow, realNow } from "../../../ports/kernel/AheadClock.ts"
import { type AttachedKinds, ChargeStore, type GiftSearch } from "../../../ports/payments/ChargeStore.ts"
import { makeDueRecords, pollMillis, pollQueue, timeOf } from "../FairQueue.ts"
import { wordsOf } from "../giving/Stores.ts"
import { type Memory, storeFrom } from "../Memory.ts"
import { makeUniqueRecords, tableOf } from "../Records.ts"
import { every, get, records, type State, where } from "../State.ts"

const awaiting = pollQueue<Charge>(tableOf("charges"))

const lookNow = (state: State, charge: Charge, now: DateTime.Utc): State =>
  pollMillis(charge) <= DateTime.toEpochMillis(now) ? state : awaiting.written(state, { ...charge, look_at: now })

const firstOf = (charges: ReadonlyArray<Charge>, is: (charge: Charge) => boolean): Option.Option<Charge> =>
  Option.fromNullishOr(charges.find(is))

const isAwaited = (
  charge: Charge,
  { from, until }: { readonly from: DateTime.Utc; readonly until: DateTime.Utc }
): boolean => {
  const { created_at, ending } = charge
  const isIn = DateTime.isGreaterThanOrEqualTo(created_at, from) && DateTime.isLessThan(created_at, until)
  return isIn && ending === null && holds(awaitedTransferRule, charge)
}

const attached = (state: State, organisation_id: string, id: ChargeId): AttachedKinds => {
  const hangs = ({ charge_id }: { readonly charge_id: ChargeId | null }) => charge_id === id
  return {
    refunds: Array.from(records(state.refunds, organisation_id)).some(hangs),
    disputes: Array.from(records(state.disputes, organisation_id)).some(hangs),
    exceptions: Array.from(records(state.paymentExceptions, organisation_id)).some(hangs)
  }
}

const unsettled = (state: State, organisation_id: string, mandate_id: Charge["mandate_id"]): ReadonlyArray<Charge> => {
  const open = where(state.disputes, organisation_id, (each) => holds(undecidedRule, each))
  const disputed = new Set(open.map(({ charge_id }) => charge_id))
  return where(
    state.charges,
    organisation_id,
    (each) => each.mandate_id === mandate_id && (holds(unendedRule, each) || disputed.has(each.id))
  )
}

/** Who was to pay: the donor of the gift, or of the link to the set. */
const donorOf = (state: State, { organisation_id, subject_id }: Charge) => {
  const donorIds = [
    Option.map(get(state.donations, organisation_id, subject_id), ({ donor_id }) => donor_id),
    Option.map(get(state.payments, organisation_id, subject_id), ({ link_donor_id }) => link_donor_id)
  ]
  const found = Option.firstSomeOf(donorIds)
  return Option.flatMap(found, (id) => (id === null ? Option.none() : get(state.donors, organisation_id, id)))
}

const giftOf = (state: State, charge: Charge): AwaitedGift => {
  const donor = Option.getOrNull(donorOf(state, charge))
  const payment = Option.getOrNull(get(state.payments, charge.organisation_id, charge.subject_id))
  const payer = donor ?? payment?.submitted_donor
  const credits = where(state.credits, charge.organisation_id, ({ charge_id }) => charge_id === charge.id)
  return {
    ...Struct.pick(charge, ["integration_id", "amount_cents", "currency", "status", "reference", "created_at"]),
    charge_id: charge.id,
    received_cents: receivedCents(credits),
    donor_id: donor?.id ?? null,
    first_name: payer?.first_name ?? null,
    last_name: payer?.last_name ?? null,
    organisation_name: payer?.organisation_name ?? null
  }
}

const partPaidGifts = (state: State, organisation_id: string, limit: number): ReadonlyArray<AwaitedGift> =>
  where(state.charges, organisation_id, (charge) => holds(awaitedTransferRule, charge))
    .map((charge) => giftOf(state, charge))
    .filter(({ received_cents }) => received_cents > 0)
    .toSorted((a, b) => DateTime.Order(b.created_at, a.created_at))
    .slice(0, limit)

/** Transfers that a payment may be for, each with who was to make it. */
const awaitedGifts = (state: State, organisation_id: string, sought: GiftSearch): ReadonlyArray<AwaitedGift> => {
  const anew = new Set(Array.from(records(state.charges, organisation_id), ({ submission_id }) => submission_id))
  const isPayable = (charge: Charge): boolean =>
    sought.integrations.includes(charge.integration_id) &&
    charge.currency === sought.currency &&
    (holds(awaitedTransferRule, charge) ||
      (holds(lapsedTransferRule, charge) &&
        charge.ended_at !== null &&
        DateTime.isGreaterThanOrEqualTo(charge.ended_at, sought.lapsedSince) &&
        !anew.has(charge.id)))
  const gifts = where(state.charges, organisation_id, isPayable).map((charge) => {
    const donor = donorOf(state, charge)
    const words = Option.match(donor, { onNone: () => [], onSome: wordsOf })
    const said = sought.words.filter((word) => words.some((each) => each.startsWith(word)))
    return { charge, gift: giftOf(state, charge), count: said.length }
  })
  const most = (is: (each: (typeof gifts)[number]) => boolean) =>
    gifts
      .filter(is)
      .toSorted((a, b) => b.count - a.count || DateTime.Order(b.charge.created_at, a.charge.created_at))
      .slice(0, sought.limit)
  const found = [
    ...most(({ charge: { reference } }) => reference !== null && sought.references.includes(reference)),
    ...most(({ charge }) => charge.amount_cents === sought.amount_cents),
    ...most(({ count }) => count > 0),
    ...most(({ gift }) => gift.donor_id === null && payerNamesOf(gift).some((name) => sought.names.includes(name)))
  ]
  return Array.from(new Set(found), ({ gift }) => gift)
}

const giftsIn = (memory: Memory["Service"]): Pick<ChargeStore["Service"], "awaitedGifts" | "partPaidGifts"> => ({
  awaitedGifts: (organisation_id, sought) => memory.read((state) => awaitedGifts(state, organisation_id, sought)),
  partPaidGifts: (organisation_id, limit) => memory.read((state) => partPaidGifts(state, organisation_id, limit))
})

/** Charges in memory. The store's clock is Effect's. */
export const layer = storeFrom(ChargeStore, function* (memory) {
  const hints = yield* Queue.sliding<void>(1)
  const first = (organisation_id: string, is: (charge: Charge) => boolean) =>
    memory.read((state) => firstOf(Array.from(records(state.charges, organisation_id)), is))
  const anywhere = (is: (charge: Charge) => boolean) => memory.read((state) => firstOf(every(state.charges), is))
  const lookAt = (organisation_id: string, found: (state: State) => ReadonlyArray<Charge>) =>
    Effect.andThen(
      Effect.flatMap(realNow, (now) =>
        memory.change((state) =>
          found(state).reduce((all, each) => lookNow(all, each, timeOf(state, now, organisation_id)), state)
        )
      ),
      memory.afterCommit(Effect.asVoid(Queue.offer(hints, undefined)))
    )

  return {
    ...makeUniqueRecords(memory, {
      ...tableOf("charges"),
      unique: [
        { value: ({ submission_id }) => submission_id, record: "charge", field: "submission_id" },
        {
          value: ({ integration_id, reference }) => (reference === null ? null : `${integration_id} ${reference}`),
          record: "charge",
          field: "reference"
        }
      ]
    }),
    now: organisationNow,
    ofSubmission: (organisation_id, submission_id) =>
      first(organisation_id, (charge) => charge.submission_id === submission_id),
    ofId: (id) => anywhere((each) => each.id === id),
    ofProcessor: (processor, reference) =>
      memory.read((state) =>
        every(state.charges).filter(
          (each) =>
            each.reference === reference &&
            Option.exists(
              get(state.integrations, each.organisation_id, each.integration_id),
              (integration) => integration.processor === processor
            )
        )
      ),
    ofReference: (integration_id, reference) =>
      anywhere((each) => each.integration_id === integration_id && each.reference === reference),
    ofIds: (organisation_id, ids) =>
      memory.read((state) => ids.flatMap((id) => Option.toArray(get(state.charges, organisation_id, id)))),
    ofReferences: (organisation_id, integrations, references) =>
      memory.read(({ charges }) => {
        const [accounts, wanted] = [new Set(integrations), new Set(references)]
        const isAsked = ({ integration_id, reference }: Charge) =>
          accounts.has(integration_id) && wanted.has(reference ?? "")
        return where(charges, organisation_id, isAsked)
      }),
    attached: (organisation_id, id) => memory.read((state) => attached(state, organisation_id, id)),
    unsettledOf: (organisation_id, mandate_id) => memory.read((state) => unsettled(state, organisation_id, mandate_id)),
    lookNow: (organisation_id, id) =>
      lookAt(organisation_id, (state) => Option.toArray(get(state.charges, organisation_id, id))),
    lookAtTransfers: (organisation_id, integrations, submitted) =>
      lookAt(organisation_id, (state) =>
        where(
          state.charges,
          organisation_id,
          (each) => integrations.includes(each.integration_id) && isAwaited(each, submitted)
        )
      ),
    ...giftsIn(memory),
    ...makeDueRecords(memory, awaiting),
    wait: Queue.take(hints)
  }
})
