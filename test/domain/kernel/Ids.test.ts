import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import * as Ids from "../../../src/domain/kernel/Ids.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

/** The prefixes of the contract. decisions, section 1: Identifiers. */
const prefixes =
  "org key usr dnr log don rfd rev frm chk rset all rsp pal roal intg intr cmp seg sub dsc evt whe dlv req".split(" ")

/** Those beyond the contract. money, sections 2, 4, 6 and 7. */
const beyond = "aud mail chg trf rvs led dsp exc cpr ntc tnt crd mdt inv cod".split(" ")

const schemas = [
  ["org", Ids.OrganisationId],
  ["key", Ids.ApiKeyId],
  ["dnr", Ids.DonorId],
  ["don", Ids.DonationId],
  ["rev", Ids.RevenueCodeId],
  ["evt", Ids.EventId],
  ["whe", Ids.WebhookEndpointId],
  ["dlv", Ids.DeliveryId],
  ["aud", Ids.AuditEntryId],
  ["mail", Ids.MailId],
  ["chg", Ids.ChargeId],
  ["led", Ids.LedgerEntryId]
] as const

const suffix = fc.string({ unit: fc.constantFrom(...Ids.idDigits), minLength: 26, maxLength: 26 })

describe("identifiers", () => {
  it("have the prefixes of the contract, each for one kind", () => {
    const own = Object.values<string>(Ids.idPrefixes)
    assert.strictEqual(new Set(own).size, own.length)
    assert.sameMembers(own, [...prefixes, ...beyond])
  })

  it.each(schemas)("%s_ are TypeIDs, and only they", (prefix, schema) => {
    const is: (text: unknown) => boolean = Schema.is(schema)
    assert.isTrue(is(`${prefix}_01h455vb4pex5vsknk084sn02q`))
    forEvery(suffix, fc.constantFrom(...prefixes), (digits, other) => {
      assert.strictEqual(is(`${prefix}_${digits}`), digits.charAt(0) <= "7")
      assert.strictEqual(is(`${other}_0${digits.slice(1)}`), other === prefix)
    })
  })

  it.each(schemas)("%s_ have no second spelling", (_, schema) => {
    const is: (text: unknown) => boolean = Schema.is(schema)
    forEvery(arbitraryOf<string>(schema), fc.constantFrom("i", "l", "o", "u", "A", "-", " "), (id, wrong) => {
      for (const other of [id.slice(0, -1), `${id}0`, ` ${id}`, `${id}\n`, id.slice(0, -1) + wrong]) {
        assert.isFalse(is(other), other)
      }
    })
  })

  it("have base32 digits in the order of their values", () => {
    assert.strictEqual(Ids.idDigits.length, 32)
    assert.strictEqual([...Ids.idDigits].sort().join(""), Ids.idDigits)
  })
})
