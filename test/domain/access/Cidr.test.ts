import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { Cidr } from "../../../src/domain/access/Cidr.ts"
import { forEvery } from "../../support/Property.ts"

const isCidr = Schema.is(Cidr)

describe("a network in CIDR notation", () => {
  it("is an address and the length of its prefix, of either family", () => {
    forEvery(fc.ipV4(), fc.nat(40), (address, length) => {
      assert.strictEqual(isCidr(`${address}/${length}`), length <= 32)
    })
    forEvery(fc.ipV6(), fc.nat(140), (address, length) => {
      fc.pre(address.length <= 45)
      // An IPv4 address in IPv6 is one of IPv4.
      fc.pre(!/^[0:]*ffff:/i.test(address))
      assert.strictEqual(isCidr(`${address}/${length}`), length <= 128)
    })
    for (const none of ["", "10.0.0.0", "/8", "10.0.0.0/", "10.0.0.0/8/8", "host/8", "10.0.0.0/-1", " 10.0.0.0/8"]) {
      assert.isFalse(isCidr(none), none)
    }
  })

  it("may be as long as the longest there is, and longer texts are not looked into", () => {
    assert.isTrue(isCidr("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128"))
    const reasonOf = (text: string) => {
      const read = Schema.decodeUnknownResult(Cidr)(text)
      return Result.isFailure(read) ? read.failure.message : assert.fail(text)
    }
    assert.match(reasonOf("10.0.0.0"), /a network in CIDR notation, e\.g\. 10\.0\.0\.0\/8/)
    assert.match(reasonOf("1".repeat(5_000)), /a network in CIDR notation, e\.g\. 10\.0\.0\.0\/8/)
  })
})
