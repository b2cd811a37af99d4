import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Integration from "../../../src/domain/access/Integration.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { hasForm } from "../../support/InputForms.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const hidden = [
  "statement_mapping",
  "organisation_id",
  "passphrase_hash",
  "passphrase_key_id",
  "sealed_credentials",
  "previous_sealed_notice_secrets"
]

describe("an integration", () => {
  it("is shown whole but for its organisation, what its passphrase is checked with, and how its statements are written", () => {
    const shown = Object.keys(Integration.Integration.fields).filter((field) => !hidden.includes(field))
    assert.sameMembers(Object.keys(Integration.IntegrationRecord.fields), shown)
    assert.include(shown, "passphrase_rotated_at")
  })

  it("is disclosed once with its passphrase, and with nothing else", () => {
    assert.sameMembers(Object.keys(Integration.DisclosedIntegration.fields), [
      ...Object.keys(Integration.IntegrationRecord.fields),
      "passphrase"
    ])
  })

  it("goes by whose it is, where, and whether it is in use, where money is transferred", () =>
    forEvery(arbitraryOf(Integration.Integration), (integration) => {
      const { id, is_active, is_default, is_own, organisation_id, processor } = integration
      const account = { id, is_active, is_default, is_own, organisation_id, processor }
      assert.deepStrictEqual(Integration.transferAccountOf(integration), account)
      assert.sameMembers(Object.keys(Integration.TransferAccount.fields), Object.keys(account))
      assert.strictEqual(Integration.isDefault(account), is_active && is_default)
    }))

  it("is typed with credentials where it is the organisation's own, and with donors' transfers at a bank alone", () => {
    const given = fc.record({
      processor: fc.constantFrom("bank", "stripe", null),
      is_own: fc.constantFrom(true, false, null),
      bank_account: fc.constantFrom({}, null),
      credentials: fc.constantFrom({}, null)
    })
    forEveryWith({ numRuns: 300 }, given, (input) => {
      const { bank_account, credentials, is_own, processor } = input
      const isOwn = is_own === true
      const mayHaveBank = bank_account === null || (processor === "bank" && !isOwn)
      const fits = mayHaveBank && (credentials !== null) === isOwn
      assert.strictEqual(hasForm(Integration.NewIntegration, input), fits, JSON.stringify(input))
    })
  })
})
