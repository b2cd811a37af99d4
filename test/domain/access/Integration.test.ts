import { assert, describe, it } from "@effect/vitest"
import { DisclosedIntegration, Integration, IntegrationRecord } from "../../../src/domain/access/Integration.ts"

const hidden = [
  "organisation_id",
  "passphrase_hash",
  "passphrase_key_id",
  "sealed_credentials",
  "previous_sealed_notice_secrets"
]

describe("an integration", () => {
  it("is shown whole but for its organisation and what its passphrase is checked with", () => {
    const shown = Object.keys(Integration.fields).filter((field) => !hidden.includes(field))
    assert.sameMembers(Object.keys(IntegrationRecord.fields), shown)
    assert.include(shown, "passphrase_rotated_at")
  })

  it("is disclosed once with its passphrase, and with nothing else", () => {
    assert.sameMembers(Object.keys(DisclosedIntegration.fields), [
      ...Object.keys(IntegrationRecord.fields),
      "passphrase"
    ])
  })
})
