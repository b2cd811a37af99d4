import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Charges } from "../../src/app/payments/Charges.ts"
import { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import { serviceOver } from "../support/Late.ts"
import { changedProcessors } from "../support/Processors.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"

/** The test processor, with something that happens after it was asked how a charge stands. */
const interrupted = (meanwhile: () => Promise<void>) =>
  changedProcessors((processor) => ({
    ...processor,
    fetchCharge: (charging) => Effect.tap(processor.fetchCharge(charging), () => Effect.promise(meanwhile))
  }))

describe.each(everyKind)("a look at a charge over %s", (_name, stores) => {
  const service = serviceOver({ stores, processors: interrupted(() => meanwhile()) })
  let meanwhile = async () => {}

  it("that is asked for while another one goes on comes after it", async () => {
    const giving = await makeGivingSandbox(service)
    const submitted = await giving.submit()
    const { id } = await giving.chargeOf(submitted)
    const { organisation } = giving.tenant
    const look = () => service.run(Charges.use((charges) => charges.look(id)).pipe(asOperator(organisation)))
    const lookAt = async () => (await giving.chargeOf(submitted)).look_at

    await look()
    assert.isNull(await lookAt(), "nothing more is expected")
    meanwhile = () => service.run(ChargeStore.use((store) => store.lookNow(organisation.id, id)))
    await look()
    meanwhile = async () => {}
    const asked = await lookAt()
    assert.isNotNull(asked)
    const now = await service.run(ChargeStore.use((store) => store.now))
    assert.isTrue(DateTime.isLessThanOrEqualTo(asked ?? now, now), "it is due")
  })
})
