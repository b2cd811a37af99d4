import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Result, Schema, Struct } from "effect"
import fc from "fast-check"
import { asOf, comparedValue, parse, passes, type Scalar } from "../../../src/domain/kernel/Listing.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { isBlank } from "../../../src/domain/kernel/Text.ts"
import * as Introduction from "../../../src/domain/sharing/Introduction.ts"
import * as IntroductionLimits from "../../../src/domain/sharing/IntroductionLimits.ts"
import { createdEventDataOf, RecipientAccount } from "../../../src/domain/sharing/RecipientAccount.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { text } from "../../../src/testing/Generators.ts"
import { introductions } from "../../../src/testing/subjects/Introductions.ts"
import { fieldsOf } from "../../support/Answer.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const { machine } = Introduction
const { commands, states } = introductions
const moment = commands.map(({ at }) => at)
const hour = 3_600_000

const inStatus = (introduction: Introduction.Introduction, status: Introduction.Status): Introduction.Introduction => ({
  ...introduction,
  status
})

const accept = commands.filter((command) => command._tag === "Accept")

describe("the introduction machine", () => {
  it("shows on a read what the sweep would write", () =>
    forEvery(states, moment, (before, now) => {
      const swept = Result.match(decide(machine, before, { _tag: "Expire", at: now }), {
        onFailure: () => before,
        onSuccess: ({ state }) => state
      })
      const record = Introduction.recordOf(before, "https://invite", now)
      assert.strictEqual(record.status, swept.status)
      assert.deepStrictEqual(record, Introduction.recordOf(swept, "https://invite", now))
    }))

  it("lets no member of the inviter accept and nobody from the other side, live or sandbox, and everybody else in time", () =>
    forEvery(states, accept, fc.integer({ min: -2, max: 2 }), (any, command, offset) => {
      const at = DateTime.addDuration(any.expires_at, Duration.millis(offset))
      const decision = decide(machine, inStatus(any, "VIEWED"), { ...command, at })
      const outside = !command.is_inviter_member && command.in_sandbox === command.inviter_in_sandbox
      assert.strictEqual(Result.isSuccess(decision), outside && offset < 0)
      if (Result.isSuccess(decision)) return
      const broken = {
        "the user is no member of the inviter or its twin": command.is_inviter_member,
        "the organisation that accepts is live where the inviter is live, and a sandbox where the inviter is one":
          command.in_sandbox !== command.inviter_in_sandbox,
        "`expires_at` has not passed": offset >= 0
      }
      const [first = ""] = Object.entries(broken).find(([, isBroken]) => isBroken) ?? []
      assert.deepInclude(decision.failure, { _tag: "GuardRefused", rule: first })
    }))

  it("keeps who accepted and linked, and shows the inviter the organisation and the account alone", () =>
    forEvery(states, accept, (any, command) => {
      const in_sandbox = command.inviter_in_sandbox
      const outsider = { ...command, at: any.created_at, is_inviter_member: false, in_sandbox }
      const { state } = Result.getOrThrow(decide(machine, inStatus(any, "VIEWED"), outsider))
      assert.strictEqual(state.accepted_by_user_id, command.user_id)
      const record = Introduction.recordOf(state, "https://invite", any.created_at)
      assert.strictEqual(record.accepted_organisation_id, command.organisation_id)
      assert.doesNotHaveAnyKeys(record, ["accepted_by_user_id", "linked_by_user_id", "invitee_message"])
    }))

  it("tells used-up resends from an introduction that is past resending", () =>
    forEvery(states, moment, (state, at) => {
      const decision = decide(machine, state, { _tag: "Resend", at })
      const refused = Result.isFailure(decision)
      const open = ["PENDING", "VIEWED"].includes(Introduction.statusAt(state, at))
      if (refused && decision.failure._tag === "GuardRefused") {
        const rule = open ? "it was resent less than three times" : "`expires_at` has not passed"
        assert.strictEqual(decision.failure.rule, rule)
      }
      assert.strictEqual(Result.isFailure(IntroductionLimits.checkResends(state, at)), refused && open)
    }))
})

const origin = fc
  .tuple(states, moment)
  .map(([{ id, organisation_id, token_key_id }, at]) => ({ id, organisation_id, token_key_id, sent_at: at, at }))

const input: fc.Arbitrary<Introduction.NewIntroduction> = fc.record(
  {
    invitee_email: fc.constantFrom("ada@example.org", " Ada@Example.org\t"),
    invitee_org_name_hint: fc.option(text()),
    invitee_message: fc.option(text()),
    ttl_days: fc.option(fc.integer({ min: 1, max: 90 })),
    external_id: fc.option(text().filter((id) => id !== ""))
  },
  { requiredKeys: ["invitee_email"] }
)

describe("a new introduction", () => {
  it("is pending for ttl_days, or for thirty", () =>
    forEvery(input, origin, (input, from) => {
      assert.isTrue(Schema.is(Introduction.NewIntroduction)(input))
      const introduction = Introduction.create(input, from)
      const life = DateTime.distance(introduction.created_at, introduction.expires_at)
      assert.strictEqual(Duration.toDays(life), input.ttl_days ?? 30)
      assert.strictEqual(Introduction.statusAt(introduction, from.at), "PENDING")
      assert.isTrue(Schema.is(Introduction.Introduction)(introduction))
      assert.strictEqual(introduction.invitee_email, input.invitee_email.trim())
      const hint = input.invitee_org_name_hint ?? ""
      assert.strictEqual(introduction.invitee_org_name_hint, isBlank(hint) ? null : hint.trim())
      assert.strictEqual(
        introduction.invitee_message,
        input.invitee_message === "" ? null : (input.invitee_message ?? null)
      )
      assert.strictEqual(introduction.external_id, input.external_id ?? null)
      assert.strictEqual(introduction.resend_count, 0)
      const taken = decide(machine, introduction, { _tag: "Open", at: from.at })
      assert.isTrue(Result.isSuccess(taken))
    }))

  it("is refused with a life outside 1 to 90 days, or an empty external_id", () => {
    const accepts = Schema.is(Introduction.NewIntroduction)
    forEveryWith(
      {
        examples: [
          [0, "a"],
          [1, "a"],
          [90, "a"],
          [91, "a"],
          [30, ""]
        ]
      },
      fc.integer({ min: -5, max: 100 }),
      fc.string({ maxLength: 3 }),
      (ttl_days, external_id) => {
        const input = { invitee_email: "ada@example.org", ttl_days, external_id }
        assert.strictEqual(accepts(input), ttl_days >= 1 && ttl_days <= 90 && external_id !== "")
      }
    )
  })

  it("says of itself in events what its record says, without the link", () =>
    forEvery(states, (introduction) => {
      const record = Introduction.recordOf(introduction, "https://invite", introduction.created_at)
      const data = Introduction.eventDataOf(introduction)
      assert.deepStrictEqual(Struct.omit(data, ["status"]), Struct.omit(record, ["status", "invite_url"]))
      assert.strictEqual(data.status, introduction.status)
      assert.isTrue(Schema.is(Introduction.eventData)(data))
      assert.sameMembers(Object.keys(Introduction.eventData.fields), Object.keys(data))
    }))
})

describe("what an introduction's command emits", () => {
  const all = ["introduction.accepted", "recipient_org_account_link.created", "introduction.linked"] as const

  it("is told with the introduction's data, and of a linked account with the account's", () =>
    forEvery(states, arbitraryOf(RecipientAccount), (introduction, account) => {
      const emitted = Introduction.emissionsOf(all, introduction, account)
      const types = emitted.map(({ type }) => type)
      assert.deepStrictEqual(types, [...all])
      const data = Introduction.eventDataOf(introduction)
      assert.deepStrictEqual(fieldsOf(emitted, "data"), [data, createdEventDataOf(account), data])
    }))

  it("leaves out an account that was not linked", () =>
    forEvery(states, (introduction) => {
      const emitted = Introduction.emissionsOf(all, introduction, null)
      const types = emitted.map(({ type }) => type)
      assert.deepStrictEqual(types, ["introduction.accepted", "introduction.linked"])
    }))
})

describe("an inviter's limit", () => {
  it("counts what was sent less than 24 hours ago by the real time, and was neither viewed nor revoked", () =>
    forEveryWith({ numRuns: 300 }, states, fc.integer({ min: -2, max: 2 }), (introduction, offset) => {
      const now = DateTime.addDuration(introduction.sent_at, Duration.millis(24 * hour + offset))
      const waits = ["PENDING", "EXPIRED"].includes(introduction.status) && introduction.viewed_at === null
      assert.strictEqual(Introduction.countsTowardLimit(introduction, now), waits && offset < 0)
    }))

  it("refuses the 51st", () =>
    forEveryWith({ examples: [[49], [50]] }, fc.integer({ min: 0, max: 100 }), (counted) => {
      assert.strictEqual(Result.isSuccess(IntroductionLimits.checkLimit(counted)), counted < 50)
    }))
})

describe("the list of introductions", () => {
  const scalarOf =
    (introduction: Introduction.Introduction) =>
    (column: string): Scalar | null => {
      const value = Object.entries(introduction).find(([field]) => field === column)?.[1]
      if (DateTime.isDateTime(value)) return DateTime.toEpochMillis(value)
      return typeof value === "string" ? value : null
    }

  it("filters by the status that a read shows", () =>
    forEveryWith(
      { numRuns: 500 },
      states,
      moment,
      fc.constantFrom(...Introduction.Status.literals),
      (introduction, now, status) => {
        const query = asOf(Result.getOrThrow(parse(Introduction.listing, [["status", status.toLowerCase()]])), now)
        const listed = query.conditions.every((each) => passes(each, comparedValue(each, scalarOf(introduction))))
        assert.strictEqual(listed, Introduction.statusAt(introduction, now) === status)
      }
    ))

  it("takes status names in lower case alone, and no empty external_id", () => {
    for (const status of Introduction.Status.literals) {
      assert.isTrue(Result.isFailure(parse(Introduction.listing, [["status", status]])))
    }
    const empty = Result.flip(parse(Introduction.listing, [["external_id", ""]]))
    assert.strictEqual(Result.getOrThrow(empty)._tag, "MalformedInput")
  })
})
