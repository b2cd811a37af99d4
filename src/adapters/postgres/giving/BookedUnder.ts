/**
 * The text of the revenue code that a row is booked under, as the code is spelled now. What the row itself keeps is what it
 * was when it was written: it stands where the organisation has no such code.
 */
export const bookedUnder = {
  revenue_code: {
    select: (alias: string): string =>
      `coalesce((SELECT c.code FROM revenue_codes AS c
         WHERE c.organisation_id = ${alias}.organisation_id AND c.id = ${alias}.revenue_code_id), ${alias}.revenue_code)`
  }
}
