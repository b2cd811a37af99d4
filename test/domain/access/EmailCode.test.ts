import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { digitsOf } from "../../../src/domain/access/EmailCode.ts"
import { forEveryWith } from "../../support/Property.ts"

it("the digits of a code are the first 72 bits of its MAC, modulo a million", () =>
  forEveryWith({ numRuns: 300 }, fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
    const bits = BigInt(`0x${Buffer.from(bytes.slice(0, 9)).toString("hex")}`)
    const code = digitsOf(Buffer.from(bytes).toString("base64url"))
    assert.strictEqual(code, String(bits % 1_000_000n).padStart(6, "0"))
  }))
