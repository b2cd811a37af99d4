import { assert, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { Refunds } from "../../src/app/giving/Refunds.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { NewIntegration } from "../../src/domain/access/Integration.ts"
import { RefundId } from "../../src/domain/kernel/Ids.ts"
import { CreditStore, PaymentProcessors } from "../../src/ports.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { describeServiceFromStart } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { failureOf, instructionsOf, makeTransfers } from "../support/Transfers.ts"

const heading = "Date,Amount,Description"
const file = (...lines: ReadonlyArray<string>): string => [heading, ...lines, ""].join("\n")

describeServiceFromStart(everyKind, "bank transfers", (service) => {
  it("wait with instructions, settle with a credit, and are dated by its day", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    assert.deepInclude(gift, { status: "WAITING", failure_code: null })
    const { reference, ...told } = instructionsOf(gift)
    assert.deepStrictEqual(told, {
      _tag: "BankTransfer",
      account_name: "Harbour Trust",
      bsb: "062-000",
      account_number: "12345678",
      amount_cents: 5_000,
      currency: "AUD"
    })
    assert.deepStrictEqual(await world.eventsOf(gift), ["donation.created"])
    world.pass(2)
    const spaced = `${reference.slice(0, 4).toLowerCase()} - ${reference.slice(4)}`
    const done = Result.getOrThrow(await world.import(file(`2026-01-16,50.00,TRANSFER ${spaced}`, "2026-01-16,-9,FEE")))
    assert.deepInclude(done, {
      lines: 2,
      skipped: 1,
      known: 0,
      recorded: 1,
      matched: 1,
      exceptions: 0,
      is_dry_run: false
    })
    await world.settle()
    assert.deepInclude(await world.giftOf(gift), {
      status: "CONFIRMED",
      amount_cents: 5_000,
      donation_date: "2026-01-15T13:00:00.000Z",
      received_date: "2026-01-15T13:00:00.000Z"
    })
    assert.deepStrictEqual(await world.eventsOf(gift), ["donation.created", "donation.succeeded"])
    assert.deepInclude(await world.balances(), { bank: "-5000", unmatched: "0", held: "0", organisation: "5000" })
    assert.isEmpty(await world.exceptions())
  })

  it("are booked as a manual gift of their day, once", async () => {
    const world = await makeTransfers(service)
    const { writer } = world.tenant
    const donor_id = (await writer.post("/donors", { email: "eve@example.org" })).textAt("id")
    world.pass(5)
    await world.import(file("2026-01-16,3000000000.00,no reference", "2026-01-16,30000000.00,none here either"))
    const [huge, found] = (await world.exceptions()).toSorted((a, b) => b.amount_cents - a.amount_cents)
    assert.strictEqual(huge?.held_cents, 300_000_000_000)
    const id = found?.id ?? assert.fail("nothing was raised")
    const note = "It was Eve"
    const refuse = async (input: object) => failureOf(await world.resolve(id, { note, ...input }))
    assert.deepInclude(await refuse({}), { param: "money" })
    assert.deepInclude(await refuse({ as_gift: true }), { param: "donor_id" })
    assert.deepInclude(await refuse({ as_gift: true, donor_id: "dnr_nobody" }), { param: "as_gift" })
    assert.deepInclude(await refuse({ as_gift: true, donor_id, money: "kept" }), { param: "money" })
    await world.record({ day: "2026-01-16" as never, amount_cents: 4_200, text: "small" })
    const small = (await world.exceptions()).find(({ held_cents }) => held_cents === 4_200)
    const twice = await Promise.all(
      [1, 2].map(() => world.resolve(small?.id as never, { note, as_gift: true, donor_id }))
    )
    assert.lengthOf(twice.filter(Result.isSuccess), 1)
    const { data } = (await world.tenant.reader.get("/donations?source=MANUAL")).at("") as {
      data: ReadonlyArray<Record<string, unknown>>
    }
    assert.lengthOf(data, 1)
    assert.deepInclude(data[0], {
      donor_id,
      amount_cents: 4_200,
      currency: "AUD",
      payment_method: "bank_transfer",
      donation_date: "2026-01-15T13:00:00.000Z"
    })
    assert.deepInclude(await world.balances(), { organisation: "4200", bank: "-303000004200" })
    const gift = String(data[0]?.["id"])
    const asked = await writer.post(`/donations/${gift}/refund`, { amount_cents: 1_200 })
    assert.strictEqual(asked.at("refund.status"), "PENDING")
    assert.deepInclude(await world.balances(), { organisation: "3000", held: "303000001200" })
    const refund = RefundId.make(asked.textAt("refund.id"))
    await world.tenant.staff(Refunds.use((all) => all.settle(refund, {})))
    assert.deepInclude(await world.balances(), { organisation: "3000", donor: "1200" })
    const rest = await writer.post(`/donations/${gift}/refund`)
    const failing = RefundId.make(rest.textAt("refund.id"))
    await world.tenant.staff(Refunds.use((all) => all.fail(failing)))
    assert.deepInclude(await world.balances(), { organisation: "3000", donor: "1200" })
  })

  it("count a line once, however often and by however many the file comes", async () => {
    const world = await makeTransfers(service)
    const gifts = [await world.submit(), await world.submit()]
    const lines = gifts.map((gift) => `2026-01-15,50.00,${instructionsOf(gift).reference}`)
    const content = file(...lines, "2026-01-15,1.00,same", "2026-01-15,1.00,same")
    const dry = Result.getOrThrow(await world.import(content, { is_dry_run: true }))
    assert.deepInclude(dry, { recorded: 4, matched: 2, exceptions: 2, is_dry_run: true })
    assert.isEmpty(await world.exceptions())
    const results = await Promise.all([
      world.import(content),
      world.import(content),
      world.import(file("2026-01-15,1.00,same", ...lines.toReversed(), "2026-01-15,1.00,SAME"))
    ])
    const recorded = results.map((result) => Result.getOrThrow(result).recorded)
    assert.strictEqual(
      recorded.reduce((sum, count) => sum + count, 0),
      4
    )
    await world.settle()
    for (const gift of gifts) assert.deepInclude(await world.giftOf(gift), { status: "CONFIRMED" })
    assert.lengthOf(await world.exceptions(), 2)
    assert.deepInclude(await world.balances(), { bank: "-10200", unmatched: "0", held: "200", organisation: "10000" })
    // One more of the lines that are alike is a new one.
    const more = Result.getOrThrow(await world.import(file(...lines, ...Array(3).fill("2026-01-15,1.00,  same "))))
    assert.deepInclude(more, { recorded: 1, known: 4 })
    const again = { day: "2026-01-15" as never, amount_cents: 100, text: "same" }
    assert.deepInclude(failureOf(await world.record(again)), { param: "number" })
    assert.isTrue(Result.isSuccess(await world.record({ ...again, number: 4 })))
  })

  it("have nothing go in where a line is bad, and are refused where they cannot be", async () => {
    const world = await makeTransfers(service)
    const bad = failureOf(await world.import(file("2026-01-15,1.00,good", "2026-01-16,1.00,tomorrow", "x,1.00,bad")))
    assert.deepInclude(bad, { _tag: "InvalidInput", param: "content" })
    assert.match(bad.message, /Line 3 has a day in the future.*Line 4 has no day/)
    assert.isEmpty(await world.exceptions())
    const line = { day: "2026-01-15" as never, amount_cents: 100, text: "" }
    assert.deepInclude(failureOf(await world.record({ ...line, day: "2026-01-16" as never })), { param: "day" })
    assert.deepInclude(failureOf(await world.record({ ...line, currency: "NZD" })), { param: "currency" })
    assert.deepInclude(failureOf(await world.record(line, "intg_nobody" as never)), { param: "integration_id" })
    const other = await makeTransfers(service)
    assert.deepInclude(failureOf(await world.record(line, other.integration.id)), { param: "integration_id" })
  })

  it("find the gifts of their own organisation alone, at every integration of the account", async () => {
    const [world, other] = [await makeTransfers(service), await makeTransfers(service)]
    const gift = await other.submit()
    const { reference } = instructionsOf(gift)
    await world.import(file(`2026-01-15,50.00,${reference}`))
    await other.settle()
    assert.deepInclude(await other.giftOf(gift), { status: "PENDING" })
    const [foreign] = await world.exceptions()
    assert.deepInclude(foreign, { kind: "unmatched_credit", charge_id: null })
    assert.notInclude(JSON.stringify(foreign), reference)
    const same = await other.make({ label: "The same" })
    await other.record({ day: "2026-01-15" as never, amount_cents: 5_000, text: reference }, same.id)
    await other.settle()
    assert.deepInclude(await other.giftOf(gift), { status: "CONFIRMED" })
    const known = await other.record({ day: "2026-01-15" as never, amount_cents: 5_000, text: reference })
    assert.deepInclude(failureOf(known), { param: "number" })
  })

  it("leave it to a person where a text names several gifts", async () => {
    const world = await makeTransfers(service)
    const references = [await world.submit(), await world.submit()].map((gift) => instructionsOf(gift).reference)
    await world.import(file(`2026-01-15,100.00,${references.join(" and ")}`))
    const [raised] = await world.exceptions()
    assert.deepInclude(raised, { kind: "unmatched_credit", held_cents: 10_000 })
  })

  it("are refunded by hand alone", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    await world.import(file(`2026-01-15,50.00,${instructionsOf(gift).reference}`))
    await world.settle()
    const refunded = await world.tenant.writer.post(`/donations/${gift.donation_id}/refund`, { amount_cents: 2_000 })
    assert.strictEqual(refunded.at("refund.status") ?? refunded.at("status"), "PENDING", refunded.text)
    await world.settle()
    assert.deepInclude(await world.balances(), { held: "2000", organisation: "3000" })
  })

  it("go to an account that is sound, and to the one that is said since", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    const other = { label: "Other", processor_connect_account_id: "other", processor: "bank" }
    const create = (given: FieldsOf<NewIntegration>) =>
      world.asked(Integrations.use((use) => use.create({ ...other, ...given } as NewIntegration)))
    const account = { account_name: "Harbour", bsb: "062-000", account_number: "87654321" }
    assert.deepInclude(failureOf(await create({})), { param: "bank_account" })
    assert.deepInclude(failureOf(await create({ bank_account: account, methods: ["card"] })), { param: "methods" })
    assert.deepInclude(failureOf(await create({ processor: "stripe", bank_account: account })), {
      param: "bank_account"
    })
    assert.match(failureOf(await create({ bank_account: { ...account, bsb: "62" } })).message, /six digits/)
    const moved = await world.tenant.staff(Integrations.use((use) => use.setBankAccount(world.integration.id, account)))
    assert.strictEqual(moved.bank_account?.account_number, "87654321")
    // A line of before is still known, and a donor who was told the old account is found.
    const line = { day: "2026-01-15" as never, amount_cents: 5_000, text: instructionsOf(gift).reference }
    assert.isTrue(Result.isSuccess(await world.record(line)))
    await world.settle()
    assert.deepInclude(await world.giftOf(gift), { status: "CONFIRMED" })
  })

  it("have a bank that tells nothing by itself, and lists what it was asked to take", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    const { reference } = instructionsOf(gift)
    const bank = await service.run(PaymentProcessors.use(({ find }) => Effect.fromOption(find("bank"))))
    assert.deepStrictEqual(bank.capabilities, {
      methods: ["bank_transfer"],
      refunds: false,
      confirms: false,
      statements: false
    })
    const [charge] = await world.charges()
    assert.strictEqual(charge?.reference, reference)
    const charging = { charge: charge ?? assert.fail("no charge"), integration: world.integration }
    const begun = await Promise.all([1, 2].map(() => service.run(bank.begin(charging))))
    assert.deepStrictEqual(begun, [{ reference }, { reference }])
    const unreferred = { ...charging, charge: { ...charging.charge, reference: null } }
    assert.strictEqual((await service.run(bank.fetchCharge(unreferred))).status, "absent")
    assert.deepStrictEqual(await service.run(bank.begin(unreferred)), { reference })
    const ending = { ...charging, charge: { ...charging.charge, ending: "cancelled" } }
    assert.strictEqual((await service.run(bank.fetchCharge(ending))).status, "cancelled")
    assert.isTrue(Option.isNone(await service.run(bank.nextStep(ending))))
    await world.record({ day: "2026-01-15" as never, amount_cents: 2_000, text: reference })
    const step = Option.getOrNull(await service.run(bank.nextStep(charging)))
    assert.deepInclude(step, { _tag: "BankTransfer", amount_cents: 3_000 })
    assert.strictEqual((await service.run(bank.fetchCharge(charging))).status, "waiting")
    await world.record({ day: "2026-01-15" as never, amount_cents: 3_000, text: reference })
    assert.deepInclude(await service.run(bank.fetchCharge(ending)), { status: "succeeded", amount_cents: 5_000 })
    assert.lengthOf(
      await service.run(
        CreditStore.use((store) => store.ofCharge(charging.charge.organisation_id, charging.charge.id))
      ),
      2
    )
  })
})
