import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted, Result } from "effect"
import fc from "fast-check"
import { settingsFrom, settingsTable } from "../../src/adapters/cli/Settings.ts"
import { forEvery } from "../support/Property.ts"

const read = (environment: Readonly<Record<string, string>>) => Effect.runSync(Effect.result(settingsFrom(environment)))

const names = [...settingsTable().matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name)

describe("Settings", () => {
  it("start on this machine only, on the embedded database, without any variable", () => {
    const settings = Result.getOrThrow(read({}))
    assert.isTrue(Option.isNone(settings.databaseUrl) && Option.isNone(settings.encryptionKeys))
    assert.include(settings, {
      port: 8080,
      host: "127.0.0.1",
      dataDir: ".almoner",
      demo: "on",
      embeddedDurability: "synced",
      apiBaseUrl: "http://localhost:8080",
      publicUrlTemplate: "http://{slug}.localhost:8080",
      rateLimiter: "memory",
      rateLimitPerSecond: 100,
      rateLimitBurst: 100,
      maxConnectionsPerAddress: 512,
      workers: "on",
      sweepIntervalMinutes: 60,
      deliveryRetentionDays: 90,
      logLevel: "Info",
      logFormat: "pretty",
      accessLog: "on"
    })
    const { corsOrigins, maxConnections, proxyHeader, trustedProxies, webhookAllowCidrs } = settings
    assert.deepStrictEqual([corsOrigins, webhookAllowCidrs, trustedProxies], [[], [], []])
    assert.isTrue(Option.isNone(proxyHeader) && Option.isNone(maxConnections))
  })

  it("make no demo in a database that others reach, unless they are told to", () => {
    const server = { DATABASE_URL: "postgres://u:p@db/x" }
    const inside = { DATABASE_URL: "embedded" }
    const demos = [
      {},
      { DEMO: "off" },
      server,
      { ...server, DEMO: "ON" },
      inside,
      { ...inside, NODE_ENV: "production" },
      { ...inside, API_BASE_URL: "https://api.example.org" },
      { ...inside, NODE_ENV: "production", DEMO: "on" }
    ].map((given) => Result.getOrThrow(read(given)).demo)
    assert.deepStrictEqual(demos, ["on", "off", "off", "on", "on", "off", "off", "on"])
  })

  it("show the pages for whoever works on the service on their own machine alone, unless they are told to", () => {
    const server = { DATABASE_URL: "postgres://u:p@db/x" }
    const inside = { DATABASE_URL: "embedded", NODE_ENV: "production" }
    const shown = [{}, { PAGES_PREVIEWS: "off" }, server, inside, { ...server, PAGES_PREVIEWS: "on" }].map(
      (given) => Result.getOrThrow(read(given)).pagesPreviews
    )
    assert.deepStrictEqual(shown, ["on", "off", "off", "off", "on"])
  })

  it("refuse a variable that is set and empty, or blank", () => {
    for (const name of names) {
      for (const value of ["", " \t"]) {
        const failure = Result.getOrThrow(Result.flip(read({ [name]: value })))
        assert.strictEqual(failure.message, `${name} is set and empty. Give it a value, or do not set it.`)
        assert.strictEqual(failure.name, name)
      }
    }
  })

  it("use the embedded database in production only where that is said", () => {
    const signs: ReadonlyArray<Readonly<Record<string, string>>> = [
      { ALMONER_ENCRYPTION_KEYS: "a:b" },
      { NODE_ENV: "production" },
      { API_BASE_URL: "https://api.example.org" },
      { KUBERNETES_SERVICE_HOST: "10.0.0.1" }
    ]
    for (const sign of signs) {
      const refused = Result.getOrThrow(Result.flip(read(sign)))
      assert.match(refused.message, /^DATABASE_URL is not set, and this looks like production: .+ Set DATABASE_URL to /)
      assert.isTrue(Option.isNone(Result.getOrThrow(read({ ...sign, DATABASE_URL: "embedded" })).databaseUrl))
      assert.isTrue(
        Option.isSome(Result.getOrThrow(read({ ...sign, DATABASE_URL: "postgres://u:p@db/x" })).databaseUrl)
      )
    }
    for (const trial of [{ NODE_ENV: "development" }, { API_BASE_URL: "http://localhost:9000" }]) {
      assert.isTrue(Result.isSuccess(read(trial)))
    }
  })

  /** A setting as it is compared: what is in it. */
  const plain = (setting: unknown): unknown => {
    if (Option.isOption(setting)) return plain(Option.getOrNull(setting))
    if (Redacted.isRedacted(setting)) return Redacted.value(setting)
    return Array.isArray(setting) ? setting.map(plain) : setting
  }

  it("read every variable", () => {
    const rows: ReadonlyArray<readonly [name: string, given: string, setting: string, read: unknown]> = [
      ["PORT", "9000", "port", 9000],
      ["HOST", "::", "host", "::"],
      ["DATABASE_URL", "postgres://u:p@db/x", "databaseUrl", "postgres://u:p@db/x"],
      ["DATABASE_POOL_SIZE", "20", "databasePoolSize", 20],
      ["DATABASE_PREPARE", "OFF", "databasePrepare", "off"],
      ["DATA_DIR", "/var/lib/almoner", "dataDir", "/var/lib/almoner"],
      ["REGIMES_FILE", "/etc/almoner/regimes.json", "regimesFile", "/etc/almoner/regimes.json"],
      ["DEMO", "on", "demo", "on"],
      ["EMBEDDED_DURABILITY", "relaxed", "embeddedDurability", "relaxed"],
      ["ALMONER_ENCRYPTION_KEYS", "a:b", "encryptionKeys", "a:b"],
      ["API_BASE_URL", "https://api.example.org/", "apiBaseUrl", "https://api.example.org"],
      ["PUBLIC_URL_TEMPLATE", "https://{slug}.example.org", "publicUrlTemplate", "https://{slug}.example.org"],
      ["PAGES_PREVIEWS", "on", "pagesPreviews", "on"],
      ["APPLE_PAY_FILE", "/etc/almoner/apple-pay", "applePayFile", "/etc/almoner/apple-pay"],
      ["RATE_LIMITER", "postgres", "rateLimiter", "postgres"],
      ["RATE_LIMIT_PER_SECOND", "7", "rateLimitPerSecond", 7],
      ["RATE_LIMIT_BURST", "8", "rateLimitBurst", 8],
      ["MAX_CONNECTIONS", "1000", "maxConnections", 1_000],
      ["MAX_CONNECTIONS_PER_ADDRESS", "9", "maxConnectionsPerAddress", 9],
      ["IDLE_TIMEOUT_SECONDS", "75", "idleTimeoutSeconds", 75],
      ["TRUSTED_PROXIES", "10.0.0.0/8, fd00::/8", "trustedProxies", ["10.0.0.0/8", "fd00::/8"]],
      ["PROXY_HEADER", "X-Forwarded-For", "proxyHeader", "x-forwarded-for"],
      [
        "PAGES_STRIPE_SOURCES",
        "https://a.example, https://*.b.example:8443",
        "stripeSources",
        ["https://a.example", "https://*.b.example:8443"]
      ],
      ["CORS_ORIGINS", "https://a.example, http://b:3000", "corsOrigins", ["https://a.example", "http://b:3000"]],
      ["WEBHOOK_ALLOW_CIDRS", "10.1.0.0/16,fd00::/8", "webhookAllowCidrs", ["10.1.0.0/16", "fd00::/8"]],
      ["SMTP_URL", "smtp://u:p@mail.example.org:587", "smtpUrl", "smtp://u:p@mail.example.org:587"],
      ["MAIL_FROM", "Harbour <mail@example.org>", "mailFrom", "Harbour <mail@example.org>"],
      ["STRIPE_SECRET_KEY", "rk_live_a1", "stripeSecretKey", "rk_live_a1"],
      ["STRIPE_PUBLISHABLE_KEY", "pk_live_a1", "stripePublishableKey", "pk_live_a1"],
      ["STRIPE_NOTICE_SECRETS", "whsec_a1, whsec_b2", "stripeNoticeSecrets", ["whsec_a1", "whsec_b2"]],
      ["STRIPE_TEST_SECRET_KEY", "sk_test_a1", "stripeTestSecretKey", "sk_test_a1"],
      ["STRIPE_TEST_PUBLISHABLE_KEY", "pk_test_a1", "stripeTestPublishableKey", "pk_test_a1"],
      ["STRIPE_TEST_NOTICE_SECRETS", "whsec_c3", "stripeTestNoticeSecrets", ["whsec_c3"]],
      ["STRIPE_OWN_ACCOUNTS", "true", "stripeOwnAccounts", true],
      ["STRIPE_API_URL", "http://127.0.0.1:12111", "stripeApiUrl", "http://127.0.0.1:12111"],
      ["WORKERS", "off", "workers", "off"],
      ["SWEEP_INTERVAL_MINUTES", "5", "sweepIntervalMinutes", 5],
      ["DELIVERY_RETENTION_DAYS", "7", "deliveryRetentionDays", 7],
      ["LOG_LEVEL", "debug", "logLevel", "Debug"],
      ["LOG_FORMAT", "json", "logFormat", "json"],
      ["ACCESS_LOG", "off", "accessLog", "off"]
    ]
    const settings = Result.getOrThrow(read(Object.fromEntries(rows.map(([name, given]) => [name, given]))))
    const found = Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, plain(setting)]))
    assert.deepStrictEqual(found, Object.fromEntries(rows.map(([, , setting, expected]) => [setting, expected])))
    assert.sameMembers(
      rows.map(([name]) => name),
      names
    )
  })

  /** Why settings are refused: the variable, and the sentence; null where they are not. */
  const refusal = (environment: Readonly<Record<string, string>>) =>
    Result.match(read(environment), { onFailure: ({ message, name }) => ({ message, name }), onSuccess: () => null })
  const refused = (environment: Readonly<Record<string, string>>) => refusal(environment)?.name ?? null

  it("take a key of Stripe in its own mode only, and reach a double of it on this machine", () => {
    const wrong = [
      ["STRIPE_SECRET_KEY", "sk_test_a1"],
      ["STRIPE_SECRET_KEY", "pk_live_a1"],
      ["STRIPE_TEST_SECRET_KEY", "sk_live_a1"],
      ["STRIPE_PUBLISHABLE_KEY", "sk_live_a1"],
      ["STRIPE_NOTICE_SECRETS", "whsec_a1,"],
      ["STRIPE_API_URL", "http://stripe.example.org"]
    ] as const
    for (const [name, value] of wrong) {
      const message = refusal({ [name]: value })?.message ?? ""
      assert.include(message, `${name} must be `)
      assert.notInclude(message, value)
    }
    assert.isNull(refused({ STRIPE_API_URL: "https://stripe.example.org" }))
  })

  it("ask for a sender beside a mail server", () => {
    const SMTP_URL = "smtps://mail.example.org"
    assert.strictEqual(refused({ SMTP_URL }), "MAIL_FROM")
    assert.isNull(refused({ SMTP_URL, MAIL_FROM: "a@example.org" }))
    for (const url of ["https://mail.example.org", "mail.example.org", "smtp://"]) {
      assert.strictEqual(refused({ SMTP_URL: url, MAIL_FROM: "a@example.org" }), "SMTP_URL")
    }
    for (const from of ["Harbour", "a@b c", "A <a@b>, B <b@c>", "a@b\nBcc: c@d"]) {
      assert.strictEqual(refused({ SMTP_URL, MAIL_FROM: from }), "MAIL_FROM")
    }
  })

  it("ask for the proxies whose header is read", () => {
    assert.strictEqual(refused({ PROXY_HEADER: "forwarded" }), "TRUSTED_PROXIES")
    assert.isNull(refused({ PROXY_HEADER: "forwarded", TRUSTED_PROXIES: "10.0.0.0/8" }))
    assert.isNull(refused({ TRUSTED_PROXIES: "10.0.0.0/8" }))
  })

  it("let the addresses follow the port", () =>
    forEvery(fc.integer({ min: 1, max: 65_535 }), (port) => {
      const settings = Result.getOrThrow(read({ PORT: `${port}` }))
      assert.strictEqual(settings.apiBaseUrl, `http://localhost:${port}`)
      assert.strictEqual(settings.publicUrlTemplate, `http://{slug}.localhost:${port}`)
    }))

  it("take every origin that a browser can send, and no other, and say what to write instead", () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/)
    const host = fc.array(fc.oneof(label, fc.constant("*")), { minLength: 1, maxLength: 3 })
    const origin = fc
      .tuple(fc.constantFrom("http", "https"), host, fc.constantFrom("", ":8443"))
      .map(([scheme, labels, port]) => `${scheme}://${labels.join(".")}${port}`)
    forEvery(fc.array(fc.oneof(origin, fc.constant("*")), { minLength: 1, maxLength: 3 }), (origins) => {
      const taken = read({ CORS_ORIGINS: origins.join(", ") })
      const wild = origins.filter((each) => each.includes("*"))
      assert.strictEqual(Result.isSuccess(taken), wild.length === 0 || (origins.length === 1 && wild[0] === "*"))
      if (Result.isSuccess(taken)) assert.deepStrictEqual(taken.success.corsOrigins, origins)
      else assert.include(taken.failure.message, "each in full without a wildcard")
    })
  })

  const wrong: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]> = [
    ["PORT", ["0", "65536", "80a", "-1", "8080.5", "0x50"]],
    ["HOST", ["http://localhost", "a b"]],
    ["DATABASE_URL", ["mysql://u:p@h/d", "localhost"]],
    ["DATABASE_POOL_SIZE", ["0", "many"]],
    ["DEMO", ["maybe", "0"]],
    ["ACCESS_LOG", ["all"]],
    ["EMBEDDED_DURABILITY", ["fast"]],
    ["API_BASE_URL", ["localhost:8080", "ftp://a", "http://a/?b", "http://u@a", "http://"]],
    ["PUBLIC_URL_TEMPLATE", ["http://example.org", "{slug}"]],
    ["RATE_LIMITER", ["redis"]],
    ["RATE_LIMIT_PER_SECOND", ["0", "1e3"]],
    ["RATE_LIMIT_BURST", ["-5"]],
    ["MAX_CONNECTIONS", ["0", "unlimited"]],
    ["MAX_CONNECTIONS_PER_ADDRESS", ["0", "-1"]],
    ["TRUSTED_PROXIES", ["10.0.0.1", "proxy.internal", "10.0.0.0/8,"]],
    ["PROXY_HEADER", ["x-forwarded-for, forwarded", "a b", "x:y", "x".repeat(101)]],
    [
      "PAGES_STRIPE_SOURCES",
      ["http://a.example", "https://a.example/", "https://*", "a.example", "https://a.example ; script-src *"]
    ],
    ["CORS_ORIGINS", ["https://a.example/", "a.example", "https://a.example,"]],
    ["CORS_ORIGINS", ["https://*.example.org", "https://a.example:*", "*,https://a.example", "*,*", "https://*"]],
    ["WEBHOOK_ALLOW_CIDRS", ["10.0.0.1", "10.0.0.0/33", "loopback"]],
    ["WORKERS", ["no"]],
    ["SWEEP_INTERVAL_MINUTES", ["0", "hourly", "1441"]],
    ["DELIVERY_RETENTION_DAYS", ["0", "-1", "9999999"]],
    ["LOG_LEVEL", ["loud"]],
    ["LOG_FORMAT", ["xml"]]
  ]

  it.each(wrong.flatMap(([name, values]) => values.map((value) => ({ name, value }))))(
    "refuse $name=$value in one sentence that names the variable",
    ({ name, value }) => {
      assert.match(refusal({ [name]: value })?.message ?? "", new RegExp(`^${name} must be [^\\n]+\\.$`))
    }
  )
})
