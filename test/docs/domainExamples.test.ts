import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as domain from "../../src/domain.ts"
import { root } from "../architecture/Checkout.ts"
import { docstringAtEnd, examplesIn } from "./Docstrings.ts"
import { givenValues } from "./GivenValues.ts"
import { inScope, programsOf, says } from "./SaidValues.ts"

/**
 * The examples of the domain's docstrings, each a test of its own, run against the sources, so that mutation testing can ask
 * them; exampleTypes.test.ts compiles and runs them against the package.
 */
const examples = readdirSync(join(root, "src/domain"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .toSorted()
  .flatMap((name) => {
    const text = readFileSync(join(root, "src/domain", name), "utf8")
    return [...text.matchAll(/^export (?:abstract )?(?:const|class|function) (\w+)/gm)].flatMap(({ 1: value, index }) =>
      examplesIn(docstringAtEnd(text.slice(0, index))).map((code) => ({ name: `src/domain/${name}: ${value}`, code }))
    )
  })
  .filter(({ code }) => says(code))

const programs = programsOf(examples, { ...domain, ...inScope, ...givenValues })

for (const [index, { name }] of examples.entries()) it(name, () => assert.deepStrictEqual(programs[index]?.(), []))
