import type { EventView } from "../support/Tenant.ts"

/** The types of the events of each donation, in their order. */
export const ofDonations = (events: ReadonlyArray<EventView>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const donations = new Map<string, Array<string>>()
  for (const { data, type } of events) {
    if (!type.startsWith("donation.")) continue
    const id = `${data["id"]}`
    donations.set(id, [...(donations.get(id) ?? []), type.replace("donation.", "")])
  }
  return donations
}

/** The order in which a donation may be told of, each event once at most. */
export const legalOrder = /^created( processing)?( succeeded( refunded( refund_reversed)?)?| failed)?$/u
