import { assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger } from "../../src/app/payments/Ledger.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Tariffs } from "../../src/app/payments/Tariffs.ts"
import type { LedgerEntry } from "../../src/domain/payments/Ledger.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import * as Ports from "../../src/ports.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { serviceOver } from "../support/Late.ts"
import type { Service } from "../support/Service.ts"
import { everyKind } from "../support/Stores.ts"

type Submitted = Awaited<ReturnType<GivingSandbox["submit"]>>

/** What somebody may do to a row, and what undoes it; which gift it is about, and what is found. */
interface Break {
  readonly what: string
  readonly breaks: (submitted: Submitted) => Promise<() => Promise<void>>
  readonly of: "refunded" | "disputed" | "lost" | "late"
  readonly says: RegExp
}

/** Breaks one row of a gift, through the stores. */
const breaking = (service: Service, giving: GivingSandbox): ReadonlyArray<Break> => {
  const { organisation } = giving.tenant
  const charge = (change: Partial<Awaited<ReturnType<GivingSandbox["chargeOf"]>>>) => async (submitted: Submitted) => {
    const before = await giving.chargeOf(submitted)
    const write = (record: typeof before) =>
      service.run(Ports.ChargeStore.use((store) => Effect.orDie(store.update(record))))
    await write({ ...before, ...change })
    return () => write(before)
  }
  const gift = (change: Partial<Awaited<ReturnType<GivingSandbox["giftOf"]>>>) => async (submitted: Submitted) => {
    const before = await giving.giftOf(submitted)
    const write = (record: typeof before) => service.run(Ports.DonationStore.use((store) => store.update(record)))
    await write({ ...before, ...change })
    return () => write(before)
  }
  const refund =
    (change: Partial<Awaited<ReturnType<GivingSandbox["refundsOf"]>>[number]>) => async (submitted: Submitted) => {
      const [before = assert.fail("there is no refund")] = await giving.refundsOf(submitted)
      const write = (record: typeof before) => service.run(Ports.RefundStore.use((store) => store.update(record)))
      await write({ ...before, ...change })
      return () => write(before)
    }
  const dispute =
    (change: { readonly amount_cents?: number; readonly fee_cents?: number; readonly status?: "WON" }) =>
    async (submitted: Submitted) => {
      const { id } = await giving.chargeOf(submitted)
      const [before = assert.fail("there is no dispute")] = await service.run(
        Ports.DisputeStore.use((store) => store.ofCharge(organisation.id, id))
      )
      const write = (record: typeof before) => service.run(Ports.DisputeStore.use((store) => store.update(record)))
      await write({ ...before, ...change })
      return () => write(before)
    }
  const exception = (held_cents: number) => async (submitted: Submitted) => {
    const [before = assert.fail("there is no exception")] = await giving.exceptionsOf(submitted)
    const write = (record: typeof before) =>
      service.run(Ports.PaymentExceptionStore.use((store) => store.update(record)))
    await write({ ...before, held_cents })
    return () => write(before)
  }
  return [
    { what: "how much was taken", breaks: charge({ amount_cents: 5_001 }), of: "refunded", says: /what was taken/ },
    { what: "whether it was", breaks: charge({ status: "PROCESSING" }), of: "refunded", says: /what was taken/ },
    { what: "its fee", breaks: charge({ processor_fee_cents: 1 }), of: "refunded", says: /its fees/ },
    {
      what: "the platform's rate",
      breaks: charge({ platform_rate: { basis_points: 250, fixed_cents: 10 } }),
      of: "refunded",
      says: /its fees/
    },
    { what: "its currency", breaks: charge({ currency: "NZD" }), of: "refunded", says: /its currency/ },
    { what: "a refund's amount", breaks: refund({ amount_cents: 1 }), of: "refunded", says: /what was refunded/ },
    { what: "a refund's end", breaks: refund({ status: "PENDING" }), of: "refunded", says: /held|what was refunded/ },
    { what: "the gift's amount", breaks: gift({ amount_cents: 4_999 }), of: "refunded", says: /its gift/ },
    { what: "the gift's status", breaks: gift({ status: "PENDING" }), of: "refunded", says: /its gift/ },
    { what: "what it gave back", breaks: gift({ refunded_amount_cents: 0 }), of: "refunded", says: /its gift/ },
    { what: "the late gift's status", breaks: gift({ status: "CONFIRMED" }), of: "late", says: /its gift/ },
    { what: "what is disputed", breaks: dispute({ amount_cents: 1 }), of: "disputed", says: /disputed/ },
    { what: "whether it is", breaks: dispute({ status: "WON" }), of: "disputed", says: /disputed/ },
    { what: "what a dispute cost", breaks: dispute({ fee_cents: 1 }), of: "disputed", says: /its fees/ },
    { what: "whether one was lost", breaks: dispute({ status: "WON" }), of: "lost", says: /disputed/ },
    { what: "what is held", breaks: exception(1), of: "late", says: /held/ }
  ]
}

/** Entries that nothing moved, by what they are found to be. */
const lies: ReadonlyArray<readonly [Pick<LedgerEntry, "cause" | "from_account" | "to_account">, RegExp]> = [
  [{ cause: "charge", from_account: "donor", to_account: "organisation" }, /what was taken/],
  [{ cause: "charge", from_account: "organisation", to_account: "processor_fees" }, /its fees/],
  [{ cause: "charge", from_account: "organisation", to_account: "platform_fees" }, /its fees/],
  [{ cause: "dispute", from_account: "organisation", to_account: "processor_fees" }, /its fees/],
  [{ cause: "refund", from_account: "organisation", to_account: "donor" }, /what was refunded/],
  [{ cause: "dispute", from_account: "organisation", to_account: "disputed" }, /disputed/],
  [{ cause: "refund", from_account: "organisation", to_account: "held" }, /held/],
  [{ cause: "exception", from_account: "platform_fees", to_account: "organisation" }, /less than nothing/]
]

describe.each(everyKind)("the ledger check over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  let giving: GivingSandbox

  beforeAll(() =>
    service.run(Tariffs.use((tariffs) => tariffs.set({ plan: "ENTERPRISE", basis_points: 150, fixed_cents: 10 })))
  )
  beforeEach(async () => {
    giving = await makeGivingSandbox(service)
  })

  const faults = async () => {
    const { data } = await service.run(Ledger.use(({ check }) => check))
    return data
      .filter(({ organisation_id }) => organisation_id === giving.tenant.organisation.id)
      .flatMap((each) => each.faults)
  }

  /** Has the worker look at a charge of which nothing is expected. */
  const look = async (submitted: Submitted) => {
    const { id, organisation_id } = await giving.chargeOf(submitted)
    await service.run(Ports.ChargeStore.use((store) => store.lookNow(organisation_id, id)))
    await service.run(Settler.use(({ settleDue }) => settleDue))
  }

  it("finds nothing in books that were kept, and every row that was broken", async () => {
    const refunded = await giving.submit()
    await giving.tenant.writer.post(`/donations/${refunded.donation_id}/refund`, { amount_cents: 1_500 })
    const [disputed, lost, late] = [
      await giving.submit(),
      await giving.submit(),
      await giving.submit({ payment_token: numbers.waits })
    ]
    await giving.move(disputed, (charge, now) => Bank.dispute(charge, 2_000, now))
    await giving.move(lost, (charge, now) => Bank.dispute(charge, 3_000, now))
    await giving.move(lost, Bank.disputeLost)
    for (const each of [disputed, lost]) await look(each)
    service.clock.advance(25 * 3_600_000)
    await giving.settle()
    await giving.setBank(late, { status: "succeeded", fee_cents: 99 })
    await look(late)
    assert.strictEqual((await giving.chargeOf(late)).processor_fee_cents, 99)
    assert.deepStrictEqual(await faults(), [])
    const submitted = { refunded, disputed, lost, late }
    for (const { breaks, of, says, what } of breaking(service, giving)) {
      const undo = await breaks(submitted[of])
      assert.match((await faults()).join(" "), says, what)
      await undo()
      assert.deepStrictEqual(await faults(), [], `${what}, put back`)
    }
  })

  it("finds every entry that nothing moved", async () => {
    for (const [entry, says] of lies) {
      giving = await makeGivingSandbox(service)
      const charge = await giving.chargeOf(await giving.submit())
      const id = await service.run(Effect.flatMap(Ports.Tokens, (tokens) => tokens.id("ledgerEntry")))
      const written: LedgerEntry = {
        ...entry,
        id,
        organisation_id: charge.organisation_id,
        charge_id: charge.id,
        cause_id: charge.id,
        amount_cents: 1_000,
        currency: charge.currency,
        at: charge.created_at
      }
      assert.deepStrictEqual(await faults(), [])
      await service.run(Ports.LedgerStore.use((store) => store.append([written])))
      assert.match((await faults()).join(" "), says, JSON.stringify(entry))
    }
  })
})
