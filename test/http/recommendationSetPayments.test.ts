import { assert, beforeEach, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { DonorId } from "../../src/domain/kernel/Ids.ts"
import * as Payment from "../../src/domain/sharing/Payment.ts"
import type { RecipientAccount } from "../../src/domain/sharing/RecipientAccount.ts"
import type { RecommendationSet } from "../../src/domain/sharing/RecommendationSet.ts"
import { PaymentStore, RecommendationSetStore } from "../../src/ports.ts"
import { newLink, paymentOf, setOf } from "../../src/testing/conformance/MoneyRecords.ts"
import { fieldsOf } from "../support/Answer.ts"
import { anew, once } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"

describeService(everyKind, "payments to recommendation sets", (service) => {
  const tenant = anew(() => makeTenant(service, "ENTERPRISE"))
  const recipient = once(() => makeTenant(service))
  let links: ReadonlyArray<RecipientAccount>
  let set: RecommendationSet
  let path: string

  beforeEach(async () => {
    const { id } = tenant.organisation
    links = await service.run(Effect.forEach(["a", "b"], (label) => newLink(id, recipient.organisation, { label })))
    set = await newSet()
    path = `/recommendation-sets/${set.id}`
  })

  const newSet = (): Promise<RecommendationSet> =>
    service.run(
      Effect.gen(function* () {
        const made = yield* setOf(tenant.organisation.id, links)
        yield* (yield* RecommendationSetStore).insert(made)
        return made
      })
    )

  const newDonor = async () => DonorId.make((await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id"))

  /** A stored payment, `minute` minutes after the first. */
  const pay = (minute: number, given: Partial<Payment.Payment> = {}, to = set) =>
    service.run(
      Effect.gen(function* () {
        const created_at = DateTime.makeUnsafe(Date.UTC(2026, 0, 15, 3, minute))
        const payment = yield* paymentOf(to, links, { created_at, updated_at: created_at, ...given })
        yield* (yield* PaymentStore).insert(payment)
        return payment
      })
    )

  const ids = async (query = "") =>
    fieldsOf((await tenant.reader.get(`${path}/payments?${query}`)).listAt("data"), "id")

  it("have every field and each recipient's part; fees and processors are not told", async () => {
    const donor_id = await newDonor()
    const paid = await pay(1, { donor_id, payment_status: "SUCCEEDED", ask_total_cents: 2_500 })
    const [first, second] = paid.allocations
    if (first === undefined || second === undefined) return assert.fail()
    const at = DateTime.makeUnsafe("2026-01-15T04:00:00.123Z")
    const succeeded = {
      ...first,
      transfer_status: "succeeded",
      succeeded_at: at,
      processor_reference: "tr_1"
    } as const
    const failed = { ...second, transfer_status: "failed", failed_at: at, failure_code: "account_closed" } as const
    const later = Payment.withTransfer(Payment.withTransfer(paid, succeeded, at), failed, at)
    await service.run(PaymentStore.use((store) => store.update(later)))
    const part = ({ id, recipient_org_account_link_id }: typeof first, transfer_status: string) => ({
      id,
      recipient_org_account_link_id,
      gross_amount_cents: 1_000,
      net_amount_cents: 990,
      transfer_status,
      donation_id: null
    })
    const page = await tenant.reader.get(`${path}/payments`)
    assert.deepStrictEqual(page.at(""), {
      data: [
        {
          id: paid.id,
          recommendation_set_id: set.id,
          donor_id,
          payment_status: "SUCCEEDED",
          distribution_status: "PARTIAL",
          total_amount_cents: 2_000,
          ask_total_cents: 2_500,
          payment_method_type: "card",
          created_at: "2026-01-15T03:01:00.000Z",
          allocations: [part(first, "succeeded"), part(second, "failed")]
        }
      ],
      has_more: false
    })
  })

  it("keep the recipients that they were made for when the set's allocations are replaced", async () => {
    const paid = await pay(1)
    const before = (await tenant.reader.get(`${path}/payments`)).bytes
    const [link] = links
    const allocations = [{ recipient_org_account_link_id: link?.id, amount_cents: 7 }]
    const changed = await tenant.writer.patch(path, { allocations })
    assert.deepStrictEqual([changed.at("total_amount_cents"), changed.at("payment_summary.in_flight_count")], [7, 1])
    assert.deepStrictEqual((await tenant.reader.get(`${path}/payments`)).bytes, before)
    assert.strictEqual(paid.allocations.length, 2)
  })

  it("follow their donor into a merge", async () => {
    const [survivor, duplicate] = [await newDonor(), await newDonor()]
    const moved = await pay(1, { donor_id: duplicate })
    const unresolved = await pay(2)
    await tenant.writer.post(`/donors/${survivor}/merge`, { duplicate_donor_id: duplicate })
    assert.deepStrictEqual(await ids(`donor_id=${survivor}`), [moved.id])
    assert.deepStrictEqual(await ids(), [unresolved.id, moved.id])
  })
})
