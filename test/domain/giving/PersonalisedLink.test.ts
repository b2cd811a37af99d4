import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Option, Schema } from "effect"
import fc from "fast-check"
import type { Donor } from "../../../src/domain/giving/Donor.ts"
import * as PersonalisedLink from "../../../src/domain/giving/PersonalisedLink.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { donor, instant, text } from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const place = arbitraryOf(PersonalisedLink.LinkPage)
const keyId = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/u)
const mac = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/u)

const minted = fc
  .record({ place, donor, key_id: keyId, now: instant })
  .map(({ donor: given, key_id, now, place: target }) => {
    const who: Donor = { ...given, organisation_id: target.organisation_id, archived_at: null }
    return { place: target, donor: who, now, claims: PersonalisedLink.claim(target, who, key_id, now) }
  })

const placeOf = ({ organisation_id, target }: PersonalisedLink.Claims): PersonalisedLink.LinkPage => ({
  organisation_id,
  target
})

describe("a personalised link's token", () => {
  it("is read back where it belongs, and is safe in a URL as it is", () =>
    forEvery(minted, mac, ({ claims }, sealed) => {
      const token = PersonalisedLink.encode(claims, sealed)
      assert.deepStrictEqual(PersonalisedLink.decode(placeOf(claims), token), Option.some({ claims, mac: sealed }))
      assert.strictEqual(encodeURIComponent(token), token)
      // Without what proves it, it opens nothing and still says all that it claims.
      const text = PersonalisedLink.claimsTextOf(token)
      assert.strictEqual(token, `${text}.${sealed}`)
      assert.isTrue(Option.isNone(PersonalisedLink.decode(placeOf(claims), text)))
      assert.deepStrictEqual(PersonalisedLink.readClaims(placeOf(claims), text), Option.some(claims))
    }))

  it("is read back for a donor whose profile never changed", () =>
    forEvery(minted, mac, fc.integer({ min: -2, max: 2 }), ({ claims }, sealed, profile_revision) => {
      const own = { ...claims, profile_revision }
      const read = PersonalisedLink.decode(placeOf(own), PersonalisedLink.encode(own, sealed))
      const isRevision = profile_revision >= 0
      assert.deepStrictEqual(read, isRevision ? Option.some({ claims: own, mac: sealed }) : Option.none())
    }))

  it("is one spelling of its claims: every other text is refused or says something else", () => {
    const edited = fc.tuple(
      minted,
      mac,
      fc.nat(),
      fc.oneof(fc.constantFrom("", "0", ".", "_", "A", "%", "\n"), text(2))
    )
    forEveryWith({ numRuns: 500 }, edited, ([{ claims }, sealed, position, put]) => {
      const token = PersonalisedLink.encode(claims, sealed)
      const index = position % token.length
      const other = token.slice(0, index) + put + token.slice(index + 1)
      fc.pre(other !== token)
      const read = PersonalisedLink.decode(placeOf(claims), other)
      if (Option.isNone(read)) return
      assert.strictEqual(PersonalisedLink.encode(read.value.claims, read.value.mac), other)
      assert.notDeepEqual(read.value, { claims, mac: sealed })
    })
  })

  it("refuses any text that is no token, without throwing", () => {
    const part = fc.oneof(text(), fc.constantFrom("v1", "0", "zzzzzzzzzzzzzzz", "-1", "NaN", ""))
    forEvery(place, fc.array(part, { maxLength: 8 }), (where, parts) => {
      assert.isTrue(Option.isNone(PersonalisedLink.decode(where, parts.join("."))))
    })
  })

  it("is bound to its organisation, target, donor, revision, expiry and key: the text that is signed differs", () =>
    forEvery(minted, minted, (one, other) => {
      const fields = ["organisation_id", "target", "donor_id", "profile_revision", "expires_at", "key_id"] as const
      const texts = fields.map((field) =>
        PersonalisedLink.canonicalText({ ...one.claims, [field]: other.claims[field] })
      )
      const signed = PersonalisedLink.canonicalText(one.claims)
      const same = Schema.toEquivalence(PersonalisedLink.Claims)
      for (const [index, field] of fields.entries()) {
        const changed = { ...one.claims, [field]: other.claims[field] }
        assert.strictEqual(texts[index] === signed, same(changed, one.claims))
      }
    }))

  it("says nothing of the place that it is for, so that another place signs another text", () =>
    forEvery(minted, place, mac, ({ claims }, elsewhere, sealed) => {
      const token = PersonalisedLink.encode(claims, sealed)
      const read = Option.getOrThrow(PersonalisedLink.decode(elsewhere, token)).claims
      assert.notInclude(token, claims.organisation_id)
      assert.notInclude(token, claims.target.id)
      fc.pre(elsewhere.organisation_id !== claims.organisation_id || elsewhere.target.id !== claims.target.id)
      assert.notStrictEqual(PersonalisedLink.canonicalText(read), PersonalisedLink.canonicalText(claims))
    }))
})

describe("a personalised link", () => {
  const dayMillis = 86_400_000

  it("holds for thirty days, any number of times, and not a millisecond longer", () =>
    forEvery(minted, fc.integer({ min: -3, max: 3 }), ({ claims, donor: who, now }, offset) => {
      const later = DateTime.addDuration(now, Duration.millis(30 * dayMillis + offset))
      const expected = offset < 0 ? Option.none() : Option.some("expired")
      assert.deepStrictEqual(PersonalisedLink.lapseOf(claims, who, later), expected)
      assert.isTrue(Option.isNone(PersonalisedLink.lapseOf(claims, who, now)))
    }))

  it("is revoked by any change of the donor's revision, by archiving and by merging", () =>
    forEvery(minted, fc.integer({ min: -3, max: 3 }), fc.option(instant), (link, step, archived_at) => {
      const profile_revision = link.donor.profile_revision + step
      const lapse = PersonalisedLink.lapseOf(link.claims, { ...link.donor, profile_revision, archived_at }, link.now)
      const expected = archived_at !== null ? "archived" : step === 0 ? null : "profile_changed"
      assert.strictEqual(Option.getOrNull(lapse), expected)
    }))

  it("is for its own donor alone", () =>
    forEvery(minted, minted, fc.boolean(), (one, other, sameId) => {
      const stranger = sameId
        ? { ...other.donor, id: one.donor.id }
        : { ...other.donor, organisation_id: one.place.organisation_id }
      const isOwn = stranger.id === one.donor.id && stranger.organisation_id === one.donor.organisation_id
      fc.pre(!isOwn)
      assert.deepStrictEqual(PersonalisedLink.lapseOf(one.claims, stranger, one.now), Option.some("another_donor"))
    }))

  it("adds its token to a page's address, whatever the address has already", () => {
    const page = fc.constantFrom("https://a.example/g/abc", "https://a.example/f/give?embed=1")
    forEvery(minted, mac, page, ({ claims }, sealed, address) => {
      const token = PersonalisedLink.encode(claims, sealed)
      const url = new URL(PersonalisedLink.urlOf(address, token))
      assert.strictEqual(url.searchParams.get("dt"), token)
      url.searchParams.delete("dt")
      assert.strictEqual(url.toString(), address)
    })
  })

  it("is minted for any donor that is named", () =>
    forEvery(fc.string({ unit: "grapheme-ascii", maxLength: 3 }), (donor_id) => {
      assert.strictEqual(Schema.is(PersonalisedLink.NewPersonalisedLink)({ donor_id }), donor_id !== "")
    }))

  it("is shown as the contract says, for a set and for a form", () =>
    forEvery(minted, ({ claims }) => {
      const common = PersonalisedLink.commonRecordOf(claims, "https://a.example/g/abc?dt=token")
      const { target } = claims
      if (target.kind === "recommendation_set") {
        const record = { ...common, recommendation_set_id: target.id }
        assert.isTrue(Schema.is(PersonalisedLink.PersonalisedSetLink)(record))
      } else {
        assert.isTrue(Schema.is(PersonalisedLink.PersonalisedFormLink)({ ...common, form_id: target.id }))
      }
      assert.deepInclude(common, { donor_id: claims.donor_id, expires_at: claims.expires_at })
    }))
})
