import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Result } from "effect"
import * as TestProcessor from "../../src/adapters/processors/test/TestProcessor.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Reconciler } from "../../src/app/payments/Reconciler.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { ChargeId, IntegrationId } from "../../src/domain/kernel/Ids.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import type { LedgerEntry } from "../../src/domain/payments/Ledger.ts"
import { listing } from "../../src/domain/payments/PaymentException.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { TestCharge } from "../../src/domain/payments/TestCharge.ts"
import * as Ports from "../../src/ports.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { fieldsOf } from "../support/Answer.ts"
import { changePort } from "../support/ChangePort.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { type Service, startService } from "../support/Service.ts"
import { everyKind, memory } from "../support/Stores.ts"

const hour = 3_600_000
const day = 24 * hour

/** Those that were resolved, too. */
const everyException = Result.getOrThrow(
  parse(listing, [
    ["limit", "100"],
    ["status[in]", "OPEN,RESOLVED"]
  ])
)

/** A sandbox, and what goes wrong there. */
const makeWorld = (service: Service, giving: GivingSandbox) => {
  const { organisation } = giving.tenant
  type Submitted = Awaited<ReturnType<GivingSandbox["submit"]>>
  const reconcile = (since?: string) =>
    service.run(
      Reconciler.use((reconciler) =>
        reconciler.reconcile(since === undefined ? {} : { since: DateTime.makeUnsafe(since) })
      )
    )
  return {
    reconcile,
    raised: async () => {
      const list = Ports.PaymentExceptionStore.use((store) => store.list(organisation.id, everyException))
      const { data } = await service.run(list)
      return data.map(({ charge_id, kind, status, subject_id }) => ({ charge_id, kind, status, subject_id }))
    },
    /** Writes the charge as something else left it. */
    leave: async (submitted: Submitted, given: Partial<Charge>) => {
      const charge = await giving.chargeOf(submitted)
      await service.run(Ports.ChargeStore.use((store) => Effect.orDie(store.update({ ...charge, ...given }))))
    },
    /** A charge at the bank that nobody here knows. */
    orphan: async (submitted: Submitted) => {
      const known = await giving.bank(submitted)
      const charge_id = await service.run(Effect.flatMap(Ports.Tokens, (tokens) => tokens.id("charge")))
      const charge: TestCharge = {
        ...known,
        id: `orphan_${charge_id}`,
        charge_id: ChargeId.make(charge_id),
        idempotency_key: null
      }
      await service.run(Ports.TestBank.use((bank) => bank.findOrInsert(charge, charge.created_at)))
      return charge
    },
    book: async (submitted: Submitted, given: Pick<LedgerEntry, "from_account" | "to_account" | "amount_cents">) => {
      const { created_at: at, id } = await giving.chargeOf(submitted)
      const entry_id = await service.run(Effect.flatMap(Ports.Tokens, (tokens) => tokens.id("ledgerEntry")))
      const entry: LedgerEntry = {
        ...given,
        id: entry_id,
        organisation_id: organisation.id,
        charge_id: id,
        cause: "charge",
        cause_id: id,
        currency: "AUD",
        at
      }
      await service.run(Ports.LedgerStore.use((store) => store.append([entry])))
    }
  }
}

/** The present: the database's clock, by which the simulated bank lives, is real. */
const toNow = (service: Service) => service.clock.advance(Date.now() - service.clock.now)

describe.each(everyKind)("reconciling over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() => {
    toNow(service)
    return makeGivingSandbox(service)
  })
  const world = anew(async () => makeWorld(service, giving))

  it("finds nothing where all agrees, whatever happened to the gifts, and compares a day once", async () => {
    const paid = await giving.submit()
    await giving.submit({ payment_token: numbers.declined })
    const disputed = await giving.submit()
    await giving.move(paid, (charge, now) => Bank.dispute(charge, 1_000, now))
    await giving.move(disputed, (charge, now) => Bank.dispute(charge, null, now))
    await giving.move(disputed, Bank.disputeLost)
    await giving.settle()
    await giving.move(paid, Bank.disputeWon)
    await giving.settle()
    service.clock.advance(day)
    const first = await world.reconcile()
    assert.isAtLeast(first.charges_listed, 3)
    assert.isAtLeast(first.days_compared, 1)
    assert.isAtLeast(first.movements_read, 6)
    assert.deepStrictEqual(
      (await world.raised()).filter(({ kind }) => kind === "mismatch"),
      []
    )
    const second = await world.reconcile()
    assert.deepInclude(second, { days_compared: 0, movements_read: 0, exceptions_raised: 0, accounts_unreached: 0 })
    await giving.balanced()
  })

  it("finds nothing after it was away for days, in which something happened to what was given before", async () => {
    const [disputed, refunded] = [await giving.submit(), await giving.submit()]
    service.clock.advance(6 * day)
    await giving.move(disputed, (charge, now) => Bank.dispute(charge, 1_000, now))
    const path = `/donations/${refunded.donation_id}/refund`
    assert.strictEqual((await giving.tenant.writer.post(path, { amount_cents: 700 })).status, 200)
    await giving.settle()
    service.clock.advance(2 * day)
    assert.isAtLeast((await world.reconcile()).days_compared, 8)
    assert.deepStrictEqual(await world.raised(), [])
    await giving.balanced()
  })

  it("finds what happens to the gifts of an account that takes no more, of which nobody told", async () => {
    const [disputed, waits] = [await giving.submit(), await giving.submit({ payment_token: numbers.waits })]
    await giving.settle()
    await giving.tenant.staff(Integrations.use((use) => use.deactivate(giving.integration_id)))
    const { reference } = await giving.chargeOf(waits)
    await world.leave(waits, { status: "NEW", reference: null, look_at: null })
    await giving.move(disputed, (charge, now) => Bank.dispute(charge, 1_000, now))
    await world.leave(disputed, { look_at: null })
    service.clock.advance(day)
    assert.isAtLeast((await world.reconcile()).movements_read, 2)
    assert.strictEqual((await giving.chargeOf(waits)).reference, reference)
    await giving.settle()
    const { id } = await giving.chargeOf(disputed)
    const found = await service.run(
      Ports.DisputeStore.use((store) => store.ofCharge(giving.tenant.organisation.id, id))
    )
    assert.lengthOf(found, 1)
  })

  it("looks for it once a day, and tells a person once of what the processor does not have", async () => {
    const debit = await giving.submit({ method: "au_becs_debit", payment_token: numbers.debit })
    const { id } = await giving.chargeOf(debit)
    const { id: there } = await giving.bank(debit)
    // The bank has it under another account now.
    await giving.setBank(debit, { integration_id: IntegrationId.make("intg_00000000000000000000000000") })
    await world.leave(debit, { look_at: null })
    assert.isNotEmpty(there)
    await world.reconcile()
    await world.reconcile()
    service.clock.advance(day)
    await world.reconcile()
    assert.deepStrictEqual(await world.raised(), [{ charge_id: id, kind: "mismatch", status: "OPEN", subject_id: id }])
  })

  it("gives a charge the reference that was never heard of", async () => {
    const waits = await giving.submit({ payment_token: numbers.waits })
    const { reference } = await giving.chargeOf(waits)
    await world.leave(waits, { status: "NEW", reference: null, look_at: null })
    await world.reconcile()
    assert.deepInclude(await giving.chargeOf(waits), { reference, status: "WAITING" })
  })

  it("tells a person once of a charge that has our id and is not here", async () => {
    const orphan = await world.orphan(await giving.submit())
    await world.reconcile()
    await world.reconcile("2020-01-01")
    assert.deepStrictEqual(await world.raised(), [
      { charge_id: null, kind: "mismatch", status: "OPEN", subject_id: orphan.id }
    ])
  })

  it("tells a person of what moved on one side only, once, and again where it is otherwise", async () => {
    const [there, here] = [await giving.submit(), await giving.submit()]
    const { movements, updated_at: at } = await giving.bank(there)
    const more = (amount_cents: number, reference: string) => ({
      reference,
      kind: "refund" as const,
      amount_cents,
      fee_cents: 0,
      at
    })
    await giving.setBank(there, { movements: [...movements, more(-100, "m_x")] })
    await world.book(here, { from_account: "donor", to_account: "organisation", amount_cents: 1 })
    service.clock.advance(day)
    await world.reconcile()
    const today = new Date(service.clock.now - day).toISOString().slice(0, 10)
    await world.reconcile(today)
    const told = await world.raised()
    assert.sameMembers(
      told.map(({ subject_id }) => subject_id as string),
      [(await giving.chargeOf(there)).id, (await giving.chargeOf(here)).id]
    )
    const [exception] = await giving.exceptionsOf(there)
    if (exception === undefined) return assert.fail()
    assert.strictEqual(exception.amount_cents, 100)
    await giving.tenant.staff(PaymentExceptions.use((use) => use.resolve(exception.id, { note: "Known" })))
    await world.reconcile(today)
    assert.lengthOf(await giving.exceptionsOf(there), 1)
    await giving.setBank(there, { movements: [...movements, more(-100, "m_x"), more(-1, "m_y")] })
    await world.reconcile(today)
    assert.lengthOf(await giving.exceptionsOf(there), 2)
  })

  it("tells a person of a charge that failed at the processor after its success, or is gone there", async () => {
    const [failed, gone] = [await giving.submit(), await giving.submit()]
    service.clock.advance(day)
    await world.reconcile()
    assert.lengthOf(await world.raised(), 0)
    await giving.setBank(failed, { status: "failed", failure_code: "insufficient_funds", movements: [] })
    await giving.setBank(gone, { movements: [] })
    const today = new Date(service.clock.now - day).toISOString().slice(0, 10)
    await world.reconcile(today)
    for (const each of [failed, gone]) {
      const [exception, ...others] = await giving.exceptionsOf(each)
      assert.lengthOf(others, 0)
      assert.deepInclude(exception, { kind: "mismatch", status: "OPEN" })
      assert.match(exception?.reason ?? "", /statement has taken 0, and the books 5000/)
    }
    await world.reconcile(today)
    assert.lengthOf(await world.raised(), 2)
  })

  it("learns a fee that the statement has and nobody asked for", async () => {
    const paid = await giving.submit({ payment_token: numbers.feeLater })
    const charge = await giving.chargeOf(paid)
    assert.isNull(charge.processor_fee_cents)
    const bank = await giving.bank(paid)
    const known = Bank.advance(bank, (bank.scheduled[0] ?? assert.fail()).at)
    await giving.setBank(paid, {
      ...known,
      movements: known.movements.map((each) => ({ ...each, at: bank.updated_at }))
    })
    await world.leave(paid, { look_at: null })
    service.clock.advance(day)
    await world.reconcile()
    assert.isNotNull((await giving.chargeOf(paid)).processor_fee_cents)
    assert.deepStrictEqual(await world.raised(), [])
  })

  it("is safe beside itself", async () => {
    const orphan = await world.orphan(await giving.submit())
    service.clock.advance(day)
    const both = await Promise.all([world.reconcile(), world.reconcile()])
    assert.isAtLeast(
      both.reduce((sum, { accounts }) => sum + accounts, 0),
      1
    )
    assert.deepStrictEqual(await world.raised(), [
      { charge_id: null, kind: "mismatch", status: "OPEN", subject_id: orphan.id }
    ])
    assert.strictEqual((await world.reconcile()).accounts_busy, 0)
  })

  it("goes on where it could not reach a processor, and stops for no other account", async () => {
    const lost = await giving.submit()
    const orphan = await world.orphan(lost)
    await giving.setAccount({ reach: "LOST" })
    const another = await makeGivingSandbox(service)
    const its = makeWorld(service, another)
    const beside = await its.orphan(await another.submit())
    assert.isAtLeast((await world.reconcile()).accounts_unreached, 1)
    assert.deepStrictEqual(await world.raised(), [])
    assert.deepStrictEqual(fieldsOf(await its.raised(), "subject_id"), [beside.id])
    await giving.setAccount({ reach: "REACHED" })
    await world.reconcile()
    assert.deepStrictEqual(fieldsOf(await world.raised(), "subject_id"), [orphan.id])
  })

  it("tells a person once that an account is disabled, and no more when it comes back", async () => {
    const { integration_id } = await giving.chargeOf(await giving.submit())
    const set = (charges_enabled: boolean) => giving.setAccount({ charges_enabled })
    const check = () => service.run(Settler.use(({ checkAccounts }) => checkAccounts))
    const about = { charge_id: null, kind: "account_disabled", subject_id: integration_id } as const
    await set(false)
    await check()
    await check()
    assert.deepStrictEqual(await world.raised(), [{ ...about, status: "OPEN" }])
    await set(true)
    await check()
    assert.deepStrictEqual(await world.raised(), [{ ...about, status: "RESOLVED" }])
    await set(false)
    await check()
    assert.sameDeepMembers(await world.raised(), [
      { ...about, status: "RESOLVED" },
      { ...about, status: "OPEN" }
    ])
    await set(true)
    await check()
  })
})

describe("days that were compared", () => {
  it("are looked at again for a week: a fee that became another is booked, and what failed after all is told", async () => {
    const service = await startService({ stores: memory })
    const giving = await makeGivingSandbox(service)
    const world = makeWorld(service, giving)
    const [dear, failed, late] = [await giving.submit(), await giving.submit(), await giving.submit()]
    const { processor_fee_cents: fee } = await giving.chargeOf(dear)
    const { movements, updated_at: at } = await giving.bank(dear)
    const night = async (days = 1) => {
      service.clock.advance(days * day)
      return await world.reconcile()
    }
    await night()
    for (const [index, more] of [35, -60].entries()) {
      const adjusted = { reference: `m_fee_${index}`, kind: "charge", amount_cents: 0, fee_cents: more, at } as const
      const before = await giving.bank(dear)
      const fee_cents = (before.fee_cents ?? 0) + more
      await giving.setBank(dear, { fee_cents, movements: [...before.movements, adjusted] })
      assert.strictEqual((await night()).charges_repaired, 1)
      assert.strictEqual((await giving.chargeOf(dear)).processor_fee_cents, fee_cents)
      await giving.balanced()
    }
    assert.strictEqual((await giving.chargeOf(dear)).processor_fee_cents, (fee ?? 0) - 25)
    assert.lengthOf((await giving.bank(dear)).movements, movements.length + 2)
    assert.deepStrictEqual(await world.raised(), [])
    await giving.setBank(failed, { status: "failed", failure_code: "insufficient_funds", movements: [] })
    await night(2)
    assert.deepStrictEqual(fieldsOf(await world.raised(), "charge_id"), [(await giving.chargeOf(failed)).id])
    await night(Limits.reconcileAgainDays)
    await giving.setBank(late, { movements: [] })
    assert.strictEqual((await night()).days_compared, Limits.reconcileAgainDays + 1)
    assert.lengthOf(await world.raised(), 1, "what is older is looked at when it is asked for")
    await service.stop()
  })
})

describe("notices that never came", () => {
  it("are taken from where the last time ended, with a day's overlap", async () => {
    const asked: Array<string | null> = []
    const notices: Array<Ports.NoticeFacts> = []
    const noticesSince: Ports.ProcessorNotices["noticesSince"] = (_, cursor) =>
      Effect.sync((): Ports.NoticePage => {
        asked.push(cursor)
        const from = cursor === null ? 0 : Number(cursor)
        const page = notices.slice(from, from + 2)
        return { notices: page, cursor: String(from + page.length), has_more: notices.length > from + page.length }
      })
    const processors = changePort(Ports.PaymentProcessors, (inner) => ({
      find: (wanted) => Option.map(inner.find(wanted), (each) => ({ ...each, noticesSince }))
    })).pipe(Layer.provide(TestProcessor.layer))
    const service = await startService({ stores: memory, processors })
    const giving = await makeGivingSandbox(service)
    const { reconcile } = makeWorld(service, giving)
    const happen = (event_id: string) =>
      notices.push({
        event_id,
        type: "charge.updated",
        object: { kind: "charge", reference: null, charge_id: null },
        account: null,
        created_at: DateTime.makeUnsafe(service.clock.now)
      })
    for (const event_id of ["a", "b", "c"]) happen(event_id)
    assert.strictEqual((await reconcile()).notices_applied, 3)
    service.clock.advance(2 * day)
    happen("d")
    assert.strictEqual((await reconcile()).notices_applied, 1)
    assert.strictEqual((await reconcile()).notices_applied, 0)
    const kept = await service.run(
      Ports.NoticeStore.use((store) => store.list(giving.tenant.organisation.id, queryOf()))
    )
    assert.deepStrictEqual(kept.data.map(({ event_id }) => event_id).toSorted(), ["a", "b", "c", "d"])
    // The second time began anew: nothing was a day old before.
    assert.include(asked, "2")
    await service.stop()
  })
})
