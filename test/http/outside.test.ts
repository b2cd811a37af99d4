import { assert, beforeAll, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { documents } from "../../src/adapters/http/reference/Reference.ts"
import { pageAddresses } from "../../src/adapters/pages/PageAddress.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { pagePath as checkoutPath } from "../../src/domain/giving/CheckoutLink.ts"
import { pagePath as formPath } from "../../src/domain/giving/DonationForm.ts"
import { publicUrl } from "../../src/domain/kernel/PublicAddress.ts"
import { newLink } from "../../src/testing/conformance/MoneyRecords.ts"
import { type Answer, assertRefused, valueAt } from "../support/Answer.ts"
import { declaredOperations, pathTo } from "../support/Declaration.ts"
import { forEvery, forEveryAsyncWith } from "../support/Property.ts"
import { describeServiceWith, inMemory } from "../support/ServiceSuite.ts"
import { chargingAccount, makeTenant, makeTenants, type Tenant } from "../support/Tenant.ts"

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }

const htmlType = "text/html; charset=utf-8"

/** Asserts that a page with tokens in its address can do nothing with them. */
const assertHarmless = (answer: Answer) => {
  const policy = answer.headers.get("content-security-policy") ?? ""
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src( 'sha256-[\w+/=]+'){2}; img-src 'self'; /
  )
  assert.include(policy, "frame-ancestors 'none'")
  assert.include(policy, "require-trusted-types-for 'script'")
  assert.notMatch(policy, /unsafe|nonce|https?:/)
  assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
  assert.strictEqual(answer.headers.get("cache-control"), "no-store")
  assert.notMatch(answer.text, /<form|<iframe|src=|https?:/)
}

describeServiceWith({ documents: documents({ apiBaseUrl: "https://api.almoner.test", version: "1.2.3" }) })(
  inMemory,
  "outside the API",
  (service) => {
    let tenant: Tenant

    beforeAll(async () => {
      tenant = (await makeTenants(service)).sandbox
      const account = { is_default: true, ...chargingAccount(tenant.organisation) }
      await tenant.staff(Integrations.use((use) => use.create(account)))
    })

    const known = new Set(["/", "/docs", "/docs/", "/docs/try", "/docs/try/"])

    /** Paths that nobody declared. The URL parser resolves dots before anything of ours sees them. */
    const strayPaths = fc
      .webPath()
      .map((path) => new URL(`http://localhost/${path}`).pathname)
      .filter((path) => !known.has(path) && !/^\/(api\/v1|openapi|collection|favicon)/.test(path))

    it("is 404 by whatever verb, with a key or without: the envelope for programs, one page for browsers", async () => {
      const { text: page } = await service.call("GET", "/nowhere", { headers: browser })
      assert.include(page, "There is no such page")
      await forEveryAsyncWith(
        { numRuns: 100 },
        strayPaths,
        fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS"),
        fc.boolean(),
        async (path, verb, hasKey) => {
          const key = hasKey ? { key: tenant.writeKey.secret } : {}
          const answer = await service.call(verb, path, { ...key, headers: { accept: "*/*" } })
          assertRefused(answer, "not_found")
          const shown = await service.call(verb, path, { ...key, headers: browser })
          assert.deepStrictEqual([shown.status, shown.headers.get("content-type")], [404, htmlType])
          assert.deepStrictEqual(
            [answer, shown].map(({ headers }) => headers.get("vary")),
            ["Accept", "Accept-Language, Accept"]
          )
          // The same bytes whatever was asked for: nothing of the address is repeated.
          assert.strictEqual(shown.text, page)
          assertHarmless(shown)
        }
      )
    })

    it("is counted for the client's address, and not for the organisation of a key", async () => {
      const remaining = async () => Number((await tenant.reader.get("/whoami")).headers.get("RateLimit-Remaining"))
      service.pace = 0
      const before = await remaining()
      for (let i = 0; i < 5; i++) await service.call("GET", "/nowhere", { key: tenant.readKey.secret })
      assert.strictEqual(await remaining(), before - 1)
      service.pace = 10
    })

    it("begins where the API ends: under /api/v1 there is no page for anybody", async () => {
      const host = `${tenant.organisation.slug}.localhost:8080`
      for (const path of ["/api/v1", "/api/v1/", "/api/v1/f/spring", "/api/v1/nowhere", "/api/v1/donors/x/y"]) {
        assertRefused(await service.call("GET", path, { headers: { ...browser, host } }), "unauthorized")
        const held = await service.call("GET", path, { headers: { ...browser, host }, key: tenant.readKey.secret })
        assertRefused(held, "not_found")
      }
      for (const operation of declaredOperations.filter(({ method }) => method === "GET")) {
        const answer = await service.call("GET", `/api/v1${pathTo(operation)}`, { headers: { ...browser, host } })
        assert.strictEqual(answer.headers.get("content-type"), "application/json", operation.path)
      }
      // A path of the API that is spelled otherwise is still one.
      assertRefused(await service.call("GET", "/%61pi/v1/whoami"), "unauthorized")
      assert.strictEqual((await service.call("GET", "/%61pi/v1/whoami", { key: tenant.readKey.secret })).status, 200)
    })

    it("leads to the reference, and has an icon", async () => {
      for (const path of ["/", "/docs/"]) {
        const answer = await service.call("GET", path)
        assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/docs"], path)
      }
      const svg = await service.call("GET", "/favicon.svg")
      assert.deepStrictEqual([svg.status, svg.headers.get("content-type")], [200, "image/svg+xml"])
      const ico = await service.call("GET", "/favicon.ico")
      assert.deepStrictEqual([ico.status, ico.headers.get("content-type")], [200, "image/x-icon"])
      const bytes = Buffer.from(ico.bytes)
      assert.deepStrictEqual([...bytes.subarray(0, 6)], [0, 0, 1, 0, 1, 0])
      const [size, from] = [bytes.readUInt32LE(14), bytes.readUInt32LE(18)]
      assert.strictEqual(from + size, bytes.length)
      assert.deepStrictEqual([...bytes.subarray(from, from + 8)], [137, 80, 78, 71, 13, 10, 26, 10])
    })

    /** Every address of a page that answers hold. */
    const minted = async (): Promise<ReadonlyArray<readonly [words: string, url: string]>> => {
      const { writer } = tenant
      const donor_id = (await writer.post("/donors", { first_name: "Ada", email: "ada@example.org" })).textAt("id")
      const form = await writer.post("/forms", { name: "Gala", status: "ACTIVE" })
      const formLink = await writer.post(`/forms/${form.textAt("id")}/personalised-links`, { donor_id })
      const checkout = await writer.post("/checkout-links", { donor_id, amount_cents: 5_000 })
      const recipient = await makeTenant(service)
      const account = await service.run(newLink(tenant.organisation.id, recipient.organisation, { label: "Shelter" }))
      const set = await writer.post("/recommendation-sets", {
        name: "Winter",
        allocations: [{ recipient_org_account_link_id: account.id, amount_cents: 500 }]
      })
      const setLink = await writer.post(`/recommendation-sets/${set.textAt("id")}/personalised-links`, { donor_id })
      const introduction = await writer.post("/introductions", { invitee_email: "bea@example.org" })
      return [
        ["Gala", form.textAt("hosted_page_url")],
        ["Hello Ada", formLink.textAt("url")],
        ["Hello Ada", checkout.textAt("url")],
        ["Winter", set.textAt("giving_url")],
        ["Hello Ada", setLink.textAt("url")],
        ["neither accepted nor declined", introduction.textAt("invite_url")]
      ]
    }

    it("has the page of each address that an answer links to, at its own host alone", async () => {
      for (const [words, url] of await minted()) {
        const { host, pathname, search } = new URL(url)
        const isInvitation = pathname.startsWith("/i/")
        for (const method of ["GET", "HEAD"]) {
          const answer = await service.call(method, pathname + search, { headers: { host } })
          assert.deepStrictEqual(
            [answer.status, answer.headers.get("content-type")],
            [isInvitation ? 404 : 200, htmlType],
            url
          )
          if (method === "GET") assert.include(answer.text, words, url)
        }
        // Nobody else's host has it, and nobody learns who is here.
        assertRefused(await service.call("GET", pathname, { headers: { host: "localhost:8080" } }), "not_found")
        if (isInvitation) continue
        const stranger = await service.call("GET", pathname, { headers: { host: "nobody.localhost" } })
        const unknown = await service.call("GET", "/f/nothing", { headers: { host } })
        assert.deepStrictEqual([stranger.status, stranger.text], [404, unknown.text])
      }
      const root = await service.call("GET", "/", { headers: { host: `${tenant.organisation.slug}.localhost:8080` } })
      assert.deepStrictEqual([root.status, root.headers.get("content-type")], [404, htmlType])
    })

    it("has pages that can be read by everybody", async () => {
      const [, [, url = ""] = []] = await minted()
      const { host, pathname } = new URL(url)
      for (const [path, headers] of [
        [pathname, { host }],
        ["/nowhere", browser]
      ] as const) {
        const { text } = await service.call("GET", path, { headers })
        const [, title] = /<title>([^<]+)<\/title>/.exec(text) ?? []
        assert.match(text, /^<!doctype html>\n<html lang="en-AU" dir="ltr">/)
        assert.match(text, /<meta name="viewport" content="width=device-width, initial-scale=1"\/>/)
        assert.lengthOf(text.match(/<main |<h1>(?:<bdi>)?[^<]+/g) ?? [], 2)
        assert.isNotEmpty(title)
      }
    })
  }
)

describe("addresses made from the template", () => {
  /** None of one letter, which could be read as a page's. */
  const slugs = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}[a-z0-9]$/)
  const hosts = fc.constantFrom("localhost", "give.example.org", "Example.ORG")
  const ports = fc.constantFrom("", ":8080")

  /** With the organisation in the host, in the path, or in both, with text around it. */
  const templates = fc
    .tuple(fc.constantFrom("http", "https"), hosts, ports, fc.constantFrom("", "/", "/give"))
    .chain(([scheme, host, port, base]) =>
      fc.constantFrom(
        `${scheme}://{slug}.${host}${port}${base}`,
        `${scheme}://give-{slug}-now.${host}${port}${base}`,
        `${scheme}://${host}${port}/{slug}${base}`,
        `${scheme}://${host}${port}/o/{slug}-gives${base}`,
        `${scheme}://{slug}.${host}${port}/{slug}`
      )
    )

  const pages = fc.constantFrom(
    ["f", formPath({ slug: "spring-appeal" }), "spring-appeal"] as const,
    ["c", checkoutPath({ code: "k3j4h5" }), "k3j4h5"] as const,
    ["g", "/g/abcdef", "abcdef"] as const,
    ["p", "/p/k.o.c.m", "k.o.c.m"] as const,
    ["i", "/i/intr_1.a.b", "intr_1.a.b"] as const
  )

  it("are known again, whatever the template, the organisation and the page", () =>
    forEvery(templates, slugs, pages, (template, slug, [kind, path, name]) => {
      const url = new URL(publicUrl(template, slug, path))
      const pageAt = pageAddresses(template)
      const base = url.pathname.slice(0, -path.length)
      assert.deepStrictEqual(pageAt(url.host, url.pathname), { kind, name, slug, base }, url.href)
      // A proxy may tell another port, and a browser any case.
      assert.strictEqual(pageAt(`${url.hostname.toUpperCase()}:9`, url.pathname)?.kind, kind)
      assert.isUndefined(pageAt(`x.y.${url.hostname}`, url.pathname))
      assert.isUndefined(pageAt(url.host, `/x${url.pathname}/f`))
      assert.isUndefined(pageAt(url.host, url.pathname.replace(/\/[^/]+\/[^/]+$/, "/docs")))
      assert.isUndefined(pageAt(undefined, url.pathname))
    }))

  it("are none of a service whose own host they share", () => {
    const pageAt = pageAddresses("https://example.org/{slug}")
    for (const path of [
      "/",
      "/docs",
      "/docs/",
      "/docs/try",
      "/openapi.json",
      "/f/spring",
      "/riverside",
      "/riverside/"
    ]) {
      assert.isUndefined(pageAt("example.org", path), path)
    }
    assert.strictEqual(pageAt("example.org", "/riverside/f/spring")?.kind, "f")
  })
})

it("knows the pages of the template that a host chose", async () => {
  const { Almoner } = await import("../../src/index.ts")
  const { serve } = await import("../../src/http.ts")
  const backend = (await import("../../src/memory.ts")).memory()
  const almoner = await Almoner.open({ backend, publicUrlTemplate: "https://{slug}.give.example.org" })
  const { pages } = await import("../../src/pages.ts")
  const { fetch } = await serve(almoner, { pages })
  const textAt = async (url: string) => (await fetch(new Request(url))).text()
  // The first thing that a browser asks of a host may be any of its addresses.
  for (const path of ["/f/spring", "/f/spring/", "/g/x/y", "/logo/x", "/i/x", "/p/x", "/"]) {
    const { headers } = await fetch(new Request(`https://riverside.give.example.org${path}`))
    const isPage = path !== "/g/x/y"
    assert.strictEqual(headers.get("strict-transport-security"), isPage ? "max-age=31536000" : null, path)
  }
  assert.include(await textAt("https://riverside.give.example.org/f/spring"), "There is no such page")
  assert.strictEqual(
    valueAt(JSON.parse(await textAt("https://riverside.localhost:8080/f/spring")), "error.code"),
    "not_found"
  )
  await almoner.close()
})
