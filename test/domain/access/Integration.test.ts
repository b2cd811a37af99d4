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

  it("is typed with credentials where it is the organisation's own, with donors' transfers at a bank alone, and open where nobody opens it", () => {
    const given = fc.record({
      processor: fc.constantFrom("bank", "stripe", null),
      is_own: fc.constantFrom(true, false, null),
      bank_account: fc.constantFrom({}, null),
      credentials: fc.constantFrom({}, null),
      processor_connect_account_id: fc.constantFrom("acct_1", null),
      country: fc.constantFrom("NZ", null)
    })
    forEveryWith({ numRuns: 300 }, given, (input) => {
      const { bank_account, credentials, is_own, processor } = input
      const isOwn = is_own === true
      const mayHaveBank = bank_account === null || (processor === "bank" && !isOwn)
      // Such accounts are opened by nobody here: they are open, and have their country.
      const isOpen = input.processor_connect_account_id !== null && input.country === null
      const mayBeOpened = !isOwn && bank_account === null
      const fits = mayHaveBank && (credentials !== null) === isOwn && (isOpen || mayBeOpened)
      assert.strictEqual(hasForm(Integration.NewIntegration, input), fits, JSON.stringify(input))
    })
  })
})
