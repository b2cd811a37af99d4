import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { publicUrl } from "../../../src/domain/kernel/PublicAddress.ts"
import { forEvery } from "../../support/Property.ts"

const slug = fc.stringMatching(/^[a-z0-9](?:[a-z0-9]{0,10}[a-z0-9])?$/)
const path = fc.stringMatching(/^\/[a-z]\/[A-Za-z0-9_.-]*[A-Za-z0-9]$/)
const slashes = fc.constantFrom("", "/", "//")

describe("a public address", () => {
  it("is a page on the organisation's own subdomain, whether the template ends in a slash or not", () =>
    forEvery(slug, path, slashes, (of, page, end) => {
      const address = publicUrl(`https://{slug}.give.example.org:8443${end}`, of, page)
      assert.strictEqual(address, `https://${of}.give.example.org:8443${page}`)
      assert.strictEqual(new URL(address).hostname, `${of}.give.example.org`)
    }))

  it("has the organisation wherever the template names it", () =>
    forEvery(slug, path, (of, page) => {
      assert.strictEqual(
        publicUrl("https://{slug}.example.org/{slug}/", of, page),
        `https://${of}.example.org/${of}${page}`
      )
    }))
})
