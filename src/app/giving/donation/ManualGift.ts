import type { DateTime } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as Donation from "../../../domain/giving/Donation.ts"
import { type CalendarDate, startOfDay } from "../../../domain/kernel/CalendarDate.ts"
import { birth } from "../../../domain/kernel/Machine.ts"

/** The fields of a gift by hand, beside its time and place. */
type Said = Pick<Donation.Donation, "amount_cents" | "currency" | "donor_id" | "id"> & Partial<Donation.Donation>

/** A gift by hand as it is born: received on a day of the organisation, and recorded at a moment. */
export const manualGift = (
  { id: organisation_id, timezone }: Organisation,
  { at, day }: { readonly at: DateTime.Utc; readonly day: CalendarDate },
  said: Said
) =>
  birth(
    Donation.machine,
    Donation.births.written,
    (status): Donation.Donation =>
      Donation.bare({
        organisation_id,
        source: "MANUAL",
        donation_date: startOfDay(day, timezone),
        donation_day: day,
        created_at: at,
        updated_at: at,
        ...said,
        status
      })
  )
