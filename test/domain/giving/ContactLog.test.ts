import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import { decoder } from "../../../src/app/kernel/decoding/Decoder.ts"
import * as ContactLog from "../../../src/domain/giving/ContactLog.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { instant } from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const log = fc
  .tuple(arbitraryOf(ContactLog.ContactLog), fc.option(fc.string({ minLength: 1 })))
  .map(([given, notes]) => ({ ...given, notes }))
const kept = log.map((each): ContactLog.ContactLog => ({ ...each, deleted_at: null }))
const patch = arbitraryOf(Schema.toType(ContactLog.ContactLogPatch))

/** An entry that is not deleted after a patch; the same object when the patch changes nothing. */
const patched = (before: ContactLog.ContactLog, given: ContactLog.ContactLogPatch, at: DateTime.Utc) => {
  const changes = ContactLog.changesOf(before, given)
  return Object.keys(changes).length === 0
    ? before
    : Result.getOrThrow(decide(ContactLog.machine, before, { _tag: "Change", at, changes })).state
}

describe("contact log", () => {
  it("names its notes as free text exactly where it shows them", () =>
    forEvery(log, fc.boolean(), (each, include_notes) => {
      const record = ContactLog.recordOf(each, { include_notes })
      assert.strictEqual(record.notes, include_notes ? each.notes : null)
      assert.strictEqual(record.has_notes, each.notes !== null)
      assert.strictEqual("free_text" in record, record.notes !== null)
      if (record.notes !== null) assert.deepStrictEqual(record.free_text, ["notes"])
      assert.includeMembers(Object.keys(ContactLog.ContactLogRecord.fields), Object.keys(record))
      assert.isTrue(Schema.is(ContactLog.ContactLogRecord)(record))
    }))

  it("shows its notes in lists, unless they are not asked for", () => {
    const flagsOf = (entries: ReadonlyArray<readonly [string, string]>) =>
      Result.getOrThrow(parse(ContactLog.listing, entries)).flags
    assert.deepStrictEqual(flagsOf([]), { include_notes: true })
    for (const shown of [true, false])
      assert.deepStrictEqual(flagsOf([["include_notes", String(shown)]]), { include_notes: shown })
  })

  it("takes what a patch says, and keeps the rest", () =>
    forEvery(kept, patch, instant, (before, given, at) => {
      const after = patched(before, given, at)
      const { notes, ...others } = given
      assert.deepInclude(after, others)
      if (notes !== undefined) assert.strictEqual(after.notes, notes === "" ? null : notes)
      assert.deepStrictEqual(
        { ...after, updated_at: before.updated_at, ...others, notes: before.notes },
        { ...before, ...others }
      )
      if (after !== before) assert.deepStrictEqual(after.updated_at, at)
    }))

  it("stays as it is where a patch says nothing new", () =>
    forEvery(kept, patch, instant, instant, (before, given, at, later) => {
      const after = patched(before, given, at)
      assert.strictEqual(patched(after, given, later), after)
      assert.strictEqual(patched(before, {}, at), before)
    }))

  it("happened now where nothing else is said, and keeps its notes verbatim", () => {
    forEvery(instant, fc.string({ minLength: 1 }), fc.constantFrom(null, undefined, ""), (now, notes, none) => {
      const given = { contact_method: "PHONE" } as const
      assert.deepStrictEqual(ContactLog.entryOf({ ...given, notes }, now), {
        contact_method: "PHONE",
        notes,
        occurred_at: now,
        follow_up_at: null,
        follow_up_completed_at: null
      })
      const blank = none === undefined ? given : { ...given, notes: none }
      assert.isNull(ContactLog.entryOf(blank, now).notes)
    })
    const occurred_at = "2026-01-31T10:00:00Z"
    const input = decoder(ContactLog.NewContactLog)({ contact_method: "SMS", occurred_at, follow_up_at: occurred_at })
    const entry = ContactLog.entryOf(Result.getOrThrow(input), DateTime.makeUnsafe(0))
    const at = DateTime.makeUnsafe(occurred_at)
    assert.deepInclude(entry, { occurred_at: at, follow_up_at: at })
  })

  it("has an open follow-up from its planning to its completion", () =>
    forEvery(log, fc.option(instant), fc.option(instant), (each, follow_up_at, follow_up_completed_at) => {
      const planned = { ...each, follow_up_at, follow_up_completed_at }
      const isOpen = follow_up_at !== null && follow_up_completed_at === null
      assert.deepStrictEqual(ContactLog.derivedColumns(planned), { follow_up_open: isOpen })
    }))
})
