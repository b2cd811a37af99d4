import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { Credits } from "../../src/app/payments/Credits.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Transfers } from "../../src/app/sharing/Transfers.ts"
import { dayOf } from "../../src/domain/kernel/CalendarDate.ts"
import type { TransferAttempt } from "../../src/domain/sharing/TransferAttempt.ts"
import type { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import { anew, serviceOver } from "../support/Late.ts"
import type { Parts } from "../support/Service.ts"
import { makeSharingSandbox } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"
import { eventsOf } from "../support/Tenant.ts"
import { instructionsOf } from "../support/Transfers.ts"

const byTransfer = { method: "bank_transfer", payment_token: null } as const

const account = { methods: ["card", "bank_transfer"] } as const

describe.each(everyKind)("a payment by bank transfer that is shared over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const sharing = anew(() => makeSharingSandbox(service, { own: account }))

  const staff = <A, E>(effect: Effect.Effect<A, E, Parts | CurrentCaller>) =>
    sharing.giving.tenant.staff(Effect.result(effect))

  /** Pays a set by bank transfer; its money is with the organisation's bank. */
  const pay = async (amounts: ReadonlyArray<number>) => {
    const { give, giving } = sharing
    const paid = await give(amounts, byTransfer)
    const { amount_cents, reference } = instructionsOf(paid)
    const now = DateTime.makeUnsafe(service.clock.currentTimeMillisUnsafe())
    const day = dayOf(now, giving.tenant.organisation.timezone)
    const recorded = await staff(
      Credits.use((use) => use.record({ integration_id: giving.integration_id, day, amount_cents, text: reference }))
    )
    assert.isTrue(Result.isSuccess(recorded))
    await giving.settle()
    await giving.distribute()
    await giving.balanced()
    return paid
  }
  const waiting = async () => (await sharing.giving.attempts()).filter(({ status }) => status === "NEW")
  const attemptOf = async (index: number) => {
    const { id } = await sharing.share(index)
    return (await waiting()).find(({ allocation_id }) => allocation_id === id) ?? assert.fail("nothing waits")
  }
  const settle = (id: TransferAttempt["id"], processor_reference: string | null = null) =>
    staff(Transfers.use((all) => all.settle(id, { processor_reference })))
  const fail = (id: TransferAttempt["id"]) => staff(Transfers.use((all) => all.fail(id)))
  const tagOf = (answer: Awaited<ReturnType<typeof settle>>) =>
    Result.isFailure(answer) ? answer.failure._tag : answer.success.status
  const kinds = async () => (await sharing.open()).map(({ kind }) => kind).toSorted()

  it("waits until somebody says that its parts reached their recipients", async () => {
    const { first, giftAt, giving, recipients, share, shown, statuses, typesAt } = sharing
    await pay([3_000, 2_000])
    for (const days of [1, 30]) {
      service.clock.advance(days * 24 * 3_600_000)
      await giving.distribute()
    }
    assert.deepStrictEqual(await statuses(), ["pending", "pending"])
    const [one, two] = [await attemptOf(0), await attemptOf(1)]
    const made = await settle(one.id, "NPP-7731")
    assert.deepInclude(Result.getOrThrow(made), {
      id: one.id,
      status: "SUCCEEDED",
      reference: "NPP-7731",
      sent_at: null
    })
    await giving.balanced()
    assert.deepStrictEqual(await statuses(), ["succeeded", "pending"])
    assert.strictEqual((await shown()).distribution_status, "PENDING")
    assert.strictEqual(tagOf(await settle(two.id)), "SUCCEEDED")
    assert.strictEqual((await shown()).distribution_status, "SUCCEEDED")
    await giving.balanced()
    const { donation_id } = await share(0)
    assert.deepInclude(await giftAt(first.tenant, donation_id), { status: "CONFIRMED", amount_cents: 3_000 })
    for (const { tenant } of recipients) {
      assert.deepStrictEqual(await typesAt(tenant), ["donor.created", "donation.created", "donation.succeeded"])
    }
    const told = (await eventsOf(giving.tenant)).filter(({ type }) => type.includes("distribution"))
    assert.deepStrictEqual(
      told.map(({ data }) => [data["allocation_id"], data["amount_cents"], data["transfer_status"]]),
      [
        [one.allocation_id, 3_000, "succeeded"],
        [two.allocation_id, 2_000, "succeeded"]
      ]
    )
    assert.lengthOf(await kinds(), 0)
  })

  it("is said once, whoever says it, and both ways at once", async () => {
    const { giving, statuses } = sharing
    await pay([3_000, 2_000])
    const { id } = await attemptOf(0)
    const tags = (await Promise.all([settle(id), settle(id), fail(id), fail(id)])).map(tagOf)
    assert.strictEqual(tags.filter((tag) => tag === "IllegalTransition").length, 3, tags.join(", "))
    const [won] = tags.filter((tag) => tag !== "IllegalTransition")
    assert.deepStrictEqual(await statuses(), [won === "SUCCEEDED" ? "succeeded" : "failed", "pending"])
    assert.lengthOf(await giving.attempts(), 2)
    await giving.balanced()
  })

  it("leaves to the processor what it moves itself, and knows nothing of others' transfers", async () => {
    const { first, give, giving } = sharing
    await give([3_000, 2_000])
    const { id } = await attemptOf(0)
    for (const answer of [await settle(id), await fail(id)]) {
      assert.isTrue(Result.isFailure(answer))
      if (Result.isFailure(answer)) assert.match(answer.failure.message, /The processor moves this money by itself/u)
    }
    const foreign = await first.tenant.staff(Effect.result(Transfers.use((all) => all.settle(id, {}))))
    assert.strictEqual(Result.isFailure(foreign) ? foreign.failure._tag : "done", "NotFound")
    await giving.distribute()
    assert.strictEqual(tagOf(await settle(id)), "IllegalTransition")
    await giving.balanced()
  })

  it("is paid anew to its recipients, where its money came after it had lapsed", async () => {
    const { give, giving, open, shown } = sharing
    const { amount_cents, reference } = instructionsOf(await give([3_000, 2_000], byTransfer))
    const { id } = await shown()
    service.clock.advance(16 * 24 * 3_600_000)
    await giving.settle()
    assert.strictEqual((await shown()).payment_status, "LAPSED")
    const day = dayOf(DateTime.makeUnsafe(service.clock.currentTimeMillisUnsafe()), "UTC")
    const line = { integration_id: giving.integration_id, day, amount_cents, text: reference }
    await staff(Credits.use((use) => use.record(line)))
    const [late] = await open()
    const input = { note: "They called", charge_ids: [late?.charge_id ?? assert.fail("no charge")] }
    const resolved = await staff(PaymentExceptions.use((use) => use.resolve(late?.id ?? assert.fail(), input)))
    assert.isTrue(Result.isSuccess(resolved))
    await giving.settle()
    await giving.distribute()
    await giving.balanced()
    const paid = await shown()
    assert.notStrictEqual(paid.id, id)
    assert.strictEqual(paid.payment_status, "SUCCEEDED")
    for (const { allocation_id } of await waiting()) {
      assert.include(
        paid.allocations.map((share) => share.id),
        allocation_id
      )
    }
    assert.lengthOf(await waiting(), 2)
  })
})
