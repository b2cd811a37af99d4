import { assert, beforeAll, it } from "@effect/vitest"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { defaults } from "../../src/printing/reference/Operations.tsx"
import { newLink } from "../../src/testing/conformance/MoneyRecords.ts"
import { type Answer, valueAt } from "../support/Answer.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

const day = 86_400_000

describeService(inMemory, "the defaults that the reference states", (service) => {
  let tenant: Tenant
  let made: Readonly<Record<string, Answer>>

  beforeAll(async () => {
    tenant = await makeTenant(service)
    const { writer } = tenant
    const recipient = await makeTenant(service)
    const account = await service.run(newLink(tenant.organisation.id, recipient.organisation, { label: "Shelter" }))
    const allocations = [{ recipient_org_account_link_id: account.id, amount_cents: 500 }]
    made = {
      NewDonor: await writer.post("/donors", { first_name: "Ada" }),
      NewDonationForm: await writer.post("/forms", { name: "Gala" }),
      NewCheckoutLink: await writer.post("/checkout-links", { donor_email: "ada@example.org", amount_cents: 500 }),
      NewRecommendationSet: await writer.post("/recommendation-sets", { name: "Winter", allocations })
    }
  })

  it("are what a record has that was made without them", () => {
    for (const [schema, answer] of Object.entries(made)) {
      assert.strictEqual(answer.status, 201, answer.text)
      for (const [field, standard] of Object.entries(defaults[schema] ?? {})) {
        assert.deepStrictEqual(answer.at(field), standard, `${schema}.${field}`)
      }
    }
    const others = Object.keys(defaults).filter((name) => made[name] === undefined)
    assert.sameMembers(others, ["NewIntroduction", "SecretRotation"])
  })

  it("are the days of an invitation", async () => {
    const sent = await tenant.writer.post("/introductions", { invitee_email: "bea@example.org" })
    const lasts = Date.parse(sent.textAt("expires_at")) - Date.parse(sent.textAt("created_at"))
    assert.strictEqual(lasts / day, valueAt(defaults, "NewIntroduction.ttl_days"))
  })

  it("are of fields that the body has and that may be left out", () => {
    const { schemas } = openApi({ apiBaseUrl: "https://api.example.org", version: "1.2.3" }).components
    for (const [name, fields] of Object.entries(defaults)) {
      assert.containsAllKeys(schemas[name]?.["properties"], Object.keys(fields), name)
      for (const field of Object.keys(fields)) {
        assert.notInclude(Object(schemas[name]?.["required"] ?? []), field)
        // A default in the document makes generated clients demand the field.
        assert.isUndefined(valueAt(schemas, `${name}.properties.${field}.default`))
      }
    }
  })
})
