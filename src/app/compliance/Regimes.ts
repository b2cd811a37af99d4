import { Effect, Schema } from "effect"
import { australianJurisdictions } from "../../domain/compliance/AustralianRegimes.ts"
import {
  byJurisdiction,
  Confidence,
  isReviewDue,
  jurisdictionsInForce,
  Regime,
  RegimeStatus
} from "../../domain/compliance/Regime.ts"
import { CalendarDate, dayOf } from "../../domain/kernel/CalendarDate.ts"
import { InstallationRegimes } from "../../ports/compliance/InstallationRegimes.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { Service } from "../kernel/service/Service.ts"

const orNull = <S extends Schema.Top>(schema: S) => Schema.NullOr(schema)

/** A regime as operators see it, or a jurisdiction for which none is shipped. */
export const RegimeRecord = Schema.Struct({
  jurisdiction: Schema.String,
  key: orNull(Schema.String),
  name: Schema.String,
  status: Schema.Union([RegimeStatus, Schema.Literal("NOT_SHIPPED")]),
  origin: orNull(Schema.Literals(["SHIPPED", "FILE"])),
  effective_from: orNull(CalendarDate),
  effective_to: orNull(CalendarDate),
  threshold_cents: orNull(Regime.fields.threshold_cents),
  caps: Regime.fields.caps,
  confidence: orNull(Confidence),
  checked_on: orNull(CalendarDate),
  review_by: orNull(CalendarDate),
  is_review_due: Schema.Boolean,
  source: Schema.String,
  source_url: orNull(Schema.String)
}).annotate({
  identifier: "Regime",
  meanings: {
    jurisdiction: "Where the law holds, such as AU or AU-NSW.",
    key: "Its name for a row of REGIMES_FILE that takes its place; null where none is shipped.",
    status: "IN_FORCE, SUSPENDED or INVALIDATED; NOT_SHIPPED for a jurisdiction without a regime in force.",
    origin: "SHIPPED with the program, or from the operator's FILE; null where there is none.",
    effective_from: "The first day on which it applies.",
    effective_to: "The last day; null while no end is set.",
    threshold_cents: "The threshold of disclosure, in minor units of its currency.",
    caps: "The caps of donors, by their kind; none where there is none.",
    confidence: "How sure the figures are.",
    checked_on: "The day on which they were last held against their source.",
    review_by: "The day from which they have to be held against it again.",
    is_review_due: "Whether that day has come.",
    source: "Where the figures are from, or why there are none.",
    source_url: "The page where they stand; null where none is known."
  }
})
export type RegimeRecord = typeof RegimeRecord.Type

const operations = Row.table("regimes", {
  list: Row.keeper(
    "List the disclosure regimes of this installation, with the jurisdictions for which none is shipped",
    [],
    Schema.Array(RegimeRecord)
  ),
  check: Row.keeper(
    "List the disclosure regimes in force whose figures have to be held against their source again",
    [],
    Schema.Array(RegimeRecord)
  )
})

const without = {
  key: null,
  origin: null,
  effective_from: null,
  effective_to: null,
  threshold_cents: null,
  caps: []
} as const
const unchecked = {
  confidence: null,
  checked_on: null,
  review_by: null,
  is_review_due: false,
  source_url: null
} as const

/** What is to be done about a regime whose figures nobody has checked for too long. */
export const reviewOf = ({ key, name, review_by, source_url }: RegimeRecord): string =>
  `The figures of the disclosure regime ${key} (${name}) are to be checked from ${review_by} on: hold them against ${source_url ?? "their source"}, and bring what has changed in REGIMES_FILE.`

/** The disclosure regimes of an installation. A tool, not legal advice. law, section 2. */
export class Regimes extends Service<Regimes>()("almoner/app/Regimes", function* () {
  const { from_file, regimes } = yield* InstallationRegimes

  const recordOf =
    (today: CalendarDate) =>
    (regime: Regime): RegimeRecord => ({
      ...regime,
      origin: from_file.includes(regime.key) ? "FILE" : "SHIPPED",
      is_review_due: isReviewDue(regime, today)
    })

  /** Regimes of the file and those that are shipped, by jurisdiction and day; then where there is none in force. */
  const list: Effect.Effect<ReadonlyArray<RegimeRecord>> = Effect.gen(function* () {
    const now = yield* realNow
    const known = regimes.toSorted(byJurisdiction).map(recordOf(dayOf(now, "UTC")))
    const inForce = new Set(jurisdictionsInForce(regimes))
    const missing = australianJurisdictions
      .filter(({ code }) => !inForce.has(code))
      .map(
        ({ code: jurisdiction, name, not_shipped }): RegimeRecord => ({
          ...without,
          ...unchecked,
          jurisdiction,
          name,
          status: "NOT_SHIPPED",
          source: not_shipped ?? "Its regime was taken out by REGIMES_FILE"
        })
      )
    return [...known, ...missing]
  })

  /** Those among them whose figures have to be held against their source again. */
  const check = Effect.map(list, (all) => all.filter(({ is_review_due }) => is_review_due))

  return { list, check } as const
}) {}

/** The operations of {@link Regimes}. */
export const regimeOperations = operationsOf(Regimes, operations)
