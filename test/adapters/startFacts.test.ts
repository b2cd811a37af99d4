import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import fc from "fast-check"
import { versionOfBuild } from "../../src/adapters/cli/Build.ts"
import { settingNames, settingsFrom } from "../../src/adapters/cli/Settings.ts"
import { settingWarnings, startFactsOf, startLine } from "../../src/adapters/cli/StartFacts.ts"
import { sentenceOf, unknownVariables } from "../../src/adapters/cli/UnknownVariables.ts"
import { serverPlace } from "../../src/adapters/postgres/connection/ServerAddress.ts"
import { forEvery } from "../support/Property.ts"

const commit = "1f2e3d4c5b6a79880102030405060708090a0b0c"
const sources = "ab".repeat(32)

describe("The version", () => {
  it.each([
    ["0.2.0 (commit 1f2e3d4c5b6a)", { commit, changed: false, sources }],
    ["0.2.0 (commit 1f2e3d4c5b6a, changed, sources abababababab)", { commit, changed: true, sources }],
    ["0.2.0 (sources abababababab)", { commit: null, changed: false, sources }],
    ["0.2.0", null],
    ["0.2.0", { commit: 1 }]
  ])("is %s", (said, file) => {
    assert.strictEqual(versionOfBuild("0.2.0", file), said)
  })
})

const toldOf = (environment: Readonly<Record<string, string>>): ReadonlyArray<readonly [string, string]> =>
  unknownVariables(environment, settingNames).map(({ name, nearest }) => [name, nearest])

describe("Variables that nothing reads", () => {
  it("are told where they begin as one does that is read, with the nearest of those", () => {
    const environment = {
      STRIPE_WEBHOOK_SECRET: "whsec_1",
      DATABSE_URL: "postgres://",
      ALMONER_ENCRYPTION_KEY: "k",
      PROT: "1"
    }
    assert.deepStrictEqual(toldOf(environment), [
      ["STRIPE_WEBHOOK_SECRET", "STRIPE_NOTICE_SECRETS"],
      ["DATABSE_URL", "DATABASE_URL"],
      ["ALMONER_ENCRYPTION_KEY", "ALMONER_ENCRYPTION_KEYS"],
      ["PROT", "PORT"]
    ])
  })

  it("are told of by name, never by value", () => {
    const [unknown] = unknownVariables({ STRIPE_SECRET: "sk_live_canary" }, settingNames)
    assert.isDefined(unknown)
    if (unknown !== undefined) {
      assert.strictEqual(
        sentenceOf(unknown),
        "STRIPE_SECRET is set, and Almoner reads no variable of that name. Is STRIPE_SECRET_KEY meant? almoner serve --help names them all."
      )
    }
  })

  it("are not told where they are read, another program's, or of what documents have callers set", () => {
    const read = Object.fromEntries(settingNames.map((name) => [name, "1"]))
    const others = {
      PATH: "/bin",
      HOME: "/",
      NODE_ENV: "production",
      PGHOST: "x",
      npm_config_cache: "y",
      HOSTNAME: "z"
    }
    const callers = { ALMONER_KEY: "k", API_KEY: "k", WEBHOOK_SECRET: "w" }
    const kubernetes = {
      ALMONER_SERVICE_HOST: "10.0.0.1",
      ALMONER_SERVICE_PORT: "80",
      ALMONER_SERVICE_PORT_HTTP: "80",
      ALMONER_PORT: "tcp://10.0.0.1:80",
      ALMONER_PORT_80_TCP: "tcp://10.0.0.1:80",
      ALMONER_PORT_80_TCP_ADDR: "10.0.0.1"
    }
    assert.deepStrictEqual(toldOf({ ...read, ...others, ...callers, ...kubernetes }), [])
    assert.deepStrictEqual(
      toldOf({ ALMONER_PORT: "9000" }).map(([name]) => name),
      ["ALMONER_PORT"]
    )
  })

  it("are told for each slip of one letter in each name, and for small letters", () => {
    const slip = fc
      .tuple(fc.constantFrom(...settingNames), fc.nat(), fc.constantFrom(..."ABXYZ_"), fc.nat(3))
      .map(([name, at, letter, kind]) => {
        const index = at % name.length
        const [head, tail] = [name.slice(0, index), name.slice(index)]
        const slips = [head + letter + tail, head + tail.slice(1), head + letter + tail.slice(1)]
        return slips[kind] ?? head + [...tail.slice(0, 2)].reverse().join("") + tail.slice(2)
      })
      .filter((name) => name !== "" && !settingNames.includes(name))
    forEvery(slip, (name) => {
      assert.deepStrictEqual(
        toldOf({ [name]: "x" }).map(([told]) => told),
        [name]
      )
      assert.lengthOf(toldOf({ [name.toLowerCase()]: "x" }), 1)
    })
  })
})

describe("The line of the start", () => {
  const known = { version: "0.2.0 (commit 1f2e3d4c5b6a)", migrations: [] }
  const lineOf = (environment: Readonly<Record<string, string>>, more: Partial<Parameters<typeof startFactsOf>[1]>) => {
    const database = { kind: "embedded", folder: "/data/postgres" } as const
    const settings = Effect.runSync(settingsFrom(environment))
    return startLine(startFactsOf(settings, { ...known, database, ...more }))
  }

  it("says version, database, migrations, processors with their modes, workers and mail", () => {
    assert.strictEqual(
      lineOf({ DATA_DIR: "/data" }, { migrations: ["organisations", "donors"] }),
      "Almoner 0.2.0 (commit 1f2e3d4c5b6a) on the embedded database in /data/postgres, 2 migrations run; processors bank (live), test (sandbox); workers on; mails into files in /data/outbox"
    )
    assert.strictEqual(
      lineOf(
        {
          STRIPE_SECRET_KEY: "sk_live_1",
          STRIPE_TEST_SECRET_KEY: "sk_test_1",
          STRIPE_OWN_ACCOUNTS: "true",
          WORKERS: "off"
        },
        { database: { kind: "postgresql", host: "db:5432", name: "giving" } }
      ).replace(/mails .*/, ""),
      "Almoner 0.2.0 (commit 1f2e3d4c5b6a) on the PostgreSQL database giving at db:5432, no migration to run; processors stripe (live, test, own accounts), bank (live), test (sandbox); workers off; "
    )
  })

  it("holds no password", () => {
    const url = Redacted.make("postgres://canary-user:canary-word@[::1]:6000/giving?sslmode=disable")
    const environment = { SMTP_URL: "smtps://canary-user:canary-word@mail.example.org:465", MAIL_FROM: "a@example.org" }
    const line = lineOf(environment, { database: { kind: "postgresql", ...serverPlace(url) } })
    assert.notInclude(line, "canary")
    assert.include(line, "the PostgreSQL database giving at [::1]:6000,")
    assert.include(line, "mails to smtps://mail.example.org:465")
  })
})

describe("A template of pages' addresses", () => {
  it.each([
    ["http://{slug}.localhost:8080", false],
    ["https://{slug}.give.example.org", false],
    ["https://give-{slug}.example.org/pages/{slug}", false],
    ["https://give.example.org/{slug}", true],
    ["https://give.example.org:8443/a/{slug}/b", true]
  ])("%s is warned of where all organisations share its origin: %s", (template, isShared) => {
    const environment = { PUBLIC_URL_TEMPLATE: template, API_BASE_URL: "http://localhost:8080" }
    const warnings = settingWarnings(Effect.runSync(settingsFrom(environment)))
    assert.strictEqual(warnings.length, isShared ? 1 : 0)
    const [sea, hill] = ["sea", "hill"].map((slug) => new URL(template.replaceAll("{slug}", slug)).origin)
    assert.strictEqual(sea === hill, isShared)
    assert.notInclude(warnings.join(""), "\n")
  })
})

describe("settings that are well by themselves", () => {
  const warned = (environment: Readonly<Record<string, string>>) =>
    settingWarnings(Effect.runSync(settingsFrom(environment))).map((warning) => warning.split(" ")[0])

  it("are warned of where they do nothing, or not what they are for", () => {
    const stripe = { STRIPE_PUBLISHABLE_KEY: "pk_live_1", STRIPE_NOTICE_SECRETS: "whsec_1" }
    const trial = { STRIPE_TEST_PUBLISHABLE_KEY: "pk_test_1", STRIPE_TEST_NOTICE_SECRETS: "whsec_1" }
    assert.deepStrictEqual(warned(stripe), Object.keys(stripe))
    assert.deepStrictEqual(warned(trial), Object.keys(trial))
    assert.deepStrictEqual(warned({ ...trial, STRIPE_SECRET_KEY: "sk_live_1" }), Object.keys(trial))
    assert.isEmpty(warned({ ...stripe, STRIPE_SECRET_KEY: "sk_live_1" }))
    const proxies = { TRUSTED_PROXIES: "10.0.0.0/8" }
    assert.deepStrictEqual(warned(proxies), ["TRUSTED_PROXIES"])
    assert.isEmpty(warned({ ...proxies, PROXY_HEADER: "x-forwarded-for" }))
  })

  it("lead donors to their own machines where the API is public and pages are not", () => {
    const database = { DATABASE_URL: "embedded" }
    const pages = { PUBLIC_URL_TEMPLATE: "https://{slug}.give.example.org" }
    for (const API_BASE_URL of ["https://api.example.org", "http://10.0.0.7:8080", "http://almoner.internal"]) {
      assert.deepStrictEqual(warned({ ...database, API_BASE_URL }), ["API_BASE_URL"])
      assert.isEmpty(warned({ ...database, ...pages, API_BASE_URL }))
    }
    for (const API_BASE_URL of [
      "http://localhost:1",
      "http://127.0.0.1",
      "http://[::1]:8080",
      "http://api.localhost"
    ]) {
      assert.isEmpty(warned({ ...database, API_BASE_URL }))
    }
  })
})
