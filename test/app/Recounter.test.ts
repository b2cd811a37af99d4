import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { Recounter } from "../../src/app/compliance/Recounter.ts"
import { DisclosureStore } from "../../src/ports/compliance/DisclosureStore.ts"
import { valueAt } from "../support/Answer.ts"
import { changePort } from "../support/ChangePort.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { memory } from "../support/Stores.ts"
import { asOperator, makeTenants, type Tenant } from "../support/Tenant.ts"

let broken = ""
let lost: string | null = null
let odd: string | null = null

const stores = changePort(DisclosureStore, (store) => ({
  donorsAfter: (organisation_id, ...asked) =>
    organisation_id === lost
      ? Effect.die(new Error("The donors cannot be found."))
      : store.donorsAfter(organisation_id, ...asked),
  ofDonor: (organisation_id, donor_id) =>
    donor_id === odd ? Effect.die(new Error("It is odd.")) : store.ofDonor(organisation_id, donor_id),
  differences: (organisation_id, ...asked) =>
    organisation_id === broken
      ? Effect.die(new Error("It takes too long."))
      : store.differences(organisation_id, ...asked)
})).pipe(Layer.provideMerge(memory))

describeService([["memory", stores]], "the nightly recount", (service) => {
  const recount = Recounter.use(({ recountDue }) => recountDue)

  /** A sandbox with a code that is assigned to the federal jurisdiction, whose recount is therefore due. */
  const counting = async () => {
    const { sandbox } = await makeTenants(service)
    await sandbox.writer.post("/revenue-codes", { code: "VIC" })
    const assign = CodeAssignments.use((use) => use.assign({ code: "VIC", jurisdiction: "AU" }))
    await service.run(assign.pipe(asOperator(sandbox.organisation)))
    return sandbox
  }

  const dueIn = async ({ organisation }: Tenant) => {
    const kept = await service.run(DisclosureStore.use((store) => store.recountOf(organisation.id)))
    return Option.getOrThrow(kept).due_at.epochMilliseconds - service.clock.now
  }

  const minute = 60_000
  const day = 1_440 * minute

  it("goes on with other organisations where the sums of one cannot be compared", async () => {
    const tenants = [await counting(), await counting()]
    broken = tenants[0]?.organisation.id ?? assert.fail()
    await service.run(recount)
    service.clock.advance(day)
    await service.run(recount)
    for (const tenant of tenants) assert.strictEqual(await dueIn(tenant), day)
    assert.include(service.logs.join("\n"), "could not be compared with its gifts")
  })

  it("of an organisation whose donors cannot be found steps aside for others, longer each time, and comes again", async () => {
    const [one, other] = [await counting(), await counting()]
    lost = one.organisation.id
    await service.run(recount)
    assert.deepStrictEqual([await dueIn(one), await dueIn(other)], [minute, day])
    assert.include(service.logs.join("\n"), `The recount of ${lost} broke; it is tried again at `)
    for (const wait of [2, 4, 8]) {
      service.clock.advance(await dueIn(one))
      await service.run(recount)
      assert.strictEqual(await dueIn(one), wait * minute)
    }
    lost = null
    service.clock.advance(8 * minute)
    await service.run(recount)
    assert.strictEqual(await dueIn(one), day)
  })

  it("goes on with other donors where one cannot be assessed, and comes again to that one before the day is over", async () => {
    service.pace = 0
    const sandbox = await counting()
    const donors: Array<string> = []
    for (const first_name of ["Ada", "Bea"]) {
      const donor_id = (await sandbox.writer.post("/donors", { first_name })).textAt("id")
      const gift = { donor_id, donation_type: "MONETARY", amount_cents: 2_000_000, donation_date: "2026-01-01" }
      const given = await sandbox.writer.post("/donations", { ...gift, revenue_code: "late" })
      assert.strictEqual(given.status, 201, given.text)
      donors.push(donor_id)
    }
    const assign = CodeAssignments.use((use) => use.assign({ code: "late", jurisdiction: "AU" }))
    await service.run(assign.pipe(asOperator(sandbox.organisation)))
    odd = donors[0] ?? null
    await service.run(recount)
    const disclosed = async () => (await sandbox.reader.get("/disclosures")).listAt("data")
    assert.deepStrictEqual(
      (await disclosed()).map((each) => valueAt(each, "donor_id")),
      donors.slice(1)
    )
    assert.strictEqual(await dueIn(sandbox), minute)
    odd = null
    service.clock.advance(minute)
    await service.run(recount)
    assert.lengthOf(await disclosed(), 2)
    assert.strictEqual(await dueIn(sandbox), day)
  })
})
