import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as domain from "../../src/internal.ts"
import { root } from "../architecture/Checkout.ts"
import { docstringAtEnd, examplesIn } from "./DocComments.ts"
import { complaintsOf, inScope, programsOf } from "./SaidValues.ts"

/** What examples speak of without making it. */
const digits = "01jqz6x8h4e5vb9m2k7ncw3t5d"
const given = {
  at: DateTime.makeUnsafe("2026-04-02T00:00:00Z"),
  donation_id: domain.Ids.DonationId.make(`don_${digits}`),
  donor_id: domain.Ids.DonorId.make(`dnr_${digits}`),
  endpoint_id: domain.Ids.WebhookEndpointId.make(`whe_${digits}`),
  integration_id: domain.Ids.IntegrationId.make(`intg_${digits}`),
  refund_id: domain.Ids.RefundId.make(`rfd_${digits}`)
}

/**
 * The examples of the domain's docstrings, each a test of its own, run against the sources, so that mutation testing can ask
 * them. Only pure functions have some: where a line shows an edge.
 */
const examples = readdirSync(join(root, "src/domain"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .toSorted()
  .flatMap((name) => {
    const text = readFileSync(join(root, "src/domain", name), "utf8")
    return [...text.matchAll(/^export (?:const|function) (\w+)/gm)].flatMap(({ 1: value, index }) =>
      examplesIn(docstringAtEnd(text.slice(0, index))).map((code) => ({ name: `src/domain/${name}: ${value}`, code }))
    )
  })

const programs = programsOf(examples, { ...domain, ...inScope, ...given })

for (const [index, { name }] of examples.entries()) it(name, () => assert.deepStrictEqual(programs[index]?.(), []))

describe("an example", () => {
  it("is noticed where it says what is not so", () => {
    const wrong = ["1 + 1 // => 3", "[\n  1\n]\n// => [2]", "1 // => throws RangeError", "missing // => 1"]
    const right = ["const two = 2\ntwo // => 2", "[1, { a: 2 }] // => [1, { a: 2 }]", "fail() // => throws RangeError"]
    const fail = () => {
      throw new RangeError("no")
    }
    const asked = [...wrong, ...right].map((code) => ({ name: code, code }))
    assert.deepStrictEqual(
      complaintsOf(asked, { fail }).map((complaint) => wrong.findIndex((code) => complaint.startsWith(code))),
      [0, 1, 2, 3]
    )
  })

  it("says what comes of it", () => {
    const names = examples.filter(({ code }) => !/\/\/ => ./.test(code)).map(({ name }) => name)
    assert.deepStrictEqual(names, [])
  })
})
