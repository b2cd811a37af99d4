import { assert, beforeEach, it } from "@effect/vitest"
import { DateTime, Effect, Option, Result } from "effect"
import { Refunds } from "../../src/app/giving/Refunds.ts"
import type { Donation } from "../../src/domain/giving/Donation.ts"
import { ChargeId, DonationId, type RefundId } from "../../src/domain/kernel/Ids.ts"
import { DonationStore, RefundStore } from "../../src/ports.ts"
import { assertRefused, fieldsOf } from "../support/Answer.ts"
import { anew } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, auditOf, makeTenant } from "../support/Tenant.ts"

/** A charge at a processor that this installation has no more: what it cannot pay back, staff do. */
const charge_id = ChargeId.make("chg_01jh00000000000000000000zz")

describeService(everyKind, "refunds", (service) => {
  const tenant = anew(() => makeTenant(service))
  let donor: string

  beforeEach(async () => {
    donor = (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")
  })

  /** A gift of 1,000 cents, with what only other ways of giving fill. */
  const gift = async (given: Partial<Donation> = {}) => {
    const made = await tenant.writer.post("/donations", {
      donor_id: donor,
      donation_type: "MONETARY",
      amount_cents: 1_000,
      donation_date: "2026-01-10"
    })
    const id = DonationId.make(made.textAt("id"))
    await service.run(
      DonationStore.use((store) =>
        Effect.flatMap(store.find(tenant.organisation.id, id), (found) =>
          store.update({ ...Option.getOrThrow(found), ...given })
        )
      )
    )
    return id
  }

  const refund = (id: string, json?: object, headers = {}) =>
    tenant.writer.post(`/donations/${id}/refund`, json, headers)

  const read = async (id: string) => {
    const answer = await tenant.reader.get(`/donations/${id}`)
    return [answer.at("status"), answer.at("refunded_amount_cents")]
  }

  const ledger = (id: DonationId) =>
    service.run(RefundStore.use((store) => store.ofDonation(tenant.organisation.id, id)))

  const fail = (id: RefundId) => Refunds.use((refunds) => refunds.fail(id)).pipe(asOperator(tenant.organisation))

  const settle = (id: RefundId, processor_reference?: string) =>
    Refunds.use((refunds) => refunds.settle(id, processor_reference === undefined ? {} : { processor_reference })).pipe(
      asOperator(tenant.organisation)
    )

  const pendingOf = async (id: DonationId) => {
    const [row] = (await ledger(id)).filter(({ status }) => status === "PENDING")
    return row?.id ?? assert.fail("the gift has no refund that waits")
  }

  it("of a part leave the gift confirmed, of the rest make it REFUNDED", async () => {
    const id = await gift()
    const { submitted_donor: _, ...before } = Object((await tenant.reader.get(`/donations/${id}`)).at(""))
    const part = await refund(id, { amount_cents: 400, reason: " Paid twice " })
    const { refund: row, ...donation } = Object(part.at(""))
    assert.deepStrictEqual(donation, { ...before, refunded_amount_cents: 400, updated_at: service.clock.iso() })
    assert.match(row.id, /^rfd_/)
    assert.deepStrictEqual(row, {
      id: row.id,
      donation_id: id,
      amount_cents: 400,
      reason: " Paid twice ",
      status: "SUCCEEDED",
      refunded_at: service.clock.iso(),
      processor_reference: null,
      created_at: service.clock.iso(),
      updated_at: service.clock.iso()
    })
    assert.deepStrictEqual(await read(id), ["CONFIRMED", 400])
    const rest = await refund(id)
    assert.deepStrictEqual(
      ["status", "refunded_amount_cents", "refund.amount_cents", "refund.reason"].map((each) => rest.at(each)),
      ["REFUNDED", 1_000, 600, null]
    )
    assert.deepStrictEqual(await read(id), ["REFUNDED", 1_000])
    assertRefused(await refund(id), "conflict")
    assertRefused(await refund(id, { amount_cents: 1 }), "conflict")
    assertRefused(await refund(await gift({ deleted_at: DateTime.makeUnsafe(0) })), "conflict")
    const audited = (await auditOf(service, tenant.organisation)).filter(
      ({ operation }) => operation === "donations.refund"
    )
    assert.deepStrictEqual(fieldsOf(audited, "subject_id"), [id, id])
  })

  it("of gifts through a processor wait for it, and count as refunded meanwhile", async () => {
    for (const source of ["PAYMENT_PROCESSOR", "CHECKOUT_LINK"] as const) {
      const id = await gift({ source, charge_id, payment_method: "card" })
      const part = await refund(id, { amount_cents: 300 })
      assert.deepStrictEqual(
        ["status", "refunded_amount_cents", "refund.status", "refund.refunded_at"].map((each) => part.at(each)),
        ["CONFIRMED", 300, "PENDING", null]
      )
      assertRefused(await refund(id, { amount_cents: 701 }), "validation_failed", "amount_cents")
      assert.deepStrictEqual(fieldsOf(await ledger(id), "amount_cents", "status"), [[300, "PENDING"]])
    }
    const imported = await gift({ source: "CSV_IMPORT" })
    assert.strictEqual((await refund(imported)).at("refund.status"), "SUCCEEDED")
  })

  it("of a recipient's part of a payment to a set belong to whoever took the money", async () => {
    const id = await gift({ source: "RECOMMENDATION_SET", payment_method: "card" })
    const refused = await refund(id, { amount_cents: 300 })
    assertRefused(refused, "conflict")
    assert.match(refused.textAt("error.message"), /recommending organisation took/)
    assert.deepStrictEqual(await read(id), ["CONFIRMED", 0])
  })

  it("end once, whatever is said of them at the same moment", async () => {
    for (let round = 0; round < 5; round++) {
      const id = await gift({ charge_id })
      await refund(id)
      const row = await pendingOf(id)
      const said = [fail(row), settle(row), fail(row), settle(row)].map((each) => service.run(Effect.result(each)))
      const outcomes = await Promise.all(said)
      assert.strictEqual(outcomes.filter(Result.isSuccess).length, 1)
      const [{ status } = assert.fail()] = await ledger(id)
      assert.deepStrictEqual(await read(id), status === "FAILED" ? ["CONFIRMED", 0] : ["REFUNDED", 1_000])
    }
  })

  it("of another organisation are not found", async () => {
    const id = await gift({ charge_id })
    await refund(id)
    const row = await pendingOf(id)
    const other = await makeTenant(service)
    const foreign = [Refunds.use((refunds) => refunds.fail(row)), Refunds.use((refunds) => refunds.settle(row, {}))]
    for (const said of foreign) {
      const refused = await other.staff(Effect.flip(said))
      assert.strictEqual(refused._tag, "NotFound")
    }
    assert.deepStrictEqual(await read(id), ["REFUNDED", 1_000])
  })
})
