import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import { listing } from "../../src/domain/payments/PaymentException.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { changedProcessors } from "../support/Processors.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { everyKind } from "../support/Stores.ts"

let keeps = false

/** A processor that takes the money of a first charge, and keeps nothing of what it was paid with. */
const processors = changedProcessors((inner) => ({
  ...inner,
  fetchCharge: (charging) =>
    Effect.map(inner.fetchCharge(charging), (snapshot) => ({
      ...snapshot,
      mandate_reference: keeps ? (snapshot.mandate_reference ?? null) : null
    }))
}))

describe.each(everyKind)("a recurring gift of which the processor kept nothing, over %s", (_name, stores) => {
  const service = serviceOver({ stores, processors })
  const giving = anew(() => makeGivingSandbox(service, { recurring_frequencies: ["MONTHLY"] }))

  const exceptions = async () => {
    const query = Effect.orDie(Effect.fromResult(parse(listing, [])))
    const { data } = await giving.tenant.staff(PaymentExceptions.use((all) => Effect.flatMap(query, all.list)))
    return data
  }

  it("is told to a person once, and renewed by nobody", async () => {
    keeps = false
    const gift = await giving.submit({ frequency: "MONTHLY" })
    assert.strictEqual(gift.status, "SUCCEEDED")
    await giving.settle()
    const [told, ...more] = await exceptions()
    assert.lengthOf(more, 0)
    assert.deepInclude(told, {
      kind: "mismatch",
      subject_id: gift.subscription_id ?? "",
      charge_id: null,
      held_cents: 0
    })
    assert.match(told?.reason ?? "", /kept nothing .* set it up again\.$/u)
    service.clock.advance(40 * 86_400_000)
    await service.run(renewNow(giving.tenant.organisation.id))
    assert.lengthOf(await giving.charges(), 1)
    await giving.balanced()
  })

  it("is told of no gift of which it is kept", async () => {
    keeps = true
    const before = (await exceptions()).length
    await giving.submit({ frequency: "MONTHLY" })
    assert.lengthOf(await exceptions(), before)
  })
})
