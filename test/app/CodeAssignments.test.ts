import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { type CodeAssignment, CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { australianRegimes } from "../../src/domain/compliance/AustralianRegimes.ts"
import { InstallationRegimes, RevenueCodeStore } from "../../src/ports.ts"
import { revenueCodeOf } from "../../src/testing/conformance/Records.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, auditOf, makeTenants } from "../support/Tenant.ts"

describeService(everyKind, "the assignment of revenue codes", (service) => {
  it("is to a jurisdiction with a regime in force, by the text of a code that is not archived, and audited", async () => {
    const { sandbox } = await makeTenants(service)
    const { organisation } = sandbox
    const insert = (given: Parameters<typeof revenueCodeOf>[1]) =>
      service.run(
        Effect.flatMap(revenueCodeOf(organisation.id, given), (code) =>
          Effect.as(
            RevenueCodeStore.use((store) => store.insert(code)),
            code
          )
        )
      )
    const campaign = await insert({ code: "Campaign" })
    const elsewhere = await insert({ code: "Campaign", namespace: "CRM_A" })
    await insert({ code: "Old", archived_at: campaign.created_at })
    const assign = (input: CodeAssignment) =>
      service.run(Effect.result(CodeAssignments.use((use) => use.assign(input)).pipe(asOperator(organisation))))
    const assigned = async (input: CodeAssignment) => Result.getOrThrow(await assign(input))
    const refusal = async (input: CodeAssignment) => Result.merge(await assign(input))

    service.clock.advance(1_000)
    const federal = await assigned({ code: " CAMPAIGN", jurisdiction: "AU" })
    assert.deepInclude(federal, { id: campaign.id, jurisdiction: "AU", is_fca: true })
    assert.notDeepEqual(federal.updated_at, campaign.updated_at)
    service.clock.advance(1_000)
    assert.deepStrictEqual(await assigned({ code: "Campaign", jurisdiction: "AU" }), federal)
    assert.deepInclude(await assigned({ code: "Campaign", namespace: "CRM_A", jurisdiction: null }), {
      id: elsewhere.id,
      is_fca: false
    })
    assert.deepInclude(await assigned({ code: "Campaign", jurisdiction: null }), { jurisdiction: null, is_fca: false })

    for (const jurisdiction of ["AU-VIC", "au", ""]) {
      const { message } = Object(await refusal({ code: "Campaign", jurisdiction }))
      assert.match(message, /^No disclosure regime is in force in .*\. Name one of AU, or bring its regime/u)
    }
    assert.deepInclude(await refusal({ code: "Unheard", jurisdiction: "AU" }), { _tag: "NotFound" })
    assert.deepInclude(await refusal({ code: "Old", jurisdiction: "AU" }), { _tag: "RecordArchived" })
    const audit = await auditOf(service, organisation)
    assert.lengthOf(
      audit.filter(({ operation }) => operation === "revenue_codes.assign"),
      4
    )
  })

  it("is to a jurisdiction whose regime the operator's file brings", async () => {
    const { sandbox } = await makeTenants(service)
    const { organisation, writer } = sandbox
    const [regime] = australianRegimes.filter(({ key }) => key === "au-2026-07")
    assert.isDefined(regime)
    const book = {
      regimes: [...australianRegimes, { ...regime, key: "nz", jurisdiction: "NZ" }],
      elections: [],
      from_file: ["nz"]
    }
    assert.strictEqual((await writer.post("/revenue-codes", { code: "ISLANDS" })).status, 201)
    const assigned = CodeAssignments.use((use) => use.assign({ code: "ISLANDS", jurisdiction: "NZ" })).pipe(
      Effect.provide(Layer.fresh(CodeAssignments.layer)),
      Effect.provideService(InstallationRegimes, book),
      asOperator(organisation)
    )
    assert.deepInclude(await service.run(assigned), { jurisdiction: "NZ", is_fca: false })
  })
})
