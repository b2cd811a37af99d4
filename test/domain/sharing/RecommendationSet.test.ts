import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import { decoder } from "../../../src/app/kernel/decoding/Decoder.ts"
import { RecipientAccountLinkId } from "../../../src/domain/kernel/Ids.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import { decide, typesOf } from "../../../src/domain/kernel/Machine.ts"
import * as RecommendationSet from "../../../src/domain/sharing/RecommendationSet.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { instant } from "../../../src/testing/Generators.ts"
import { recommendationSets } from "../../../src/testing/subjects/RecommendationSets.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

type Set_ = RecommendationSet.RecommendationSet

const { states } = recommendationSets
const now = DateTime.makeUnsafe("2026-06-01T00:00:00Z")
const later = DateTime.add(now, { days: 1 })

const amountOf = (mode: Set_["amount_mode"]) =>
  mode === "OPEN" ? fc.constant(0) : fc.integer({ min: 1, max: Limits.donationMaximumCents })

/** Input that keeps all rules. */
const lawful = fc.constantFrom(...RecommendationSet.AmountMode.literals).chain((amount_mode) =>
  fc
    .uniqueArray(fc.record({ recipient_org_account_link_id: fc.uuid(), amount_cents: amountOf(amount_mode) }), {
      selector: (each) => each.recipient_org_account_link_id,
      minLength: 1,
      maxLength: 6
    })
    .chain((allocations) => {
      const most = amount_mode === "FIXED" ? RecommendationSet.totalCents(allocations) : 1_000
      return fc.record({
        name: fc.constant("Harvest"),
        amount_mode: fc.constant(amount_mode),
        allocations: fc.constant(allocations),
        min_total_cents: fc.option(fc.integer({ min: 1, max: most })),
        expires_at: fc.option(fc.constant(later))
      })
    })
)

const paramOf = (...given: Parameters<typeof RecommendationSet.violationOf>): string | null =>
  RecommendationSet.violationOf(...given)?.param ?? null

const index = fc.nat({ max: 5 })

it("Recommendation set takes payments exactly while it is active and before expires_at", () =>
  forEvery(states, fc.integer({ min: -2, max: 2 }), (set, offset) => {
    const at = set.expires_at === null ? now : DateTime.addDuration(set.expires_at, offset)
    const inTime = set.expires_at === null || offset < 0
    const active = set.is_active && set.archived_at === null
    assert.strictEqual(RecommendationSet.statusAt(set, at) === "ACTIVE", active && inTime)
    assert.strictEqual(RecommendationSet.statusAt(set, at) === "EXPIRED", active && !inTime)
  }))

describe("the rules of a set", () => {
  it("take what keeps them", () =>
    forEvery(lawful, (input) => {
      assert.isNull(paramOf(input, now))
    }))

  it("name the amount that its mode forbids", () =>
    forEvery(lawful, index, (input, nth) => {
      const i = nth % input.allocations.length
      const amount_cents = input.amount_mode === "OPEN" ? 1 : 0
      const allocations = input.allocations.map((each, at) => (at === i ? { ...each, amount_cents } : each))
      assert.strictEqual(paramOf({ ...input, allocations }, now), `allocations[${i}].amount_cents`)
    }))

  it("name the second allocation of a link", () =>
    forEvery(lawful, index, (input, nth) => {
      const repeated = input.allocations[nth % input.allocations.length] ?? assert.fail()
      const allocations = [...input.allocations, repeated]
      assert.strictEqual(
        paramOf({ ...input, allocations }, now),
        `allocations[${input.allocations.length}].recipient_org_account_link_id`
      )
    }))

  it("allow 1 to 100 allocations", () =>
    forEvery(fc.integer({ min: 0, max: 105 }), (count) => {
      const allocations = Array.from({ length: count }, (_, i) => ({
        recipient_org_account_link_id: `link ${i}`,
        amount_cents: 1
      }))
      assert.strictEqual(paramOf({ allocations }, now), count >= 1 && count <= 100 ? null : "allocations")
    }))

  it("hold the floor of a set that is not FIXED to the largest gift, as long as it is given", () =>
    forEvery(lawful, fc.integer({ min: -1, max: 1 }), (input, off) => {
      const min_total_cents = 1_000_000_000 + off
      const allocations = input.allocations.map((each) => ({ ...each, amount_cents: 0 }))
      const set = { ...input, amount_mode: "OPEN" as const, allocations, expires_at: null }
      const broken = off > 0 ? "min_total_cents" : null
      assert.strictEqual(paramOf({ ...set, min_total_cents }, now), broken)
      assert.strictEqual(paramOf({ min_total_cents }, now, { ...set, min_total_cents: 1 }), broken)
      assert.isNull(paramOf({ name: "Other" }, now, { ...set, min_total_cents }))
      assert.strictEqual(
        paramOf({ amount_mode: "OPEN" }, now, { ...set, amount_mode: "FIXED", min_total_cents }),
        off > 0 ? "amount_mode" : null
      )
    }))

  it("hold the floor of a FIXED set to its total, and any other's to the largest gift alone", () =>
    forEvery(lawful, fc.integer({ min: -1, max: 1 }), (input, off) => {
      const min_total_cents = Math.max(1, RecommendationSet.totalCents(input.allocations)) + off
      const most = input.amount_mode === "FIXED" ? min_total_cents - off : 1_000_000_000
      const broken = min_total_cents < 1 || min_total_cents > Math.max(1, most)
      assert.strictEqual(paramOf({ ...input, min_total_cents }, now), broken ? "min_total_cents" : null)
    }))

  it("refuse a blank name, and an expiry that is not in the future unless it was there already", () =>
    forEvery(lawful, states, fc.integer({ min: -3, max: 3 }), fc.nat({ max: 3 }), (input, set, offset, blanks) => {
      assert.strictEqual(paramOf({ ...input, name: " ".repeat(blanks) }, now), "name")
      assert.strictEqual(paramOf({ ...input, name: "\u200b".repeat(blanks + 1) }, now), "name")
      const expires_at = DateTime.addDuration(now, offset)
      const refusal = offset > 0 ? null : "expires_at"
      assert.strictEqual(paramOf({ ...input, expires_at }, now), refusal)
      assert.strictEqual(paramOf({ expires_at }, now, { ...set, expires_at: null }), refusal)
      assert.isNull(paramOf({ expires_at }, now, { ...set, expires_at }))
    }))

  it("blame a field that the patch gives", () =>
    forEveryWith(
      { numRuns: 500 },
      states,
      fc.record(
        {
          amount_mode: fc.constantFrom(...RecommendationSet.AmountMode.literals),
          min_total_cents: fc.option(fc.integer({ min: 1, max: 15 })),
          allocations: fc.array(
            fc.record({ recipient_org_account_link_id: fc.constantFrom("a", "b"), amount_cents: fc.nat({ max: 2 }) }),
            { maxLength: 2 }
          )
        },
        { requiredKeys: [] }
      ),
      (set, patch) => {
        const param = paramOf(patch, now, set)
        if (param !== null) assert.include(Object.keys(patch), param.split("[")[0])
        const { allocations, amount_mode, min_total_cents } = { ...set, ...patch }
        const merged = { allocations, amount_mode, min_total_cents, expires_at: null }
        assert.strictEqual(param === null, RecommendationSet.violationOf(merged, now, merged) === null)
      }
    ))

  it("say what is wanted", () => {
    const messageOf = (amount_mode: Set_["amount_mode"], amount_cents: number, min_total_cents: number | null = null) =>
      RecommendationSet.violationOf(
        { amount_mode, min_total_cents, allocations: [{ recipient_org_account_link_id: "a", amount_cents }] },
        now
      )?.message ?? ""
    assert.match(messageOf("OPEN", 1), /\bbe 0 .*OPEN/)
    assert.match(messageOf("FIXED", 0), /\bat least 1 .*FIXED/)
    assert.match(messageOf("SUGGESTED", 0), /\bat least 1 .*SUGGESTED/)
    assert.match(messageOf("SUGGESTED", 1, 0), /^min_total_cents .*at least 1/)
    assert.match(messageOf("FIXED", 1, 2), /^min_total_cents .*total/)
  })

  it("blame the floor where a patch gives nothing that the rule speaks of", () =>
    forEvery(states, (set) => {
      const broken: Set_ = { ...set, amount_mode: "FIXED", min_total_cents: 1_000 }
      fc.pre(set.amount_mode !== "OPEN")
      assert.strictEqual(paramOf({ name: "Harvest" }, now, broken), "min_total_cents")
    }))

  it("find the link that is not active", () =>
    forEvery(lawful, index, ({ allocations }, nth) => {
      const i = nth % allocations.length
      const gone = allocations[i]?.recipient_org_account_link_id
      const violation = RecommendationSet.linkViolationOf(allocations, (id) => id !== gone)
      assert.deepInclude(violation, { _tag: "MalformedInput" })
      assert.include(violation?.message, `allocations[${i}]`)
      assert.isNull(RecommendationSet.linkViolationOf(allocations, () => true))
    }))
})

describe("a donor's amounts", () => {
  const small = states.filter((set) => set.min_total_cents === null || set.min_total_cents <= 12)

  it("are the set's own when it is FIXED, and free above the floor otherwise", () =>
    forEveryWith(
      { numRuns: 300 },
      small,
      fc.array(fc.nat({ max: 8 }), { minLength: 4, maxLength: 4 }),
      (set, drawn) => {
        const amounts = set.allocations.map((_, i) => drawn[i] ?? 0)
        const asked = set.allocations.map(({ amount_cents }) => amount_cents)
        const total = amounts.reduce((sum, amount) => sum + amount, 0)
        const changed = amounts.findIndex((amount, i) => amount !== asked[i])
        const param = RecommendationSet.amountsViolationOf(set, amounts)?.param ?? null
        if (set.amount_mode === "FIXED") {
          assert.strictEqual(param, changed === -1 ? null : `allocations[${changed}].amount_cents`)
          assert.isNull(RecommendationSet.amountsViolationOf(set, asked))
        } else {
          assert.strictEqual(param, total < (set.min_total_cents ?? 1) ? "total_amount_cents" : null)
        }
      }
    ))

  it("are one for each allocation, whole, not negative, and at most what a gift may be", () =>
    forEvery(small, fc.constantFrom(-1, 0.5, Number.NaN), index, (given, wrong, nth) => {
      const set: Set_ = { ...given, amount_mode: "OPEN", min_total_cents: null }
      const ones = set.allocations.map(() => 1)
      const i = nth % ones.length
      assert.strictEqual(RecommendationSet.amountsViolationOf(set, [...ones, 1])?.param, "allocations")
      assert.strictEqual(
        RecommendationSet.amountsViolationOf(set, ones.with(i, wrong))?.param,
        `allocations[${i}].amount_cents`
      )
      const most = ones.map(() => 0).with(i, Limits.donationMaximumCents)
      assert.isNull(RecommendationSet.amountsViolationOf(set, most))
      const over = most.with(i, Limits.donationMaximumCents + 1)
      assert.strictEqual(RecommendationSet.amountsViolationOf(set, over)?.param, "total_amount_cents")
    }))
})

describe("a patch", () => {
  const patch = fc.record({
    changes: fc.oneof(
      arbitraryOf(RecommendationSet.Changes),
      states.map(({ amount_mode, min_total_cents, name }) => ({ amount_mode, min_total_cents, name }))
    ),
    is_active: fc.boolean()
  })

  it("that repeats what the set says is no command", () =>
    forEvery(states, instant, (set, at) => {
      const { allocations, amount_mode, description, expires_at, min_total_cents, name, slug } = set
      const same = { allocations, amount_mode, description, expires_at, min_total_cents, name, slug }
      const changes = RecommendationSet.differingChanges(set, same)
      assert.deepStrictEqual(changes, {})
      assert.deepStrictEqual(RecommendationSet.commandsOf(set, { changes, is_active: set.is_active }, at), [])
    }))

  it("that gives other allocations differs: more of them, fewer, another amount or another link", () => {
    const otherLink = arbitraryOf(RecipientAccountLinkId)
    const kinds = fc.constantFrom("more", "fewer", "amount", "link")
    forEvery(states, index, kinds, otherLink, (set, nth, kind, recipient_org_account_link_id) => {
      const i = nth % set.allocations.length
      const own = set.allocations[i] ?? assert.fail()
      fc.pre(own.recipient_org_account_link_id !== recipient_org_account_link_id)
      const allocations = {
        more: [...set.allocations, own],
        fewer: set.allocations.slice(0, -1),
        amount: set.allocations.with(i, { ...own, amount_cents: own.amount_cents + 1 }),
        link: set.allocations.with(i, { ...own, recipient_org_account_link_id })
      }[kind]
      assert.deepStrictEqual(RecommendationSet.differingChanges(set, { allocations }), { allocations })
    })
  })

  it("is told of by at most one event of each type, and leads to what it says", () =>
    forEveryWith({ numRuns: 300 }, states, patch, instant, (any, { changes, is_active }, at) => {
      const set: Set_ = { ...any, archived_at: null }
      const differing = RecommendationSet.differingChanges(set, changes)
      const events: Array<string> = []
      let state = set
      for (const command of RecommendationSet.commandsOf(set, { changes: differing, is_active }, at)) {
        const decision = decide(RecommendationSet.machine, state, command)
        if (Result.isFailure(decision)) {
          assert.isNotNull(RecommendationSet.violationOf(changes, DateTime.makeUnsafe(0), { ...set, ...changes }))
          return
        }
        state = decision.success.state
        events.push(...typesOf(decision.success.events))
      }
      assert.strictEqual(new Set(events).size, events.length)
      assert.strictEqual(state.is_active, is_active)
      assert.deepStrictEqual(RecommendationSet.differingChanges(state, changes), {})
    }))
})

describe("the input of a new set", () => {
  const decode = decoder(RecommendationSet.NewRecommendationSet)
  const accepts = (given: object, allocation: object) =>
    Result.isSuccess(
      decode({
        name: "x",
        allocations: [{ recipient_org_account_link_id: "x", amount_cents: 0, ...allocation }],
        ...given
      })
    )

  it("has a name and one allocation, of a link and of nothing or more", () => {
    assert.isTrue(accepts({}, {}))
    assert.isFalse(accepts({ name: "" }, {}))
    assert.isFalse(accepts({ allocations: [] }, {}))
    assert.isFalse(accepts({}, { amount_cents: -1 }))
    assert.isFalse(accepts({}, { recipient_org_account_link_id: "" }))
  })
})

it("a list of sets has archived sets, too, where they are asked for", () => {
  assert.isTrue(Result.getOrThrow(parse(RecommendationSet.listing, [["archived", "true"]])).archived)
})

it("a set's forms are as their schemas say, with the total and the number of its allocations", () => {
  const isRecord = Schema.is(RecommendationSet.RecommendationSetRecord)
  const isDetail = Schema.is(RecommendationSet.RecommendationSetDetail)
  const isData = Schema.is(RecommendationSet.eventData)
  forEvery(states, (set) => {
    const record = RecommendationSet.recordOf(set)
    const detail = RecommendationSet.detailOf(set, {
      giving_url: "https://giving.example",
      payment_summary: { referred_cents: 0, referred_count: 0, in_flight_cents: 0, in_flight_count: 0 },
      recipientOf: (link) => ({ link_label: `label of ${link}`, recipient_org_name: `name of ${link}` })
    })
    assert.isTrue(isRecord(record) && isDetail(detail) && isData(RecommendationSet.eventDataOf(set)))
    assert.deepInclude(detail, record)
    assert.strictEqual(record.allocation_count, detail.allocations.length)
    assert.strictEqual(record.total_amount_cents, RecommendationSet.totalCents(detail.allocations))
    for (const [i, { link_label, recipient_org_name, ...allocation }] of detail.allocations.entries()) {
      assert.deepStrictEqual(allocation, set.allocations[i])
      assert.strictEqual(link_label, `label of ${allocation.recipient_org_account_link_id}`)
      assert.strictEqual(recipient_org_name, `name of ${allocation.recipient_org_account_link_id}`)
    }
    assert.notProperty(RecommendationSet.eventDataOf(set), "url_key")
  })
})
