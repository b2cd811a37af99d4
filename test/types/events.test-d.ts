import { DateTime } from "effect"
import { expectTypeOf } from "expect-type"
import { type Donation, eventDataOf } from "../../src/domain/giving/Donation.ts"
import { type Donor, eventCore } from "../../src/domain/giving/Donor.ts"
import type { DonationId, EventId, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { type EventData, type EventType, make } from "../../src/domain/outbox/Event.ts"
import type { Almoner } from "../../src/facade/Almoner.ts"
import type { EventOf } from "../../src/facade/Consumers.ts"

declare const donation: Donation
declare const donor: Donor
declare const id: EventId
declare const organisation_id: OrganisationId

const common = { id, organisation_id, occurred_at: DateTime.makeUnsafe(0), dedupe_key: "" }

expectTypeOf<EventData<"donation.created">["id"]>().toEqualTypeOf<DonationId>()
expectTypeOf<"donation.forgotten">().not.toExtend<EventType>()

make({ ...common, type: "donation.created", data: eventDataOf(donation) })

// @ts-expect-error a missing payload
make({ ...common, type: "donation.created" })

// @ts-expect-error the payload of another event
make({ ...common, type: "donation.created", data: eventCore(donor) })

// @ts-expect-error a payload without a field of its own
make({ ...common, type: "donor.merged", data: eventCore(donor) })

// @ts-expect-error an event that the catalogue does not have
make({ ...common, type: "donation.forgotten", data: eventDataOf(donation) })

// @ts-expect-error the identifier of another kind
make({ ...common, id: organisation_id, type: "donation.created", data: eventDataOf(donation) })

// @ts-expect-error a plain text for an identifier
export const unbranded: Donation = { ...donation, id: "don_01" }

declare const almoner: Almoner

// A handler's event is told apart by its type.
almoner.events.subscribe({ name: "a", types: ["donor.created", "donation.succeeded"] }, async (event) => {
  expectTypeOf(event.type).toEqualTypeOf<"donor.created" | "donation.succeeded">()
  if (event.type === "donation.succeeded") expectTypeOf(event.data.amount_cents).toBeNumber()
  // @ts-expect-error a donor has no amount
  else event.data.amount_cents
})
almoner.events.subscribe({ name: "a" }, async ({ type }) => {
  expectTypeOf(type).toEqualTypeOf<EventType>()
})
expectTypeOf<EventOf<"donor.merged">["data"]["merged_donor_id"]>().toExtend<string>()

// @ts-expect-error an event that the catalogue does not have
almoner.events.subscribe({ name: "a", types: ["donation.forgotten"] }, async () => undefined)

// @ts-expect-error a client, where there is no transaction
almoner.events.subscribe({ name: "a" }, async (_, { client }) => client)

almoner.events.subscribe({ name: "a", transactional: true }, async (_, { almoner: inside, client }) => {
  await client.query("SELECT 1")
  expectTypeOf(inside.donors.create).toBeFunction()
})
