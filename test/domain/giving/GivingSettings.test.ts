import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as GivingSettings from "../../../src/domain/giving/GivingSettings.ts"
import { OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { pictures } from "../../support/Pictures.ts"

const organisation = OrganisationId.make("org_01h8x2m4p6q8s0t2v400000000")
const fund_abn = "51824753556"
const unset = GivingSettings.initial(organisation)

const revised = (patch: unknown, settings = unset) =>
  GivingSettings.revise(settings, Schema.decodeUnknownSync(GivingSettings.GivingSettingsPatch)(patch))

const refusedParam = (patch: unknown, settings = unset) =>
  Result.match(revised(patch, settings), { onFailure: ({ param }) => param, onSuccess: () => null })

describe("the settings of an organisation", () => {
  it("that has set nothing call no gift deductible, and have receipts sent", () => {
    assert.isFalse(unset.is_deductible)
    assert.isTrue(unset.sends_receipts)
    assert.deepInclude(unset, { fund_abn: null, accent_color: null, logo: null, embed_origins: [] })
  })

  it("are shown without whose they are, which the reader knows", () => {
    assert.sameMembers(Object.keys(GivingSettings.GivingSettingsRecord.fields), [
      ...["fund_name", "fund_abn", "is_deductible", "sends_receipts", "accent_color", "logo", "embed_origins"]
    ])
  })

  it("call gifts deductible only for a fund with an ABN, and name what to correct", () => {
    const fund = Result.getOrThrow(revised({ fund_abn, is_deductible: true }))
    assert.isTrue(fund.is_deductible)
    assert.isNull(refusedParam({ is_deductible: false, fund_abn: null }, fund))
    assert.isNull(refusedParam({ fund_abn: null }, { ...fund, is_deductible: false }))
    assert.isNull(refusedParam({ is_deductible: true }, { ...unset, fund_abn }))
    assert.strictEqual(refusedParam({ is_deductible: true }), "is_deductible")
    assert.strictEqual(refusedParam({ is_deductible: true, fund_abn: null }, fund), "is_deductible")
    assert.strictEqual(refusedParam({ fund_abn: null }, fund), "fund_abn")
  })

  it("keep what a change leaves out, a name without blanks around it, and each origin once", () => {
    const origins = ["https://b.example.org", "https://a.example.org"]
    const after = Result.getOrThrow(
      revised({ fund_name: " Relief Fund ", accent_color: "#0A5A4B", embed_origins: [...origins, ...origins] })
    )
    assert.deepStrictEqual(after, {
      ...unset,
      fund_name: "Relief Fund",
      accent_color: "#0a5a4b",
      embed_origins: origins
    })
    assert.deepStrictEqual(Result.getOrThrow(revised({ sends_receipts: false }, after)), {
      ...after,
      sends_receipts: false
    })
    assert.isNull(Result.getOrThrow(revised({ accent_color: null }, after)).accent_color)
    assert.strictEqual(refusedParam({ accent_color: "#ffcc00" }), "accent_color")
  })
})

describe("an origin that may embed forms", () => {
  const takes = (origin: string) => Schema.is(GivingSettings.GivingSettingsPatch)({ embed_origins: [origin] })

  it.each([
    "https://www.example.org",
    "https://example.org:8443",
    "https://xn--mller-kva.example",
    "https://127.0.0.1",
    "http://localhost",
    "http://localhost:8080",
    "http://shop.localhost:3000",
    "https://localhost"
  ])("is as browsers send it: %s", (origin) => {
    assert.isTrue(takes(origin))
  })

  it.each([
    "http://www.example.org",
    "http://notlocalhost",
    "http://localhost.example.org",
    "https://www.example.org/",
    "https://www.example.org/give",
    "https://WWW.example.org",
    "https://www.example.org:443",
    "http://localhost:80",
    "https://example.org:99999",
    "https://a:b@example.org",
    "https://*.example.org",
    "https://1.2.3.4.5",
    "ftp://example.org",
    "javascript:alert(1)",
    "example.org",
    "null",
    ""
  ])("is none with a path, a name, or a way that others can read: %s", (origin) => {
    assert.isFalse(takes(origin))
  })
})

describe("where the receipt of a gift goes", () => {
  const [typed, donor] = [{ email: "typed@example.org" }, { email: "donor@example.org" }]
  it.each([
    { sends_receipts: true, typed, donor, to: "typed@example.org" },
    { sends_receipts: true, typed: { email: null }, donor, to: "donor@example.org" },
    { sends_receipts: true, typed: {}, donor, to: "donor@example.org" },
    { sends_receipts: true, typed: null, donor, to: "donor@example.org" },
    { sends_receipts: true, typed: null, donor: { email: null }, to: null },
    { sends_receipts: true, typed: null, donor: null, to: null },
    { sends_receipts: false, typed, donor, to: null }
  ])("$to", ({ donor, sends_receipts, to, typed }) => {
    assert.strictEqual(GivingSettings.receiptAddress({ sends_receipts }, typed, donor), to)
  })
})

describe("a logo", () => {
  const takes = (data: string) => Schema.is(GivingSettings.NewLogo)({ data })

  it("may be as long in base64 as its bytes may be, and a little longer, so that it is told how long it is", () => {
    const longest = Buffer.alloc(Limits.logoBytes).toString("base64")
    const longer = Buffer.alloc(Limits.logoBytes + 1, "/").toString("base64")
    assert.isTrue(takes(longest))
    assert.isTrue(takes(longer))
    const read = GivingSettings.readLogo({ data: longer })
    assert.match(Result.isFailure(read) ? read.failure.message : "", /at most 200000 bytes and this one 200001/)
    // Four characters are three bytes.
    assert.isTrue(takes(`${longest}AAAA`))
    assert.isFalse(takes(`${longest}AAAAA`))
  })

  it.each([
    ["png", "png", "image/png"],
    ["jpg", "jpg", "image/jpeg"],
    ["webp", "webp", "image/webp"],
    ["lossless", "webp", "image/webp"]
  ] as const)(
    "is kept under a name that its content gives it, and shown as what it is: %s",
    (picture, ending, type) => {
      const read = Result.getOrThrow(GivingSettings.readLogo({ data: pictures[picture] }))
      const digest = "0123456789abcdef".repeat(4)
      const logo = GivingSettings.logoOf(organisation, read, digest)
      assert.deepInclude(logo, { organisation_id: organisation, name: `${digest.slice(0, 32)}.${ending}` })
      const shown = GivingSettings.shownLogo(logo)
      assert.strictEqual(shown.content_type, type)
      assert.deepStrictEqual(Buffer.from(shown.data, "base64"), Buffer.from(read.bytes))
    }
  )

  it("is refused by the name of its field where it is no base64 or no picture", () => {
    for (const data of ["no base64!", "", "PHN2Zz4="]) {
      const read = GivingSettings.readLogo({ data })
      assert.strictEqual(Result.isFailure(read) ? read.failure.param : "taken", "data")
    }
  })
})
