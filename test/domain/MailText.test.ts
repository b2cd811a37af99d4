import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { escaped, htmlDocument, onOneLine, quoted, withoutControls } from "../../src/domain/MailText.ts"

const typed = fc.string({ unit: fc.constantFrom("&", "<", ">", '"', "'", "a", "é", " ", "\n", "\r", "\u0007", ";") })

const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

describe("the text of mails", () => {
  it("escapes what would be markup, and nothing is lost", () => {
    fc.assert(
      fc.property(typed, (text) => {
        const html = escaped(text)
        assert.notMatch(html, /[<>"']/)
        assert.strictEqual(
          html.replace(/&([^;]*);/g, (_, name: string) => characters[name] ?? assert.fail(name)),
          text
        )
      })
    )
  })

  it("brings text onto one line, and keeps line breaks of one kind alone where they may be", () => {
    fc.assert(
      fc.property(typed, (text) => {
        assert.notMatch(onOneLine(text), /[\n\r]|\p{Cc}|^\s|\s$/u)
        assert.strictEqual(onOneLine(text).replaceAll(" ", ""), text.replace(/[\s\p{Cc}]/gu, ""))
        assert.notMatch(withoutControls(text), /(?!\n)\p{Cc}/u)
        const lines = quoted(withoutControls(text)).split("\n")
        assert.isTrue(lines.every((line) => line.startsWith("> ")))
        assert.strictEqual(lines.length, text.split(/\r\n?|\n/).length)
      })
    )
  })

  it("makes a document whose title is text", () => {
    fc.assert(
      fc.property(typed, (title) => {
        const html = htmlDocument(title, ["<p>one</p>", "<p>two</p>"])
        assert.include(html, `<title>${escaped(title)}</title>`)
        assert.isTrue(html.endsWith("<body><p>one</p><p>two</p></body></html>"))
      })
    )
  })
})
