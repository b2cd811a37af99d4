import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { root } from "../architecture/Checkout.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { blocksOf } from "./Markdown.ts"

const run = async (program: string, env: Readonly<Record<string, string>>): Promise<string> => {
  // How tests are reported by default is not the same on every Node.
  const flags = ["--test-reporter=tap", "--input-type=module", "--eval"]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program], {
    cwd: root,
    env: { ...process.env, ...env }
  })
  return stdout
}

/** The output of each program of a guide, by the heading that it stands under. */
type Printed = Readonly<Record<string, string>>

const embed: Printed = {
  "Record a gift": "CONFIRMED 5000 AUD\n",
  Refusals: "InvalidInput email\ntrue\n",
  Once: "true\nIdempotencyConflict body_differs\nMary\n",
  Callers: "0 false\nForbidden\n",
  "Inside your transaction": "ROLLBACK 0 0\nCOMMIT 1 1\n",
  "Try a transaction again": "2 Maria Mariason\n",
  "HTTP in your server": "200\n200\n",
  Deliveries: "http://192.0.2.7/hooks donor.created true\n1\n",
  "With Effect": "Mary\n",
  "The domain alone": "null true IllegalTransition\n"
}

const events: Printed = {
  Subscribe: "donation.succeeded 5000 1\n",
  "When a handler fails": "1 1 donor.created the books are closed\nbooked donor.created\nbooked donor.updated\n",
  "Exactly once": "out of paper []\n[ 1 ]\n",
  "Events of your own": "x.pledge.signed 5000 none\nInvalidInput data.amount_cents\nnone\n",
  "In Effect": "ledger\n"
}

describe.each([
  ["docs/guides/embed.md", embed],
  ["docs/guides/events.md", events]
])("%s", (guide, printed) => {
  const sections = readFileSync(join(root, guide), "utf8").split(/^## /m).slice(1)
  const programs = new Map(
    sections.map((section) => [section.split("\n", 1)[0] ?? "", blocksOf(section, "js")] as const)
  )

  it("has one program for each heading, and no code that is not run", () => {
    assert.deepStrictEqual([...programs.keys()].toSorted(), Object.keys(printed).toSorted())
    const fences = sections.join("").match(/^```\w+$/gm) ?? []
    assert.lengthOf(fences, programs.size)
  })

  it.live.each(Object.entries(printed))("%s: the program runs as printed", ([heading, expected]) =>
    Effect.gen(function* () {
      const [program = ""] = programs.get(heading) ?? []
      const url = program.includes("DATABASE_URL") ? Redacted.value(yield* freshUrl) : ""
      assert.strictEqual(yield* Effect.promise(() => run(program, { DATABASE_URL: url })), expected)
    })
  )
})

interface Program {
  readonly guide: string
  /** Blocks of code that are shown, and not run. */
  readonly shown: number
  readonly holds: (printed: string, guide: string) => void
}

const programs: ReadonlyArray<Program> = [
  {
    guide: "machine",
    shown: 0,
    holds: (printed) => {
      const lines = printed.split("\n")
      assert.deepStrictEqual(lines.slice(0, 8), [
        "PAID [ { type: 'pledge.paid', data: { id: 'pledge-1', cents: 8000 } } ]",
        "IllegalTransition A pledge can take Withdraw only while it is OPEN; this one is PAID.",
        "InvalidCommand cents must be from 1 to 1000000.",
        "Raise depends it becomes more",
        "Pay depends all of it is paid",
        "Withdraw yes null",
        "OPEN PAID",
        "Pledge: 65 of 65 mutants are killed, 100.0 %."
      ])
      assert.includeMembers(lines, ["# pass 2", "# fail 0"])
    }
  },
  { guide: "money", shown: 1, holds: (printed, guide) => assert.deepStrictEqual([printed], blocksOf(guide, "text")) },
  {
    guide: "processor",
    shown: 0,
    holds: (printed) => {
      const lines = printed.split("\n")
      assert.includeMembers(lines, ["SUCCEEDED FAILED Redirect", "[ 2000 ]", "# fail 0"])
      assert.isAbove(Number(/^# pass (\d+)$/m.exec(printed)?.[1]), 10)
    }
  },
  {
    guide: "integration",
    shown: 0,
    holds: (printed) => assert.includeMembers(printed.split("\n"), ["# pass 5", "# fail 0"])
  }
]

describe.each(programs)("the guide $guide", ({ guide: name, holds, shown }) => {
  const guide = readFileSync(join(root, `docs/guides/${name}.md`), "utf8")
  const blocks = blocksOf(guide, "js")

  it("has no code that is not run", () => {
    assert.lengthOf(guide.match(/^```\w+$/gm) ?? [], blocks.length + shown)
  })

  it("is one program, which prints what it says", async () => holds(await run(blocks.join("\n"), {}), guide))
})

describe("the packages that a program of a guide imports", () => {
  /** `npm install almoner` brings these. */
  const brought = ["almoner", "effect"]

  it.each(["client", "embed", "events", "integration", "machine", "money", "processor", "webhooks"])(
    "%s says to install",
    (name) => {
      const guide = readFileSync(join(root, `docs/guides/${name}.md`), "utf8")
      const said = [...guide.matchAll(/`npm install ([^`]+)`/g)].flatMap(([, names = ""]) => names.split(" "))
      const imported = blocksOf(guide, "js").flatMap((block) =>
        [...block.matchAll(/^import .* from "(?!node:)((?:@[^/"]+\/)?[^/"]+)/gm)].map(([, each = ""]) => each)
      )
      assert.isNotEmpty(imported)
      assert.deepStrictEqual(
        imported.filter((each) => !brought.includes(each) && !said.includes(each)),
        []
      )
    }
  )
})
