import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result, Schema } from "effect"
import fc from "fast-check"
import { decoder } from "../../../src/app/kernel/decoding/Decoder.ts"
import { Slug } from "../../../src/domain/access/Organisation.ts"
import * as DonationForm from "../../../src/domain/giving/DonationForm.ts"
import * as FormSettings from "../../../src/domain/giving/FormSettings.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { character, webUrl } from "../../../src/testing/Characters.ts"
import { donationForms, formSettings } from "../../../src/testing/subjects/DonationForms.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const { states } = donationForms
const { machine } = DonationForm
const at = DateTime.makeUnsafe("2026-03-01T00:00:00Z")
const usual = FormSettings.settingsOf({ name: "Appeal" })
const amount = fc.integer({ min: 1, max: 9 })
const maybeAmount = fc.option(amount)

const paramOf = (rejected: Result.Result<unknown, { readonly _tag: string }>): unknown =>
  Result.isFailure(rejected) && "param" in rejected.failure ? rejected.failure.param : null

describe("donation form", () => {
  it("may get another slug until it was ACTIVE, and its own at any time", () =>
    forEvery(states, fc.boolean(), (form, own) => {
      fc.pre(form.status !== "ARCHIVED")
      const changes = { slug: own ? form.slug : `${form.slug}-2` }
      const isOpen = form.activated_at === null
      assert.strictEqual(DonationForm.isSlugOpen(form), isOpen)
      const decision = decide(machine, form, { _tag: "Change", at, changes })
      assert.strictEqual(Result.isSuccess(decision), own || isOpen)
      if (Result.isSuccess(decision)) return
      assert.deepInclude(decision.failure, { _tag: "GuardRefused", rule: "the slug stays once the form was ACTIVE" })
      const ruleless = decide(machine, form, {
        _tag: "Change",
        at,
        changes: { ...changes, suggested_amounts_cents: [] }
      })
      assert.deepInclude(Result.getOrThrow(Result.flip(ruleless)), {
        _tag: "GuardRefused",
        rule: "the settings follow the rules of a form"
      })
    }))

  it("has a token of at least 128 random bits, and of no digit more", () => {
    assert.isTrue(62n ** BigInt(DonationForm.embedTokenDigits) >= 2n ** 128n)
    assert.isTrue(62n ** BigInt(DonationForm.embedTokenDigits - 1) < 2n ** 128n)
  })

  it("is listed when archived, too, where that is asked for", () => {
    assert.isTrue(Result.getOrThrow(parse(DonationForm.listing, [["archived", "true"]])).archived)
  })

  it("moves to exactly the statuses that a row leads to", () =>
    forEvery(states, fc.constantFrom(...FormSettings.Status.literals), (form, status) => {
      const rows: ReadonlyArray<{ readonly from: ReadonlyArray<string>; readonly to: string }> = Object.values(
        machine.table
      )
      const leads = rows.some((row) => row.to === status && row.from.includes(form.status))
      const moved = DonationForm.moveTo(form, status, at)
      assert.strictEqual(Result.isSuccess(moved), leads || status === form.status)
      if (Result.isFailure(moved)) return
      assert.strictEqual(Option.isNone(moved.success), status === form.status)
      if (Option.isSome(moved.success)) {
        assert.strictEqual(Result.getOrThrow(decide(machine, form, moved.success.value)).state.status, status)
      }
    }))

  it("finds no change where nothing differs", () =>
    forEvery(states, formSettings, (form, patch) => {
      const changes = DonationForm.changesOf(form, patch)
      const after = { ...form, ...changes }
      assert.deepInclude(after, patch)
      assert.deepStrictEqual(DonationForm.changesOf(after, structuredClone(patch)), {})
    }))

  it.each(["description", "thank_you_message", "disclaimer_text"] as const)("takes an empty %s for none", (field) =>
    forEvery(states, (any) => {
      const form = { ...any, [field]: "As it is: \n" }
      assert.deepStrictEqual(DonationForm.changesOf(form, { [field]: "" }), { [field]: null })
      assert.deepStrictEqual(DonationForm.changesOf(form, { [field]: " " }), { [field]: " " })
    })
  )

  it.each([
    ["DRAFT", "PAUSED", "ACTIVE or ARCHIVED"],
    ["ACTIVE", "DRAFT", "PAUSED or ARCHIVED"],
    ["PAUSED", "DRAFT", "ACTIVE or ARCHIVED"]
  ] as const)("that is %s and cannot become %s can become %s", (from, to, possible) => {
    const [any] = fc.sample(states, 1)
    assert(any !== undefined)
    const { message } = Result.getOrThrow(Result.flip(DonationForm.moveTo({ ...any, status: from }, to, at)))
    assert.strictEqual(message, `A form that is ${from} cannot become ${to}; it can become ${possible}.`)
  })

  it("trims names and titles before it compares them", () =>
    forEvery(states, (form) => {
      assert.deepStrictEqual(DonationForm.changesOf(form, { name: ` ${form.name} `, title: `${form.title}\t` }), {})
    }))

  it("shows the address that it is given, and no token in events", () =>
    forEvery(states, webUrl, (form, url) => {
      const record = DonationForm.recordOf(form, url)
      const data = DonationForm.eventDataOf(form, url)
      assert.sameMembers(Object.keys(record), Object.keys(DonationForm.DonationFormRecord.fields))
      assert.sameMembers(Object.keys(data), Object.keys(DonationForm.eventData.fields))
      assert.strictEqual(record.hosted_page_url, url)
      assert.notProperty(data, "embed_token")
      assert.notProperty(data, "organisation_id")
    }))
})

describe("form settings", () => {
  it("have the contract's defaults", () => {
    assert.deepInclude(usual, {
      title: "Appeal",
      allow_custom_amount: true,
      allow_recurring: true,
      address_visibility: "NONE",
      phone_visibility: "OPTIONAL",
      default_cadence: "ONE_TIME"
    })
  })

  it("follow the rules by default, whatever limits are given", () =>
    forEvery(fc.nat(60_000), fc.nat(60_000), fc.boolean(), fc.boolean(), (a, b, low, high) => {
      const input = {
        name: "Appeal",
        minimum_amount_cents: low ? Math.min(a, b) + 1 : null,
        maximum_amount_cents: high ? Math.max(a, b) + 1 : null
      }
      const settings = FormSettings.settingsOf(input)
      assert.isNull(FormSettings.brokenRule(settings))
      for (const each of settings.suggested_amounts_cents) {
        assert.isAtLeast(each, input.minimum_amount_cents ?? each)
        assert.isAtMost(each, input.maximum_amount_cents ?? each)
      }
    }))

  it("need minimum ≤ default ≤ maximum", () =>
    forEveryWith({ numRuns: 400 }, maybeAmount, maybeAmount, maybeAmount, (minimum, preset, maximum) => {
      const given = [minimum, preset, maximum].filter((each) => each !== null)
      const ordered = given.every((each, index) => index === 0 || each >= (given[index - 1] ?? 0))
      const settings = {
        ...usual,
        minimum_amount_cents: minimum,
        default_amount_cents: preset,
        maximum_amount_cents: maximum
      }
      assert.strictEqual(FormSettings.brokenRule(settings) === null, ordered)
    }))

  it("blame a field that the request wrote", () => {
    const settings = { ...usual, minimum_amount_cents: 5, default_amount_cents: 4 }
    assert.strictEqual(FormSettings.brokenRule(settings)?.param, "default_amount_cents")
    assert.strictEqual(
      FormSettings.brokenRule(settings, ["name", "minimum_amount_cents"])?.param,
      "minimum_amount_cents"
    )
    const swapped = { ...usual, minimum_amount_cents: 5, maximum_amount_cents: 4 }
    assert.strictEqual(FormSettings.brokenRule(swapped, ["maximum_amount_cents"])?.param, "maximum_amount_cents")
  })

  it("blame the first suggested amount that does not ascend", () => {
    const ascends = (amounts: ReadonlyArray<number>) =>
      amounts.toSorted((a, b) => a - b).join() === amounts.join() && new Set(amounts).size === amounts.length
    forEveryWith({ numRuns: 300 }, fc.array(amount, { minLength: 1, maxLength: 8 }), (suggested_amounts_cents) => {
      const length = suggested_amounts_cents.length
      const sound = Array.from({ length }, (_, index) => suggested_amounts_cents.slice(0, index + 1)).filter(ascends)
      const param = sound.length === length ? null : `suggested_amounts_cents[${sound.length}]`
      assert.strictEqual(FormSettings.brokenRule({ ...usual, suggested_amounts_cents })?.param ?? null, param)
    })
  })

  it("suggest 1 to 8 amounts", () => {
    const create = decoder(FormSettings.NewDonationForm)
    for (const length of [0, 1, 8, 9]) {
      const suggested_amounts_cents = Array.from({ length }, (_, index) => index + 1)
      const isRight = length >= 1 && length <= 8
      assert.strictEqual(FormSettings.brokenRule({ ...usual, suggested_amounts_cents }) === null, isRight)
      const rejected = create({ name: "Appeal", suggested_amounts_cents })
      assert.strictEqual(paramOf(rejected), isRight ? null : "suggested_amounts_cents")
    }
  })

  it("blame the element that is no amount", () => {
    const rejected = decoder(FormSettings.NewDonationForm)({ name: "Appeal", suggested_amounts_cents: [1, 2, 0] })
    assert.strictEqual(paramOf(rejected), "suggested_amounts_cents[2]")
  })

  it("need a frequency where recurring gifts are allowed, a name and a title", () => {
    assert.strictEqual(FormSettings.brokenRule({ ...usual, recurring_frequencies: [] })?.param, "recurring_frequencies")
    assert.isNull(FormSettings.brokenRule({ ...usual, recurring_frequencies: [], allow_recurring: false }))
    assert.strictEqual(FormSettings.brokenRule({ ...usual, name: " " })?.param, "name")
    assert.strictEqual(FormSettings.brokenRule({ ...usual, title: "" })?.param, "title")
  })

  it("repeat no frequency", () => {
    const rejected = decoder(FormSettings.DonationFormPatch)({ recurring_frequencies: ["MONTHLY", "MONTHLY"] })
    assert.strictEqual(paramOf(rejected), "recurring_frequencies")
  })
})

describe("slugs", () => {
  const isSlug = Schema.is(Slug)
  const name = fc.oneof(
    fc.string({ unit: character, maxLength: 90 }),
    fc.lorem({ maxCount: 15 }),
    fc.constant("Été: 50 %")
  )

  it("are labels that read back as themselves", () =>
    forEveryWith({ numRuns: 300 }, name, (text) => {
      const slug = FormSettings.slugOf(text)
      assert.isTrue(isSlug(slug), slug)
      assert.strictEqual(FormSettings.slugOf(slug), slug)
      assert.notMatch(slug, /--/)
    }))

  it("drop accents and keep words apart", () => {
    assert.strictEqual(FormSettings.slugOf(" L'Été — 50 % "), "l-ete-50")
    assert.strictEqual(FormSettings.slugOf("募金"), "form")
  })

  it("are numbered apart", () =>
    forEvery(name, (text) => {
      const slug = FormSettings.slugOf(text)
      const tries = Array.from({ length: 12 }, (_, index) => FormSettings.numberedSlug(slug, index + 1))
      assert.strictEqual(tries[0], slug)
      assert.strictEqual(new Set(tries).size, 12)
      for (const each of tries) assert.isTrue(isSlug(each), each)
    }))
})

it("a list of forms shows archived ones to whoever asks for them by their status", () => {
  const isShown = (text: string) => Result.getOrThrow(parse(DonationForm.listing, new URLSearchParams(text))).archived
  for (const text of ["status=ARCHIVED", "status[eq]=ARCHIVED", "status[in]=ACTIVE,ARCHIVED", "archived=true"]) {
    assert.isTrue(isShown(text), text)
  }
  for (const text of [
    "",
    "status=ACTIVE",
    "status[in]=ACTIVE,PAUSED",
    "status[not_in]=ARCHIVED",
    "slug=ARCHIVED",
    "status=ARCHIVED&archived=false"
  ]) {
    assert.isFalse(isShown(text), text)
  }
})
