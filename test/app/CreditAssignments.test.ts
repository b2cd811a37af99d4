import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import type { Resolution } from "../../src/domain/payments/ExceptionResolution.ts"
import { describeServiceFromStart } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { failureOf, file, instructionsOf, makeTransfers } from "../support/Transfers.ts"

describeServiceFromStart(everyKind, "held money that is for gifts", (service) => {
  it("pays the gift as a line with its reference does, and what is too much is held", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    await world.import(file("2026-01-15,70.00,KIM"))
    const [held] = await world.open()
    const charge = await world.chargeOf(gift)
    const refuse = async (input: Omit<Resolution, "note">) => failureOf(await world.assign(held, input))
    assert.deepInclude(await refuse({ charge_ids: [charge], money: "kept" }), { param: "charge_ids" })
    assert.deepInclude(await refuse({ charge_ids: [charge], amounts_cents: [5_000] }), { param: "amounts_cents" })
    assert.deepInclude(await refuse({ amounts_cents: [7_000] }), { param: "amounts_cents" })
    const other = await makeTransfers(service)
    const foreign = await other.chargeOf(await other.submit())
    assert.deepInclude(await refuse({ charge_ids: [foreign] }), { param: "charge_ids" })
    assert.isTrue(Result.isSuccess(await world.assign(held, { charge_ids: [charge] })))
    await world.settle()
    assert.deepInclude(await world.giftOf(gift), { status: "CONFIRMED", amount_cents: 5_000 })
    const [excess] = await world.open()
    assert.deepInclude(excess, { kind: "overpaid", held_cents: 2_000, charge_id: charge })
    assert.deepInclude(await world.balances(), { bank: "-7000", unmatched: "0", held: "2000", organisation: "5000" })
    const second = await world.submit(2_000)
    assert.deepInclude(failureOf(await world.assign(excess, { charge_ids: [charge] })), { param: "charge_ids" })
    await world.assign(excess, { charge_ids: [await world.chargeOf(second)] })
    await world.settle()
    assert.deepInclude(await world.giftOf(second), { status: "CONFIRMED" })
    assert.deepInclude(await world.balances(), { bank: "-7000", held: "0", organisation: "7000" })
    assert.deepInclude(Result.getOrThrow(await world.import(file("2026-01-15,70.00,KIM"))), { recorded: 0, known: 1 })
  })

  it("pays several gifts by what each waits for, where one line names both", async () => {
    const world = await makeTransfers(service)
    const gifts = [await world.submit(), await world.submit(2_000)]
    const ids = [await world.chargeOf(gifts[0] ?? assert.fail()), await world.chargeOf(gifts[1] ?? assert.fail())]
    const content = file(`2026-01-15,70.00,${gifts.map((gift) => instructionsOf(gift).reference).join(" and ")}`)
    await world.import(content)
    const [held] = await world.open()
    for (const id of ids) assert.include(held?.reason, id)
    assert.isTrue(Result.isSuccess(await world.assign(held, { charge_ids: ids })))
    await world.settle()
    for (const gift of gifts) assert.deepInclude(await world.giftOf(gift), { status: "CONFIRMED" })
    assert.deepInclude(Result.getOrThrow(await world.import(content)), { recorded: 0, known: 1 })
    assert.deepInclude(await world.balances(), { bank: "-7000", unmatched: "0", held: "0", organisation: "7000" })
    assert.isEmpty(await world.open())
  })

  it("pays a gift that has lapsed as another gift of the same donor and form, once, in as many parts as come", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    const [charge, { reference }] = [await world.chargeOf(gift), instructionsOf(gift)]
    await world.import(file(`2026-01-14,10.00,${reference}`, `2026-01-15,20.00,${reference}`))
    world.pass(45)
    await world.settle()
    const failed = await world.giftOf(gift)
    assert.deepInclude(failed, { status: "FAILED" })
    await world.import(file(`2026-02-25,20.00,${reference}`))
    const held = (await world.open()).filter(({ held_cents }) => held_cents > 0)
    const [part, rest] = held
    assert.deepStrictEqual(
      held.map(({ held_cents, kind }) => [kind, held_cents]),
      [
        ["underpaid", 3_000],
        ["late_success", 2_000]
      ]
    )
    for (const each of [part, rest]) Result.getOrThrow(await world.assign(each, { charge_ids: [charge] }))
    await world.settle()
    assert.deepStrictEqual(await world.giftOf(gift), failed)
    const page = await world.tenant.reader.get("/donations?status=CONFIRMED")
    const [anew, ...none] = page.at("data") as ReadonlyArray<Record<string, unknown>>
    assert.isEmpty(none)
    const { donation_form_id, donor_id, source } = failed as Record<string, unknown>
    assert.deepInclude(anew, { amount_cents: 5_000, donation_form_id, donor_id, source })
    assert.strictEqual(anew?.["donation_date"], "2026-02-24T13:00:00.000Z")
    assert.deepInclude(await world.balances(), { bank: "-5000", unmatched: "0", held: "0", organisation: "5000" })
  })
})
