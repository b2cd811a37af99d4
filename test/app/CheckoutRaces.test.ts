import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { CheckoutLinkId } from "../../src/domain/kernel/Ids.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { CheckoutLinkStore } from "../../src/ports/giving/CheckoutLinkStore.ts"
import { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import { makeGivingSandbox, numbers, pageId } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { server } from "../support/Stores.ts"

const rounds = 12

/** Everything here happens at one moment, on many sessions of a real server. */
describe("checkouts at the same moment", () => {
  const service = serviceOver({ stores: server })
  const giving = anew(() => makeGivingSandbox(service))

  const newLink = async () => {
    const made = await giving.tenant.writer.post("/checkout-links", {
      donor_email: "bea@example.org",
      amount_cents: 7_000,
      payment_methods: ["card", "au_becs_debit"]
    })
    assert.strictEqual(made.status, 201, made.text)
    return { id: made.textAt("id"), code: made.textAt("code") }
  }

  const onLink = ({ code }: { readonly code: string }, more: Partial<Submission> = {}): Partial<Submission> => ({
    slug: null,
    code,
    amount_cents: 7_000,
    donor: null,
    ...more
  })

  const linkOf = async ({ id }: { readonly id: string }) =>
    Option.getOrThrow(
      await service.run(
        CheckoutLinkStore.use((store) => store.find(giving.tenant.organisation.id, CheckoutLinkId.make(id)))
      )
    )

  const tried = (more: Partial<Submission>) =>
    service.run(Effect.result(Checkouts.use((all) => all.submit(giving.submission(more)))))

  const look = async (submitted: SubmittedCheckout) => {
    const { id, organisation_id } = await giving.chargeOf(submitted)
    await service.run(ChargeStore.use((store) => store.lookNow(organisation_id, id)))
    await service.run(Settler.use(({ settleDue }) => settleDue))
  }

  it("a link that is cancelled while its money comes is completed by it, or its gift failed", async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < rounds; round += 1) {
      const link = await newLink()
      const waiting = await giving.submit(onLink(link, { payment_token: numbers.waits }))
      const act = round % 2 === 0 ? "cancel" : "archive"
      const ask =
        act === "cancel"
          ? () => giving.tenant.writer.post(`/checkout-links/${link.id}/cancel`)
          : () => giving.tenant.writer.delete(`/checkout-links/${link.id}`)
      const [answer] = await Promise.all([
        ask(),
        giving.move(waiting, Bank.approve).then(
          () => look(waiting),
          () => look(waiting)
        ),
        look(waiting)
      ])
      assert.include([200, 409], answer.status, answer.text)
      await giving.settle()
      service.clock.advance(61_000)
      await giving.settle()
      const isPaid = (await giving.bank(waiting)).status === "succeeded"
      const gift = await giving.giftOf(waiting)
      const { donation_id, pending_donation_id, status } = await linkOf(link)
      assert.strictEqual(gift.status, isPaid ? "CONFIRMED" : "FAILED")
      assert.isNull(pending_donation_id)
      assert.strictEqual(donation_id, isPaid ? waiting.donation_id : null)
      assert.strictEqual(status === "COMPLETED", isPaid)
      outcomes.add(`${gift.status}`)
    }
    assert.isNotEmpty([...outcomes])
    await giving.balanced()
  }, 120_000)

  it("two donors on one link make one gift that is paid, and neither is charged twice", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const link = await newLink()
      const clicks = [pageId(), pageId()].flatMap((submission_id) => [submission_id, submission_id])
      const results = await Promise.all(clicks.map((submission_id) => tried(onLink(link, { submission_id }))))
      for (const result of results) {
        if (Result.isFailure(result)) assert.include(["GuardRefused", "TakesNoPayment"], result.failure._tag)
      }
      service.clock.advance(61_000)
      await giving.settle()
      const { donation_id, pending_donation_id, status } = await linkOf(link)
      assert.deepStrictEqual([status, pending_donation_id], ["COMPLETED", null])
      const taken = results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
      const banked = await Promise.all(
        [...new Map(taken.map((each) => [each.donation_id, each])).values()].map(async (each) => ({
          id: each.donation_id,
          cents: await giving.bank(each).then(Bank.leftCents, () => 0)
        }))
      )
      for (const { cents, id } of banked) assert.strictEqual(cents, id === donation_id ? 7_000 : 0)
    }
    await giving.balanced()
  }, 120_000)

  it("two first gifts of one address, with other submission ids, are one donor's", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const email = `new-${round}@example.org`
      const given = [email, email.toUpperCase(), ` ${email}`, email].map((each) => ({ donor: { email: each } }))
      const gifts = await Promise.all(given.map((each) => giving.submit(each)))
      const donors = await Promise.all(gifts.map((each) => giving.giftOf(each)))
      assert.lengthOf(new Set(donors.map(({ donor_id }) => donor_id)), 1)
      const listed = await giving.tenant.reader.get(`/donors?email=${email}`)
      assert.lengthOf(listed.listAt("data"), 1)
    }
    await giving.balanced()
  }, 120_000)

  it("a donor who is merged or archived while a charge settles keeps the gift, and nobody waits for ever", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { writer } = giving.tenant
      const link = await newLink()
      const debit = await giving.submit(onLink(link, { method: "au_becs_debit", payment_token: numbers.debit }))
      const { donor_id } = await giving.giftOf(debit)
      const survivor = (await writer.post("/donors", { first_name: "Beatrix" })).textAt("id")
      await giving.move(debit, Bank.settle)
      const change =
        round % 2 === 0
          ? () => writer.post(`/donors/${survivor}/merge`, { duplicate_donor_id: donor_id })
          : () => writer.delete(`/donors/${donor_id}`)
      const [answer] = await Promise.all([change(), look(debit), look(debit)])
      assert.strictEqual(answer.status, 200, answer.text)
      await giving.settle()
      const gift = await giving.giftOf(debit)
      assert.strictEqual(gift.status, "CONFIRMED")
      assert.strictEqual(gift.donor_id, round % 2 === 0 ? survivor : donor_id)
      assert.deepInclude(await linkOf(link), { status: "COMPLETED", donor_id: gift.donor_id })
    }
    await giving.balanced()
  }, 120_000)
})
