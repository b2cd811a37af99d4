import type { GivingSandbox } from "../support/GivingSandbox.ts"

/** An event as REST shows it. */
export interface EventView {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** All events of an organisation, the oldest first. */
export const eventsAt = async ({ tenant }: GivingSandbox): Promise<ReadonlyArray<EventView>> => {
  const all: Array<EventView> = []
  for (let more = true; more; ) {
    const after = all.at(-1)?.id
    const from = after === undefined ? "" : `&starting_after=${after}`
    const page = await tenant.reader.get(`/events?sort=created_at&limit=100${from}`)
    all.push(...(page.at("data") as ReadonlyArray<EventView>))
    more = page.at("has_more") === true
  }
  return all
}

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
