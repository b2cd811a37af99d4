import { assert, beforeEach, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { NewIntegration } from "../../src/domain/access/Integration.ts"
import type { IntegrationId } from "../../src/domain/kernel/Ids.ts"
import { type CurrentCaller, IntegrationStore, PaymentExceptionStore } from "../../src/ports.ts"
import { fieldsOf } from "../support/Answer.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import type { Service } from "../support/Service.ts"
import { describeAtStripe } from "../support/stripe/AtStripe.ts"
import type { StripeDouble } from "../support/stripe/StripeDouble.ts"
import { auditOf, makeTenants, type Tenant } from "../support/Tenant.ts"

const addresses = { return_url: "https://give.example.org/done", refresh_url: "https://give.example.org/again" }

describeAtStripe("an account that is opened for an organisation", (at) => {
  let double: StripeDouble
  let service: Service
  let sandbox: Tenant
  let live: Tenant

  beforeEach(async () => {
    ;({ double, service } = at())
    const tenants = await makeTenants(service)
    sandbox = tenants.sandbox
    live = tenants.live
  })

  const asking = <A, E>(tenant: Tenant, ask: (use: Integrations["Service"]) => Effect.Effect<A, E, CurrentCaller>) =>
    tenant.staff(Effect.result(Integrations.use(ask)))
  const done = async <A, E>(
    tenant: Tenant,
    ask: (use: Integrations["Service"]) => Effect.Effect<A, E, CurrentCaller>
  ) => Result.getOrThrow(await asking(tenant, ask))
  const refusal = async <A, E>(
    tenant: Tenant,
    ask: (use: Integrations["Service"]) => Effect.Effect<A, E, CurrentCaller>
  ) => {
    const result = await asking(tenant, ask)
    const failure: unknown = Result.isFailure(result) ? result.failure : assert.fail("it was taken")
    return failure instanceof Error && "param" in failure ? `${failure.param}: ${failure.message}` : String(failure)
  }
  const create = (given: FieldsOf<NewIntegration> = {}) =>
    done(sandbox, (use) => use.create({ label: "Main", processor: "stripe", ...given } as NewIntegration))
  const enabled = async (id: IntegrationId) => {
    const found = await service.run(IntegrationStore.use((store) => store.find(sandbox.organisation.id, id)))
    return Option.getOrThrow(found).charges_enabled
  }

  it("takes charges once its organisation has said who it is", async () => {
    const made = await create({ methods: ["card", "payto"] })
    assert.match(made.processor_connect_account_id, /^acct_/u)
    assert.isFalse(made.charges_enabled)
    const { body } = double.requests.findLast(({ method, path }) => method === "POST" && path === "/v1/accounts") ?? {}
    assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(body)), {
      "controller[fees][payer]": "application",
      "controller[losses][payments]": "application",
      "controller[stripe_dashboard][type]": "express",
      default_currency: "aud",
      "capabilities[transfers][requested]": "true",
      "capabilities[card_payments][requested]": "true",
      "capabilities[payto_payments][requested]": "true",
      "metadata[almoner_integration_id]": made.id,
      "metadata[almoner_organisation_id]": sandbox.organisation.id
    })
    const { expires_at, url } = await done(sandbox, (use) => use.onboard(made.id, addresses))
    assert.isAbove(expires_at.epochMilliseconds, Date.now())
    assert.isFalse((await done(sandbox, (use) => use.check(made.id))).charges_enabled)
    assert.strictEqual(double.fillIn(url), addresses.return_url)
    assert.strictEqual(double.fillIn(url), addresses.refresh_url)
    assert.isFalse(await enabled(made.id))
    assert.isTrue((await done(sandbox, (use) => use.check(made.id))).charges_enabled)
    const audit = await auditOf(service, sandbox.organisation)
    assert.includeMembers(fieldsOf(audit, "operation"), ["integrations.create", "integrations.onboard"])
  })

  it("is of the country that is said, where the processor opens one in it", async () => {
    const opened = () =>
      double.requests.filter(({ method, path }) => method === "POST" && path === "/v1/accounts").map(({ body }) => body)
    const before = opened().length
    const made = await create({ country: "NZ", methods: ["card"], settlement_currency: "NZD" })
    const [body = assert.fail(), ...more] = opened().slice(before)
    assert.lengthOf(more, 0)
    assert.deepInclude(Object.fromEntries(new URLSearchParams(body)), { country: "NZ", default_currency: "nzd" })
    assert.match(made.processor_connect_account_id, /^acct_/u)
    assert.notProperty(made, "country")
    assert.isTrue((await create({ processor: "test", country: "NZ" })).charges_enabled)
    const given = { label: "Main", processor: "stripe", country: "NZ" } as const
    assert.match(
      await refusal(sandbox, (use) => use.create({ ...given, country: "TV" })),
      /^processor_connect_account_id: .* no account could be opened in TV\. The processor refuses it: .*country_unsupported/u
    )
    assert.match(
      await refusal(sandbox, (use) => use.create({ ...given, processor_connect_account_id: "acct_1" })),
      /^country: country must not be given beside processor_connect_account_id: /u
    )
    for (const country of ["nz", "UK", "EU", "", "New Zealand"]) {
      assert.strictEqual(
        await refusal(sandbox, (use) => use.create({ ...given, country })),
        country.length > 2
          ? "country: country must be a country of ISO 3166 in two letters."
          : "country: country must be a country of ISO 3166 in two capital letters, e.g. NZ."
      )
    }
    assert.lengthOf(opened(), before + 2, "nothing is opened where it is refused here")
  })

  it("takes charges when the processor tells that it does, and none when it is asked for more", async () => {
    const made = await create()
    const { url } = await done(sandbox, (use) => use.onboard(made.id, addresses))
    double.fillIn(url)
    await at().hear()
    assert.isTrue(await enabled(made.id))
    double.disable(made.processor_connect_account_id)
    const last = double.events.at(-1) ?? assert.fail()
    double.events.push({ ...last, id: `${last.id}_more` })
    await at().hear()
    assert.isFalse(await enabled(made.id))
  })

  it("takes none once its organisation took its permission back, and somebody is to look at it", async () => {
    const made = await create()
    const account = made.processor_connect_account_id
    double.fillIn((await done(sandbox, (use) => use.onboard(made.id, addresses))).url)
    await at().hear()
    double.lose("requests")
    assert.match(await refusal(sandbox, (use) => use.check(made.id)), /not reached/u)
    double.lose(null)
    assert.isTrue(await enabled(made.id), "silence tells nothing")
    double.deauthorise(account)
    await at().hear()
    assert.isFalse(await enabled(made.id))
    const exceptions = PaymentExceptionStore.use((store) => store.ofSubject(sandbox.organisation.id, made.id))
    const opened = await service.run(exceptions)
    assert.deepStrictEqual(
      opened.map(({ kind, status }) => [kind, status]),
      [["account_disabled", "OPEN"]]
    )
    assert.match(opened[0]?.reason ?? "", /stripe refuses the account Main \(account_invalid\)/u)
    assert.isFalse((await done(sandbox, (use) => use.check(made.id))).charges_enabled)
  })

  it("is one for each integration, at the test processor at once, and none where none is opened", async () => {
    const [one, two] = [await create(), await create()]
    assert.notStrictEqual(one.processor_connect_account_id, two.processor_connect_account_id)
    const play = await create({ processor: "test" })
    assert.isTrue(play.charges_enabled)
    assert.strictEqual((await done(sandbox, (use) => use.onboard(play.id, addresses))).url, addresses.return_url)

    const account = "processor_connect_account_id"
    const bank = { account_name: "Harbour", bsb: "062-000", account_number: "12345678" }
    const atBank = { label: "Bank", processor: "bank", bank_account: bank } as const
    assert.match(
      // @ts-expect-error no account is given
      await refusal(live, (use) => use.create(atBank)),
      new RegExp(`^${account}: .* at bank here\\.$`, "u")
    )
    assert.match(
      await refusal(live, (use) => use.create({ label: "Main" })),
      /no account could be opened\. There is no key of Stripe's live mode here, .* Set STRIPE_SECRET_KEY/u
    )
    double.lose("requests")
    assert.match(
      await refusal(sandbox, (use) => use.create({ label: "Main", processor: "stripe" })),
      /not reached \(not_reached\)\. Try again\.$/u
    )
    assert.match(await refusal(sandbox, (use) => use.onboard(one.id, addresses)), /^return_url: .*Try again\.$/u)
    assert.match(await refusal(sandbox, (use) => use.check(one.id)), /^id: .*Try again\.$/u)
    double.lose(null)
    // A key that is not accepted is a wrong key, and to try again would change nothing.
    const attempts = [
      (use: Integrations["Service"]) => use.create({ label: "Main", processor: "stripe" }),
      (use: Integrations["Service"]) =>
        use.create({ label: "Main", processor: "stripe", [account]: one.processor_connect_account_id }),
      (use: Integrations["Service"]) => use.onboard(one.id, addresses),
      (use: Integrations["Service"]) => use.check(one.id)
    ]
    for (const attempt of attempts) {
      double.fail({ kind: "status", status: 401, type: "invalid_request_error" })
      const said = await refusal<unknown, unknown>(sandbox, attempt)
      assert.match(said, /does not accept the key .*Set the right one\.$/u)
      assert.notMatch(said, /try again/iu)
    }
    // Nobody was asked about a live account: no key of that mode is there.
    const given = { label: "Main", [account]: "acct_live1" }
    assert.isFalse((await done(live, (use) => use.create(given))).charges_enabled)
    const banked = await done(live, (use) => use.create({ ...atBank, [account]: "main" }))
    assert.match(await refusal(live, (use) => use.onboard(banked.id, addresses)), /^id: /u)
    // Another organisation's is not known.
    assert.match(await refusal(live, (use) => use.onboard(one.id, addresses)), /not found|no integration/iu)
    assert.match(await refusal(live, (use) => use.check(one.id)), /not found|no integration/iu)
  })
})
