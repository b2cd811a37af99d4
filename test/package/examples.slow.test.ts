import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { root } from "../architecture/Checkout.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { live } from "../support/Steps.ts"
import { emptyFolder, install, npm, pack, removeFolder } from "./Tarball.ts"

const source = join(root, "examples")

/** The output of each example when it has done what its README says. */
const outcomes: Readonly<Record<string, RegExp>> = {
  "effect-program": /^delivered donation\.created, donation\.succeeded$/m,
  express: /^201 don_\w+ recorded, 403 refused$/m,
  fastify: /^don_\w+ recorded, amount_cents refused$/m,
  "host-transaction": /^rolled back: 0 pledges, 0 donations\ncommitted: 1 pledge, 1 donation$/m,
  hono: /^don_\w+ recorded, 401 refused$/m,
  "next-route-handler": /^GET 200, POST 201, DELETE 404$/m,
  "own-adapters": /\bTests +\d+ passed \(\d+\)/,
  "own-processor": /\bTests +\d+ passed \(\d+\)/,
  "plain-node": /^CONFIRMED 50\.00 AUD\nInvalidInput amount_cents$/m,
  "property-suite": /\bTests +3 passed \(3\)/,
  "sqlite-store": /\bTests +\d+ passed \(\d+\)/,
  "webhook-receiver": /^204 donation\.succeeded, 204 again, 400 forged$/m
}

const examples = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(source, entry.name, "package.json")))
  .map(({ name }) => name)

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

describe("the examples", () => {
  const home = emptyFolder()
  const copies = join(home, "examples")

  // The examples name the tarball two folders up, where `npm pack` in a checkout puts it.
  beforeAll(async () => {
    const { path } = await pack()
    cpSync(path, join(home, basename(path)))
    cpSync(source, copies, { recursive: true, filter: (path) => !/[\\/](?:node_modules|dist)$/.test(path) })
    await install(copies)
  })
  afterAll(() => removeFolder(home))

  const check = (example: string, env: Readonly<Record<string, string>> = {}): Promise<string> =>
    npm(join(copies, example), ["run", "--silent", "check"], env)

  it("pin what they install to the versions that this checkout uses", () => {
    const own = { ...manifestOf(root).dependencies, ...manifestOf(root).devDependencies }
    for (const example of ["", ...examples]) {
      const { dependencies, devDependencies } = manifestOf(join(source, example))
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        if (name in own) assert.strictEqual(version, own[name], `${example}: ${name}`)
        else assert.match(version, /^(?:\d|file:\.\.\/\.\.\/almoner-)/, `${example}: ${name}`)
      }
    }
  })

  it("are each run here and listed in the index, with a README of their own", () => {
    assert.deepStrictEqual(Object.keys(outcomes).sort(), [...examples].sort())
    const index = readFileSync(join(source, "README.md"), "utf8")
    for (const example of examples) {
      assert.include(index, `(${example}/README.md)`)
      assert.isTrue(existsSync(join(source, example, "README.md")), example)
    }
  })

  it.each(Object.entries(outcomes).filter(([name]) => name !== "host-transaction"))(
    "%s does what it says",
    async (example, outcome) => {
      assert.match(await check(example), outcome)
    }
  )

  live("host-transaction does what it says", function* () {
    const url = yield* freshUrl
    const printed = yield* Effect.promise(() => check("host-transaction", { DATABASE_URL: Redacted.value(url) }))
    assert.match(printed, outcomes["host-transaction"] ?? /$^/)
  })
})
