import { assert, beforeAll, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { GivingSettings } from "../../src/app/giving/GivingSettings.ts"
import type { GivingSettingsPatch } from "../../src/domain/giving/GivingSettings.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, auditOf, makeTenant, type Tenant } from "../support/Tenant.ts"

const unset = { fund_name: null, fund_abn: null, is_deductible: false, sends_receipts: true }
const fund = { fund_name: "Relief Fund", fund_abn: "51824753556" }

describeService(everyKind, "settings of an organisation", (service) => {
  let [own, other]: ReadonlyArray<Tenant> = []

  beforeAll(async () => {
    own = await makeTenant(service)
    other = await makeTenant(service)
  })

  const shown = async (tenant: Tenant | undefined) => {
    const { organisation } = tenant ?? assert.fail("no tenant")
    const { organisation_id, ...settings } = await service.run(
      GivingSettings.use(({ read }) => read()).pipe(asOperator(organisation))
    )
    assert.strictEqual(organisation_id, organisation.id)
    return settings
  }

  const update = async (patch: GivingSettingsPatch) => {
    const { organisation } = own ?? assert.fail("no tenant")
    const updated = GivingSettings.use((settings) => settings.update(patch)).pipe(asOperator(organisation))
    return Result.getOrElse(await service.run(Effect.result(updated)), (refused) => refused)
  }

  it("begin with receipts that say nothing of tax, and change one by one, for one organisation alone", async () => {
    assert.deepStrictEqual(await shown(own), unset)
    await update({ ...fund, fund_name: "  Relief Fund " })
    await Promise.all([update({ is_deductible: true }), update({ sends_receipts: false })])
    assert.deepStrictEqual(await shown(own), { ...fund, is_deductible: true, sends_receipts: false })
    assert.deepStrictEqual(await shown(other), unset)
    const { organisation } = own ?? assert.fail("no tenant")
    const audited = (await auditOf(service, organisation)).filter(({ operation }) => operation.startsWith("giving_"))
    assert.deepStrictEqual(
      audited.map(({ operation, subject_id }) => [operation, subject_id]),
      Array.from({ length: 3 }, () => ["giving_settings.update", organisation.id])
    )
  })

  it("call gifts deductible for a fund with an ABN alone, whichever of both is changed", async () => {
    await update({ ...unset, ...fund })
    assert.include(await update({ is_deductible: true, fund_abn: null }), { param: "is_deductible" })
    await update({ is_deductible: true })
    assert.include(await update({ fund_abn: null }), { _tag: "InvalidInput", param: "fund_abn" })
    assert.deepStrictEqual(await shown(own), { ...unset, ...fund, is_deductible: true })
    // The digits of an ABN check each other.
    assert.include(await update({ fund_abn: "51824753557" }), { _tag: "InvalidInput", param: "fund_abn" })
  })
})
