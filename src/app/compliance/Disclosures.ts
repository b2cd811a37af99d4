import { Effect, Option, Schema } from "effect"
import * as Assessment from "../../domain/compliance/Assessment.ts"
import * as Disclosure from "../../domain/compliance/Disclosure.ts"
import * as DisclosureExport from "../../domain/compliance/DisclosureExport.ts"
import { isOpen } from "../../domain/compliance/Duty.ts"
import { byJurisdiction, leastCrossingCents, periodsUntil } from "../../domain/compliance/Regime.ts"
import { UncodedGifts } from "../../domain/compliance/UncodedGifts.ts"
import { CalendarDate, dayOf } from "../../domain/kernel/CalendarDate.ts"
import { DisclosureId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { type ListQuery, parse } from "../../domain/kernel/Listing.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { Name, NameUpTo, nameOrNull, textOrNull } from "../../domain/kernel/Text.ts"
import { Instant } from "../../domain/kernel/Timestamp.ts"
import { DisclosureStore } from "../../ports/compliance/DisclosureStore.ts"
import { InstallationRegimes } from "../../ports/compliance/InstallationRegimes.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireScope, requireStaff } from "../access/caller/CallerContext.ts"
import { type LockedRecord, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"

const disclosureId = id(DisclosureId, "disclosure")

const numbers = Schema.Array(Schema.Int).check(Schema.isMinLength(1), Schema.isMaxLength(Limits.disclosureDutiesShown))

/** What was lodged with the authority. law, section 4. */
export const LodgementInput = Schema.Struct({
  lodgement_reference: NameUpTo(Limits.nameCharacters),
  duties: Schema.optionalKey(Schema.NullOr(numbers)),
  lodged_on: Schema.optionalKey(Schema.NullOr(CalendarDate))
}).annotate({
  identifier: "DisclosureLodgement",
  meanings: {
    lodgement_reference: "The authority's reference of the lodging.",
    duties: "Numbers of the duties that it fulfils; every open notice, amendment and return when not given.",
    lodged_on: "The day on which it was lodged; today when not given."
  }
})
export type LodgementInput = typeof LodgementInput.Type

/** Acceptable action that staff took on a gift over the cap. law, section 1. */
export const ActionInput = Schema.Struct({
  duty: Schema.Int,
  note: NameUpTo(Limits.nameCharacters)
}).annotate({
  identifier: "DisclosureAction",
  meanings: {
    duty: "Number of the duty to act on the gift.",
    note: "What was done: the gift was handed over, for example."
  }
})
export type ActionInput = typeof ActionInput.Type

/** What is exported, from where on. law, section 5. */
export const ExportInput = Schema.Struct({
  jurisdiction: Name,
  period: Name,
  starting_after: Schema.optionalKey(Schema.NullOr(DisclosureId))
}).annotate({
  identifier: "DisclosureExport",
  meanings: {
    jurisdiction: "Where the law holds, such as AU.",
    period: "Name of the period, such as 2025-26 or 2027.",
    starting_after: "`next` of the page before; not given for the first."
  }
})
export type ExportInput = typeof ExportInput.Type

/** A part of an export: the texts of all, one after the other, are the file. */
export const ExportPage = Schema.Struct({
  text: Schema.String,
  next: Schema.NullOr(DisclosureId)
}).annotate({
  identifier: "DisclosureExportPage",
  meanings: {
    text: "Lines of CSV, with a head in the first page.",
    next: "`starting_after` of the page that follows; null after the last."
  }
})

/** How far the recount of an organisation's disclosures is. */
const RecountState = Schema.Struct({
  due_at: Schema.NullOr(Instant),
  after_donor_id: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "DisclosureRecount",
  meanings: {
    due_at: "When the next recount begins, or the present one began; null where no code was ever assigned.",
    after_donor_id:
      "The donor who was recounted last; null while none runs. Donors are recounted in the order of their ids."
  }
})

const shown = Disclosure.DisclosureRecord

const operations = Row.table("disclosures", {
  read: Row.read("Read a disclosure, with what it asks of the organisation and by when", [disclosureId], shown),
  list: Row.list("List disclosures", Disclosure.listing, shown),
  export: Row.staffRead(
    "Export the disclosures of a jurisdiction and a period as CSV, a line for each duty",
    [body(ExportInput)],
    ExportPage
  ),
  review: Row.staffChange("Put a disclosure under review", [disclosureId], shown),
  return: Row.staffChange("Return a disclosure from its review", [disclosureId], shown),
  lodge: Row.staffChange(
    "Say that notices, amendments or a return were lodged with the authority",
    [disclosureId, body(LodgementInput)],
    shown
  ),
  recount: Row.staffRead(
    "Show when disclosures are recounted, as after a code was assigned otherwise, and how far that is",
    [],
    RecountState
  ),
  uncoded: Row.staffRead(
    "List the gifts of each period whose codes are assigned to no jurisdiction, and what they would change",
    [],
    Schema.Array(UncodedGifts)
  ),
  act: Row.staffChange("Say what was done about a gift over the cap", [disclosureId, body(ActionInput)], shown)
})

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

/** Disclosures, and what staff do about their duties. A tool, not legal advice. law, section 5. */
export class Disclosures extends Service<Disclosures>()("almoner/app/Disclosures", function* () {
  const store = yield* DisclosureStore
  const transaction = yield* Transaction
  const { regimes } = yield* InstallationRegimes

  /** The disclosure, locked after its span, as whoever assesses it does. */
  const lock = Effect.fnUntraced(function* (organisation_id: OrganisationId, disclosure: DisclosureId) {
    const found = yield* store.find(organisation_id, disclosure).pipe(orNotFound("disclosure", disclosure))
    yield* store.hold(found)
    return yield* store.findForUpdate(organisation_id, disclosure).pipe(orNotFound("disclosure", disclosure))
  })

  const change = (yield* makeChange)({
    machine: Disclosure.machine,
    lock,
    update: store.update,
    tell: (types, disclosure) => types.map((type) => ({ type, data: Disclosure.eventDataOf(disclosure) }))
  })

  const read = Effect.fn("Disclosures.read")(function* (disclosure: DisclosureId) {
    const { organisation } = yield* requireScope(operations.read)
    const found = yield* store.find(organisation.id, disclosure).pipe(orNotFound("disclosure", disclosure))
    return Disclosure.recordOf(found)
  })

  const list = Effect.fn("Disclosures.list")(function* (asked: ListQuery) {
    const { organisation } = yield* requireScope(operations.list)
    const { data, has_more } = yield* store.list(organisation.id, asked)
    return { data: data.map(Disclosure.recordOf), has_more }
  })

  /** A page of an export, the newest disclosures first, with every donor and gift, whatever became of it. */
  const exportPage = Effect.fn("Disclosures.export")(function* (input: ExportInput) {
    const { organisation } = yield* requireStaff(operations.export)
    const { jurisdiction, period, starting_after } = input
    const asked = parse(Disclosure.listing, [
      ["jurisdiction", jurisdiction],
      ["period", period],
      ["limit", String(Limits.exportedDisclosures)],
      ...(starting_after ? [["starting_after", starting_after] as const] : [])
    ])
    const { data, has_more } = yield* store.list(
      organisation.id,
      yield* Effect.catchTag(Effect.fromResult(asked), "MalformedInput", Effect.die)
    )
    const named = data.flatMap(({ duties }) => duties.flatMap(({ donation_id }) => donation_id ?? []))
    const found = yield* store.giftsNamed(organisation.id, named)
    const donors = yield* store.donorsNamed(organisation.id, [...new Set(data.map(({ donor_id }) => donor_id))])
    const gifts = new Map(found.map((gift) => [gift.id, gift]))
    const exported = data.map((disclosure) => {
      const donor = donors.find(({ id }) => id === disclosure.donor_id)
      return { disclosure, donor, gifts }
    })
    return {
      text:
        (starting_after ? "" : DisclosureExport.headLine) + DisclosureExport.linesOf(exported, organisation.timezone),
      next: has_more ? (data.at(-1)?.id ?? null) : null
    }
  })

  /** A disclosure after a command that needs nothing else. */
  const step = Effect.fnUntraced(function* (
    asked: typeof operations.return | typeof operations.review,
    disclosure: DisclosureId,
    _tag: "Return" | "Review"
  ) {
    const { organisation } = yield* requireStaff(asked)
    const held = yield* change.take(organisation, disclosure)
    const { state } = yield* change.settle(asked.requires.name, held, [{ _tag, at: held.at }])
    return Disclosure.recordOf(state)
  }, transaction.run)

  /** Holds it to look into it. Fails with {@link IllegalTransition} unless it is PENDING. */
  const review = Effect.fn("Disclosures.review")((disclosure: DisclosureId) =>
    step(operations.review, disclosure, "Review")
  )

  /** Ends the review without a lodging. Fails with {@link IllegalTransition} unless it is in REVIEW. */
  const giveBack = Effect.fn("Disclosures.return")((disclosure: DisclosureId) =>
    step(operations.return, disclosure, "Return")
  )

  const settle = Effect.fnUntraced(function* (
    name: string,
    held: LockedRecord<Disclosure.Disclosure>,
    next: Disclosure.Assessment
  ) {
    const _tag = Disclosure.commandFor(held.before, next) ?? "Recount"
    const { state } = yield* change.settle(name, held, [{ _tag, at: held.at, ...next }])
    return Disclosure.recordOf(state)
  })

  /** The open duties that a lodging fulfils. */
  const lodged = ({ duties }: Disclosure.Disclosure, named: ReadonlyArray<number> | null | undefined) => {
    const open = duties.filter((duty) => isOpen(duty) && duty.kind !== "ACTION").map(({ number }) => number)
    const wrong = named?.find((number) => !open.includes(number))
    if (wrong !== undefined) {
      return Effect.fail(
        invalid("duties", `duties must name open notices, amendments and returns; ${wrong} is none of them.`)
      )
    }
    return open.length === 0
      ? Effect.fail(invalid("duties", "No notice, amendment or return of this disclosure is open."))
      : Effect.succeed(new Set(named ?? open))
  }

  /**
   * Closes duties as lodged, and keeps the reference. Fails with {@link InvalidInput} of `duties` for one that is not open or
   * is not lodged, of `lodged_on` for a day to come or before that of a duty, and of an empty `lodgement_reference`.
   */
  const lodge = Effect.fn("Disclosures.lodge")(function* (disclosure: DisclosureId, input: LodgementInput) {
    const { organisation } = yield* requireStaff(operations.lodge)
    const reference = nameOrNull(input.lodgement_reference)
    if (reference === null) return yield* invalid("lodgement_reference", "lodgement_reference must not be empty.")
    const held = yield* change.take(organisation, disclosure)
    const { at, before } = held
    const today = dayOf(at, organisation.timezone)
    const on = input.lodged_on ?? today
    if (on > today) return yield* invalid("lodged_on", "lodged_on is in the future in the organisation's timezone.")
    const duties = yield* lodged(before, input.duties)
    const named = yield* store.giftsNamed(organisation.id, before.donation_ids)
    const gifts = named.map((gift) => ({ ...gift, donor_id: before.donor_id }))
    const later = Assessment.dutyAfter(before, duties, gifts, { on, timezone: organisation.timezone })
    if (later !== undefined) {
      return yield* invalid("lodged_on", `lodged_on must not be before ${later.day}, the day of duty ${later.number}.`)
    }
    return yield* settle(
      operations.lodge.requires.name,
      held,
      Assessment.lodge(before, duties, gifts, { at, on, reference })
    )
  }, transaction.run)

  /** Closes a duty to act on a gift over the cap, with a note. Fails with {@link InvalidInput} of `duty` or `note`. */
  const act = Effect.fn("Disclosures.act")(function* (disclosure: DisclosureId, input: ActionInput) {
    const { organisation } = yield* requireStaff(operations.act)
    const note = nameOrNull(input.note)
    if (note === null) return yield* invalid("note", "note must not be empty.")
    const held = yield* change.take(organisation, disclosure)
    const { before } = held
    const duty = before.duties.find(({ number }) => number === input.duty)
    if (duty === undefined || duty.kind !== "ACTION" || !isOpen(duty)) {
      return yield* invalid("duty", "duty must be the number of an open duty to act on a gift over the cap.")
    }
    return yield* settle(operations.act.requires.name, held, Assessment.act(before, input.duty, note, held.at))
  }, transaction.run)

  /** When the organisation's donors are recounted, and how far that is. */
  const recount = Effect.fn("Disclosures.recount")(function* () {
    const { organisation } = yield* requireStaff(operations.recount)
    const found = Option.getOrNull(yield* store.recountOf(organisation.id))
    return { due_at: found?.due_at ?? null, after_donor_id: textOrNull(found?.after_donor_id) }
  })

  /** By jurisdictions with a regime in force, and by periods; nothing of a period whose gifts are all assigned. */
  const uncoded = Effect.fn("Disclosures.uncoded")(function* () {
    const { organisation } = yield* requireStaff(operations.uncoded)
    const today = dayOf(yield* organisationNow, organisation.timezone)
    const spans = regimes
      .filter(({ status }) => status === "IN_FORCE")
      .toSorted(byJurisdiction)
      .flatMap((regime) => periodsUntil(regime, today).map((period) => ({ regime, period })))
    return yield* Effect.forEach(spans, ({ period: { ends_on, label: period, starts_on }, regime }) => {
      const { currency, jurisdiction } = regime
      const within = { jurisdiction, starts_on, ends_on, currency }
      return Effect.map(
        store.uncoded(organisation.id, { ...within, least_cents: leastCrossingCents(regime) }),
        (sums) => sums.map((sum): UncodedGifts => ({ ...within, period, ...sum }))
      )
    }).pipe(Effect.map((found) => found.flat()))
  })

  return yield* serviceInOrganisationTime(operations, {
    read,
    list,
    export: exportPage,
    recount,
    uncoded,
    review,
    return: giveBack,
    lodge,
    act
  })
}) {}

/** The operations of {@link Disclosures}. */
export const disclosureOperations = operationsOf(Disclosures, operations)
