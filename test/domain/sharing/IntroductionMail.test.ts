import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { type IntroductionMail, introductionMail } from "../../../src/domain/sharing/IntroductionMail.ts"
import { instant } from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

/** Parts of what people type, and of what somebody types who tries to insert markup. */
const part = fc.constantFrom("Bea", " ", "\n", "\r\n", "<b>", "</p>", "&amp;", "&", "<", ">", '"', "'", "é", "\u0007")
const typed = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""))

const said: fc.Arbitrary<IntroductionMail> = fc.record({
  inviter_name: typed.map((name) => `Harbour ${name}`),
  invitee_message: fc.option(typed),
  invite_url: typed.map((any) => `https://harbour.example.org/i/intr_1.mac?a=1&b=${any.replace(/[\s\p{Cc}]/gu, "")}`),
  expires_at: instant
})

const characters = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#39;", "'"]
])

const unescaped = (html: string): string =>
  html.replace(/&[^;]*;/g, (entity) => characters.get(entity) ?? assert.fail(entity))

const tagsOf = (html: string): ReadonlyArray<string> => html.match(/<[^>]*>/g) ?? []

/** The text that a reader of the document sees. */
const shownBy = (html: string): string => unescaped(html.replaceAll("<br>", "\n").replace(/<[^>]*>/g, ""))

/** A message as it is read: one kind of line break, and no other control characters. */
const readable = (message: string | null): string =>
  (message ?? "").replaceAll("\r\n", "\n").replaceAll("\u0007", " ").trim()

describe("the mail of an introduction", () => {
  it("says in both forms what was typed, character by character", () =>
    forEveryWith({ numRuns: 300 }, said, (given) => {
      const { html, text } = introductionMail(given)
      const message = readable(given.invitee_message)
      const inviter = given.inviter_name.replaceAll("\u0007", " ").replace(/\s+/g, " ").trim()
      assert.include(text, message.replaceAll("\n", "\n> "))
      assert.include(shownBy(html), message)
      for (const form of [text, shownBy(html)]) assert.include(form, `${inviter} invites`)
      assert.include(text.split("\n\n"), given.invite_url)
      const [, href = ""] = /<a href="([^"]*)"/.exec(html) ?? []
      assert.strictEqual(unescaped(href), given.invite_url)
    }))

  it("is the same markup whatever was typed", () =>
    forEveryWith({ numRuns: 300 }, said, (given) => {
      const message = readable(given.invitee_message)
      const plain = { ...given, inviter_name: "Harbour", invitee_message: message.replace(/[^\n]+/g, "x") }
      const isLink = (tag: string): boolean => tag.startsWith("<a ")
      const { html } = introductionMail(given)
      const tags = tagsOf(html)
      const plainTags = tagsOf(introductionMail(plain).html)
      assert.deepStrictEqual(
        tags.filter((tag) => !isLink(tag)),
        plainTags.filter((tag) => !isLink(tag))
      )
      assert.strictEqual(tags.filter(isLink).length, 1)
      assert.isTrue(html.startsWith("<!doctype html>") && html.endsWith("</body></html>"))
    }))

  it("quotes a message line by line, and says that somebody writes only where there is one", () =>
    forEveryWith({ numRuns: 300 }, said, (given) => {
      const { html, text } = introductionMail(given)
      const message = readable(given.invitee_message)
      const quote = text.split("\n").filter((line) => line.startsWith("> "))
      assert.deepStrictEqual(quote, message === "" ? [] : message.split("\n").map((line) => `> ${line}`))
      for (const form of [text, html]) assert.strictEqual(form.includes(" writes:"), message !== "")
      assert.strictEqual(html.includes("<blockquote>"), message !== "")
    }))

  it("has a subject of one line, and tells when it ends and that its link is a credential", () =>
    forEvery(said, (given) => {
      const { html, subject, text } = introductionMail(given)
      assert.notMatch(subject, /[\p{Cc}\p{Zl}\p{Zp}]/u)
      for (const form of [text, html]) {
        assert.include(form, `${given.expires_at.pipe(DateTime.getPartUtc("year"))}`)
        assert.include(form, "UTC.")
        assert.include(form, "Do not forward it.")
      }
    }))
})
