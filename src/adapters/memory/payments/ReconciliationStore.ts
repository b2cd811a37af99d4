import { DateTime, Effect, HashMap, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import * as Refund from "../../../domain/giving/Refund.ts"
import type { CalendarDate } from "../../../domain/kernel/CalendarDate.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import { movedRule, returningRule, statedRule, underWayRule } from "../../../domain/payments/Disagreement.ts"
import { balancesOf, type LedgerEntry } from "../../../domain/payments/Ledger.ts"
import { isExpected } from "../../../domain/payments/PollPlan.ts"
import {
  type BookSums,
  dayIn,
  never,
  type Position,
  type StatementSums
} from "../../../domain/payments/Reconciliation.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import type { Movement } from "../../../ports/payments/ProcessorStatements.ts"
import { type MetCharge, ReconciliationStore, type Side } from "../../../ports/payments/ReconciliationStore.ts"
import { type Change, storeOf } from "../Memory.ts"
import { every, get, type KeptReconciliation, put, records, type State, where } from "../State.ts"

const keptIn = (state: State, organisation_id: string, integration_id: string): KeptReconciliation | null =>
  Option.getOrNull(get(state.reconciliations, organisation_id, integration_id))

const withKept = (state: State, kept: KeptReconciliation): State => {
  const { integration_id, organisation_id } = kept.reconciliation
  return { ...state, reconciliations: put(state.reconciliations, organisation_id, integration_id, kept) }
}

const chargesOf = (state: State, { id, organisation_id }: Integration): ReadonlyArray<Charge> =>
  where(state.charges, organisation_id, ({ integration_id }) => integration_id === id)

const isSilent = (state: State, charge: Charge): boolean => {
  const { id, organisation_id } = charge
  const of = <A extends { readonly charge_id: string | null }>(all: Iterable<A>) =>
    Array.from(all).filter(({ charge_id }) => charge_id === id)
  const raised = of(records(state.paymentExceptions, organisation_id))
  return (
    charge.look_at === null &&
    isExpected({
      charge,
      refunds: of(records(state.refunds, organisation_id)),
      disputes: of(records(state.disputes, organisation_id)),
      isLate: raised.some(({ kind }) => kind === "late_success"),
      isMismatched: false
    })
  )
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)

const metIn = (
  state: State,
  { processor, processor_connect_account_id }: Integration,
  isAsked: (charge: Charge) => boolean
): ReadonlyArray<MetCharge> =>
  every(state.charges)
    .filter((charge) => {
      const account = get(state.integrations, charge.organisation_id, charge.integration_id)
      return (
        isAsked(charge) &&
        Option.exists(
          account,
          (each) => each.processor === processor && each.processor_connect_account_id === processor_connect_account_id
        )
      )
    })
    .map(({ id, integration_id, organisation_id, reference }) => ({ id, integration_id, organisation_id, reference }))

const movementsOf = (state: State, { id }: Integration): ReadonlyArray<Movement> =>
  Option.match(HashMap.get(state.movements, id), { onNone: () => [], onSome: (kept) => HashMap.toValues(kept) })

const movedIn = (state: State, integration: Integration, side: Side, day: CalendarDate) => {
  const lines =
    side === "statement"
      ? movementsOf(state, integration).map(({ at, charge_reference, reference }) => ({
          at,
          key: reference,
          reference: charge_reference
        }))
      : Array.from(records(state.ledgerEntries, integration.organisation_id)).map(
          ({ at, cause, charge_id, id: key }) => {
            const charge =
              charge_id === null ? null : Option.getOrNull(get(state.charges, integration.organisation_id, charge_id))
            const isCompared = ["charge", "dispute", "refund", "reversal", "transfer"].includes(cause)
            const isIts = isCompared && charge?.integration_id === integration.id
            return { at, key: `${key}`, reference: isIts ? charge.reference : null }
          }
        )
  return lines
    .filter(({ at }) => dayIn(at) === day)
    .map(({ at, key, reference }) => ({ place: `${DateTime.formatIso(at)} ${key}`, reference }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
}

const sumOf = (cents: ReadonlyArray<number>): number => cents.reduce((sum, each) => sum + each, 0)

const theirsOf = (movements: ReadonlyArray<Movement>, currency: string | null): StatementSums => {
  const of = (kind: Movement["kind"]) =>
    sumOf(movements.filter((each) => each.kind === kind).map(({ amount_cents }) => amount_cents))
  return {
    taken_cents: of("charge"),
    refunded_cents: 0 - of("refund"),
    disputed_cents: 0 - of("dispute"),
    transferred_cents: 0 - of("transfer"),
    other_cents: of("other"),
    fee_cents: sumOf(movements.map(({ fee_cents }) => fee_cents)),
    foreign: currency === null ? 0 : movements.filter((each) => each.currency !== currency).length
  }
}

/** The parts of a charge that its processor brought on, and those on their way: what people move is on no statement. */
const onwardOf = (state: State, charge: Charge | null) => {
  const own =
    charge === null ? [] : where(state.transferAttempts, charge.organisation_id, (each) => each.charge_id === charge.id)
  const stated = own.filter((each) => Rule.holds(statedRule, each))
  const sum = (rule: Rule.Rule<"status" | "reversed_id">, back: 1 | -1) =>
    sumOf(
      stated
        .filter((each) => Rule.holds(rule, each))
        .map(({ amount_cents, reversed_id }) => (reversed_id === null ? amount_cents : back * amount_cents))
    )
  return {
    transferred_cents: sum(movedRule, -1),
    transferring_cents: sum(underWayRule, 1),
    reversing_cents: sum(returningRule, 1)
  }
}

const bookedOf = (state: State, charge: Charge | null): BookSums => {
  if (charge === null) {
    return {
      taken_cents: 0,
      refunded_cents: 0,
      refunding_cents: 0,
      disputed_cents: 0,
      fee_cents: 0,
      ...onwardOf(state, null)
    }
  }
  const { id, organisation_id } = charge
  const entries = where(state.ledgerEntries, organisation_id, ({ charge_id }) => charge_id === id)
  const caused = (cause: LedgerEntry["cause"]) => balancesOf(entries.filter((each) => each.cause === cause))
  const [charges, disputes, refunds] = [caused("charge"), caused("dispute"), caused("refund")]
  return {
    taken_cents: sumOf(
      entries
        .filter(
          ({ cause, from_account }) => cause === "charge" && (from_account === "donor" || from_account === "unmatched")
        )
        .map(({ amount_cents }) => amount_cents)
    ),
    refunded_cents: Number(refunds.donor),
    refunding_cents: sumOf(
      where(
        state.refunds,
        organisation_id,
        (refund) => refund.charge_id === id && Rule.holds(Refund.pendingRule, refund)
      ).map(({ amount_cents }) => amount_cents)
    ),
    disputed_cents: Number(disputes.donor + disputes.disputed),
    fee_cents: Number(charges.processor_fees + disputes.processor_fees),
    ...onwardOf(state, charge)
  }
}

const positionIn = (state: State, integration: Integration, reference: string): Position => {
  const charge = chargesOf(state, integration).find((each) => each.reference === reference) ?? null
  const movements = movementsOf(state, integration).filter(({ charge_reference }) => charge_reference === reference)
  return {
    reference,
    charge_id: charge?.id ?? null,
    theirs: theirsOf(movements, charge?.currency ?? null),
    booked: bookedOf(state, charge)
  }
}

const isFree = (kept: KeptReconciliation | null, holder: string, now: DateTime.Utc): boolean =>
  kept?.lease == null || kept.lease.holder === holder || DateTime.isLessThanOrEqualTo(kept.lease.until, now)

const claimed = (
  state: State,
  [organisation_id, integration_id]: readonly [Integration["organisation_id"], Integration["id"]],
  lease: { readonly holder: string; readonly until: DateTime.Utc },
  now: DateTime.Utc
): Change<Option.Option<KeptReconciliation["reconciliation"]>, never> => {
  const kept = keptIn(state, organisation_id, integration_id)
  if (!isFree(kept, lease.holder, now)) return Result.succeed([Option.none(), state])
  const reconciliation = kept?.reconciliation ?? never(organisation_id, integration_id)
  return Result.succeed([Option.some(reconciliation), withKept(state, { reconciliation, lease })])
}

type KeptMovement = Movement & { readonly reading: string }

const keptMovements = (state: State, integration: IntegrationId) =>
  Option.getOrElse(HashMap.get(state.movements, integration), () => HashMap.empty<string, KeptMovement>())

const withMovements = (state: State, integration: IntegrationId, movements: ReadonlyArray<KeptMovement>): State => {
  const known = keptMovements(state, integration)
  const all = HashMap.setMany(
    known,
    movements.map((each) => [each.reference, each])
  )
  return { ...state, movements: HashMap.set(state.movements, integration, all) }
}

const withoutUnread = (state: State, integration: IntegrationId, day: CalendarDate, reading: string): State => {
  const kept = keptMovements(state, integration)
  const left = HashMap.filter(kept, (each) => dayIn(each.at) !== day || each.reading === reading)
  return { ...state, movements: HashMap.set(state.movements, integration, left) }
}

/** How far accounts were reconciled, in memory. The clock is Effect's. */
export const layer = storeOf(ReconciliationStore, (memory) => ({
  claim: (organisation_id, integration_id, holder, lease) =>
    Effect.flatMap(realNow, (now) =>
      memory.decide((state) =>
        claimed(state, [organisation_id, integration_id], { holder, until: addTime(now, lease) }, now)
      )
    ),
  save: (reconciliation, holder, lease) =>
    Effect.flatMap(realNow, (now) =>
      memory.decide((state): Change<boolean, never> => {
        const kept = keptIn(state, reconciliation.organisation_id, reconciliation.integration_id)
        if (kept?.lease?.holder !== holder) return Result.succeed([false, state])
        const until = addTime(now, lease)
        return Result.succeed([true, withKept(state, { reconciliation, lease: { holder, until } })])
      })
    ),
  release: (organisation_id, integration_id, holder) =>
    memory.change((state) => {
      const kept = keptIn(state, organisation_id, integration_id)
      return kept?.lease?.holder === holder ? withKept(state, { ...kept, lease: null }) : state
    }),
  silent: (integration, after, limit) =>
    memory.read((state) =>
      chargesOf(state, integration)
        .filter((charge) => (after === null || charge.id > after) && isSilent(state, charge))
        .toSorted(byId)
        .slice(0, limit)
        .map(({ created_at, id, reference }) => ({ created_at, id, reference }))
    ),
  met: (integration, references, ids) =>
    memory.read((state) =>
      metIn(
        state,
        integration,
        ({ id, reference }) => (reference !== null && references.includes(reference)) || ids.includes(id)
      )
    ),
  keep: ({ id }, movements, reading) =>
    memory.change((state) =>
      withMovements(
        state,
        id,
        movements.map((each) => ({ ...each, reading }))
      )
    ),
  finish: ({ id }, day, reading) => memory.change((state) => withoutUnread(state, id, day, reading)),
  moved: (integration, side, day, page, limit) =>
    memory.read((state) => {
      const rest = movedIn(state, integration, side, day).filter(({ place }) => page === null || place > page)
      const lines = rest.slice(0, limit)
      return {
        data: [...new Set(lines.flatMap(({ reference }) => (reference === null ? [] : [reference])))],
        next: lines.length < limit ? null : (lines.at(-1)?.place ?? null)
      }
    }),
  positions: (integration, references) =>
    memory.read((state) => references.map((reference) => positionIn(state, integration, reference))),
  first: (integration) =>
    memory.read((state) =>
      Option.map(
        Option.fromNullishOr(
          chargesOf(state, integration).toSorted((a, b) => DateTime.Order(a.created_at, b.created_at))[0]
        ),
        ({ created_at }) => created_at
      )
    )
}))
