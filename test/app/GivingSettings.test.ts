import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { GivingSettings } from "../../src/app/giving/GivingSettings.ts"
import type { GivingSettingsPatch } from "../../src/domain/giving/GivingSettings.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import type { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import { once } from "../support/Late.ts"
import { pictures } from "../support/Pictures.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, auditOf, makeTenant, type Tenant } from "../support/Tenant.ts"

const unset = {
  fund_name: null,
  fund_abn: null,
  is_deductible: false,
  sends_receipts: true,
  accent_color: null,
  logo: null,
  embed_origins: []
}
const fund = { fund_name: "Relief Fund", fund_abn: "51824753556" }

describeService(everyKind, "settings of an organisation", (service) => {
  const own = once(() => makeTenant(service))
  const other = once(() => makeTenant(service))

  const shown = async ({ organisation }: Tenant) => {
    const { organisation_id, ...settings } = await service.run(
      GivingSettings.use(({ read }) => read()).pipe(asOperator(organisation))
    )
    assert.strictEqual(organisation_id, organisation.id)
    return settings
  }

  const update = async (patch: GivingSettingsPatch) => {
    const { organisation } = own
    const updated = GivingSettings.use((settings) => settings.update(patch)).pipe(asOperator(organisation))
    return Result.getOrElse(await service.run(Effect.result(updated)), (refused) => refused)
  }

  it("begin with receipts that say nothing of tax, and change one by one, for one organisation alone", async () => {
    assert.deepStrictEqual(await shown(own), unset)
    await update({ ...fund, fund_name: "  Relief Fund " })
    await Promise.all([update({ is_deductible: true }), update({ sends_receipts: false })])
    assert.deepStrictEqual(await shown(own), { ...unset, ...fund, is_deductible: true, sends_receipts: false })
    assert.deepStrictEqual(await shown(other), unset)
    const { organisation } = own
    const audited = (await auditOf(service, organisation)).filter(({ operation }) => operation.startsWith("giving_"))
    assert.deepStrictEqual(
      audited.map(({ operation, subject_id }) => [operation, subject_id]),
      Array.from({ length: 3 }, () => ["giving_settings.update", organisation.id])
    )
  })

  it("call gifts deductible for a fund with an ABN alone, whichever of both is changed", async () => {
    await update(fund)
    await update({ is_deductible: false, sends_receipts: true })
    assert.include(await update({ is_deductible: true, fund_abn: null }), { param: "is_deductible" })
    await update({ is_deductible: true })
    assert.include(await update({ fund_abn: null }), { _tag: "InvalidInput", param: "fund_abn" })
    assert.deepStrictEqual(await shown(own), { ...unset, ...fund, is_deductible: true })
    // The digits of an ABN check each other.
    assert.include(await update({ fund_abn: "51824753557" }), { _tag: "InvalidInput", param: "fund_abn" })
  })

  it("take an accent that is read on white, and origins as browsers send them, each once", async () => {
    assert.include(await update({ accent_color: "#FFCC00" }), { _tag: "InvalidInput", param: "accent_color" })
    const origins = ["https://www.example.org", "http://localhost:8080"]
    await update({ accent_color: "#7A1F5C", embed_origins: [...origins, ...origins] })
    assert.deepInclude(await shown(own), { accent_color: "#7a1f5c", embed_origins: origins })
    for (const origin of [
      "http://www.example.org",
      "https://www.example.org/",
      "https://WWW.example.org",
      "https://a:b@example.org",
      "https://*.example.org",
      "javascript:alert(1)",
      "null",
      ""
    ]) {
      assert.include(await update({ embed_origins: [origin] }), { param: "embed_origins[0]" }, origin)
    }
    for (const [given, meant] of [
      ["https://www.example.org/", "https://www.example.org,"],
      ["https://WWW.example.org:443/give?x=1", "https://www.example.org,"],
      ["http://localhost:3000/", "http://localhost:3000,"]
    ] as const) {
      const refusal = await update({ embed_origins: [given] })
      assert.include("message" in refusal ? refusal.message : "", `must be written as ${meant}`)
    }
    const many = Array.from({ length: Limits.embedOrigins + 1 }, (_, index) => `https://${index}.example.org`)
    assert.include(await update({ embed_origins: many }), { _tag: "InvalidInput", param: "embed_origins" })
    assert.deepInclude(await shown(own), { accent_color: "#7a1f5c", embed_origins: origins })
  })

  it("show a logo to everybody under the name of its content, until another takes its place", async () => {
    const { organisation } = own
    const staff = <A, E>(use: (settings: GivingSettings["Service"]) => Effect.Effect<A, E, CurrentCaller>) =>
      service.run(Effect.result(GivingSettings.use(use).pipe(asOperator(organisation))))
    const at = (name: string, slug = organisation.slug) =>
      service.run(Effect.result(GivingSettings.use(({ logo }) => logo(slug, name))))
    const set = async (data: string) => {
      assert.isTrue(Result.isSuccess(await staff(({ setLogo }) => setLogo({ data }))))
      return (await shown(own)).logo ?? assert.fail("no logo")
    }
    const name = await set(pictures.png)
    assert.match(name, /^[0-9a-f]{32}\.png$/)
    const kept = Result.getOrThrow(await at(name))
    assert.strictEqual(kept.content_type, "image/png")
    assert.deepStrictEqual(Buffer.from(kept.data, "base64"), Buffer.from(pictures.png, "base64"))
    assert.strictEqual(await set(pictures.png), name)
    assert.isTrue(Result.isFailure(await at(name, other.organisation.slug)))
    const next = await set(pictures.jpg)
    assert.match(next, /\.jpg$/)
    assert.isTrue(Result.isFailure(await at(name)))
    for (const data of ["PHN2Zz4=", "no base64!", ""]) {
      const refused = await staff(({ setLogo }) => setLogo({ data }))
      assert.isTrue(Result.isFailure(refused) && "param" in refused.failure && refused.failure.param === "data")
    }
    assert.strictEqual((await shown(own)).logo, next)
    await staff(({ removeLogo }) => removeLogo())
    assert.isNull((await shown(own)).logo)
    assert.isTrue(Result.isFailure(await at(next)))
  })
})
