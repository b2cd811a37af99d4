import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import pg from "pg"
import { Almoner, type CredentialRotation } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { postgres } from "../../src/postgres.ts"
import { stripe } from "../../src/stripe.ts"
import { fieldsOf } from "../support/Answer.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { anew } from "../support/Late.ts"
import { isRun } from "../support/StoreKinds.ts"
import { openStripeDouble, type StripeDouble, signedNotice } from "../support/stripe/StripeDouble.ts"
import { rowsOf } from "../support/TableRows.ts"
import { charity, submissionTo } from "./Charity.ts"

const account = "acct_own1"

/** Secrets that are recognised wherever they turn up. */
const credentials = {
  secret_key: "sk_test_canaryfirst",
  publishable_key: "pk_test_shown",
  notice_secrets: ["whsec_canaryfirst"]
}
const newer = { secret_key: "rk_test_canarysecond", notice_secrets: ["whsec_canarysecond"] }

const by = { actor: { type: "SYSTEM", id: "host" }, request_id: "req_1" } as const

const ring = `k:${Buffer.alloc(32, 7).toString("base64")}`

const platform = {
  secretKey: "sk_test_canaryplatform",
  publishableKey: "pk_test_platform",
  noticeSecrets: ["whsec_canaryplatform"]
}

const sentenceOf = async (asked: Promise<unknown>) => {
  try {
    await asked
  } catch (cause) {
    return cause instanceof Error ? cause.message : `${cause}`
  }
  return assert.fail("it was not refused")
}

const suite = (name: string, kind: "memory" | "postgres") =>
  describe(`own accounts of a host over ${name}`, () => {
    let scope: Scope.Closeable
    let url: string | undefined
    let double: StripeDouble
    let almoner: Almoner
    let lines: Array<string>
    let refusals: Array<string>

    beforeEach(async () => {
      scope = Scope.makeUnsafe()
      url = kind === "memory" ? undefined : Redacted.value(await Effect.runPromise(Scope.provide(freshUrl, scope)))
      double = await openStripeDouble()
      double.ownKey(credentials.secret_key, account)
      double.ownKey(newer.secret_key, account)
      lines = []
      refusals = []
      almoner = await Almoner.open({
        backend: url === undefined ? memory() : postgres({ url, maxConnections: 4 }),
        keys: ring,
        stripe: stripe({ test: platform, baseUrl: double.url }),
        logger: (line) => lines.push(JSON.stringify(line))
      })
      return async () => {
        await almoner.close()
        await double.close()
        await Effect.runPromise(Scope.close(scope, Exit.void))
      }
    })

    const newOrganisation = async (slug: string) => {
      const made = await almoner.organisations.create({ ...charity, slug }, by)
      const callerOf = (organisation: string) => almoner.caller({ organisation, user: "staff", scope: "WRITE" })
      return { live: await callerOf(made.live.slug), sandbox: await callerOf(made.sandbox.slug) }
    }

    type Caller = Awaited<ReturnType<typeof newOrganisation>>["live"]

    const given = { label: "Own", processor: "stripe", processor_connect_account_id: account } as const

    const newOwn = (caller: Caller, more: object = {}) =>
      almoner.integrations.create(caller, { ...given, is_own: true, credentials, is_default: true, ...more })

    const refused = async (asked: Promise<unknown>) => {
      const sentence = await sentenceOf(asked)
      refusals.push(sentence)
      return sentence
    }

    const give = (organisation: string, slug = "appeal") =>
      almoner.checkouts.submit(submissionTo(organisation, { slug, payment_token: "pm_card_visa" }))

    const told = (id: string | undefined, secret: string, event: object = {}) => {
      const body = JSON.stringify({
        id: "evt_x",
        type: "x",
        created: 1,
        data: { object: { object: "balance" } },
        ...event
      })
      const { headers } = signedNotice(body, secret)
      return almoner.receiveNotice({
        ...(id === undefined ? { processor: "stripe" } : { integration_id: id }),
        headers,
        body
      })
    }

    const dumped = async () => {
      if (url === undefined) return ""
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const text = (await rowsOf(client)).join("\n")
      await client.end()
      assert.include(text, account)
      return text
    }

    it("a gift is taken and paid back with the account's own key, no fee is the platform's, and the books balance", async () => {
      const { sandbox } = await newOrganisation("harbour")
      await almoner.tariffs.set({ plan: "FREE", basis_points: 500, fixed_cents: 30 })
      const made = await newOwn(sandbox)
      assert.deepInclude(made, { is_own: true, charges_enabled: true, credentials_rotated_at: null })
      await almoner.forms.create(sandbox, { name: "Appeal", status: "ACTIVE" })
      const page = await almoner.checkouts.open({ organisation: "harbour-sandbox", slug: "appeal" })
      assert.deepInclude(page, { processor: "stripe", processor_key: credentials.publishable_key, closed: null })
      const paid = await give("harbour-sandbox")
      assert.strictEqual(paid.status, "SUCCEEDED")
      assert.strictEqual((await almoner.checkouts.progress(paid.progress_token)).status, "SUCCEEDED")
      await almoner.donations.refund(sandbox, paid.donation_id ?? assert.fail(), { amount_cents: 1_000 })
      await almoner.settle()
      const { data: charges } = await almoner.charges.list(sandbox)
      const [charge = assert.fail()] = charges
      assert.deepStrictEqual(charge.platform_rate, { basis_points: 0, fixed_cents: 0 })
      assert.strictEqual(double.ownerOf(charge.id), account)
      assert.strictEqual(double.paidBack(charge.id), 1_000)
      for (const { faults } of (await almoner.ledger.check()).data) assert.deepStrictEqual(faults, [])
      const { data: entries } = await almoner.ledger.list(sandbox)
      assert.isFalse(
        entries.some(({ from_account, to_account }) => `${from_account}${to_account}`.includes("platform"))
      )
      for (const { headers } of double.requests) {
        assert.strictEqual(headers.authorization, `Bearer ${credentials.secret_key}`)
      }
      const run = await almoner.reconciler.reconcile({})
      assert.deepInclude(run, { accounts: 1, exceptions_raised: 0, accounts_unreached: 0 })
    })

    it("credentials and whether it is an own account go together, and fit the organisation, or nothing is made", async () => {
      const { live, sandbox } = await newOrganisation("harbour")
      // @ts-expect-error an own account without its credentials
      assert.match(await refused(almoner.integrations.create(sandbox, { ...given, is_own: true })), /must be given/)
      // @ts-expect-error credentials of an account that is not an own one
      assert.match(await refused(almoner.integrations.create(sandbox, { ...given, credentials })), /unless is_own/)
      assert.match(await refused(newOwn(live)), /^credentials\.secret_key must be a key of Stripe's live mode/)
      const livish = { ...credentials, secret_key: "sk_live_canaryfirst" }
      assert.match(await refused(newOwn(sandbox, { credentials: livish })), /test mode, .*is a sandbox\.$/)
      assert.match(await refused(newOwn(sandbox, { processor: "test" })), /^is_own must not be true at test/)
      assert.match(await refused(newOwn(sandbox, { processor_connect_account_id: "acct_2" })), /account acct_2,/)
      assert.match(await refused(newOwn(sandbox, { settlement_currency: "NZD" })), /^settlement_currency must be AUD/)
      double.revokeKey("sk_test_canaryrevoked")
      const wrong = { ...credentials, secret_key: "sk_test_canaryrevoked" }
      assert.match(await refused(newOwn(sandbox, { credentials: wrong })), /is not accepted by Stripe/)
      const spaced = { ...credentials, secret_key: "sk_test canaryspace" }
      assert.match(await refused(newOwn(sandbox, { credentials: spaced })), /without spaces/)
      const many = { ...credentials, notice_secrets: Array.from({ length: 6 }, (_, index) => `whsec_canary${index}`) }
      await refused(newOwn(sandbox, { credentials: many }))
      double.lose("requests")
      assert.match(await refused(newOwn(sandbox)), /could not be tried/)
      double.lose(null)
      assert.deepStrictEqual((await almoner.integrations.list(sandbox)).data, [])
      for (const sentence of refusals) assert.notMatch(sentence, /canary/)
    })

    it("its notices come to its own address, signed by its own secrets, and the platform's says nothing of it", async () => {
      const { sandbox } = await newOrganisation("harbour")
      const { id } = await newOwn(sandbox)
      await almoner.forms.create(sandbox, { name: "Appeal", status: "ACTIVE" })
      await give("harbour-sandbox")
      const { data } = await almoner.charges.list(sandbox)
      const [charge = assert.fail()] = data
      double.dispute(charge.id)
      const object = { id: "du_1", object: "dispute", payment_intent: charge.reference, metadata: {} }
      const asked = double.requests.length
      const event = (event_id: string, more: object = {}) => ({ id: event_id, data: { object }, ...more })
      await refused(told(id, "whsec_canaryplatform", event("evt_1")))
      await refused(told(undefined, "whsec_canaryfirst", event("evt_2")))
      await told(undefined, "whsec_canaryplatform", event("evt_3"))
      await told(undefined, "whsec_canaryplatform", event("evt_4", { account }))
      const told5 = { data: { object: { id: account, object: "account" } }, account }
      await told(undefined, "whsec_canaryplatform", event("evt_5", told5))
      await almoner.settle()
      assert.strictEqual(double.requests.length, asked)
      await told(id, "whsec_canaryfirst", event("evt_6"))
      await almoner.settle()
      assert.isAbove(double.requests.length, asked)
      const { data: entries } = await almoner.ledger.list(sandbox)
      assert.include(JSON.stringify(entries), "disputed")
      const { data: notices } = await almoner.notices.list(sandbox)
      assert.deepStrictEqual(fieldsOf(notices, "event_id", "status"), [["evt_6", "APPLIED"]])
      const { data: others } = await almoner.notices.unclaimed()
      assert.deepStrictEqual(new Set(others.map(({ status }) => status)), new Set(["IGNORED"]))
    })

    it("credentials are rotated one by one, former notice secrets overlap, and what is refused changes nothing", async () => {
      const { sandbox } = await newOrganisation("harbour")
      const { id } = await newOwn(sandbox)
      const rotate = (rotation: object) =>
        almoner.integrations.rotateCredentials(sandbox, id, rotation as CredentialRotation)
      assert.match(await refused(rotate({ overlap_hours: 1 })), /^secret_key must be given/)
      assert.match(await refused(rotate({ secret_key: "sk_live_canaryfirst" })), /test mode/)
      double.ownKey("sk_test_canaryforeign", "acct_other")
      assert.match(await refused(rotate({ secret_key: "sk_test_canaryforeign" })), /another account's/)
      double.lose("requests")
      assert.match(await refused(rotate(newer)), /could not be tried/)
      double.lose(null)
      await told(id, "whsec_canaryfirst", { id: "evt_1" })

      const once = await rotate({ notice_secrets: newer.notice_secrets })
      assert.isNotNull(once.previous_notice_secrets_expire_at)
      await almoner.forms.create(sandbox, { name: "Appeal", status: "ACTIVE" })
      await give("harbour-sandbox")
      assert.strictEqual(double.requests.at(-1)?.headers.authorization, `Bearer ${credentials.secret_key}`)
      const twice = await rotate({ secret_key: newer.secret_key })
      assert.strictEqual(twice.previous_notice_secrets_expire_at, once.previous_notice_secrets_expire_at)
      double.revokeKey(credentials.secret_key)
      assert.strictEqual((await give("harbour-sandbox")).status, "SUCCEEDED")
      assert.strictEqual(double.requests.at(-1)?.headers.authorization, `Bearer ${newer.secret_key}`)
      const { data } = await almoner.integrations.list(sandbox)
      assert.isNotNull(data[0]?.credentials_rotated_at)
      const page = await almoner.checkouts.open({ organisation: "harbour-sandbox", slug: "appeal" })
      assert.strictEqual(page.processor_key, credentials.publishable_key)
      const at = await rotate({ notice_secrets: [], overlap_hours: 0 })
      assert.isNull(at.previous_notice_secrets_expire_at)

      const connected = await almoner.integrations.create(sandbox, given)
      const other = almoner.integrations.rotateCredentials(sandbox, connected.id, newer)
      assert.match(await refused(other), /^id must be that of an own account/)
      const { sandbox: stranger } = await newOrganisation("brook")
      const foreign = almoner.integrations.rotateCredentials(stranger, id, newer)
      assert.match(await refused(foreign), /^There is no integration/)
    })

    it("its secrets are in no answer, log line, audit entry, event, request or row", async () => {
      const { live, sandbox } = await newOrganisation("harbour")
      const made = await newOwn(sandbox)
      await almoner.forms.create(sandbox, { name: "Appeal", status: "ACTIVE" })
      const paid = await give("harbour-sandbox")
      await refused(newOwn(live))
      await refused(newOwn(sandbox, { processor_connect_account_id: "acct_2" }))
      await refused(almoner.integrations.rotateCredentials(sandbox, made.id, { secret_key: "sk_test_canary no" }))
      const rotated = await almoner.integrations.rotateCredentials(sandbox, made.id, newer)
      await refused(told(made.id, "whsec_canarythird"))
      double.fail({ kind: "status", status: 500 }, { kind: "body", body: "<html>" }, { kind: "truncated" })
      await give("harbour-sandbox")
      await almoner.settle()
      await almoner.reconciler.reconcile({})
      const audit = await almoner.audit.list(sandbox, 100)
      assert.includeMembers(fieldsOf(audit, "operation"), ["integrations.create", "integrations.rotate_credentials"])
      const said = JSON.stringify([
        made,
        rotated,
        paid,
        lines,
        refusals,
        audit,
        (await almoner.integrations.list(sandbox)).data,
        (await almoner.events.list(sandbox)).data,
        await almoner.checkouts.open({ organisation: "harbour-sandbox", slug: "appeal" }),
        double.requests.map(({ body, path }) => `${path} ${body}`)
      ])
      for (const text of [said, await dumped()]) {
        assert.notMatch(text, /canary/)
        assert.notInclude(text, Buffer.from("canary").toString("hex"))
      }
      assert.notInclude(said, "sealed")
    })
  })

if (isRun("memory")) suite("memory", "memory")
if (isRun("PostgreSQL")) suite("PostgreSQL", "postgres")

describe("an own account whose key left the ring", () => {
  const double = anew(openStripeDouble)
  afterEach(() => double.close())

  it("is asked nothing until all of its credentials are given again, and then settles what waited", async () => {
    const scope = Scope.makeUnsafe()
    const url = Redacted.value(await Effect.runPromise(Scope.provide(freshUrl, scope)))
    double.ownKey(credentials.secret_key, account)
    double.ownKey(newer.secret_key, account)
    const open = (id: string, byte: number) =>
      Almoner.open({
        backend: postgres({ url, maxConnections: 4 }),
        keys: `${id}:${Buffer.alloc(32, byte).toString("base64")}`,
        stripe: stripe({ test: platform, baseUrl: double.url }),
        logger: () => undefined
      })
    const before = await open("a", 1)
    const { sandbox } = await before.organisations.create({ ...charity, slug: "harbour" }, by)
    const callerOf = (almoner: Almoner) => almoner.caller({ organisation: sandbox.slug, user: "staff", scope: "WRITE" })
    const caller = await callerOf(before)
    const own = { ...given(), is_own: true, credentials, is_default: true } as const
    const { id } = await before.integrations.create(caller, own)
    await before.close()

    const after = await open("b", 2)
    const [asked, later] = [double.requests.length, await callerOf(after)]
    const reconciled = await after.reconciler.reconcile({})
    assert.deepInclude(reconciled, { accounts: 0, accounts_unreached: 1 })
    assert.strictEqual(double.requests.length, asked)
    const one = after.integrations.rotateCredentials(later, id, { secret_key: newer.secret_key })
    assert.match(await sentenceOf(one), /must all be given/)
    await after.integrations.rotateCredentials(later, id, { ...credentials, ...newer })
    assert.deepInclude(await after.reconciler.reconcile({}), { accounts: 1, accounts_unreached: 0 })
    await after.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})

describe("the hosts of pages, for wallets", () => {
  it("are registered with the account that takes the charges, where they have https, and a wallet that is not offered is told", async () => {
    const double = await openStripeDouble()
    double.ownKey(credentials.secret_key, account)
    double.leaveUnproved("harbour-sandbox.give.example.org")
    const lines: Array<string> = []
    const of = async (publicUrlTemplate: string) => {
      const almoner = await Almoner.open({
        backend: memory(),
        keys: ring,
        publicUrlTemplate,
        stripe: stripe({ test: platform, baseUrl: double.url }),
        logger: (line) => lines.push(JSON.stringify(line))
      })
      const { sandbox } = await almoner.organisations.create({ ...charity, slug: "harbour" }, by)
      const caller = await almoner.caller({ organisation: sandbox.slug, user: "staff", scope: "WRITE" })
      await almoner.integrations.create(caller, { ...given(), processor_connect_account_id: "acct_of_platform" })
      await almoner.integrations.create(caller, { ...given(), is_own: true, credentials })
      await almoner.close()
    }
    await of("http://{slug}.localhost:8080")
    assert.deepStrictEqual(double.domains(), [])
    await of("https://{slug}.give.example.org")
    const host = "harbour-sandbox.give.example.org"
    assert.sameMembers(double.domains(), [`platform ${host}`, `${account} ${host}`])
    assert.lengthOf(
      lines.filter((line) => line.includes(`Apple Pay of`) && line.includes(`is not offered on ${host}: The file at`)),
      2
    )
    await of("https://give.example.org/{slug}")
    assert.include(double.domains(), "platform give.example.org")
    await double.close()
  })
})

const given = () => ({ label: "Own", processor: "stripe", processor_connect_account_id: account }) as const
