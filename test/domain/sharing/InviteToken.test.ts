import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import fc from "fast-check"
import { IntroductionId } from "../../../src/domain/kernel/Ids.ts"
import * as InviteToken from "../../../src/domain/sharing/InviteToken.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEvery } from "../../support/Property.ts"

const mac = fc.stringMatching(/^[A-Za-z0-9_-]{1,43}$/)
const token = fc.record({ id: arbitraryOf(IntroductionId), mac })
const slug = fc.stringMatching(/^[a-z0-9]{1,12}$/)

describe("an invite token", () => {
  it("is read as it was written, and needs no escaping in an address", () =>
    forEvery(token, (given) => {
      const text = InviteToken.write(given)
      assert.deepStrictEqual(InviteToken.read(text), Option.some(given))
      assert.strictEqual(encodeURIComponent(text), text)
    }))

  it("is an id and a MAC: less or more is none", () =>
    forEvery(token, mac, (given, more) => {
      const text = InviteToken.write(given)
      const others = [given.id, `${given.id}.`, given.mac, `.${given.mac}`, `${text}.`, `${text}.${more}`, "", "."]
      for (const other of others) assert.isTrue(Option.isNone(InviteToken.read(other)), other)
    }))

  it("is none without the id of an introduction, whatever the text", () =>
    forEvery(fc.string({ unit: character }), mac, (any, given) => {
      for (const text of [any, `${any}.${given}`]) assert.isTrue(Option.isNone(InviteToken.read(text)))
    }))
})

describe("the address of an invitation", () => {
  const template = fc.constantFrom(
    "https://{slug}.example.org",
    "http://{slug}.localhost:8080/",
    "https://x.org/{slug}"
  )

  it("is the page /i/ of the inviter, followed by the token", () =>
    forEvery(slug, token, (of, given) => {
      const text = InviteToken.write(given)
      const address = new URL(InviteToken.urlOf("https://{slug}.example.org", of, text))
      assert.strictEqual(address.hostname, `${of}.example.org`)
      assert.strictEqual(address.pathname, `/i/${text}`)
    }))

  it("gives the token back however it was copied: whole, by its path, or the token alone", () => {
    const around = fc.constantFrom("", " ", "\n")
    const after = fc.constantFrom("", "/", "?utm=a", "#top", "/?a=b#c")
    forEvery(template, slug, token, around, after, (of, name, given, space, rest) => {
      const text = InviteToken.write(given)
      const address = InviteToken.urlOf(of, name, text)
      for (const copied of [address, `/i/${text}`, text]) {
        assert.strictEqual(InviteToken.tokenIn(`${space}${copied}${rest}${space}`), text)
      }
    })
  })
})
