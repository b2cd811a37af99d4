import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result, Schema } from "effect"
import fc from "fast-check"
import { Integration } from "../../../src/domain/access/Integration.ts"
import { OrganisationId, RecipientAccountLinkId } from "../../../src/domain/kernel/Ids.ts"
import { isBlank } from "../../../src/domain/kernel/Text.ts"
import * as Passphrase from "../../../src/domain/sharing/Passphrase.ts"
import * as RecipientAccount from "../../../src/domain/sharing/RecipientAccount.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { recipientAccounts } from "../../../src/testing/subjects/RecommendationSets.ts"
import { forEvery } from "../../support/Property.ts"

const { machine } = RecipientAccount
const { states } = recipientAccounts
const integration = arbitraryOf(Integration)
const organisationId = arbitraryOf(OrganisationId)

/** A label as it is kept; empty where nobody sees any of it. */
const shownOf = (text: string): string => (isBlank(text) ? "" : text.trim())

it("the recipient account link machine is paid by what is linked, to whom, and whether it is in use", () =>
  forEvery(states, (link) => {
    const { id, is_active, label, recipient_integration_id, recipient_org_name, recipient_organisation_id } = link
    const payable = { id, is_active, label, recipient_integration_id, recipient_org_name, recipient_organisation_id }
    assert.deepStrictEqual(RecipientAccount.payableOf(link), payable)
    assert.sameMembers(Object.keys(RecipientAccount.Payable.fields), Object.keys(payable))
  }))

describe("a recipient account as it is shown", () => {
  const listed = `id label recipient_org_name recipient_org_slug recipient_account_label is_active created_at`.split(
    /\s+/
  )
  const detail = [...listed, "recipient_integration_id", "processor_connect_account_id", "charges_enabled"]

  it("has the contract's fields, more of them in the single read, and those of its list in every event", () => {
    assert.sameMembers(Object.keys(RecipientAccount.RecipientAccountRecord.fields), listed)
    assert.sameMembers(Object.keys(RecipientAccount.RecipientAccountDetail.fields), detail)
    forEvery(states, (link) => {
      assert.sameMembers(Object.keys(RecipientAccount.eventDataOf(link)), listed)
      assert.sameMembers(Object.keys(RecipientAccount.createdEventDataOf(link)), [...listed, "introduction_id"])
    })
  })
})

it("a link's event says which introduction led to the link when it is created, and at no other time", () => {
  const types = ["created", "updated", "deactivated"] as const
  forEvery(states, fc.constantFrom(...types), (link, type) => {
    const { data, type: told } = RecipientAccount.emissionOf(`recipient_org_account_link.${type}`, link)
    assert.strictEqual(told, `recipient_org_account_link.${type}`)
    const led = new Map<string, unknown>(Object.entries(data)).get("introduction_id")
    assert.strictEqual(led, type === "created" ? link.introduction_id : undefined)
  })
})

describe("an exchange", () => {
  it("links an account of another organisation of the same kind, tells one's own, and refuses all else alike", () =>
    forEvery(
      Generators.organisation,
      Generators.organisation,
      integration,
      fc.constantFrom("wrong", "own", "other"),
      (linking, holder, found, whose) => {
        const organisation = whose === "own" ? { ...holder, id: linking.id } : holder
        const outcome = RecipientAccount.linkable(
          linking,
          whose === "wrong" ? null : { integration: found, organisation }
        )
        if (whose === "other" && holder.is_sandbox === linking.is_sandbox && holder.id !== linking.id) {
          assert.deepStrictEqual(Result.getOrThrow(outcome), { integration: found, organisation })
        } else {
          const { _tag, message, param } = Result.getOrThrow(Result.flip(outcome))
          const isOwn = organisation.id === linking.id && whose !== "wrong"
          const unknown = Result.getOrThrow(Result.flip(RecipientAccount.linkable(linking, null)))
          assert.deepStrictEqual({ _tag, param }, { _tag: "InvalidInput", param: "passphrase" })
          assert.strictEqual(message === unknown.message, !isOwn)
          assert.strictEqual(/your organisation's own/.test(message), isOwn)
        }
      }
    ))

  it("makes an active link that names the recipient, and events that name the link", () =>
    forEvery(
      fc.record({
        id: arbitraryOf(RecipientAccountLinkId),
        organisation_id: organisationId,
        introduction_id: fc.constant(null),
        recipient: Generators.organisation,
        integration,
        label: fc.option(Generators.text()),
        at: Generators.instant
      }),
      (origin) => {
        const link = RecipientAccount.create(origin)
        assert.strictEqual(machine.statusOf(link), "ACTIVE")
        assert.strictEqual(link.label, shownOf(origin.label ?? "") || origin.recipient.name)
        assert.deepInclude(link, {
          recipient_organisation_id: origin.recipient.id,
          recipient_org_slug: origin.recipient.slug,
          recipient_integration_id: origin.integration.id,
          processor_connect_account_id: origin.integration.processor_connect_account_id
        })
        const created = RecipientAccount.createdEventDataOf(link)
        assert.deepStrictEqual(created, { ...RecipientAccount.eventDataOf(link), introduction_id: null })
        assert.isTrue(Schema.is(RecipientAccount.RecipientAccountRecord)(RecipientAccount.eventDataOf(link)))
      }
    ))

  it("keeps labels trimmed and never empty", () =>
    forEvery(fc.oneof(Generators.text(), fc.constantFrom("", " ", "\t\n", " a ")), (text) => {
      const label = RecipientAccount.labelOf(text)
      if (shownOf(text) === "") assert.strictEqual(Result.getOrThrow(Result.flip(label)).param, "label")
      else assert.strictEqual(Result.getOrThrow(label), shownOf(text))
    }))
})

describe("a passphrase", () => {
  const word = fc.stringMatching(/^[a-z]{3,9}(-[a-z]{2,4})?$/u)
  const words = fc.array(word, { minLength: 6, maxLength: 6 })
  const separator = fc.constantFrom(" ", "-", "  ", "\n", "\t", " - ", "\u2013", "\u00a0")
  const shouted = fc.func(fc.boolean())

  it("is the same in any case and with any blanks or hyphens between and around its words", () =>
    forEvery(words, separator, separator, shouted, (each, between, around, isUpper) => {
      const typed = each.map((text, index) => (isUpper(index) ? text.toUpperCase() : text)).join(between)
      const shown = Passphrase.assemble(each)
      assert.strictEqual(Passphrase.normalise(around + typed + around), Passphrase.normalise(shown))
    }))

  it("differs when a letter does", () =>
    forEvery(words, words, (one, other) => {
      const letters = (each: ReadonlyArray<string>) => Passphrase.assemble(each).replaceAll("-", " ")
      const same = Passphrase.normalise(letters(one)) === Passphrase.normalise(letters(other))
      assert.strictEqual(same, letters(one) === letters(other))
      assert.strictEqual(Passphrase.normalise(Passphrase.normalise(letters(one))), letters(one))
    }))
})

describe("the window of failed exchanges", () => {
  const hourMillis = 3_600_000
  const start = Date.UTC(2026, 0, 1)

  /** Pauses of up to ten minutes before exchanges that fail; some minutes are whole, so that windows end together. */
  const pauses = fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 10 }).map((minutes) => minutes * 60_000),
      fc.integer({ min: 0, max: 600_000 })
    ),
    { minLength: 30, maxLength: 80, size: "max" }
  )

  interface Exchange {
    readonly at: number
    readonly refusal: Option.Option<Passphrase.PassphraseLocked>
    readonly before: Passphrase.Failures
    readonly after: Passphrase.Failures
  }

  const play = (gaps: ReadonlyArray<number>): ReadonlyArray<Exchange> => {
    let at = start
    let failures: Passphrase.Failures = []
    return gaps.map((gap) => {
      at += gap
      const now = DateTime.makeUnsafe(at)
      const before = failures
      const refusal = Result.getFailure(Passphrase.checkLock(before, now))
      if (Option.isNone(refusal)) failures = Passphrase.withFailure(before, now)
      return { at, refusal, before, after: failures }
    })
  }

  it("lets ten failures through in any rolling hour, and not one more", () =>
    forEvery(pauses, (gaps) => {
      const exchanges = play(gaps)
      const passed = exchanges.filter(({ refusal }) => Option.isNone(refusal)).map(({ at }) => at)
      for (const { at, refusal } of exchanges) {
        const within = passed.filter((each) => each <= at && at - each < hourMillis).length
        assert.isAtMost(within, 10)
        if (Option.isSome(refusal)) assert.strictEqual(within, 10, "refused with room in the window")
      }
    }))

  it("opens when Retry-After says, not a second earlier, and never later than in an hour", () =>
    forEvery(pauses, (gaps) => {
      for (const { at, before, refusal } of play(gaps)) {
        if (Option.isNone(refusal)) continue
        const { retry_after_seconds } = refusal.value
        const isOpen = (seconds: number) =>
          Result.isSuccess(Passphrase.checkLock(before, DateTime.makeUnsafe(at + seconds * 1000)))
        assert.isAtLeast(retry_after_seconds, 1)
        assert.isAtMost(retry_after_seconds, 3_600)
        assert.isTrue(isOpen(retry_after_seconds))
        assert.isFalse(isOpen(retry_after_seconds - 1))
      }
    }))

  it("is no longer for a clock that went back, and no shorter", () => {
    const offsets = fc.array(fc.integer({ min: -hourMillis, max: 2 * hourMillis }), { maxLength: 12 })
    forEvery(offsets, (given) => {
      const now = DateTime.makeUnsafe(start)
      const kept = given.toSorted((a, b) => a - b).map((offset) => DateTime.makeUnsafe(start + offset))
      const settled = Passphrase.settledAt(kept, now)
      assert.deepStrictEqual(
        settled.map((at) => at.epochMilliseconds - start),
        kept.map((at) => Math.min(0, at.epochMilliseconds - start))
      )
      const isLocked = (failures: Passphrase.Failures, millis: number) =>
        Result.isFailure(Passphrase.checkLock(failures, DateTime.makeUnsafe(start + millis)))
      assert.strictEqual(isLocked(settled, 0), isLocked(kept, 0))
      assert.isFalse(isLocked(settled, hourMillis))
    })
  })

  it("opens as soon as fewer than ten count, even if more were let in at once", () => {
    const ages = fc.array(fc.integer({ min: 0, max: hourMillis }), { minLength: 8, maxLength: 30, size: "max" })
    forEvery(ages, (given) => {
      const failures = given.toSorted((a, b) => b - a).map((age) => DateTime.makeUnsafe(start - age))
      const countAfter = (millis: number) => given.filter((age) => age + millis < hourMillis).length
      const lock = Passphrase.checkLock(failures, DateTime.makeUnsafe(start))
      assert.strictEqual(Result.isFailure(lock), countAfter(0) >= 10)
      if (Result.isSuccess(lock)) return
      assert.isBelow(countAfter(lock.failure.retry_after_seconds * 1000), 10)
      assert.isAtLeast(countAfter((lock.failure.retry_after_seconds - 1) * 1000), 10)
    })
  })

  it("is not moved by what is asked while it is closed", () =>
    forEvery(pauses, (gaps) => {
      const exchanges = play(gaps)
      for (const { after, before, refusal } of exchanges) if (Option.isSome(refusal)) assert.deepEqual(after, before)
      let refusedMillis = 0
      const withoutRefused = gaps.flatMap((gap, index) => {
        const isRefused = Option.isSome(exchanges[index]?.refusal ?? Option.none())
        const pause = gap + refusedMillis
        refusedMillis = isRefused ? pause : 0
        return isRefused ? [] : [pause]
      })
      const passed = exchanges.filter(({ refusal }) => Option.isNone(refusal)).map(({ at }) => at)
      const ats = play(withoutRefused).map(({ at }) => at)
      assert.deepStrictEqual(ats, passed)
      assert.isTrue(play(withoutRefused).every(({ refusal }) => Option.isNone(refusal)))
    }))

  it("keeps no failure that does not count any more", () =>
    forEvery(pauses, (gaps) => {
      for (const { after, at, refusal } of play(gaps)) {
        assert.isAtMost(after.length, 10)
        if (Option.isNone(refusal)) {
          for (const each of after) assert.isBelow(at - DateTime.toEpochMillis(each), hourMillis)
        }
      }
    }))
})
