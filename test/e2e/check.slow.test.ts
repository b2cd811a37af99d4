import { access } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { live } from "../support/Steps.ts"
import { stripeDouble } from "../support/stripe/StripeDouble.ts"
import { freePort, type ProcessEnd, preparedFolder, run, serve, stop } from "./Almoner.ts"
import { query } from "./Calls.ts"

interface Found {
  readonly part: string
  readonly state: string
  readonly message: string
}

const findingsIn = ({ stdout }: ProcessEnd): ReadonlyArray<Found> => JSON.parse(stdout).findings

const statesOf = (ended: ProcessEnd) => findingsIn(ended).map(({ part, state }) => `${part} ${state}`)

const check = (env: Readonly<Record<string, string>>) => run(["check", "--json"], env)

const ring = `k:${Buffer.alloc(32, 7).toString("base64")}`

describe("almoner check", () => {
  live("finds an untouched machine well, makes nothing, and finds a server's folder well beside it", function* () {
    const DATA_DIR = join(yield* folder, "data")
    const untouched = yield* check({ DATA_DIR, PORT: `${yield* freePort}` })
    assert.strictEqual(untouched.status, 0, untouched.stderr)
    // From some day on each regime has to be checked again.
    assert.deepStrictEqual(
      statesOf(untouched).filter((state) => state !== "regimes warning"),
      [
        "variables ok",
        "listener ok",
        "database ok",
        "encryption keys ok",
        "processors ok",
        "mail ok",
        ...(statesOf(untouched).includes("regimes ok") ? ["regimes ok"] : [])
      ]
    )
    assert.isFalse(
      yield* Effect.promise(() =>
        access(DATA_DIR).then(
          () => true,
          () => false
        )
      )
    )

    const env = { DATA_DIR: yield* preparedFolder, PORT: `${yield* freePort}`, EMBEDDED_DURABILITY: "relaxed" }
    const server = yield* serve(env)
    const beside = yield* check(env)
    assert.strictEqual(beside.status, 0, beside.stderr)
    assert.include(statesOf(beside), "listener warning")
    assert.include(beside.stdout, `a running process (${server.pid}) has the embedded database open`)
    yield* stop(server)
    const shared = yield* check({ ...env, PUBLIC_URL_TEMPLATE: "https://give.example.org/{slug}" })
    assert.strictEqual(shared.status, 0, shared.stderr)
    const [first] = findingsIn(shared)
    assert.strictEqual(first?.state, "warning")
    assert.match(first?.message ?? "", /^PUBLIC_URL_TEMPLATE .* share one origin/)
    const after = yield* run(["check"], env)
    assert.strictEqual(after.status, 0, after.stderr)
    assert.match(after.stdout, /^ok +encryption keys +they open what is sealed in the database$/m)
    assert.match(after.stdout, /^ok +clock /m)
  })

  live("names every wrong variable and every one that nothing reads, never by its value", function* () {
    const canary = "sk_test_canary"
    const wrong = { PORT: "http", DEMO: "", STRIPE_SECRET_KEY: canary, STRIPE_KEY: canary, DATABSE_URL: canary }
    const ended = yield* check({ ...wrong, DATA_DIR: join(yield* folder, "data") })
    assert.strictEqual(ended.status, 2)
    assert.deepStrictEqual(
      findingsIn(ended).map(({ message, state }) => `${state} ${message.split(" ")[0]}`),
      ["wrong PORT", "wrong DEMO", "wrong STRIPE_SECRET_KEY", "warning STRIPE_KEY", "warning DATABSE_URL"]
    )
    assert.notInclude(ended.stdout + ended.stderr, canary)
    assert.deepInclude(JSON.parse(ended.stderr).error, { code: "usage" })
  })

  live("and a start refuse variables that are malformed, and what the server itself cannot open, alike", function* () {
    const place = { DATA_DIR: join(yield* folder, "data"), PORT: `${yield* freePort}` }
    const server = { ALMONER_ENCRYPTION_KEYS: ring, DATABASE_URL: "postgres://u:p@127.0.0.1:1/x" }
    const refused: ReadonlyArray<readonly [part: string, given: Readonly<Record<string, string>>, says: RegExp]> = [
      [
        "variables",
        { ...server, ALMONER_ENCRYPTION_KEYS: "k:short" },
        /^ALMONER_ENCRYPTION_KEYS: .+ Make one: echo "\$/
      ],
      [
        "variables",
        { DATABASE_URL: server.DATABASE_URL },
        /^ALMONER_ENCRYPTION_KEYS is not set: .+ Make one: echo "\$/
      ],
      [
        "variables",
        { ...server, DATABASE_URL: `${server.DATABASE_URL}?foo=1` },
        /^DATABASE_URL .+ foo is not understood\./
      ],
      ["pages", { APPLE_PAY_FILE: "/nope" }, /^APPLE_PAY_FILE \(\/nope\) cannot be read/],
      ["listener", { HOST: "192.0.2.1" }, /^Port \d+ of 192\.0\.2\.1 cannot be listened on: HOST is not an address/]
    ]
    for (const [part, given, says] of refused) {
      const env = { ...place, ...given }
      const status = part === "variables" ? 2 : 3
      const checked = yield* check(env)
      assert.strictEqual(checked.status, status, checked.stderr)
      const wrong = findingsIn(checked).filter(({ state }) => state === "wrong")
      assert.deepStrictEqual(
        wrong.map((found) => found.part),
        [part]
      )
      assert.match(wrong[0]?.message ?? "", says)
      const started = yield* run(["serve"], env)
      assert.deepStrictEqual([started.status, started.stderr], [status, `${wrong[0]?.message}\n`])
    }
  })

  live("and a start say alike what cannot work, and what to do; the start then serves nothing", function* () {
    const double = yield* stripeDouble
    double.revokeKey("sk_test_old")
    const DATABASE_URL = Redacted.value(yield* freshUrl)
    const env = {
      ...{ DATABASE_URL, ALMONER_ENCRYPTION_KEYS: ring, DATA_DIR: yield* folder, PORT: `${yield* freePort}` },
      ...{ STRIPE_TEST_SECRET_KEY: "sk_test_old", STRIPE_API_URL: double.url },
      ...{ SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "a@example.org" }
    }
    const checked = yield* check(env)
    assert.strictEqual(checked.status, 3)
    assert.includeMembers(statesOf(checked), ["database ok", "clock ok", "processors wrong", "mail away"])
    const wrong = findingsIn(checked).find(({ state }) => state === "wrong")?.message ?? ""
    const started = yield* run(["serve"], env)
    assert.deepStrictEqual([started.status, started.stderr], [3, `${wrong}\n`])
    assert.notInclude(started.stdout, "listens")
    const tables = yield* query(DATABASE_URL, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    assert.deepStrictEqual(tables, [], "nothing was written")

    // What may pass by itself stops no start.
    const server = yield* serve({ ...env, STRIPE_TEST_SECRET_KEY: "sk_test_new" })
    const { stdout } = yield* stop(server)
    assert.match(stdout, /WARN.*127\.0\.0\.1:1 cannot be used now/)
    assert.match(stdout, /WARN.*STRIPE_TEST_NOTICE_SECRETS/)
  })
})
