import { Schema } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { IntegrationId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import { addDays } from "../kernel/Schedule.ts"

/** A bank statement that was imported, and the days of which it tells. money, section 11: A bank transfer lapses. */
export class ImportedStatement extends Schema.Opaque<ImportedStatement>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    integration_id: IntegrationId,
    import_id: Schema.String,
    /** BSB and number of the account as they were then. */
    account: Schema.String,
    first_day: CalendarDate,
    /** The last day of which nothing more can come. */
    last_day: CalendarDate
  })
) {}

/**
 * Whether a statement tells of a day: on quiet days before its first line nothing came.
 * @example
 * const [first_day, last_day] = ["2026-07-08", "2026-07-14"].map((day) => CalendarDate.CalendarDate.make(day))
 * const covers = (day: string) =>
 *   ImportedStatement.covers({ first_day, last_day }, CalendarDate.CalendarDate.make(day))
 * covers("2026-07-14") // => true
 * covers("2026-07-15") // => false
 * covers("2026-07-01") // => true
 * covers("2026-06-30") // => false
 */
export const covers = (
  { first_day, last_day }: Pick<ImportedStatement, "first_day" | "last_day">,
  day: CalendarDate
): boolean => day <= last_day && first_day <= addDays(day, Limits.statementQuietDays)
