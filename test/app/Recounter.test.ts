import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { Recounter } from "../../src/app/compliance/Recounter.ts"
import { DisclosureStore } from "../../src/ports/compliance/DisclosureStore.ts"
import { changePort } from "../support/ChangePort.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { memory } from "../support/Stores.ts"
import { asOperator, makeTenants } from "../support/Tenant.ts"

let broken = ""

const stores = changePort(DisclosureStore, (store) => ({
  differences: (organisation_id, ...asked) =>
    organisation_id === broken
      ? Effect.die(new Error("It takes too long."))
      : store.differences(organisation_id, ...asked)
})).pipe(Layer.provideMerge(memory))

describeService([["memory", stores]], "the nightly recount", (service) => {
  it("goes on with other organisations where the sums of one cannot be compared", async () => {
    const tenants = [(await makeTenants(service)).sandbox, (await makeTenants(service)).sandbox]
    broken = tenants[0]?.organisation.id ?? assert.fail()
    const recount = Recounter.use(({ recountDue }) => recountDue)
    for (const { organisation, writer } of tenants) {
      await writer.post("/revenue-codes", { code: "VIC" })
      const assign = CodeAssignments.use((use) => use.assign({ code: "VIC", jurisdiction: "AU" }))
      await service.run(assign.pipe(asOperator(organisation)))
    }
    await service.run(recount)
    service.clock.advance(86_400_000)
    await service.run(recount)
    const now = await service.run(DateTime.now)
    for (const { organisation } of tenants) {
      const kept = await service.run(DisclosureStore.use((store) => store.recountOf(organisation.id)))
      assert.isTrue(DateTime.isGreaterThan(Option.getOrThrow(kept).due_at, now))
    }
    assert.include(service.logs.join("\n"), "could not be compared with its gifts")
  })
})
