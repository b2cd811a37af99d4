import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import * as Organisation from "../../../src/domain/access/Organisation.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { webUrl } from "../../../src/testing/Characters.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const common = ["id", "slug", "name", "abn", "website_url", "is_sandbox"]

const keysOf = (schema: { readonly fields: object }): Array<string> => Object.keys(schema.fields)

describe("an organisation", () => {
  it("reads of itself what the contract names, and neither its plan nor its networks", () => {
    assert.sameMembers(keysOf(Organisation.OwnOrganisation), [...common, "timezone", "default_currency", "created_at"])
    forEvery(arbitraryOf(Organisation.Organisation), (any) =>
      assert.isTrue(Schema.is(Organisation.OwnOrganisation)(any))
    )
  })

  it("is shown to another one with the links between them, and without its settings", () => {
    const shown = [...common, "recipient_org_account_link_ids"]
    assert.sameMembers(keysOf(Organisation.LinkedOrganisationRecord), shown)
    assert.sameMembers(keysOf(Organisation.LinkedOrganisation), [...shown, "created_at"])
  })

  it("takes an ABN of eleven digits and a web address, or neither", () => {
    const accepts = Schema.is(Organisation.OrganisationPatch)
    forEvery(fc.stringMatching(/^\d{9,13}$/), (abn) => assert.strictEqual(accepts({ abn }), abn.length === 11))
    forEvery(webUrl, (website_url) => assert.isTrue(accepts({ website_url })))
    for (const website_url of ["javascript:alert(1)", "example.org", "https://", "https://a b"])
      assert.isFalse(accepts({ website_url }), website_url)
    assert.isTrue(accepts({ abn: null, website_url: null }))
    assert.deepStrictEqual(
      [0, 11, 12].map((blanks) => accepts({ abn: " ".repeat(blanks) })),
      [true, true, false]
    )
  })
})

describe("a slug", () => {
  const accepts = Schema.is(Organisation.Slug)

  it("is a DNS label: it can be the first part of a host name", () => {
    const any = fc.string({ unit: fc.constantFrom("a", "z", "0", "9", "-"), maxLength: 66 })
    forEvery(any, (slug) => {
      const isLabel = slug.length >= 1 && slug.length <= 63 && !slug.startsWith("-") && !slug.endsWith("-")
      assert.strictEqual(accepts(slug), isLabel)
      if (isLabel) {
        assert.strictEqual(new URL(`https://${slug}.example.org`).hostname, `${slug}.example.org`)
      }
    })
    for (const slug of ["A", "a.b", "a b", "a\n", "é", ""]) assert.isFalse(accepts(slug), slug)
  })

  it("that is too long is told how long it may be", () => {
    const decode = Schema.decodeUnknownResult(Organisation.Slug)
    forEveryWith({ examples: [[64]] }, fc.integer({ min: 64, max: 300 }), (characters) => {
      const told = Result.match(decode("a".repeat(characters)), { onSuccess: () => "", onFailure: String })
      assert.include(told, "at most 63")
    })
  })

  it("of a twin leads to its twin and back", () =>
    forEvery(fc.stringMatching(/^[a-z0-9]{1,50}(-sandbox)?$/), (slug) => {
      const sandbox = Organisation.twinSlug({ slug, is_sandbox: false })
      assert.strictEqual(sandbox, `${slug}-sandbox`)
      assert.strictEqual(Organisation.twinSlug({ slug: sandbox, is_sandbox: true }), slug)
    }))

  it("of a sandbox ends in -sandbox, and is a slug still", () => {
    assert.strictEqual(Organisation.sandboxSuffix, "-sandbox")
    forEvery(fc.stringMatching(/^[a-z0-9]{1,55}$/), (slug) => assert.isTrue(accepts(slug + Organisation.sandboxSuffix)))
  })
})

describe("slugs", () => {
  const isSlug = Schema.is(Organisation.Slug)
  const isLiveSlug = Schema.is(Organisation.LiveSlug)

  it("are DNS labels of up to 63 characters", () => {
    assert.isTrue(isSlug("a".repeat(63)))
    assert.isFalse(isSlug("a".repeat(64)))
    for (const slug of ["", "-a", "a-", "A", "a_b", "é"]) assert.isFalse(isSlug(slug), slug)
  })

  it("of live organisations leave room for the sandbox's, and are none themselves", () => {
    const longest = "a".repeat(63 - "-sandbox".length)
    assert.isTrue(isLiveSlug(longest))
    assert.isTrue(isSlug(Organisation.twinSlug({ slug: longest, is_sandbox: false })))
    assert.isFalse(isLiveSlug(`${longest}a`))
    assert.isFalse(isLiveSlug("riverside-sandbox"))
    assert.isTrue(isLiveSlug("riverside-sandboxes"))
  })
})
