import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { WebhookEndpointId } from "../../../src/domain/kernel/Ids.ts"
import { onOneLine, plainText, withoutControls } from "../../../src/domain/kernel/MailContent.ts"
import { endpointDisabledMail } from "../../../src/domain/outbox/EndpointDisabledMail.ts"
import { introductionMail } from "../../../src/domain/sharing/IntroductionMail.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const typed = fc.string({ unit: fc.constantFrom("&", "<", ">", '"', "'", "a", "é", " ", "\n", "\r", "\u0007", ";") })

describe("what a mail says", () => {
  it("brings text onto one line, and keeps line breaks of one kind alone where they may be", () =>
    forEvery(typed, (text) => {
      assert.notMatch(onOneLine(text), /[\n\r]|\p{Cc}|^\s|\s$/u)
      assert.strictEqual(onOneLine(text).replaceAll(" ", ""), text.replace(/[\s\p{Cc}]/gu, ""))
      assert.notMatch(withoutControls(text), /(?!\n)\p{Cc}/u)
      const quoted = plainText({ parts: [{ kind: "quote", text: withoutControls(text) }] })
      assert.isTrue(quoted.endsWith("\n\n"))
      const lines = quoted.slice(0, -2).split("\n")
      assert.isTrue(lines.every((line) => line.startsWith("> ")))
      assert.strictEqual(lines.length, text.split(/\r\n?|\n/).length)
    }))

  it("leaves nothing in a subject that turns the direction of its text, or controls anything else", () => {
    const turning = [0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
    const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code <= 0x9f)
    const isForbidden = (code: number): boolean => isControl(code) || [...turning, 0x2028, 0x2029].includes(code)
    const codes = fc.oneof(
      fc.constantFrom(...turning, 0x0, 0x9, 0xa, 0xd, 0x1b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029),
      fc.integer({ min: 0x20, max: 0x2fff })
    )
    const name = fc.array(codes, { maxLength: 20 }).map((each) => String.fromCodePoint(...each))
    const at = DateTime.makeUnsafe("2026-01-15T02:00:00Z")
    forEveryWith({ numRuns: 500 }, name, (typed) => {
      const organisation = { name: typed, timezone: "Australia/Sydney" }
      const invitation = introductionMail({
        inviter: organisation,
        invitee_message: null,
        invite_url: "https://a.example",
        expires_at: at
      })
      const disabled = endpointDisabledMail({
        id: WebhookEndpointId.make("whe_01jhn4bzqaf3w9t3d9k5v7x2c0"),
        description: typed,
        url: "https://hooks.example.org/a",
        organisation,
        disabled_at: at
      })
      for (const { subject } of [invitation, disabled]) {
        for (const character of subject) assert.isFalse(isForbidden(character.codePointAt(0) ?? 0), subject)
      }
      const kept = [...typed].filter((each) => !isForbidden(each.codePointAt(0) ?? 0) && each.trim() !== "")
      assert.strictEqual(onOneLine(typed).replace(/\s/gu, ""), kept.join(""))
    })
  })

  it("is as text what its parts say, in their order, with an empty line between two", () =>
    forEvery(typed, typed, (text, value) => {
      const url = new URL("https://sea.example.org/i/x?a=1&b=2")
      const parts = [
        text,
        {
          kind: "facts",
          rows: [
            ["Gift", value],
            ["By", "card"]
          ]
        },
        { kind: "link", label: "See", url }
      ] as const
      assert.strictEqual(plainText({ parts }), [text, `Gift: ${value}\nBy: card`, "See:", url.href, ""].join("\n\n"))
    }))
})
