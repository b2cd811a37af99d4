import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import * as Donor from "../../../src/domain/giving/Donor.ts"
import { meanings, SubmittedDonor } from "../../../src/domain/giving/DonorFields.ts"
import { soughtWordsOf } from "../../../src/domain/giving/SearchWords.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import { decide, emissionsOf, typesOf } from "../../../src/domain/kernel/Machine.ts"
import { compareCodePoints } from "../../../src/domain/kernel/Text.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { instant } from "../../../src/testing/Generators.ts"
import * as Subjects from "../../../src/testing/Subjects.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const texts = [
  "first_name",
  "last_name",
  "organisation_name",
  "email",
  "phone",
  "address_line1",
  "address_line2",
  "suburb",
  "state",
  "postcode",
  "employer_name",
  "occupation"
] as const

const writable = ["donor_type", ...texts, "country", "do_not_contact", "marketing_consent_at"]

/** Names as people type them: padded, blank or plain. */
const name = fc.constantFrom("Mary", "mary", "  Mary ", "Ödön", "", "   ", "van der  Berg")
const some = fc.option(name)
const typed = fc.record(
  { first_name: some, last_name: some, organisation_name: some, phone: some, suburb: some },
  { requiredKeys: [] }
)

const newDonor = fc
  .tuple(arbitraryOf(Donor.NewDonor), typed)
  .map(([input, names]): Donor.NewDonor => ({ ...input, ...names }))
const patch = fc
  .tuple(arbitraryOf(Donor.DonorPatch), typed)
  .map(([input, names]): Donor.DonorPatch => ({ ...input, ...names }))
const at = DateTime.makeUnsafe("2026-02-03T04:05:06Z")

const record = (input: Donor.NewDonor, anyDonor: Donor.Donor): Donor.Donor => ({
  ...anyDonor,
  ...Donor.profileOf(input)
})
const donor = fc.tuple(newDonor, arbitraryOf(Donor.Donor)).map(([input, any]) => record(input, any))

const fieldsOf = (value: object): Readonly<Record<string, unknown>> => ({ ...value })

const differing = (before: Donor.Donor, after: Donor.Donor): ReadonlyArray<string> =>
  writable.filter((field) => JSON.stringify(fieldsOf(before)[field]) !== JSON.stringify(fieldsOf(after)[field]))

/** An event's data with its names of fields in one order. */
const sorted = (data: object): object => ({
  ...data,
  ...("changed_fields" in data && Array.isArray(data.changed_fields)
    ? { changed_fields: data.changed_fields.toSorted() }
    : {})
})

describe("the details that a donor types for one gift", () => {
  const details: Readonly<Record<string, string>> = {
    ...Object.fromEntries([...texts, "country"].map((field) => [field, `a ${field}`])),
    donor_type: "INDIVIDUAL"
  }

  it("are all kept, and nothing of the record", () => {
    assert.deepStrictEqual(
      fieldsOf(Schema.decodeUnknownSync(SubmittedDonor)({ ...details, do_not_contact: true })),
      details
    )
    assert.sameMembers(Object.keys(SubmittedDonor.fields), Object.keys(details))
  })

  it("may each be left empty", () => {
    for (const field of Object.keys(details)) {
      assert.isTrue(Schema.is(SubmittedDonor)({ ...details, [field]: null }), field)
    }
  })

  it("have each a meaning for whoever reads the reference, as has all else of a donor that is its own", () => {
    const shared = ["id", "organisation_id", "profile_revision", "created_at", "updated_at", "archived_at"]
    for (const field of Object.keys(Donor.Donor.fields).filter((each) => !shared.includes(each))) {
      assert.match(Object.entries(meanings).find(([name]) => name === field)?.[1] ?? "", /^[A-Z].*\.$/s, field)
    }
  })
})

describe("a new donor's profile", () => {
  it("has every writable field, trimmed, blank counting as none", () =>
    forEvery(newDonor, (input) => {
      const profile = Donor.profileOf(input)
      assert.sameMembers(Object.keys(profile), writable)
      for (const field of texts) {
        const trimmed = input[field]?.trim()
        assert.strictEqual(profile[field], trimmed === "" ? null : (trimmed ?? null), field)
      }
    }))

  it("is the same for null as for absence", () =>
    forEvery(newDonor, (input) => {
      const given: Donor.NewDonor = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
      assert.deepStrictEqual(Donor.profileOf(input), Donor.profileOf(given))
    }))

  it("defaults to an individual in Australia", () => {
    assert.deepInclude(Donor.profileOf({}), { donor_type: "INDIVIDUAL", country: "AU", do_not_contact: false })
    assert.deepInclude(Donor.profileOf({ country: " NZ " }), { country: "NZ" })
  })

  it("keeps its own form when it is given again", () =>
    forEvery(newDonor, (input) =>
      assert.deepStrictEqual(Donor.profileOf(Donor.profileOf(input)), Donor.profileOf(input))
    ))
})

describe("the field that a profile lacks", () => {
  const blank = Donor.profileOf({})
  const lacks = (profile: Partial<Donor.Profile>) => Donor.missingField({ ...blank, ...profile })

  it("is a name or an e-mail address for people", () => {
    for (const donor_type of ["INDIVIDUAL", "UNKNOWN"] as const) {
      assert.strictEqual(lacks({ donor_type }), "first_name")
      assert.strictEqual(lacks({ donor_type, organisation_name: "Acme", phone: "1" }), "first_name")
      for (const field of ["first_name", "last_name", "email"]) assert.isNull(lacks({ donor_type, [field]: "x" }))
    }
  })

  it("is their name for organisations and trusts", () => {
    for (const donor_type of ["ORGANISATION", "TRUST"] as const) {
      assert.strictEqual(lacks({ donor_type, first_name: "x", email: "x" }), "organisation_name")
      assert.isNull(lacks({ donor_type, organisation_name: "x" }))
    }
  })

  it("is the country when it was blanked", () => {
    assert.strictEqual(Donor.missingField(Donor.profileOf({ first_name: "x", country: "  " })), "country")
  })
})

/** A donor after a patch, whether or not it may become so, and the names of the fields whose value changed. */
const patched = (before: Donor.Donor, given: Donor.DonorPatch, at: DateTime.Utc) => {
  const changes = Donor.changesOf(before, given)
  const changed = Donor.machine.table.Change.patch?.(before, { _tag: "Change", at, changes })
  const changed_fields = Object.keys(changes)
  return { donor: changed_fields.length === 0 ? before : { ...before, ...changed }, changed_fields }
}

it("a change of a donor gives a field what the record can hold, and nothing else", () => {
  const accepts = Schema.is(Donor.Command)
  forEvery(donor, patch, fc.constantFrom(...writable), instant, (before, given, field, at) => {
    const changes = Donor.changesOf(before, given)
    assert.isTrue(accepts({ _tag: "Change", at, changes }))
    assert.isFalse(accepts({ _tag: "Change", at, changes: { ...changes, [field]: 7 } }))
  })
})

const emissionOf = (type: Donor.DonorEvent, donor: Donor.Donor, command: Donor.Command | null) =>
  emissionsOf(Donor.machine, [type], donor, command)[0] ?? assert.fail()

it("the events of a donor say what the command that emits them did, and nothing else can be said", () => {
  forEvery(Subjects.donors.states, Subjects.donors.commands, (before, given) => {
    const command: Donor.Command =
      given._tag === "Change" ? { ...given, changes: Donor.changesOf(before, given.changes) } : given
    const decision = decide(Donor.machine, before, command)
    fc.pre(Result.isSuccess(decision))
    const { state } = Result.getOrThrow(decision)
    const events = typesOf(Result.getOrThrow(decision).events)
    for (const type of ["donor.created", "donor.updated", "donor.archived", "donor.merged"] as const) {
      if (type === "donor.created" || (type === "donor.archived" && state.archived_at !== null)) continue
      if (!events.includes(type)) assert.throws(() => emissionOf(type, state, command), RangeError)
    }
    for (const type of events) {
      const { data } = emissionOf(type, state, command)
      const own = {
        Change: () => ({ changed_fields: differing(before, state) }),
        Merge: () => ({ merged_donor_id: "duplicate" in command ? command.duplicate.id : assert.fail() }),
        MergeInto: () => assert.fail("a duplicate is told of by its survivor"),
        Archive: () => ({ archived_at: command.at })
      }[command._tag]()
      const { donor_type, email, first_name, id, last_name, organisation_name } = state
      const six = { donor_type, email, first_name, id, last_name, organisation_name }
      assert.deepStrictEqual(sorted(data), sorted({ ...six, ...own }))
    }
  })
  const born = fc.sample(donor, 1)[0] ?? assert.fail()
  assert.deepStrictEqual(emissionOf("donor.created", born, null), {
    type: "donor.created",
    data: Donor.eventCore(born)
  })
})

describe("a patched donor", () => {
  it("names exactly the fields that differ", () =>
    forEvery(donor, patch, (before, change) => {
      const after = patched(before, change, at)
      assert.sameMembers([...after.changed_fields], [...differing(before, after.donor)])
      for (const field of after.changed_fields) assert.property(change, field)
    }))

  it("names them in one order, however the record's own fields and the patch's are ordered", () => {
    const reordered = <A extends object>(record: A): A => Object.fromEntries(Object.entries(record).toReversed()) as A
    forEvery(donor, patch, (before, change) => {
      const { changed_fields } = patched(before, change, at)
      assert.deepStrictEqual(patched(reordered(before), reordered(change), at).changed_fields, changed_fields)
    })
  })

  it("is not changed by the same patch a second time", () =>
    forEvery(donor, patch, (before, change) => {
      const once = patched(before, change, at).donor
      const twice = patched(once, change, DateTime.add(at, { days: 1 }))
      assert.deepStrictEqual(twice.changed_fields, [])
      assert.strictEqual(twice.donor, once)
    }))

  it("is not changed by its own fields", () =>
    forEvery(newDonor, arbitraryOf(Donor.Donor), (input, any) => {
      const before = record(input, any)
      assert.deepStrictEqual(patched(before, Donor.profileOf(input), at), { donor: before, changed_fields: [] })
    }))

  it("is not changed by the same instant of consent", () =>
    forEvery(donor, fc.nat(), (any, millis) => {
      const before = { ...any, marketing_consent_at: DateTime.makeUnsafe(millis) }
      const consent = (of: number) => patched(before, { marketing_consent_at: DateTime.makeUnsafe(of) }, at)
      assert.deepStrictEqual(consent(millis).changed_fields, [])
      assert.deepStrictEqual(consent(millis + 1).changed_fields, ["marketing_consent_at"])
    }))

  it("raises its profile revision and its date exactly when something changed", () =>
    forEvery(donor, patch, (before, change) => {
      const { changed_fields, donor: after } = patched(before, change, at)
      const raised = changed_fields.length > 0
      assert.strictEqual(after.profile_revision, before.profile_revision + (raised ? 1 : 0))
      assert.isTrue(DateTime.Equivalence(after.updated_at, raised ? at : before.updated_at))
    }))

  it("keeps what the patch does not name, and takes what it names, trimmed", () =>
    forEvery(donor, patch, (before, change) => {
      const after = patched(before, change, at).donor
      for (const field of texts) {
        const given = change[field]
        const trimmed = given?.trim()
        assert.strictEqual(
          after[field],
          given === undefined ? before[field] : trimmed === undefined || trimmed === "" ? null : trimmed
        )
      }
      assert.strictEqual(after.id, before.id)
      assert.strictEqual(after.archived_at, before.archived_at)
    }))

  it("lacks its country when that is blanked", () =>
    forEvery(donor, (before) =>
      assert.strictEqual(Donor.missingField(patched(before, { country: " " }, at).donor), "country")
    ))
})

const hasLetters = (text: string): boolean => /[\p{L}\p{N}\p{M}]/u.test(text.normalize("NFKD"))

describe("the words of a donor", () => {
  it("are those of the names and the e-mail address", () =>
    forEvery(donor, fc.nat(), fc.nat(), (any, pick, length) => {
      const found = [any.first_name, any.last_name, any.organisation_name, any.email].filter((each) => each !== null)
      const shown = found.flatMap((name) => {
        const words = name.split(/\s+/).filter((word) => word !== "")
        // Signs alone find names of nothing but signs, from their beginning on: docs/decisions/0034.
        return hasLetters(name) ? words.filter(hasLetters) : words.slice(0, 1)
      })
      fc.pre(shown.length > 0)
      const word = [...(shown[pick % shown.length] ?? "")]
      const typed = word.slice(0, 1 + (length % word.length)).join("")
      fc.pre(hasLetters(typed) || !hasLetters(word.join("")))
      const [prefix = ""] = soughtWordsOf(typed)
      assert.isTrue(Donor.derivedColumns(any).words.some((each) => each.startsWith(prefix)))
    }))

  it("are of nothing else", () => {
    const nameless = { first_name: null, last_name: null, organisation_name: null, email: null }
    forEvery(donor, (any) => assert.deepStrictEqual(Donor.derivedColumns({ ...any, ...nameless }).words, []))
  })
})

describe("the columns that are derived from a donor", () => {
  it("compare e-mail addresses whatever their case", () =>
    forEvery(donor, (any) => {
      const columns = Donor.derivedColumns({ ...any, email: "Mary@X.org" })
      assert.deepStrictEqual(columns, Donor.derivedColumns({ ...any, email: "mary@x.ORG" }))
      assert.strictEqual(columns.email_key, "mary@x.org")
      assert.isNull(Donor.derivedColumns({ ...any, email: null }).email_key)
    }))

  it("sort donors without a last name after every other", () =>
    forEvery(donor, fc.string({ unit: "grapheme", minLength: 1 }), (any, last_name) => {
      const [named, nameless] = [
        { ...any, last_name },
        { ...any, last_name: null }
      ].map(Donor.derivedColumns)
      assert.isBelow(compareCodePoints(named?.last_name_key ?? "", nameless?.last_name_key ?? ""), 0)
    }))
})

describe("the list of donors", () => {
  const queryOf = (name: string, value: string) => Result.getOrThrow(parse(Donor.listing, [[name, value]]))

  it("is sorted and filtered by columns that a donor has", () =>
    forEveryWith({ numRuns: 10 }, donor, (any) => {
      const columns = Object.keys({ ...any, ...Donor.derivedColumns(any) })
      for (const name of ["created_at", "updated_at", "last_name"]) {
        for (const [sort, descending] of [
          [name, false],
          [`-${name}`, true]
        ] as const) {
          const { column } = queryOf("sort", sort).sort
          assert.include(columns, column)
          assert.isTrue(column.startsWith(name))
          assert.strictEqual(queryOf("sort", sort).sort.descending, descending)
        }
      }
      assert.deepStrictEqual(
        queryOf("email", " Mary@X.org").conditions.map(({ column }) => column),
        ["email_key"]
      )
    }))

  it("shows archived donors, the members of a segment and what a search finds, where they are asked for", () => {
    assert.isTrue(queryOf("archived", "true").archived)
    assert.strictEqual(queryOf("segment", "lapsed").segment, "lapsed")
    forEvery(name, (any) => assert.deepStrictEqual(queryOf("search", any).words, soughtWordsOf(any)))
  })
})

describe("a merge", () => {
  it("takes another donor of the same organisation that is not archived, and no other", () => {
    const { states } = Subjects.donors
    const choices = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean())
    forEvery(states, states, instant, choices, (one, other, at, [isOwn, isItself, isArchived]) => {
      fc.pre(one.id !== other.id && one.organisation_id !== other.organisation_id)
      const duplicate = {
        ...other,
        id: isItself ? one.id : other.id,
        organisation_id: isOwn ? one.organisation_id : other.organisation_id,
        archived_at: isArchived ? at : null
      }
      const decision = decide(Donor.machine, { ...one, archived_at: null }, { _tag: "Merge", at, duplicate })
      assert.strictEqual(Result.isSuccess(decision), isOwn && !isItself && !isArchived)
    })
  })

  it("fills what the survivor has not, and changes nothing else but its choices", () =>
    forEvery(donor, donor, instant, (survivor, duplicate, at) => {
      const after = fieldsOf(Donor.mergeDonors(survivor, duplicate, at).survivor)
      const [own, other] = [fieldsOf(survivor), fieldsOf(duplicate)]
      for (const field of texts) assert.deepStrictEqual(after[field], own[field] ?? other[field], field)
      const filled = Object.fromEntries(
        [...texts, "do_not_contact", "marketing_consent_at"].map((field) => [field, after[field]])
      )
      const profile_revision = survivor.profile_revision + 1
      assert.deepStrictEqual(after, { ...own, ...filled, profile_revision, updated_at: at })
    }))

  it("keeps an opt-out that either had, and carries no consent over one", () => {
    const consent = fc.option(instant)
    forEvery(
      fc.tuple(donor, fc.boolean(), consent),
      fc.tuple(donor, fc.boolean(), consent),
      instant,
      ([anyone, optedOut, consented], [another, otherOptedOut, otherConsented], at) => {
        const survivor = { ...anyone, do_not_contact: optedOut, marketing_consent_at: consented }
        const duplicate = { ...another, do_not_contact: otherOptedOut, marketing_consent_at: otherConsented }
        const after = Donor.mergeDonors(survivor, duplicate, at).survivor
        if (optedOut || otherOptedOut) {
          assert.deepStrictEqual([after.do_not_contact, after.marketing_consent_at], [true, consented])
        } else {
          assert.deepStrictEqual(
            [after.do_not_contact, after.marketing_consent_at],
            [false, consented ?? otherConsented]
          )
        }
      }
    )
  })

  it("leaves the duplicate as it was, archived, with links that are good no more", () =>
    forEvery(donor, donor, instant, (survivor, duplicate, at) => {
      assert.deepStrictEqual(Donor.mergeDonors(survivor, duplicate, at).duplicate, {
        ...duplicate,
        archived_at: at,
        merged_into_donor_id: survivor.id,
        updated_at: at,
        profile_revision: duplicate.profile_revision + 1
      })
    }))
})

it.each(["王小明", "小明王", "王 小明", "小明", "王"])("王 小明 is found by %s, as people write the name", (search) => {
  const words = Donor.wordsOf({ first_name: "小明", last_name: "王", organisation_name: null, email: null })
  for (const word of soughtWordsOf(search)) assert.isTrue(words.some((each) => each.startsWith(word)))
})

describe("a donor as others see it", () => {
  it("is without the fields that are the service's own", () => {
    const shown = Object.keys(Donor.DonorRecord.fields)
    assert.notIncludeMembers(shown, ["organisation_id", "profile_revision"])
    assert.includeMembers(shown, [...writable, "id", "created_at", "updated_at", "archived_at"])
  })

  it("carries six fields in its events", () => {
    const six = ["id", "donor_type", "email", "first_name", "last_name", "organisation_name"]
    assert.sameMembers(Object.keys(Donor.eventData.created.fields), six)
    assert.sameMembers(Object.keys(Donor.eventData.updated.fields), [...six, "changed_fields"])
    assert.sameMembers(Object.keys(Donor.eventData.archived.fields), [...six, "archived_at"])
    assert.sameMembers(Object.keys(Donor.eventData.merged.fields), [...six, "merged_donor_id"])
    const fits = Schema.is(Donor.eventData.created)
    forEvery(arbitraryOf(Donor.Donor), (any) => {
      const core = Donor.eventCore(any)
      assert.isTrue(fits(core))
      assert.deepStrictEqual(fieldsOf(core), Object.fromEntries(six.map((field) => [field, fieldsOf(any)[field]])))
    })
  })
})
