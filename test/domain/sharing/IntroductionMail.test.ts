import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { plainText } from "../../../src/domain/kernel/MailContent.ts"
import { type IntroductionMail, introductionMail } from "../../../src/domain/sharing/IntroductionMail.ts"
import { webUrl } from "../../../src/testing/Characters.ts"
import { instant } from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

/** Parts of what people type, and of what somebody types who tries to insert markup. */
const part = fc.constantFrom("Bea", " ", "\n", "\r\n", "<b>", "</p>", "&amp;", "&", "<", ">", '"', "'", "é", "\u0007")
const typed = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""))

const said: fc.Arbitrary<IntroductionMail> = fc.record({
  inviter: typed.map((name) => ({ name: `Harbour ${name}`, timezone: "UTC" })),
  invitee_message: fc.option(typed),
  invite_url: webUrl,
  expires_at: instant
})

/** A message as it is read: one kind of line break, and no other control characters. */
const readable = (message: string | null): string =>
  (message ?? "").replaceAll("\r\n", "\n").replaceAll("\u0007", " ").trim()

describe("the mail of an introduction", () => {
  it("says what was typed, character by character, and quotes a message line by line where there is one", () =>
    forEveryWith({ numRuns: 300 }, said, (given) => {
      const text = plainText(introductionMail(given))
      const message = readable(given.invitee_message)
      const inviter = given.inviter.name.replaceAll("\u0007", " ").replace(/\s+/g, " ").trim()
      assert.include(text, `${inviter} invites`)
      assert.include(text.split("\n\n"), new URL(given.invite_url).href)
      const quote = text.split("\n").filter((line) => line.startsWith("> "))
      assert.deepStrictEqual(quote, message === "" ? [] : message.split("\n").map((line) => `> ${line}`))
      assert.strictEqual(text.includes(" writes:"), message !== "")
    }))

  it("has a subject of one line, and tells when it ends and that its link is a credential", () =>
    forEvery(said, (given) => {
      const content = introductionMail(given)
      assert.notMatch(content.subject, /[\p{Cc}\p{Zl}\p{Zp}]/u)
      const text = plainText(content)
      assert.include(text, `${given.expires_at.pipe(DateTime.getPartUtc("year"))}`)
      assert.include(text, "UTC.")
      assert.include(text, "Do not forward it.")
    }))
})
