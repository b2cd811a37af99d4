import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { CheckoutLinkId } from "../../src/domain/kernel/Ids.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { CheckoutLinkStore, DonationStore } from "../../src/ports.ts"
import { makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { everyKind } from "../support/Stores.ts"
import { eventsOf } from "../support/Tenant.ts"

const bea = { donor_email: "bea@example.org", donor_first_name: "Bea", donor_last_name: "Potter" }

describe.each(everyKind)("a checkout link over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() => makeGivingSandbox(service))
  let link: { readonly id: string; readonly code: string }

  const make = async (given: object = {}) => {
    const made = await giving.tenant.writer.post("/checkout-links", {
      ...bea,
      amount_cents: 7_000,
      revenue_code: "GALA",
      payment_methods: ["card", "au_becs_debit", "payto"],
      ...given
    })
    assert.strictEqual(made.status, 201, made.text)
    return { id: made.textAt("id"), code: made.textAt("code") }
  }

  beforeEach(async () => {
    link = await make()
  })

  const path = (more = "") => `/checkout-links/${link.id}${more}`
  const read = () => giving.tenant.reader.get(path())
  const given = (more: FieldsOf<Submission> = {}): FieldsOf<Submission> => ({
    slug: null,
    code: link.code,
    amount_cents: 7_000,
    donor: null,
    ...more
  })
  const submit = (more: FieldsOf<Submission> = {}) => giving.submit(given(more))
  const target = () => ({ organisation: giving.tenant.organisation.slug, code: link.code })
  const open = () => service.run(Checkouts.use((all) => all.open(target())))
  const visit = async () => (await service.run(Checkouts.use((all) => all.visit(target())))).is_counted

  const refusal = (more: FieldsOf<Submission> = {}) => giving.attempt(given(more))

  /** The types of the link's events, in order. */
  const told = async () => {
    const events = (await eventsOf(giving.tenant)).filter(({ data }) => data["id"] === link.id)
    return events.map(({ data, type }) => `${type} ${data["status"]}`)
  }

  const giftStatus = async (submitted: SubmittedCheckout) => {
    const { failure_code, status } = await giving.giftOf(submitted)
    return failure_code === null ? status : `${status} ${failure_code}`
  }

  it("shows its amount, asks for nothing more, and counts visits while it is active", async () => {
    const page = await open()
    assert.deepInclude(page, {
      closed: null,
      currency: "AUD",
      form: null,
      set: null,
      prompts: [],
      donor: { first_name: "Bea" }
    })
    assert.deepInclude(page.link, { id: CheckoutLinkId.make(link.id), amount_cents: 7_000, description: null })
    assert.deepStrictEqual(page.methods, ["card", "au_becs_debit", "payto"])
    assert.strictEqual((await read()).at("visit_count"), 0)
    assert.deepStrictEqual([await visit(), await visit()], [true, true])
    assert.strictEqual((await read()).at("visit_count"), 2)
    await giving.tenant.writer.post(path("/cancel"))
    assert.strictEqual((await open()).closed, "cancelled")
    assert.isFalse(await visit())
    assert.strictEqual((await read()).at("visit_count"), 2)
  })

  it("is completed by its gift, whose donor is the link's, and is told once", async () => {
    const paid = await submit()
    assert.deepInclude(paid, { status: "SUCCEEDED", recommendation_set_payment_id: null })
    const gift = await giving.giftOf(paid)
    assert.deepInclude(gift, {
      status: "CONFIRMED",
      source: "CHECKOUT_LINK",
      amount_cents: 7_000,
      checkout_link_id: CheckoutLinkId.make(link.id),
      donation_form_id: null,
      revenue_code: "GALA",
      consent_given: null,
      submitted_donor: null,
      differs_from_record: null
    })
    const donor = await giving.tenant.reader.get(`/donors/${gift.donor_id}`)
    assert.deepStrictEqual([donor.at("email"), donor.at("last_name")], ["bea@example.org", "Potter"])
    const done = await read()
    assert.deepStrictEqual(
      [done.at("status"), done.at("donation_id"), done.at("donor_id")],
      ["COMPLETED", gift.id, gift.donor_id]
    )
    assert.deepStrictEqual(await told(), ["checkout_link.created ACTIVE", "checkout_link.updated COMPLETED"])
    assert.deepStrictEqual(await giving.eventsOf(paid), ["donor.created", "donation.created", "donation.succeeded"])
    assert.strictEqual((await open()).closed, "completed")
    assert.strictEqual(await refusal(), "TakesNoPayment")
    await giving.balanced()
  })

  it("gives to the donor that it names, and to one of its address where that one is archived", async () => {
    const { writer } = giving.tenant
    const named = (await writer.post("/donors", { email: "cy@example.org", first_name: "Cy" })).textAt("id")
    link = await make({ donor_id: named, donor_email: null, donor_first_name: null, donor_last_name: null })
    assert.strictEqual((await giving.giftOf(await submit())).donor_id, named)
    link = await make({ donor_id: named, donor_email: null, donor_first_name: null, donor_last_name: null })
    await writer.delete(`/donors/${named}`)
    const another = (await writer.post("/donors", { email: "CY@example.org" })).textAt("id")
    assert.strictEqual((await giving.giftOf(await submit())).donor_id, another)
  })

  it("takes its amount and nothing else, and says why it takes none", async () => {
    assert.strictEqual(await refusal({ amount_cents: 6_999 }), "InvalidInput amount_cents")
    assert.strictEqual(await refusal({ currency: "NZD" }), "InvalidInput currency")
    assert.strictEqual(await refusal({ method: "bank_transfer" }), "InvalidInput method")
    assert.strictEqual(await refusal({ donor: { email: "eve@example.org" } }), "InvalidInput donor")
    assert.strictEqual(
      await refusal({ allocations: [{ id: "all_x" as never, amount_cents: 1 }] }),
      "InvalidInput allocations[0].id"
    )
    assert.strictEqual(await refusal({ payment_token: null }), "InvalidInput payment_token")
    assert.strictEqual(
      await refusal({ consent: [{ prompt_id: "cpr_x", text: "?", accepted: true }] }),
      "InvalidInput consent[0]"
    )
    assert.strictEqual(await refusal({ code: "nobody-has-this" }), "NotFound")
    assert.strictEqual(await refusal({ slug: giving.form.slug }), "InvalidInput slug")
    link = await make({ currency: "NZD" })
    assert.strictEqual((await open()).closed, "no_processor")
    assert.strictEqual(await refusal({ currency: "NZD" }), "TakesNoPayment")
    const expires_at = new Date(service.clock.now + 60_000).toISOString()
    link = await make({ expires_at })
    service.clock.advance(61_000)
    assert.strictEqual((await open()).closed, "expired")
    assert.strictEqual(await refusal(), "TakesNoPayment")
    link = await make()
    await giving.tenant.writer.delete(path())
    assert.strictEqual((await open()).closed, "archived")
    assert.strictEqual(await refusal(), "TakesNoPayment")
  })

  it("that is cancelled, archived or priced anew has the gift that waits for its donor fail", async () => {
    const { writer } = giving.tenant
    const acts = [
      [() => writer.post(path("/cancel")), "CANCELED"],
      [() => writer.post(path("/cancel"), undefined, { "idempotency-key": link.id }), "CANCELED"],
      [() => writer.delete(path()), "ACTIVE"],
      [() => writer.patch(path(), { amount_cents: 9_000 }), "ACTIVE"]
    ] as const
    for (const [act, status] of acts) {
      link = await make()
      const waiting = await submit({ payment_token: numbers.waits })
      assert.strictEqual(waiting.status, "WAITING")
      const answer = await act()
      assert.strictEqual(answer.status, 200, answer.text)
      // The answer does not wait for the processor: a worker cancels.
      assert.strictEqual(await giftStatus(waiting), "PENDING")
      await service.run(Settler.use(({ settleDue }) => settleDue))
      assert.strictEqual(await giftStatus(waiting), "FAILED cancelled")
      assert.strictEqual((await giving.bank(waiting)).status, "cancelled")
      assert.strictEqual((await read()).at("status"), status)
      assert.deepStrictEqual(await giving.eventsOf(waiting).then((all) => all.at(-1)), "donation.failed")
    }
    assert.strictEqual((await submit({ amount_cents: 9_000 })).status, "SUCCEEDED")
    await giving.balanced()
  })

  it("has a gift that waits for its donor give way to a new one, once its processor has said so", async () => {
    const waiting = await submit({ payment_token: numbers.waits })
    await giving.setAccount({ reach: "LOST" })
    assert.strictEqual(await refusal(), "GuardRefused")
    assert.strictEqual(await giftStatus(waiting), "PENDING")
    await giving.setAccount({ reach: "REACHED" })
    const paid = await submit()
    assert.strictEqual(paid.status, "SUCCEEDED")
    assert.strictEqual(await giftStatus(waiting), "FAILED cancelled")
    assert.strictEqual((await read()).at("donation_id"), paid.donation_id)
    await giving.balanced()
  })

  it("keeps the gift whose money came before it could give way", async () => {
    const waiting = await submit({ payment_token: numbers.waits })
    await giving.move(waiting, Bank.approve)
    assert.strictEqual(await refusal(), "TakesNoPayment")
    assert.strictEqual(await giftStatus(waiting), "CONFIRMED")
    assert.strictEqual((await read()).at("donation_id"), waiting.donation_id)
  })

  it("completes where its gift was deleted meanwhile, and stays where its gift is gone", async () => {
    const waiting = await submit({ payment_token: numbers.waits })
    const gift = await giving.giftOf(waiting)
    await service.run(DonationStore.use((store) => store.update({ ...gift, deleted_at: gift.created_at })))
    await giving.move(waiting, Bank.approve)
    await giving.settle()
    assert.strictEqual((await giving.chargeOf(waiting)).status, "SUCCEEDED")
    assert.strictEqual((await read()).at("status"), "COMPLETED")
  })

  it("in every order of submission, approval, cancellation, archiving and settling is one gift, in both books", async () => {
    const acts = {
      approve: (waiting: SubmittedCheckout) => giving.move(waiting, Bank.approve).catch(() => undefined),
      cancel: () => giving.tenant.writer.post(path("/cancel")),
      archive: () => giving.tenant.writer.delete(path()),
      settle: () => giving.settle()
    }
    const orders = [
      ["cancel", "approve", "settle", "archive"],
      ["cancel", "settle", "approve", "archive"],
      ["approve", "cancel", "archive", "settle"],
      ["approve", "settle", "cancel", "archive"],
      ["archive", "approve", "cancel", "settle"],
      ["archive", "settle", "approve", "cancel"],
      ["settle", "archive", "approve", "settle"],
      ["cancel", "archive", "approve", "settle"]
    ] as const
    for (const order of orders) {
      link = await make()
      const waiting = await submit({ payment_token: numbers.waits })
      for (const act of order) await acts[act](waiting)
      service.clock.advance(2 * 60_000)
      await giving.settle()
      const stored = await service.run(
        CheckoutLinkStore.use((store) => store.find(giving.tenant.organisation.id, CheckoutLinkId.make(link.id)))
      )
      const { donation_id, pending_donation_id } = Option.getOrThrow(stored)
      const isPaid = (await giving.bank(waiting)).status === "succeeded"
      assert.strictEqual(await giftStatus(waiting), isPaid ? "CONFIRMED" : "FAILED cancelled", order.join(", "))
      assert.strictEqual(donation_id, isPaid ? waiting.donation_id : null, order.join(", "))
      assert.isNull(pending_donation_id, order.join(", "))
      const events = await giving.eventsOf(waiting)
      assert.lengthOf(
        events.filter((type) => type === "donation.succeeded" || type === "donation.failed"),
        1,
        order.join(", ")
      )
    }
    await giving.balanced()
  })
})
