import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { serviceOver } from "../support/Late.ts"
import { changedProcessors } from "../support/Processors.ts"
import { start } from "../support/Service.ts"
import { everyKind } from "../support/Stores.ts"
import { instructionsOf, makeTransfers } from "../support/Transfers.ts"

/** The bank, with something that happens between its saying that a charge is cancelled and the writing of that. */
const interrupted = (meanwhile: () => Promise<void>) =>
  changedProcessors((processor) => ({
    ...processor,
    fetchCharge: (charging) =>
      Effect.tap(processor.fetchCharge(charging), ({ status }) =>
        status === "cancelled" ? Effect.promise(meanwhile) : Effect.void
      )
  }))

describe.each(everyKind)("a credit that comes while its gift lapses, over %s", (_name, stores) => {
  const service = serviceOver({
    stores,
    processors: interrupted(async () => {
      const once = meanwhile
      meanwhile = async () => {}
      await once()
    })
  })
  let meanwhile = async () => {}

  beforeEach(() => {
    service.clock.now = start
  })

  const lapsing = async (amount_cents: number) => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    const { reference } = instructionsOf(gift)
    world.pass(15.1)
    Result.getOrThrow(await world.import("Date,Description,Amount\n2026-01-29,Fee,-1.00"))
    let came = "nothing"
    meanwhile = async () => {
      came = (await world.record({ day: "2026-01-20" as never, amount_cents, text: reference }))._tag
    }
    await world.settle()
    assert.strictEqual(came, "Success")
    await world.settle()
    return { world, gift }
  }

  it("has the gift settle where it is all of it", async () => {
    const { gift, world } = await lapsing(5_000)
    assert.deepInclude(await world.giftOf(gift), { status: "CONFIRMED" })
    assert.deepStrictEqual(await world.eventsOf(gift), ["donation.created", "donation.succeeded"])
    assert.isEmpty(await world.exceptions())
    assert.deepInclude(await world.balances(), { unmatched: "0", held: "0", organisation: "5000" })
  })

  it("is held where it is a part", async () => {
    const { gift, world } = await lapsing(1_000)
    assert.deepInclude(await world.giftOf(gift), { status: "FAILED" })
    const [short, ...none] = await world.exceptions()
    assert.isEmpty(none)
    assert.deepInclude(short, { kind: "underpaid", held_cents: 1_000 })
    const donor_id = (await world.tenant.writer.post("/donors", { email: "eve@example.org" })).textAt("id")
    const id = short?.id ?? assert.fail("nothing was raised")
    Result.getOrThrow(await world.resolve(id, { note: "Taken", as_gift: true, donor_id }))
    const booked = await world.tenant.reader.get("/donations?source=MANUAL")
    assert.strictEqual(booked.at("data.0.donation_date"), "2026-01-19T13:00:00.000Z")
    assert.deepInclude(await world.balances(), { unmatched: "0", held: "0", organisation: "1000" })
  })
})
