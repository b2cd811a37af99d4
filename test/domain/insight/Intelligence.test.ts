import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import * as Donor from "../../../src/domain/giving/Donor.ts"
import * as Intelligence from "../../../src/domain/insight/Intelligence.ts"
import { DonorId } from "../../../src/domain/kernel/Ids.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const instant = fc.integer({ min: 0, max: 4 }).map((days) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1 + days)))
const hour = 3_600_000

/** Scores whose opportunities and last gifts often tie. */
const score = fc
  .record({
    any: arbitraryOf(Intelligence.DonorScore),
    opportunity_cents: fc.nat(3),
    currency: fc.constantFrom("AUD", "NZD", "JPY"),
    last_gift_at: fc.option(instant),
    last_gift_cents: fc.option(fc.nat(99_999)),
    average_gift_cents: fc.option(fc.nat(99_999)),
    segment_median_cents: fc.option(fc.nat(99_999))
  })
  .map(({ any, ...given }): Intelligence.DonorScore => ({ ...any, ...given }))

const scored = fc
  .uniqueArray(fc.tuple(score, Generators.donor), { maxLength: 6, selector: ([each]) => each.donor_id })
  .map((pairs) => pairs.map(([each, donor]) => ({ score: each, donor: { ...donor, id: each.donor_id } })))

const facts = fc
  .record({
    computation: fc.option(fc.record({ computed_at: instant, scoring_version: fc.nat(9) })),
    scored,
    unscored: fc.array(Generators.donor, { maxLength: 2 }),
    limit: fc.integer({ min: 1, max: 7 })
  })
  .map(({ scored: pairs, unscored, ...given }) => ({
    ...given,
    scored: pairs.filter(({ donor }) => donor.archived_at === null),
    donors: [...pairs.map(({ donor }) => donor), ...unscored],
    scores: pairs.map((each) => each.score)
  }))

type Facts = typeof facts extends fc.Arbitrary<infer A> ? A : never

const worklistOf = (given: Facts, at: DateTime.Utc, computes = false) =>
  Intelligence.worklist(Intelligence.summaryOf(given), { deepLinkOf: (id) => `/donors/${id}`, computes, now: at })

const now = DateTime.makeUnsafe(Date.UTC(2026, 0, 4))
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

describe("worklist", () => {
  it("is empty until donors are scored, and says why", () =>
    forEvery(facts, fc.boolean(), (given, computes) => {
      const list = worklistOf(given, now, computes)
      const has_donors = given.donors.some((each) => each.archived_at === null)
      const status = !has_donors ? "no_donors" : given.computation === null ? "not_scored" : "ok"
      assert.strictEqual(list.status, status)
      assert.strictEqual(list.message === null, status === "ok")
      assert.strictEqual(list.can_compute_now, has_donors && computes)
      if (status !== "ok")
        assert.deepInclude(list, { rows: [], actionable_count: 0, truncated: false, per_currency: {} })
      assert.isTrue(Schema.is(Intelligence.Worklist)(list))
    }))

  const ready = facts.map((given) => ({ ...given, computation: { computed_at: now, scoring_version: 1 } }))

  it("lists the larger opportunity first, then the later gift, in one order always", () =>
    forEveryWith({ numRuns: 200 }, ready, (given) => {
      const { rows, truncated } = worklistOf(given, now)
      const again = worklistOf({ ...given, scores: given.scores.toReversed() }, now)
      assert.deepStrictEqual(again.rows, rows)
      assert.strictEqual(rows.length, Math.min(given.limit, given.scored.length))
      assert.strictEqual(truncated, given.scored.length > given.limit)
      const byDonor = new Map(given.scored.map((each) => [each.score.donor_id, each.score]))
      const listed = rows.map((row) => byDonor.get(row.donor_id) ?? assert.fail())
      for (const [index, each] of listed.entries()) {
        const next = listed[index + 1]
        if (next === undefined) continue
        assert.isAtLeast(each.opportunity_cents, next.opportunity_cents)
        if (each.opportunity_cents !== next.opportunity_cents || next.last_gift_at === null) continue
        assert.isNotNull(each.last_gift_at)
        if (each.last_gift_at !== null) {
          assert.isTrue(DateTime.isGreaterThanOrEqualTo(each.last_gift_at, next.last_gift_at))
        }
      }
      const least = listed.at(-1)?.opportunity_cents ?? 0
      const left = given.scored.filter((each) => !listed.includes(each.score))
      for (const each of left) assert.isAtMost(each.score.opportunity_cents, least)
    }))

  it("names each donor, flags do-not-contact donors and counts them nowhere, cut off or not", () =>
    forEveryWith({ numRuns: 200 }, ready, (given) => {
      const list = worklistOf(given, now)
      for (const row of list.rows) {
        const donor = given.scored.find(({ score: each }) => each.donor_id === row.donor_id)?.donor
        assert.strictEqual(row.do_not_contact, donor?.do_not_contact)
        assert.strictEqual(row.donor_name, donor === undefined ? null : Donor.donorNameOf(donor))
        assert.strictEqual(row.deep_link, `/donors/${row.donor_id}`)
      }
      const actionable = given.scored.filter(({ donor }) => !donor.do_not_contact).map((each) => each.score)
      assert.strictEqual(list.actionable_count, actionable.length)
      assert.sameMembers(Object.keys(list.per_currency), [...new Set(actionable.map(({ currency }) => currency))])
      for (const [currency, each] of Object.entries(list.per_currency)) {
        const own = actionable.filter((one) => one.currency === currency)
        const upgrades = own.filter(({ play }) => play === "upgrade")
        assert.strictEqual(each.opportunity_upgrade_cents, sum(upgrades.map((one) => one.opportunity_cents)))
        assert.strictEqual(each.opportunity_total_cents, sum(own.map((one) => one.opportunity_cents)))
        assert.strictEqual(
          each.opportunity_recoverable_cents,
          each.opportunity_total_cents - each.opportunity_upgrade_cents
        )
      }
    }))
})

it("stored intelligence is stale after 48 hours", () =>
  forEvery(instant, fc.integer({ min: -2, max: 2 }), facts, score, (computed_at, offset, given, any) => {
    const at = DateTime.add(computed_at, { milliseconds: 48 * hour + offset })
    assert.strictEqual(Intelligence.isStale(computed_at, at), offset >= 0)
    const computation = { computed_at, scoring_version: 1 }
    assert.strictEqual(worklistOf({ ...given, computation }, at).stale, offset >= 0)
    const { donor_id } = any
    const one = { donor_id, scores: [{ ...any, computed_at }], deep_link: "", default_currency: "AUD" }
    assert.strictEqual(Intelligence.donorIntelligence(one, at).stale, offset >= 0)
  }))

describe("one donor's intelligence", () => {
  const donor_id = DonorId.make("dnr_01h00000000000000000000001")

  it("is the score in the organisation's currency, else that of the last gift, its basis in whole units", () =>
    forEvery(
      fc.uniqueArray(score, { minLength: 1, maxLength: 3, selector: ({ currency }) => currency }),
      fc.constantFrom("AUD", "EUR"),
      (scores, default_currency) => {
        const answer = Intelligence.donorIntelligence({ donor_id, scores, deep_link: "/d", default_currency }, now)
        const told = scores.find(({ currency }) => currency === answer.currency) ?? assert.fail()
        const given = ({ last_gift_at }: Intelligence.DonorScore) => last_gift_at?.epochMilliseconds ?? -1
        const hasOwn = scores.some(({ currency }) => currency === default_currency)
        if (hasOwn) assert.strictEqual(told.currency, default_currency)
        else assert.strictEqual(given(told), Math.max(...scores.map(given)))
        const { band, basis, factors, scoring_version, suggested_ask_cents } = told
        assert.deepInclude(answer, { status: "ok", donor_id, message: null, deep_link: "/d" })
        assert.deepInclude(answer, { band, basis, factors, scoring_version, suggested_ask_cents })
        const { average_gift_cents, last_gift_cents, segment_median_cents } = told
        const minor = told.currency === "JPY" ? 1 : 100
        assert.deepStrictEqual(
          answer.basis_data,
          last_gift_cents === null || average_gift_cents === null || segment_median_cents === null
            ? null
            : {
                lastGift: last_gift_cents / minor,
                avgGift: average_gift_cents / minor,
                segmentMedian: segment_median_cents / minor
              }
        )
        assert.isTrue(Schema.is(Intelligence.DonorIntelligence)(answer))
      }
    ))

  it("is empty where the donor was not scored", () => {
    const answer = Intelligence.donorIntelligence(
      { donor_id, scores: [], deep_link: "/d", default_currency: "AUD" },
      now
    )
    const { message, ...rest } = answer
    assert.isNotNull(message)
    assert.deepStrictEqual(rest, {
      status: "not_scored",
      donor_id,
      band: null,
      suggested_ask_cents: null,
      currency: null,
      basis: null,
      basis_data: null,
      factors: null,
      scoring_version: 0,
      computed_at: null,
      stale: false,
      deep_link: "/d"
    })
  })

  it("calls a donor by the name that fits", () =>
    forEvery(Generators.donor, fc.constantFrom("TRUST", "ORGANISATION"), (any, organisation) => {
      const named = {
        ...any,
        first_name: "Ada",
        last_name: "Lovelace",
        organisation_name: "Ada Trust",
        email: "a@b.org"
      }
      const nameOf = Donor.donorNameOf
      assert.strictEqual(nameOf({ ...named, donor_type: "INDIVIDUAL" }), "Ada Lovelace")
      assert.strictEqual(nameOf({ ...named, donor_type: organisation }), "Ada Trust")
      assert.strictEqual(nameOf({ ...named, donor_type: organisation, organisation_name: null }), "Ada Lovelace")
      const nameless = { ...named, first_name: null, last_name: null, organisation_name: null }
      assert.strictEqual(nameOf(nameless), "a@b.org")
      assert.notStrictEqual(nameOf({ ...nameless, email: null }), "")
    }))
})
