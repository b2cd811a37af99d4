import { type DateTime, Effect, Option, Schema } from "effect"
import type { Actor } from "../../../domain/access/Caller.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as Assessment from "../../../domain/compliance/Assessment.ts"
import * as Disclosure from "../../../domain/compliance/Disclosure.ts"
import { electionAt } from "../../../domain/compliance/Election.ts"
import { pendingCents } from "../../../domain/compliance/PendingGift.ts"
import {
  type CapPeriod,
  capOn as capOnDay,
  capsOf as capsOfKind,
  crosses,
  type Period,
  periodOf,
  Regime,
  regimeOn,
  usualKind
} from "../../../domain/compliance/Regime.ts"
import { type CalendarDate, dayOf, firstDay, lastDay } from "../../../domain/kernel/CalendarDate.ts"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { birth, decide } from "../../../domain/kernel/Machine.ts"
import { addDays } from "../../../domain/kernel/Schedule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { CapStore, type Giver } from "../../../ports/compliance/CapStore.ts"
import { type DisclosureSpan, DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import { ElectionStore } from "../../../ports/compliance/ElectionStore.ts"
import { InstallationRegimes } from "../../../ports/compliance/InstallationRegimes.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { actingIn } from "../../access/caller/CallerContext.ts"
import { ChangeLog, type Emission } from "../../access/change/Change.ts"

const keeper: Actor = { type: "SYSTEM", id: "compliance" }

const services = Effect.gen(function* () {
  const { elections: ofFile, regimes } = yield* InstallationRegimes
  return {
    store: yield* DisclosureStore,
    caps: yield* CapStore,
    elections: yield* ElectionStore,
    ofFile,
    regimes,
    organisations: yield* OrganisationStore,
    changeLog: yield* ChangeLog,
    tokens: yield* Tokens
  } as const
})
type Services = Effect.Success<typeof services>

/** The gifts that are assessed together: a donor's of a period in a jurisdiction. */
export interface Span {
  readonly donor_id: DonorId
  readonly jurisdiction: string
  readonly reach: Assessment.Reach
}

/** The organisation and the moment of an assessment. */
export interface AssessmentContext {
  readonly organisation: Organisation
  readonly at: DateTime.Utc
  /** The disclosure of a donor who was merged into this one. */
  readonly former?: Disclosure.Disclosure | undefined
  /** A gift as it is about to be written. */
  readonly written?: Assessment.AssignedGift
}

const organisationOf = Effect.fnUntraced(function* ({ organisations }: Services, id: OrganisationId) {
  const found = yield* organisations.find(id)
  if (Option.isNone(found)) return yield* Effect.die(new Error(`There is no organisation ${id}`))
  return found.value
})

/** The law of a jurisdiction on a day, and the period that the day lies in; null where none is known. */
const reachOf = (
  regimes: ReadonlyArray<Regime>,
  jurisdiction: string | null,
  day: CalendarDate
): Assessment.Reach | null => {
  const regime = jurisdiction === null ? undefined : regimeOn(regimes, jurisdiction, day)
  const period = regime === undefined ? undefined : periodOf(regime, day)
  return regime === undefined || period === undefined ? null : { regime, period }
}

/**
 * The span of a disclosure, with the law that judges it on a day: once its period has ended, the one that judged it; for
 * one whose period a change of the data has cut otherwise, one without days, since its gifts count in another. law, section 2.
 */
const spanOf = (regimes: ReadonlyArray<Regime>, disclosure: Disclosure.Disclosure, today: CalendarDate): Span => {
  const { donor_id, ends_on, jurisdiction, period: label, regime, starts_on } = disclosure
  const span = { donor_id, jurisdiction }
  if (ends_on < today) return { ...span, reach: { regime, period: { label, starts_on, ends_on } } }
  const present = reachOf(regimes, jurisdiction, starts_on)
  if (present?.period.starts_on === starts_on) return { ...span, reach: present }
  return { ...span, reach: { regime, period: { label, starts_on, ends_on: addDays(starts_on, -1) } } }
}

const tell = Effect.fnUntraced(function* (
  { changeLog, tokens }: Services,
  { organisation, at }: AssessmentContext,
  { id }: Disclosure.Disclosure,
  events: ReadonlyArray<Emission>
) {
  const request_id = yield* tokens.id("request")
  yield* changeLog
    .write({ operation: "disclosures.assess", subject_id: id, at, events })
    .pipe(actingIn(organisation, keeper, request_id))
})

/** The donor's gifts of a period, with the one that is about to be written. */
const giftsOf = (
  { store }: Services,
  donor_id: DonorId,
  { ends_on, starts_on }: Period,
  { organisation, written }: AssessmentContext
): Effect.Effect<ReadonlyArray<Assessment.AssignedGift>> => {
  const found = store.giftsOf(organisation.id, donor_id, starts_on, ends_on)
  return written === undefined
    ? found
    : Effect.map(found, (gifts) => [...gifts.filter(({ id }) => id !== written.id), written])
}

/** Whether gifts are over the threshold, or over the cap of some kind of donors. */
const isOverAny = (
  regime: Regime,
  sum_cents: number,
  caps: ReadonlyArray<{ readonly gifts: ReadonlyArray<Assessment.AssignedGift> }>
): boolean => {
  const used = caps.map(({ gifts }) => Assessment.sumOf(gifts))
  return crosses(regime, sum_cents) || regime.caps.some(({ cap_cents }) => used.some((cents) => cents > cap_cents))
}

const isSame = (a: Period, b: Period): boolean => a.starts_on === b.starts_on && a.ends_on === b.ends_on

/** Caps of a donor's period, each with the gifts that count toward it. */
const withGifts = (
  all: Services,
  { donor_id, reach }: Span,
  caps: ReadonlyArray<CapPeriod>,
  gifts: ReadonlyArray<Assessment.AssignedGift>,
  context: AssessmentContext
) =>
  Effect.forEach(caps, (cap) => {
    const { within } = cap
    const found = isSame(within, reach.period) ? Effect.succeed(gifts) : giftsOf(all, donor_id, within, context)
    return Effect.map(found, (given) => ({
      ...cap,
      gifts: Assessment.countedGifts(given, { ...reach, period: within })
    }))
  })

/**
 * Everything that the duties of a span follow from, as of now. Elections date notices and amendments, and a donor's kind has a cap
 * of its own: where there is no disclosure, and none begins, neither is looked for.
 */
const factsOf = Effect.fnUntraced(function* (
  all: Services,
  span: Span,
  context: AssessmentContext,
  isDisclosed: boolean
) {
  const { donor_id, reach } = span
  const { at, organisation } = context
  const gifts = Assessment.countedGifts(yield* giftsOf(all, donor_id, reach.period, context), reach)
  const caps = yield* withGifts(all, span, capsOfKind(reach, usualKind, all.regimes), gifts, context)
  const isAsked = isDisclosed || isOverAny(reach.regime, Assessment.sumOf(gifts), caps)
  const elections = isAsked ? [...all.ofFile, ...(yield* all.elections.all)] : []
  const kind = isAsked ? yield* all.caps.kindOf(organisation.id, donor_id) : usualKind
  const [own] = capsOfKind(reach, kind, all.regimes)
  const facts: Assessment.Facts = {
    ...reach,
    gifts,
    caps: own === undefined ? caps : caps.map((cap) => ({ ...cap, cap_cents: own.cap_cents })),
    phaseOf: (day) => electionAt(elections, span.jurisdiction, day),
    timezone: organisation.timezone,
    at
  }
  return facts
})

const isSameLaw = Schema.toEquivalence(Regime)

/** Makes a disclosure what it is to be, with its event; of one that shows the same only the law is kept by which it was judged. */
const settle = Effect.fnUntraced(function* (
  all: Services,
  before: Disclosure.Disclosure,
  next: Disclosure.Assessment,
  context: AssessmentContext,
  _tag = Disclosure.commandFor(before, next)
) {
  if (_tag === null) {
    const isKept = before.status === "SUPERSEDED" || isSameLaw(before.regime, next.regime)
    return isKept ? undefined : yield* all.store.update({ ...before, regime: next.regime })
  }
  const decided = decide(Disclosure.machine, before, { _tag, at: context.at, ...next })
  const { events, state } = yield* Effect.orDie(Effect.fromResult(decided))
  yield* all.store.update(state)
  yield* tell(all, context, state, events)
})

const bear = Effect.fnUntraced(function* (
  all: Services,
  { donor_id, jurisdiction, reach: { period } }: Span,
  next: Disclosure.Assessment,
  context: AssessmentContext
) {
  const { at, organisation } = context
  const id = yield* all.tokens.id("disclosure")
  const { events, state } = birth(
    Disclosure.machine,
    Disclosure.births.crossed,
    (status): Disclosure.Disclosure => ({
      ...next,
      id,
      organisation_id: organisation.id,
      donor_id,
      jurisdiction,
      period: period.label,
      starts_on: period.starts_on,
      ends_on: period.ends_on,
      status,
      completed_at: null,
      created_at: at,
      updated_at: at
    })
  )
  yield* all.store.insert(state)
  yield* tell(all, context, state, events)
})

const keyOf = ({ donor_id, jurisdiction, reach }: Span, { id }: Organisation): DisclosureSpan => ({
  organisation_id: id,
  donor_id,
  jurisdiction,
  starts_on: reach.period.starts_on
})

/**
 * Holds a span, and answers the writes that make its disclosure what the donor's gifts have it be: none where nothing is owed,
 * and nothing was.
 */
const judge = Effect.fnUntraced(function* (all: Services, span: Span, context: AssessmentContext) {
  const { at, former, organisation } = context
  const key = keyOf(span, organisation)
  yield* all.store.hold(key)
  const before = Option.getOrNull(yield* all.store.ofSpan(key))
  const judged = before === null ? span : spanOf(all.regimes, before, dayOf(at, organisation.timezone))
  const own = before ?? Assessment.unknownBackground
  const known = former === undefined ? own : Assessment.carry(own, former)
  const isDisclosed = known !== Assessment.unknownBackground
  const next = Assessment.assess(yield* factsOf(all, judged, context, isDisclosed), known)
  if (next === null) return Effect.void
  return before === null ? bear(all, judged, next, context) : settle(all, before, next, context)
})

/** A person whose gifts are added up toward a cap. */
export interface CapQuestion extends Omit<Span, "donor_id">, Giver {
  readonly day: CalendarDate
}

/**
 * The cap of a person on a day, what counts toward it and what is under way; null where the law has none. Of somebody who is no
 * donor yet nothing counts.
 */
const capOn = Effect.fnUntraced(function* (
  all: Services,
  { day, donor_id, reach, ...asked }: CapQuestion,
  context: AssessmentContext
) {
  const { organisation } = context
  const kind = donor_id === null ? usualKind : yield* all.caps.kindOf(organisation.id, donor_id)
  const cap = capOnDay(capsOfKind(reach, kind, all.regimes), day)
  if (cap === undefined) return null
  const pending = yield* all.caps.pendingGifts(organisation.id, { donor_id, email: asked.email })
  const gifts = donor_id === null ? [] : yield* giftsOf(all, donor_id, cap.within, context)
  const counted = Assessment.countedGifts(gifts, { ...reach, period: cap.within })
  return {
    ...cap,
    used_cents: Assessment.sumOf(counted),
    pending_cents: pendingCents(pending, reach, cap, organisation.timezone)
  }
})

/** Holds what every gift that counts toward the donor's cap on a day holds before it is written; the cap, where it spans other periods. */
const holdCap = Effect.fnUntraced(function* (
  all: Services,
  { donor_id, jurisdiction, reach }: Span,
  day: CalendarDate,
  { organisation }: Pick<AssessmentContext, "organisation">
) {
  const cap = capOnDay(capsOfKind(reach, usualKind, all.regimes), day)
  if (cap === undefined || isSame(cap.within, reach.period)) return null
  // Of two gifts of different periods at once the second sees the first, as of two of one period.
  yield* all.store.hold({
    organisation_id: organisation.id,
    donor_id,
    jurisdiction: `${jurisdiction} cap`,
    starts_on: cap.within.starts_on
  })
  return cap
})

/**
 * The spans whose duties a gift may change, in one order: its own, and those of the other periods over which gifts count toward
 * the same cap.
 */
const spansOf = Effect.fnUntraced(function* (all: Services, own: Span, day: CalendarDate, context: AssessmentContext) {
  const { donor_id, jurisdiction, reach } = own
  const cap = yield* holdCap(all, own, day, context)
  if (cap === null) return [own]
  const found = new Map([[reach.period.starts_on, own]])
  for (const gift of yield* giftsOf(all, donor_id, cap.within, context)) {
    const other = gift.jurisdiction === jurisdiction ? reachOf(all.regimes, jurisdiction, gift.donation_day) : null
    if (other !== null) found.set(other.period.starts_on, { ...own, reach: other })
  }
  return [...found].toSorted(([a], [b]) => compareCodePoints(a, b)).map(([, span]) => span)
})

/** Judges a gift that is about to be written: the writes that follow it. */
const judgeGift = Effect.fnUntraced(function* (
  all: Services,
  span: Span,
  day: CalendarDate,
  context: AssessmentContext
) {
  const spans = yield* spansOf(all, span, day, context)
  const writes = yield* Effect.forEach(spans, (each) => judge(all, each, context))
  return Effect.forEach(writes, (write) => write, { discard: true })
})

/** The jurisdiction and the period of a donor's disclosure. */
const spanKey = ({ jurisdiction, starts_on }: Pick<Disclosure.Disclosure, "jurisdiction" | "starts_on">): string =>
  `${jurisdiction} ${starts_on}`

/** The disclosures of a donor, whose spans are held: whoever lodges one, or acts on it, does so before or after. */
const holdDisclosures = Effect.fnUntraced(function* ({ store }: Services, id: OrganisationId, donor_id: DonorId) {
  const known = yield* store.ofDonor(id, donor_id)
  const inOrder = known.toSorted((a, b) => compareCodePoints(spanKey(a), spanKey(b)))
  yield* Effect.forEach(inOrder, store.hold, { discard: true })
  return yield* store.ofDonor(id, donor_id)
})

/**
 * Makes all disclosures of a donor what the gifts have them be; those of a donor who was merged into this one give what was
 * told, done and left to do of theirs.
 */
const assessDonor = Effect.fnUntraced(function* (
  all: Services,
  donor_id: DonorId,
  context: AssessmentContext,
  former: ReadonlyArray<Disclosure.Disclosure> = []
) {
  const { at, organisation } = context
  const today = dayOf(at, organisation.timezone)
  const gifts = yield* all.store.giftsOf(organisation.id, donor_id, firstDay, lastDay)
  const own = yield* all.store.ofDonor(organisation.id, donor_id)
  const spans = new Map<string, Span>()
  for (const disclosure of [...former, ...own]) {
    spans.set(spanKey(disclosure), { ...spanOf(all.regimes, disclosure, today), donor_id })
  }
  for (const { donation_day, jurisdiction } of gifts) {
    const reach = reachOf(all.regimes, jurisdiction, donation_day)
    if (jurisdiction === null || reach === null) continue
    const key = spanKey({ jurisdiction, starts_on: reach.period.starts_on })
    if (!spans.has(key)) spans.set(key, { donor_id, jurisdiction, reach })
  }
  for (const [key, span] of [...spans].toSorted(([a], [b]) => compareCodePoints(a, b))) {
    const theirs = former.find((each) => spanKey(each) === key)
    yield* Effect.flatten(judge(all, span, { ...context, former: theirs }))
  }
})

/**
 * Keeps disclosures as donors' gifts have them. Everything here runs in the transaction of the change that it follows, and
 * holds a span before it reads: of two gifts at once the second sees the first. law, section 4.
 */
export const makeDisclosureKeeper = Effect.map(services, (all) => ({
  judgeGift: (span: Span, day: CalendarDate, context: AssessmentContext) => judgeGift(all, span, day, context),
  assessDonor: (donor_id: DonorId, context: AssessmentContext, former?: ReadonlyArray<Disclosure.Disclosure>) =>
    assessDonor(all, donor_id, context, former),
  holdDisclosures: (id: OrganisationId, donor_id: DonorId) => holdDisclosures(all, id, donor_id),
  /** What a person's gifts come to that count toward the cap of a jurisdiction on a day, and those under way; null where there is no cap. */
  capOn: (asked: CapQuestion, context: AssessmentContext) => capOn(all, asked, context),
  /** Holds a donor's gifts of a day: of two that are judged or settled at once, the second sees the first. */
  holdGifts: Effect.fnUntraced(function* (span: Span, day: CalendarDate, organisation: Organisation) {
    yield* holdCap(all, span, day, { organisation })
    yield* all.store.hold(keyOf(span, organisation))
  }),
  organisationOf: (id: OrganisationId) => organisationOf(all, id),
  reachOf: (jurisdiction: string | null, day: CalendarDate) => reachOf(all.regimes, jurisdiction, day),
  settle: (...given: [Disclosure.Disclosure, Disclosure.Assessment, AssessmentContext, "Supersede"]) =>
    settle(all, ...given)
}))
