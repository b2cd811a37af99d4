import { DateTime, Order, Schema, Struct } from "effect"
import { Donation, undeletedRule } from "../giving/Donation.ts"
import { type CalendarDate, dayOf } from "../kernel/CalendarDate.ts"
import type { DonationId } from "../kernel/Ids.ts"
import * as Rule from "../kernel/Rule.ts"
import type { Assessment } from "./Disclosure.ts"
import {
  actionDueAt,
  type Duty,
  type DutyEnd,
  type DutyKind,
  dueAtOf,
  type ElectionPhase,
  earlierOf,
  isFulfilled,
  isOpen,
  type LodgedGift,
  noticeDueAt,
  type Occasion,
  returnDueAt
} from "./Duty.ts"
import { crosses, type Period, type Regime } from "./Regime.ts"

const { every, is } = Rule.rulesOf<Donation>()

/** A gift as far as disclosures go by it, with the jurisdiction that its revenue code is assigned to. */
export const AssignedGift = Donation.mapFields((fields) => ({
  ...Struct.pick(fields, [
    "amount_cents",
    "currency",
    "deleted_at",
    "donation_date",
    "donation_day",
    "donation_type",
    "donor_id",
    "id",
    "refunded_amount_cents",
    "status"
  ]),
  jurisdiction: Schema.NullOr(Schema.String)
}))
export type AssignedGift = typeof AssignedGift.Type

/** Gifts that may count, whatever their codes. */
export const countableRule = every(is("status", "CONFIRMED"), undeletedRule)

/** The span over which gifts are added up, and the law that does it. */
export interface Reach {
  readonly regime: Regime
  readonly period: Period
}

/**
 * Whether a gift counts toward a threshold: CONFIRMED, in the regime's currency, under a revenue code of the jurisdiction,
 * and given within the period by the organisation's calendar. law, section 3.
 */
export const counts = (gift: AssignedGift, { period, regime }: Reach): boolean =>
  gift.status === "CONFIRMED" &&
  gift.deleted_at === null &&
  gift.currency === regime.currency &&
  gift.jurisdiction === regime.jurisdiction &&
  period.starts_on <= gift.donation_day &&
  gift.donation_day <= period.ends_on

/** The amount of a gift that counts, minor units: gross, what went back taken off. */
export const countedCents = ({
  amount_cents,
  refunded_amount_cents
}: Pick<AssignedGift, "amount_cents" | "refunded_amount_cents">): number => amount_cents - refunded_amount_cents

const byGiving = Order.Struct({ donation_day: Order.String, donation_date: DateTime.Order, id: Order.String })

/** The gifts that count, in the order in which they were given. */
export const countedGifts = (gifts: ReadonlyArray<AssignedGift>, reach: Reach): ReadonlyArray<AssignedGift> =>
  gifts.filter((gift) => counts(gift, reach)).toSorted(byGiving)

/** The sum of gifts, minor units. */
export const sumOf = (gifts: ReadonlyArray<AssignedGift>): number =>
  gifts.reduce((sum, gift) => sum + countedCents(gift), 0)

/** The gift that takes the sum over a line; undefined where none does. */
const crossingGift = (
  gifts: ReadonlyArray<AssignedGift>,
  isOver: (total_cents: number) => boolean
): AssignedGift | undefined => {
  let total = 0
  for (const gift of gifts) {
    total += countedCents(gift)
    if (isOver(total)) return gift
  }
  return undefined
}

/**
 * The gifts from the day on that takes the sum over a line; none where nothing does. The gifts of one day are judged
 * together, so that their order changes nothing.
 */
export const giftsFromCrossing = (
  gifts: ReadonlyArray<AssignedGift>,
  isOver: (total_cents: number) => boolean
): ReadonlyArray<AssignedGift> => {
  const crossing = crossingGift(gifts, isOver)
  return crossing === undefined ? [] : gifts.filter((gift) => gift.donation_day >= crossing.donation_day)
}

/** Everything that a donor's duties of a period follow from. */
export interface Facts extends Reach {
  /** The donor's gifts that count, in their order. */
  readonly gifts: ReadonlyArray<AssignedGift>
  /** The caps of the period with the gifts that count toward each, in the order of their days; none where the law has none. */
  readonly caps: ReadonlyArray<{ readonly cap_cents: number; readonly gifts: ReadonlyArray<AssignedGift> }>
  readonly phaseOf: (day: CalendarDate) => ElectionPhase
  readonly timezone: string
  readonly at: DateTime.Utc
}

interface Wanted {
  readonly kind: DutyKind
  readonly donation_id: DonationId | null
  readonly due_at: DateTime.Utc | null
}

const occasionOf = ({ phaseOf, timezone }: Facts, { donation_date, donation_day }: AssignedGift): Occasion => ({
  day: donation_day,
  at: donation_date,
  phase: phaseOf(donation_day),
  timezone
})

const wantedNotices = (facts: Facts): ReadonlyArray<Wanted> => {
  const { gifts, period, regime, timezone } = facts
  const crossing = giftsFromCrossing(gifts, (total) => crosses(regime, total))
  if (crossing.length === 0) return []
  const notices =
    regime.notice === null
      ? []
      : crossing.map((gift): Wanted => {
          return { kind: "NOTICE", donation_id: gift.id, due_at: noticeDueAt(regime, occasionOf(facts, gift)) }
        })
  if (regime.returns.length === 0) return notices
  return [...notices, { kind: "RETURN", donation_id: null, due_at: returnDueAt(regime, period.ends_on, timezone) }]
}

const wantedActions = (facts: Facts): ReadonlyArray<Wanted> => {
  const { caps, period, regime } = facts
  return caps
    .flatMap(({ cap_cents, gifts }) => giftsFromCrossing(gifts, (total) => total > cap_cents))
    .filter(({ donation_day }) => period.starts_on <= donation_day && donation_day <= period.ends_on)
    .map((gift) => ({ kind: "ACTION", donation_id: gift.id, due_at: actionDueAt(regime, occasionOf(facts, gift)) }))
}

/** A gift as far as an authority is told of it. */
export type TellableGift = Pick<
  AssignedGift,
  "amount_cents" | "donation_day" | "donor_id" | "id" | "refunded_amount_cents"
>

/** A gift as the authority would be told of it now. */
const tellingOf = (gift: TellableGift): LodgedGift => ({
  donation_id: gift.id,
  donor_id: gift.donor_id,
  donation_day: gift.donation_day,
  cents: countedCents(gift)
})

const isTold = (lodged: LodgedGift, now: LodgedGift | undefined): boolean =>
  now?.cents === lodged.cents && now.donation_day === lodged.donation_day && now.donor_id === lodged.donor_id

const laterDay = Order.max<CalendarDate>(Order.String)
const earlierDay = Order.min<CalendarDate>(Order.String)

/**
 * An amendment is due as the notice of a gift of its moment would be, and where the law asks for returns alone with the next
 * return: the law names no term of its own.
 */
const amendmentDueAt = ({ period, phaseOf, regime, timezone }: Facts, at: DateTime.Utc): DateTime.Utc | null => {
  const day = dayOf(at, timezone)
  const notice = noticeDueAt(regime, { day, at, phase: phaseOf(day), timezone })
  return notice ?? returnDueAt(regime, laterDay(period.ends_on, day), timezone)
}

/**
 * Amendments of what was lodged: of gifts that were refunded, reversed, dated or coded otherwise, or moved to another donor,
 * and of gifts that were recorded since, which no notice of their own tells of.
 */
const wantedAmendments = (
  facts: Facts,
  lodged: ReadonlyArray<LodgedGift>,
  notices: ReadonlyArray<Wanted>
): ReadonlyArray<Wanted> => {
  if (lodged.length === 0) return []
  const { at, gifts, regime } = facts
  const now = new Map(gifts.map((gift) => [gift.id, tellingOf(gift)]))
  const due_at = amendmentDueAt(facts, at)
  const different = lodged
    .filter((gift) => !isTold(gift, now.get(gift.donation_id)))
    .map(({ donation_id }) => donation_id)
  const told = new Set([...lodged, ...notices].map(({ donation_id }) => donation_id))
  const untold = crosses(regime, sumOf(gifts)) ? gifts.map(({ id }) => id).filter((id) => !told.has(id)) : []
  return [...different, ...untold].map((donation_id) => ({ kind: "AMENDMENT", donation_id, due_at }))
}

const causeOf = ({ donation_id, kind }: Pick<Wanted, "donation_id" | "kind">): string => `${kind} ${donation_id}`

/** A duty that is over. */
export const closedDuty = (duty: Duty, end: DutyEnd, at: DateTime.Utc): Duty => ({ ...duty, end, closed_at: at })

/** The duties as they are to be. Each is looked up by its cause: a donor may have given thousands of times. */
const nextDuties = (
  duties: ReadonlyArray<Duty>,
  lodged: ReadonlySet<string>,
  wanted: ReadonlyArray<Wanted>,
  facts: Facts
): ReadonlyArray<Duty> => {
  const { at } = facts
  const causes = new Map(wanted.map((each) => [causeOf(each), each]))
  const kept = duties.map((duty) => {
    if (!isOpen(duty)) return duty
    const cause = causes.get(causeOf(duty))
    if (cause === undefined) return closedDuty(duty, "NOT_NEEDED", at)
    // An election that is called later only makes a duty more urgent.
    const due_at = duty.kind === "AMENDMENT" ? amendmentDueAt(facts, duty.opened_at) : cause.due_at
    return { ...duty, due_at: earlierOf(duty.due_at, due_at) }
  })
  const open = new Set(kept.filter(isOpen).map(causeOf))
  const fulfilled = new Set(kept.filter(isFulfilled).map(causeOf))
  /** Whether it was fulfilled for good: what a notice told of is amended from then on, and an amendment may follow another. */
  const isDone = (each: Wanted): boolean => {
    if (each.kind === "AMENDMENT") return false
    return each.kind === "NOTICE" ? lodged.has(each.donation_id ?? "") : fulfilled.has(causeOf(each))
  }
  const opened = wanted
    .filter((each) => !open.has(causeOf(each)) && !isDone(each))
    .map(
      ({ donation_id, due_at, kind }, index): Duty => ({
        number: kept.length + index + 1,
        kind,
        donation_id,
        due_at,
        opened_at: at,
        closed_at: null,
        end: null,
        lodged_on: null,
        reference: null,
        note: null
      })
    )
  return [...kept, ...opened]
}

/** What is known of a donor's period before it is assessed. */
export interface Background {
  readonly crossed_at: DateTime.Utc | null
  readonly duties: ReadonlyArray<Duty>
  readonly lodged_gifts: ReadonlyArray<LodgedGift>
  readonly lodgement_reference: string | null
}

/** The background of a period of which nothing was asked. */
export const unknownBackground: Background = {
  crossed_at: null,
  duties: [],
  lodged_gifts: [],
  lodgement_reference: null
}

/**
 * What is known of a donor's period once another was merged into this one: what the authority was told of the other's gifts, what
 * was done about them, and what is still to be done by its day.
 */
export const carry = (before: Background, former: Background): Background => {
  const open = new Set(before.duties.filter(isOpen).map(causeOf))
  const carried = former.duties.filter(
    (duty) => duty.donation_id !== null && (isOpen(duty) || duty.end === "ACTED") && !open.has(causeOf(duty))
  )
  const { length } = before.duties
  return {
    ...before,
    lodged_gifts: [...before.lodged_gifts, ...former.lodged_gifts],
    duties: [...before.duties, ...carried.map((duty, index) => ({ ...duty, number: length + index + 1 }))]
  }
}

/**
 * A donor's sums and duties of a period as they are to be, from the gifts that count now and from what was lodged before.
 * Null where nothing was asked of the organisation, and nothing is. law, section 4.
 */
export const assess = (facts: Facts, before: Background): Assessment | null => {
  const { at, gifts, regime } = facts
  const { lodged_gifts, lodgement_reference } = before
  const notices = wantedNotices(facts)
  const wanted = [...notices, ...wantedActions(facts), ...wantedAmendments(facts, lodged_gifts, notices)]
  const lodged = new Set(lodged_gifts.map(({ donation_id }) => donation_id))
  const duties = nextDuties(before.duties, lodged, wanted, facts)
  if (duties.length === 0) return null
  const crossing = crossingGift(gifts, (total) => crosses(regime, total))
  const cap = facts.caps.at(-1)
  return {
    regime,
    threshold_cents: regime.threshold_cents,
    comparison: regime.comparison,
    total_cents: sumOf(gifts),
    cap_cents: cap?.cap_cents ?? null,
    cap_used_cents: cap === undefined ? null : sumOf(cap.gifts),
    in_kind_cents: sumOf(gifts.filter(({ donation_type }) => donation_type === "IN_KIND")),
    crossed_at: crossing?.donation_date ?? before.crossed_at ?? gifts.at(-1)?.donation_date ?? at,
    due_at: dueAtOf(duties),
    donation_ids: gifts.map(({ id }) => id),
    duties,
    lodged_gifts,
    lodgement_reference
  }
}

/** A lodging with the authority: its reference, its day, and the instant at which staff said so. */
export interface Lodgement {
  readonly reference: string
  readonly on: CalendarDate
  readonly at: DateTime.Utc
}

/**
 * A duty that came to be after the day on which it is said to have been lodged, and its own day: that of its gift, now or as the
 * authority was told, the earlier one; without a gift that of the crossing. Undefined where there is none.
 */
export const dutyAfter = (
  { crossed_at, duties, lodged_gifts }: Assessment,
  numbers: ReadonlySet<number>,
  gifts: ReadonlyArray<TellableGift>,
  { on, timezone }: { readonly on: CalendarDate; readonly timezone: string }
): { readonly day: CalendarDate; readonly number: number } | undefined => {
  const days = new Map<DonationId | null, CalendarDate>(gifts.map(({ donation_day, id }) => [id, donation_day]))
  for (const { donation_day, donation_id } of lodged_gifts) {
    days.set(donation_id, earlierDay(donation_day, days.get(donation_id) ?? donation_day))
  }
  const crossed = dayOf(crossed_at, timezone)
  return duties
    .map(({ donation_id, number }) => ({ number, day: days.get(donation_id) ?? crossed }))
    .find(({ day, number }) => numbers.has(number) && day > on)
}

/**
 * The assessment once duties were lodged: they are over, and the authority knows the gifts that no open duty is left of. It
 * was told what the disclosure said, also of gifts that do not count any more since a code was assigned otherwise: the recount
 * that follows asks for their amendment.
 */
export const lodge = (
  before: Assessment,
  numbers: ReadonlySet<number>,
  gifts: ReadonlyArray<TellableGift>,
  { at, on, reference }: Lodgement
): Assessment => {
  const duties = before.duties.map((duty) =>
    numbers.has(duty.number) ? { ...closedDuty(duty, "LODGED", at), lodged_on: on, reference } : duty
  )
  const waiting = new Set(
    duties.filter((duty) => isOpen(duty) && duty.kind !== "ACTION").map(({ donation_id }) => donation_id)
  )
  const told = new Map<DonationId | null, LodgedGift>(before.lodged_gifts.map((gift) => [gift.donation_id, gift]))
  // The authority was told of a gift that counts no more.
  for (const { donation_id, number } of duties) if (numbers.has(number)) told.delete(donation_id)
  // Of a gift that the disclosure does not name yet nobody was told: it is recounted after a code was assigned otherwise.
  const named = new Set(before.donation_ids)
  for (const gift of gifts) if (named.has(gift.id) && !waiting.has(gift.id)) told.set(gift.id, tellingOf(gift))
  return {
    ...before,
    duties,
    due_at: dueAtOf(duties),
    lodged_gifts: [...told.values()],
    lodgement_reference: reference
  }
}

/** The duties once one over the cap was acted on, with what staff wrote about it. */
export const act = (before: Assessment, number: number, note: string, at: DateTime.Utc): Assessment => {
  const duties = before.duties.map((duty) =>
    duty.number === number ? { ...closedDuty(duty, "ACTED", at), note } : duty
  )
  return { ...before, duties, due_at: dueAtOf(duties) }
}

/** The assessment of a donor who was merged into another: what is open moves there. */
export const moveDuties = (before: Assessment, at: DateTime.Utc): Assessment => {
  const duties = before.duties.map((duty) => (isOpen(duty) ? closedDuty(duty, "MOVED", at) : duty))
  return { ...before, duties, due_at: null }
}
