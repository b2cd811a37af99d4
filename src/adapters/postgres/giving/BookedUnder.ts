/**
 * The present spelling of the revenue code that a row is booked under. The row's own text has the spelling at the time
 * of writing; it is shown where the organisation has no such code.
 */
export const bookedUnder = {
  revenue_code: {
    select: (alias: string): string =>
      `coalesce((SELECT c.code FROM revenue_codes AS c
         WHERE c.organisation_id = ${alias}.organisation_id AND c.id = ${alias}.revenue_code_id), ${alias}.revenue_code)`
  }
}
