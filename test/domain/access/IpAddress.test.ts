import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { contains, parseAddress, parseNetwork } from "../../../src/domain/access/IpAddress.ts"
import { forEvery } from "../../support/Property.ts"

const longest = 45

describe("an address", () => {
  it("is read in its longest spelling, and in none that is longer", () => {
    assert.strictEqual(parseAddress("2001:0db8:0001:0002:0003:0004:255.255.255.255")?.bits, 128)
    const small = fc.integer({ min: 1, max: 7 })
    forEvery(small, fc.nat(255), fc.integer({ min: 40, max: 50 }), (first, last, characters) => {
      // A first part with zeros before it is octal: below 8 it says the same.
      const address = `${first}.0.0.${last}`
      const text = parseAddress(address.padStart(characters, "0"))?.text
      assert.strictEqual(text, characters <= longest ? address : undefined)
    })
  })

  it("lies in the networks that share its leading bits", () => {
    const bytes = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })
    const bitsOf = (parts: ReadonlyArray<number>) => parts.map((part) => part.toString(2).padStart(8, "0")).join("")
    forEvery(bytes, bytes, fc.nat(4), fc.nat(32), (one, other, shared, length) => {
      const near = [...one.slice(0, shared), ...other.slice(shared)]
      const [network, address] = [parseNetwork(`${one.join(".")}/${length}`), parseAddress(near.join("."))]
      if (network === undefined || address === undefined) assert.fail()
      assert.strictEqual(contains(network, address), bitsOf(near).startsWith(bitsOf(one).slice(0, length)))
    })
  })
})
