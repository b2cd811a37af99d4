import { DateTime, Schema } from "effect"
import { expectTypeOf } from "vitest"
import { type Client, createClient, type StandardSchema, verifyWebhook } from "../../src/client.ts"
import { type Donation, eventDataOf } from "../../src/domain/giving/Donation.ts"
import { type Donor, eventCore } from "../../src/domain/giving/Donor.ts"
import type { DonationId, EventId, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { type EventData, type EventType, make } from "../../src/domain/outbox/Event.ts"
import { type Almoner, Almoner as Open } from "../../src/facade/Almoner.ts"
import type { EventOf } from "../../src/facade/Consumers.ts"
import type { Caller } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"

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
export const unbrandedEvent: Donation = { ...donation, id: "don_01" }

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

declare const pledgeSchema: StandardSchema<
  { readonly id: string; readonly amount_cents: number; readonly note?: string },
  { readonly id: string; readonly amount_cents: number; readonly note: string }
>
const tourSchema = Schema.Struct({ day: Schema.String, at: Schema.DateTimeUtc })
declare const caller: Caller

const opened = Open.open({
  backend: memory(),
  events: { "x.pledge.signed": pledgeSchema, "x.tour.booked": tourSchema }
})

// Types of a host's own are known to whatever takes and gives them.
opened.then(async (own) => {
  await own.events.emit(caller, { type: "x.pledge.signed", data: { id: "a", amount_cents: 1 } })
  await own.as(caller).events.emit({ type: "x.tour.booked", data: { day: "Monday", at: "2026-04-01T00:00:00Z" } })
  await own.keyed("k").events.emit(caller, { type: "x.pledge.signed", data: { id: "a", amount_cents: 1 } })
  // @ts-expect-error a type that is not declared
  await own.events.emit(caller, { type: "x.pledge.sighed", data: { id: "a", amount_cents: 1 } })
  // @ts-expect-error a type of the catalogue
  await own.events.emit(caller, { type: "donor.created", data: { id: "a", amount_cents: 1 } })
  // @ts-expect-error the data of another type
  await own.events.emit(caller, { type: "x.pledge.signed", data: { day: "Monday", at: "" } })
  own.events.subscribe({ name: "a", types: ["x.pledge.signed", "donor.created"] }, async (event) => {
    expectTypeOf(event.type).toEqualTypeOf<"x.pledge.signed" | "donor.created">()
    if (event.type === "x.pledge.signed") expectTypeOf(event.data.note).toEqualTypeOf<string>()
    // @ts-expect-error a donor has no note of a pledge
    else event.data.amount_cents
  })
  // @ts-expect-error a type that is not declared
  own.events.subscribe({ name: "a", types: ["x.pledge.sighed"] }, async () => undefined)
  own.events.subscribe(
    { name: "a", types: ["x.tour.booked"], transactional: true },
    async ({ data }, { almoner: inside }) => {
      expectTypeOf(data).toEqualTypeOf<{ readonly day: string; readonly at: string }>()
      await inside.events.emit(caller, { type: "x.pledge.signed", data: { id: "a", amount_cents: 1 } })
    }
  )
  for await (const event of own.events.all(caller)) {
    if (event.type === "x.tour.booked") expectTypeOf(event.data.day).toBeString()
    if (event.type === "donor.created") expectTypeOf(event.data.id).toExtend<string>()
  }
  await own.webhookEndpoints.create(caller, { url: "", event_types: ["x.pledge.signed", "donor.created"] })
})

// @ts-expect-error a name that is none of a host's own
Open.open({ backend: memory(), events: { "pledge.signed": pledgeSchema } })

// @ts-expect-error no schema
Open.open({ backend: memory(), events: { "x.pledge.signed": {} } })

// @ts-expect-error nothing is declared
almoner.events.emit(caller, { type: "x.pledge.signed", data: {} })

// A receiver reads them by the same declaration.
verifyWebhook({ body: "", headers: {}, secret: "", events: { "x.pledge.signed": pledgeSchema } }).then((event) => {
  if (event.type === "x.pledge.signed") expectTypeOf(event.data.note).toEqualTypeOf<string>()
  if (event.type === "donor.created") expectTypeOf(event.data.id).toExtend<string>()
})
verifyWebhook({ body: "", headers: {}, secret: "" }).then((event) => {
  expectTypeOf(event.type).toEqualTypeOf<EventType>()
})

// So does a client: the types of its events are those of the face.
const connection = { baseUrl: "https://api.example.org", apiKey: "k" }
const declared = { "x.pledge.signed": pledgeSchema }
const client = createClient({ ...connection, events: declared })
client.events.list({ type: "x.pledge.signed" }).then(({ data: [event] }) => {
  if (event?.type === "x.pledge.signed") {
    expectTypeOf(event.data.note).toEqualTypeOf<string>()
    expectTypeOf(event.created_at).toEqualTypeOf<string>()
  }
  if (event?.type === "donation.succeeded") expectTypeOf(event.data.amount_cents).toBeNumber()
  // @ts-expect-error a type that is not declared
  if (event?.type === "x.pledge.sighed") event.data
})
client.events.read("evt_1").then((event) => {
  expectTypeOf(event.type).toEqualTypeOf<EventType | "x.pledge.signed">()
  // @ts-expect-error a donor's event has no amount
  event.data.amount_cents
})
const iterated = async () => {
  for await (const event of client.withOptions({ maxRetries: 0 }).events.all({ type: "x.pledge.signed" })) {
    if (event.type === "x.pledge.signed") expectTypeOf(event.data.amount_cents).toBeNumber()
  }
}
iterated()
expectTypeOf(createClient<typeof declared>(connection)).toEqualTypeOf<Client<typeof declared>>()
expectTypeOf(client).toEqualTypeOf<Client<typeof declared>>()
// What is not declared is asked for and read all the same.
createClient(connection)
  .events.list({ type: "x.pledge.signed" })
  .then(({ data: [event] }) => expectTypeOf(event?.type).toEqualTypeOf<EventType | undefined>())

// @ts-expect-error a name that is none of a host's own
createClient({ ...connection, events: { "pledge.signed": pledgeSchema } })

// @ts-expect-error no schema
createClient({ ...connection, events: { "x.pledge.signed": {} } })
