import { assert, describe, it } from "@effect/vitest"
import { Donations } from "../../src/effect.ts"
import { serve } from "../../src/http.ts"
import { Almoner, InvalidOption, type Options } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pglite } from "../../src/pglite.ts"
import { postgres } from "../../src/postgres.ts"
import { charity, failureOf } from "./Charity.ts"

const now = Date.UTC(2026, 3, 1, 2)

const opened = async (options: Partial<Options> = {}) => {
  const almoner = await Almoner.open({ backend: memory(), clock: () => now, ...options })
  const { live, sandbox } = await almoner.organisations.create(charity)
  const ada = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
  return { almoner, live, sandbox, ada }
}

const gift = { donation_type: "MONETARY", amount_cents: 5_000, donation_date: "2026-04-01" } as const

describe("answers", () => {
  it.each([
    ["memory", memory()],
    ["the embedded database", pglite()]
  ] as const)("are JSON as the API has it, over %s", async (_, backend) => {
    const { ada, almoner, live } = await opened({ backend })
    const given: object = { first_name: "Ada", email: undefined }
    const donor = await almoner.donors.create(ada, given)
    const donation = await almoner.donations.create(ada, { ...gift, donor_id: donor.id })
    const page = await almoner.as(ada).donations.list({ amount_cents: { gte: 5_000 }, status: { in: ["CONFIRMED"] } })
    for (const answer of [live, donor, donation]) {
      assert.deepStrictEqual(JSON.parse(JSON.stringify(answer)), answer)
      assert.strictEqual(answer.created_at, "2026-04-01T02:00:00.000Z")
    }
    assert.deepStrictEqual(page, { data: [donation], has_more: false })
    assert.notProperty(donation, "organisation_id")
    const endpoint = { url: "https://93.184.216.34/hook", event_types: ["donor.created"] } as const
    const created = await almoner.webhookEndpoints.create(ada, endpoint)
    assert.match(created.secret, /^almwh_/)
    assert.notProperty(await almoner.webhookEndpoints.read(ada, created.id), "sealed_secret")
    await almoner.close()
  })

  it("are made without an Effect in sight: instants as input are text or dates", async () => {
    const { ada, almoner } = await opened()
    const after = { created_at: { gte: new Date(now) } }
    await almoner.donors.create(ada, { first_name: "Ada" })
    assert.lengthOf((await almoner.donors.list(ada, after)).data, 1)
    assert.lengthOf((await almoner.donors.list(ada, { created_at: { gt: "2026-04-01T02:00:00Z" } })).data, 0)
  })
})

describe("lists", () => {
  it("take several values, of which none may be read as two", async () => {
    const { ada, almoner } = await opened()
    for (const email of ["ada@example.org", "kim@example.org", "zoe@example.org"])
      await almoner.donors.create(ada, { first_name: "Ada", email })
    const two = { in: ["ada@example.org", "kim@example.org"] }
    assert.lengthOf((await almoner.donors.list(ada, { email: two })).data, 2)
    const read = { email: { not_in: ["ada@example.org,kim@example.org"] } }
    assert.deepInclude(await failureOf(almoner.donors.list(ada, read)), {
      _tag: "InvalidInput",
      param: "email[not_in]"
    })
  })
})

describe("refusals", () => {
  it("are thrown by await and answered by outcome, the same tagged error", async () => {
    const { ada, almoner } = await opened()
    const bad = { first_name: "Ada", email: "no address" }
    const outcome = await failureOf(almoner.donors.create(ada, bad))
    const thrown = await almoner.donors.create(ada, bad).then(
      () => null,
      (error: unknown) => error
    )
    assert.instanceOf(thrown, Error)
    assert.deepInclude(outcome, { _tag: "InvalidInput", param: "email" })
    assert.deepEqual(thrown, outcome)
  })

  it("carry a sentence, and a short stack that leads to the host's call", async () => {
    const { ada, almoner } = await opened()
    const thrown = async (attempt: PromiseLike<unknown>): Promise<Error> => {
      const error = await attempt.then(
        () => null,
        (reason: unknown) => reason
      )
      return error instanceof Error ? error : assert.fail("nothing was thrown")
    }
    const calls = {
      ofCaller: function hostsCall() {
        return almoner.donors.read(ada, "no id")
      },
      bound: function hostsCall() {
        return almoner.as(ada).donors.read("no id")
      },
      ofInstallation: function hostsCall() {
        return almoner.organisations.findBySlug("nobody")
      },
      caller: function hostsCall() {
        return almoner.caller({ organisation: "nobody", user: "ada", scope: "READ" })
      }
    }
    for (const hostsCall of Object.values(calls)) {
      const error = await thrown(hostsCall())
      const [head, ...frames] = (error.stack ?? "").split("\n")
      assert.match(error.message, /^There is no (?:donor no id|organisation nobody)\.$/)
      assert.strictEqual(head, `NotFound: ${error.message}`)
      assert.isTrue(
        frames.slice(0, 2).some((frame) => frame.includes("hostsCall")),
        error.stack
      )
      assert.isAtMost(frames.length, 4)
    }
    await almoner.close()
    const closed = await thrown(calls.ofCaller())
    assert.match(closed.stack ?? "", /^AlmonerUnavailable: .+\n.+hostsCall/)
  })

  it("that nobody waits for do not end the process", async () => {
    const { ada, almoner } = await opened()
    const seen: Array<unknown> = []
    const listener = (reason: unknown) => seen.push(reason)
    process.on("unhandledRejection", listener)
    await almoner.donors.read(ada, "no id").outcome()
    await new Promise((resolve) => setImmediate(resolve))
    process.off("unhandledRejection", listener)
    assert.lengthOf(seen, 0)
  })

  it("that their host makes wrongly are refused with what is wrong, and none of them is an outcome", async () => {
    const { ada, almoner } = await opened()
    const wrong = (given: unknown) => given as never
    const none = () => undefined
    const limits = { take: none, charge: none, takeAnonymous: none, giveBackAnonymous: none }
    const calls: Readonly<Record<string, () => unknown>> = {
      signal: () => almoner.donors.list(ada, {}, wrong({ signal: 5 })),
      timeout: () => almoner.donors.list(ada, {}, wrong({ timeout: 5 })).outcome(),
      handler: () => almoner.events.subscribe({ name: "pledges", from: "now", types: ["donor.created"] }, wrong(null)),
      "": () => almoner.events.subscribe(wrong(undefined), () => undefined),
      body: () => almoner.receiveNotice(wrong({ headers: {}, body: { id: 1 } })),
      headers: () => almoner.receiveNotice(wrong({ headers: { a: 5 }, body: "" })),
      rateLimiter: () => serve(almoner, wrong({ rateLimiter: { ...limits, size: undefined } })),
      proxies: () => serve(almoner, wrong({ proxies: "10.0.0.0/8" })),
      client: async () => almoner.within(wrong({})),
      webhookTransport: () => almoner.dispatch(),
      mailer: () => almoner.sendMails()
    }
    for (const [option, call] of Object.entries(calls)) {
      const failure = await Promise.resolve()
        .then(call)
        .then(
          () => "done",
          (cause: unknown) => cause
        )
      assert.instanceOf(failure, InvalidOption, option)
      assert.strictEqual(Object(failure).option, option)
    }
    const aborting = new AbortController()
    aborting.abort(new Error("gone"))
    const aborted = await failureOf(almoner.donors.list(ada, {}, { signal: aborting.signal }))
    assert.deepInclude(aborted, { _tag: "AlmonerUnavailable", reason: "aborted" })
    await almoner.close()
  })

  it("after closing are AlmonerUnavailable, and closing again does nothing", async () => {
    const { ada, almoner } = await opened()
    const pending = almoner.donors.create(ada, { first_name: "Ada" })
    await almoner.close()
    assert.strictEqual((await pending).first_name, "Ada")
    assert.deepInclude(await failureOf(almoner.donors.list(ada)), { _tag: "AlmonerUnavailable", reason: "closed" })
    await almoner.close()
    assert.throws(() => almoner.workers.start(), /closed/)
  })

  it("of a store that is away name no value, neither to the host nor to its log", async () => {
    const url = "postgres://almoner:canary@127.0.0.1:1/none"
    const open = Almoner.open({
      backend: postgres({ url, startWaitMillis: 100 }),
      keys: `a:${Buffer.alloc(32).toString("base64")}`
    })
    const error = await open.then(
      () => null,
      (cause: unknown) => cause
    )
    assert.instanceOf(error, Error)
    assert.notInclude(String(error), "canary")
  })

  it("of a server without encryption keys say what is missing", async () => {
    const error = await Almoner.open({ backend: postgres({ url: "postgres://127.0.0.1:1/none" }) }).catch(
      (cause: unknown) => cause
    )
    assert.deepInclude(error, { _tag: "InvalidOption", option: "keys" })
  })
})

describe("the guard is in the use cases", () => {
  it("a key stands for its organisation and scope, and a host's plan is the one that is stored", async () => {
    const { ada, almoner } = await opened()
    const key = await almoner.apiKeys.create(ada, { name: "Site", scope: "READ" })
    const caller = await almoner.authenticate(key.secret)
    assert.strictEqual(caller?.scope, "READ")
    assert.strictEqual(caller?.organisation.id, ada.organisation.id)
    assert.isUndefined(await almoner.authenticate("no key"))
    await almoner.apiKeys.revoke(ada, key.id)
    assert.isUndefined(await almoner.authenticate(key.secret))
    await almoner.organisations.setPlan(ada, "RAISE")
    const again = await almoner.caller({ organisation: "riverside", user: "ada", scope: "READ" })
    assert.strictEqual(again.organisation.plan, "RAISE")
  })
})

describe("a host's own", () => {
  it("transport may tell any time, and texts that were cut anywhere, which are kept as a database can", async () => {
    const told = [
      { response_excerpt: "thank you \u{1f381}".slice(0, -1), retry_after: "a\u0000b", duration_ms: 12.7 },
      { response_excerpt: "x".repeat(1_000_000), retry_after: null, duration_ms: Date.now() }
    ]
    const { almoner, sandbox } = await opened({
      backend: pglite(),
      operatorCidrs: ["192.0.2.0/24"],
      webhookTransport: async () => ({ response_status: 200, error: null, ...Object(told.pop()) })
    })
    const caller = await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" })
    await almoner.webhookEndpoints.create(caller, { url: "http://192.0.2.7/hook", event_types: ["donor.created"] })
    const kept: Array<unknown> = []
    while (told.length > 0) {
      await almoner.donors.create(caller, { first_name: "Ada" })
      assert.strictEqual(await almoner.dispatch(), 1)
      const [delivery] = (await almoner.webhookDeliveries.list(caller)).data
      assert.strictEqual(delivery?.status, "DELIVERED")
      const { attempts } = await almoner.webhookDeliveries.read(caller, delivery?.id ?? "")
      kept.push(attempts.map((each) => [each.response_excerpt, each.retry_after, each.duration_ms]))
    }
    assert.deepStrictEqual(kept, [[["x".repeat(1_024), null, 2_147_483_647]], [["thank you \ufffd", "a\ufffdb", 13]]])
    await almoner.close()
  })

  it("transport, ids and log are used", async () => {
    const lines: Array<unknown> = []
    const urls: Array<string> = []
    const { almoner, sandbox } = await opened({
      operatorCidrs: ["192.0.2.0/24"],
      logger: (line) => lines.push(line),
      webhookTransport: (request) => {
        urls.push(request.url)
        return Promise.reject(new Error("no network"))
      }
    })
    const caller = await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE", request_id: "req-7" })
    await almoner.webhookEndpoints.create(caller, { url: "http://192.0.2.7/hook", event_types: ["donor.created"] })
    await almoner.donors.create(caller, { first_name: "Ada" })
    assert.strictEqual(await almoner.dispatch(), 1)
    assert.deepStrictEqual(urls, ["http://192.0.2.7/hook"])
    const [delivery] = (await almoner.webhookDeliveries.list(caller)).data
    assert.strictEqual(delivery?.status, "PENDING")
    const entries = await almoner.audit.list(caller, 10)
    assert.isTrue(entries.every(({ request_id }) => request_id === "req-7" || request_id === "host"))
  })

  it("programs of Effect run over the same services", async () => {
    const { ada, almoner } = await opened()
    const page = await almoner.donations.list(ada)
    assert.deepStrictEqual(page.data, [])
    assert.property(await almoner.run(Donations.Donations), "create")
  })
})
