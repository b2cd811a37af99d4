import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { decoder } from "../../../src/app/kernel/decoding/Decoder.ts"
import * as CheckoutLink from "../../../src/domain/giving/CheckoutLink.ts"
import * as Draft from "../../../src/domain/giving/CheckoutLinkDraft.ts"
import { codeDigits } from "../../../src/domain/giving/CheckoutLinkFields.ts"
import { DonorId } from "../../../src/domain/kernel/Ids.ts"
import { asOf, comparedValue, parse, passes, type Scalar } from "../../../src/domain/kernel/Listing.ts"
import { decide, typesOf } from "../../../src/domain/kernel/Machine.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { webUrl } from "../../../src/testing/Characters.ts"
import { checkoutLinks } from "../../../src/testing/subjects/CheckoutLinks.ts"
import { type FieldsOf, hasForm } from "../../support/InputForms.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const { commands, states } = checkoutLinks
const { machine } = CheckoutLink
const now = commands.map(({ at }) => at)
const donorId = arbitraryOf(DonorId)
const internal = ["organisation_id", "pending_donation_id", "pending_bank_transfer"]

const permits = (link: CheckoutLink.CheckoutLink, command: CheckoutLink.Command): boolean =>
  Result.isSuccess(decide(machine, link, command))

describe("checkout link", () => {
  it("has a code that nobody guesses, more than 128 random bits, and no longer than it needs", () => {
    const codesOf = (digits: number) => 62n ** BigInt(digits)
    assert.isTrue(codesOf(codeDigits) > 2n ** 128n)
    assert.isTrue(codesOf(codeDigits - 1) < 2n ** 128n)
  })

  it("takes no payment once archived, past its time, or ended", () =>
    forEveryWith({ numRuns: 500 }, states, commands, (link, command) => {
      const open = link.archived_at === null && CheckoutLink.statusAt(link, command.at) === "ACTIVE"
      if (!open) assert.isFalse(CheckoutLink.isPayable(link, command.at))
      if (command._tag === "Begin") {
        assert.strictEqual(permits(link, command), CheckoutLink.isPayable(link, command.at))
      }
    }))

  it("says why it takes no gift: archived before all, then as it ended, then its time, whatever is in progress", () =>
    forEveryWith({ numRuns: 500 }, states, now, (link, at) => {
      const isOver = link.expires_at !== null && link.expires_at.epochMilliseconds <= at.epochMilliseconds
      const ended = {
        ACTIVE: isOver ? "expired" : null,
        COMPLETED: "completed",
        EXPIRED: "expired",
        CANCELED: "cancelled"
      }
      assert.strictEqual(CheckoutLink.closedAt(link, at), link.archived_at === null ? ended[link.status] : "archived")
    }))

  it("says which of its conditions a refused command breaks", () => {
    const inTime = "the link's time has not run out"
    const broken = (link: CheckoutLink.CheckoutLink, command: CheckoutLink.Command): string => {
      if (command._tag === "Begin") return link.pending_donation_id === null ? inTime : "no gift is in progress"
      if (CheckoutLink.statusAt(link, command.at) === "EXPIRED") return inTime
      return command._tag === "Change"
        ? "the amount stays while a bank transfer is in progress"
        : "no bank transfer is in progress"
    }
    const asked = commands.filter(({ _tag }) => ["Begin", "Change", "Cancel", "Archive"].includes(_tag))
    forEveryWith({ numRuns: 1_000 }, states, asked, (link, command) => {
      const decision = decide(machine, link, command)
      if (Result.isSuccess(decision) || decision.failure._tag !== "GuardRefused") return
      assert.strictEqual(decision.failure.rule, broken(link, command))
    })
  })

  it("is completed by the gift in progress and by no other, archived or not", () =>
    forEvery(states, commands, donorId, (link, command, donor_id) => {
      fc.pre("donation_id" in command && link.status === "ACTIVE")
      const { at, donation_id } = command
      const decided = decide(machine, link, CheckoutLink.completion(link, { at, donation_id, donor_id }))
      assert.strictEqual(Result.isSuccess(decided), donation_id === link.pending_donation_id)
      if (Result.isFailure(decided)) return
      const { events, state } = decided.success
      assert.deepInclude(state, { status: "COMPLETED", donation_id, donor_id, pending_donation_id: null })
      assert.deepStrictEqual(state.archived_at, link.archived_at)
      assert.deepStrictEqual(typesOf(events), ["checkout_link.updated"])
    }))

  it("finds no change where nothing differs", () =>
    forEvery(states, commands, (link, command) => {
      fc.pre(command._tag === "Change")
      const changes = CheckoutLink.changesOf(link, command.changes)
      assert.deepInclude({ ...link, ...changes }, command.changes)
      assert.deepStrictEqual(CheckoutLink.changesOf({ ...link, ...changes }, command.changes), {})
    }))

  it("says its code and address in the record, and in no event", () =>
    forEvery(states, now, webUrl, (link, at, url) => {
      const record = CheckoutLink.recordOf(link, url, at)
      const data = CheckoutLink.eventDataOf(link, at)
      assert.sameMembers(Object.keys(record), Object.keys(CheckoutLink.CheckoutLinkRecord.fields))
      assert.sameMembers(Object.keys(data), Object.keys(CheckoutLink.eventData.fields))
      assert.deepInclude(record, { code: link.code, url, status: CheckoutLink.statusAt(link, at) })
      assert.doesNotHaveAnyKeys(data, ["code", "url"])
      for (const shown of [record, data]) assert.doesNotHaveAnyKeys(shown, internal)
    }))
})

describe("a list of checkout links", () => {
  const scalars = (link: CheckoutLink.CheckoutLink) => {
    const { expires_at, ...plain } = link
    const columns = new Map<string, unknown>([
      ...Object.entries(plain),
      ["expires_at", expires_at === null ? null : DateTime.toEpochMillis(expires_at)]
    ])
    return (column: string): Scalar | null => {
      const value = columns.has(column) ? columns.get(column) : assert.fail(`there is no ${column}`)
      return typeof value === "string" || typeof value === "number" ? value : null
    }
  }

  it("filters by the status that every read shows", () =>
    forEveryWith(
      { numRuns: 400 },
      states,
      now,
      fc.constantFrom(...CheckoutLink.Status.literals),
      (link, at, status) => {
        const query = asOf(Result.getOrThrow(parse(CheckoutLink.listing, [["status", status]])), at)
        const [condition = assert.fail()] = query.conditions
        const isListed = passes(condition, comparedValue(condition, scalars(link)))
        assert.strictEqual(isListed, CheckoutLink.statusAt(link, at) === status)
      }
    ))

  it("has archived links, too, where they are asked for", () => {
    assert.isTrue(Result.getOrThrow(parse(CheckoutLink.listing, [["archived", "true"]])).archived)
  })
})

describe("a new checkout link", () => {
  const decode = decoder(Draft.NewCheckoutLink)

  it("has a code of at least 128 random bits, and of no digit more", () => {
    assert.isTrue(62n ** BigInt(CheckoutLink.codeDigits) >= 2n ** 128n)
    assert.isTrue(62n ** BigInt(CheckoutLink.codeDigits - 1) < 2n ** 128n)
  })

  it("takes ids of any length but none", () => {
    for (const field of ["donor_id", "processor_integration_id"]) {
      assert.isTrue(Result.isSuccess(decode({ amount_cents: 500, [field]: "x" })), field)
      assert.isTrue(Result.isFailure(decode({ amount_cents: 500, [field]: "" })), field)
    }
  })

  const body = { amount_cents: 500, donor_email: "a@example.org" }

  it("names its donor by id or by e-mail address, and not by both", () => {
    const ruleOf = (donor: FieldsOf<Draft.NewCheckoutLink>) =>
      Draft.donorRule({ amount_cents: 500, ...donor })?.param ?? null
    assert.isNull(ruleOf({ donor_id: "dnr_1" }))
    assert.isNull(ruleOf({ donor_email: "a@example.org", donor_first_name: "Ada", donor_phone: "1" }))
    assert.strictEqual(ruleOf({}), "donor_id")
    assert.strictEqual(ruleOf({ donor_id: null, donor_email: null }), "donor_id")
    assert.strictEqual(ruleOf({ donor_id: "dnr_1", donor_email: "a@example.org" }), "donor_email")
    for (const detail of ["donor_first_name", "donor_last_name", "donor_phone"]) {
      assert.strictEqual(ruleOf({ donor_id: "dnr_1", [detail]: "1" }), detail)
    }
    for (const nobody of [{}, { donor_first_name: "Ada" }]) assert.isFalse(hasForm(Draft.NewCheckoutLink, nobody))
    for (const donor of [
      { donor_id: "dnr_1" },
      { donor_email: "a@example.org" },
      { donor_id: "dnr_1", donor_email: " " }
    ]) {
      assert.isNull(ruleOf(donor))
      assert.isTrue(hasForm(Draft.NewCheckoutLink, donor))
    }
  })

  it("expires in the future", () => {
    forEvery(now, now, (expires_at, at) => {
      const isFuture = DateTime.toEpochMillis(expires_at) > DateTime.toEpochMillis(at)
      assert.strictEqual(Draft.expiryRule(expires_at, at) === null, isFuture)
    })
    assert.isNull(Draft.expiryRule(null, DateTime.makeUnsafe(0)))
    assert.isNull(Draft.expiryRule(undefined, DateTime.makeUnsafe(0)))
  })

  it("takes one or more payment methods, each once", () => {
    const accepts = (payment_methods: unknown) => Result.isSuccess(decode({ ...body, payment_methods }))
    assert.deepStrictEqual(Draft.defaultPaymentMethods, ["card"])
    assert.isTrue(accepts(["card"]))
    assert.isTrue(accepts(["card", "payto"]))
    assert.isTrue(accepts(null))
    assert.isFalse(accepts([]))
    assert.isFalse(accepts(["card", "card"]))
    assert.isFalse(accepts(["seashells"]))
  })
})
