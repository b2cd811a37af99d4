import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Sweeper } from "../../src/app/outbox/Sweeper.ts"
import type { CheckoutLink } from "../../src/domain/giving/CheckoutLink.ts"
import { CheckoutLinkId, DonationId } from "../../src/domain/kernel/Ids.ts"
import { CheckoutLinkStore } from "../../src/ports/giving/CheckoutLinkStore.ts"
import { assertRefused } from "../support/Answer.ts"
import { anew } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"

const gift = DonationId.make("don_01jh00000000000000000000zz")
const hour = 3_600_000

describeService(everyKind, "checkout links", (service) => {
  const tenant = anew(() => makeTenant(service))

  const body = { donor_email: "ada@example.org", amount_cents: 5_000 }

  const create = async (json: object = {}) => {
    const made = await tenant.writer.post("/checkout-links", { ...body, ...json })
    assert.strictEqual(made.status, 201, made.text)
    return made
  }

  const donor = async (json: object) => (await tenant.writer.post("/donors", json)).textAt("id")

  /** Writes facts of payments, which pages will write. */
  const fill = (id: string, facts: Partial<CheckoutLink>) =>
    service.run(
      CheckoutLinkStore.use((store) =>
        Effect.flatMap(store.find(tenant.organisation.id, CheckoutLinkId.make(id)), (found) =>
          store.update({ ...Option.getOrThrow(found), ...facts })
        )
      )
    )

  const transferring = { pending_donation_id: gift, pending_bank_transfer: true }
  const idle = { pending_donation_id: null, pending_bank_transfer: false }

  const sweep = () =>
    service.run(
      Effect.map(
        Sweeper.use((sweeper) => sweeper.sweepOnce),
        (swept) => swept.checkout_links_expired
      )
    )

  it("have every field, with the contract's defaults, and a page on the organisation's subdomain", async () => {
    const made = await create({ donor_first_name: " Ada ", donor_last_name: "", donor_phone: null })
    const { code, id, url, ...rest } = Object(made.at(""))
    assert.match(code, /^[0-9A-Za-z]{22}$/)
    assert.strictEqual(url, `http://${tenant.organisation.slug}.localhost:8080/c/${code}`)
    assert.deepStrictEqual(rest, {
      ...body,
      donor_first_name: "Ada",
      donor_last_name: null,
      donor_phone: null,
      currency: "AUD",
      description: null,
      status: "ACTIVE",
      source: "API",
      revenue_code: null,
      revenue_code_id: null,
      payment_methods: ["card"],
      processor_integration_id: null,
      donor_id: null,
      donation_id: null,
      visit_count: 0,
      last_visited_at: null,
      expires_at: null,
      created_at: service.clock.iso(),
      updated_at: service.clock.iso(),
      archived_at: null
    })
    assert.deepStrictEqual((await tenant.reader.get(`/checkout-links/${id}`)).bytes, made.bytes)
    assert.deepStrictEqual((await tenant.reader.get("/checkout-links")).at("data"), [made.at("")])
    const event = await tenant.reader.get("/events")
    assert.deepStrictEqual(event.at("data.0.data"), { id, ...rest })
    assert.notInclude(event.text, code)
  })

  it("take their donor's details from the donor that is named", async () => {
    const ada = await donor({ first_name: "Ada", last_name: "Byron", phone: "1", email: "ada@example.org" })
    const made = await tenant.writer.post("/checkout-links", { donor_id: ada, amount_cents: 100 })
    assert.deepStrictEqual(
      ["donor_id", "donor_email", "donor_first_name", "donor_last_name", "donor_phone"].map((each) => made.at(each)),
      [ada, "ada@example.org", "Ada", "Byron", "1"]
    )
    for (const donor_id of ["nobody", await donor({ first_name: "No address" })]) {
      const refused = await tenant.writer.post("/checkout-links", { donor_id, amount_cents: 100 })
      assertRefused(refused, "validation_failed", "donor_id")
    }
    const both = await tenant.writer.post("/checkout-links", { ...body, donor_id: ada })
    assertRefused(both, "validation_failed", "donor_email")
    assert.lengthOf((await tenant.reader.get("/checkout-links")).listAt("data"), 1)
  })

  it("follow their donor into another by a merge", async () => {
    const [kept, duplicate] = [await donor({ email: "ada@example.org" }), await donor({ email: "bo@example.org" })]
    const made = await tenant.writer.post("/checkout-links", { donor_id: duplicate, amount_cents: 100 })
    await tenant.writer.post(`/donors/${kept}/merge`, { duplicate_donor_id: duplicate })
    assert.strictEqual((await tenant.reader.get(`/checkout-links/${made.textAt("id")}`)).at("donor_id"), kept)
    assert.deepStrictEqual((await tenant.reader.get(`/checkout-links?donor_id=${duplicate}`)).at("data"), [])
  })

  it("keep their amount, and are neither cancelled nor archived, while a bank transfer is in progress", async () => {
    const made = await create({ expires_at: service.clock.iso(hour) })
    const path = `/checkout-links/${made.textAt("id")}`
    await fill(made.textAt("id"), transferring)
    const moved = await tenant.writer.patch(path, { amount_cents: 1 })
    assertRefused(moved, "conflict")
    assert.match(
      moved.textAt("error.message"),
      /^The amount cannot change while a bank transfer on this link is in progress\./
    )
    const cancelled = await tenant.writer.post(`${path}/cancel`)
    assertRefused(cancelled, "conflict")
    assert.match(cancelled.textAt("error.message"), /^A bank transfer on this link is in progress\. Try again/)
    assertRefused(await tenant.writer.delete(path), "conflict")
    const same = { amount_cents: 5_000, description: "Gala" }
    assert.strictEqual((await tenant.writer.patch(path, same)).at("description"), "Gala")
    service.clock.advance(2 * hour)
    assert.strictEqual((await tenant.reader.get(path)).at("status"), "ACTIVE", "it does not expire meanwhile")
    assert.strictEqual(await sweep(), 0)
    assertRefused(await tenant.writer.patch(path, { amount_cents: 1 }), "conflict")
    await fill(made.textAt("id"), idle)
    assert.strictEqual((await tenant.reader.get(path)).at("status"), "EXPIRED", "and does when it has lapsed")
    assert.strictEqual((await tenant.writer.delete(path)).status, 200)
  })
})
