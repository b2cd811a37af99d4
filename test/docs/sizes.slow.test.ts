import { assert, it } from "@effect/vitest"
import { sizes } from "../../scripts/sizes.mjs"
import { read } from "../architecture/Checkout.ts"

/** A tenth, and so many KB: what a size may differ by from the one that is written. */
const slack = 2

it("docs/sizes.md has each entry, about as large as it is: `npm run docs` writes it", {
  timeout: 120_000
}, async () => {
  const rows = read("docs/sizes.md").split("\n")
  const found = await sizes()
  assert.lengthOf(
    rows.filter((row) => row.startsWith("| `")),
    found.length
  )
  for (const { all, bound, name, own } of found) {
    const [, , ours, whole, kept] = rows.find((row) => row.startsWith(`| \`${name}\` |`))?.split("|") ?? []
    assert.closeTo(Number(ours), own, slack + own / 10, name)
    assert.closeTo(Number(whole), all, slack + all / 10, name)
    assert.strictEqual(kept?.trim(), bound)
  }
})
