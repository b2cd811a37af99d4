import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Layer } from "effect"
import * as LocalRateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import type { Adapters } from "../../src/facade/Adapters.ts"
import { serve } from "../../src/http.ts"
import { Almoner, InvalidOption, type WebhookRequest } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import * as ports from "../../src/ports.ts"
import { asClass } from "../support/PrivateFields.ts"
import { callerIn, receiverAnswer } from "./Charity.ts"

type AnyKey = Context.Key<unknown, object>

const isService = (value: unknown): value is AnyKey =>
  typeof value === "function" &&
  Object(value).key?.startsWith("almoner/ports/") === true &&
  !Object.hasOwn(value, "defaultValue")

/** The ports that are not replaced: callers come with each call, and a backend's own outbox raises its signal. */
const kept = ["CurrentCaller", "DeliverySignal"]

/** Ports that no operation of an Almoner asks for. */
const unasked = new Set([
  "ChargeStore",
  "CreditStore",
  "DefaultCodeStore",
  "CapStore",
  "CardGuardStore",
  "EmailCodeStore",
  "GivingSettingsStore",
  "ElectionStore",
  "StatementMarkup",
  "DisputeStore",
  "InvoiceStore",
  "MandateStore",
  "SubscriptionStore",
  "TransferAttemptStore",
  "LedgerStore",
  "PaymentExceptionStore",
  "ReconciliationStore",
  "TariffStore"
])

/** Every other port that is a service, by its name. */
const services: ReadonlyArray<readonly [name: string, port: AnyKey]> = Object.entries(ports)
  .filter(([name]) => !kept.includes(name))
  .flatMap(([name, value]) => (isService(value) ? [[name, value] as const] : []))

const gift = { amount_cents: 5_000, donation_type: "MONETARY", donation_date: "2026-01-10" } as const

/** Something of everything that an Almoner does. */
const live = async (almoner: Almoner): Promise<void> => {
  const caller = await callerIn(almoner, { plan: "ENTERPRISE" })
  const ada = almoner.as(caller)
  const key = await almoner.apiKeys.create(caller, { name: "Website", scope: "WRITE" })
  await ada.webhookEndpoints.create({ url: "http://192.0.2.7/", event_types: ["donor.created"] })
  const donor = await ada.donors.create({ first_name: "Mary" })
  const donation = await ada.donations.create({ ...gift, donor_id: donor.id })
  await ada.donations.refund(donation.id, { amount_cents: 100 }).outcome()
  await ada.donations.listRefunds(donation.id)
  await ada.contactLogs.list(donor.id)
  await ada.revenueCodes.list()
  await ada.forms.list()
  await ada.checkoutLinks.list()
  const form = await ada.forms.create({ name: "Spring" })
  await ada.forms.mintLink(form.id, { donor_id: donor.id }).outcome()
  await ada.recipientAccounts.link({ passphrase: "gravel tiptop outlet zebra unmasked dollar" }).outcome()
  const hill = await callerIn(almoner, { slug: "hillside" })
  const account = { label: "Hillside", processor_connect_account_id: "acct_1" }
  const { passphrase } = await almoner.integrations.create(hill, account)
  const { link } = await ada.recipientAccounts.link({ passphrase })
  const allocations = [{ recipient_org_account_link_id: link.id, amount_cents: 100 }]
  const set = await ada.recommendationSets.create({ name: "Spring", allocations })
  await ada.recommendationSets.listPayments(set.id)
  await ada.organisations.list()
  await ada.campaigns.list()
  await ada.segments.list()
  await ada.intelligence.readWorklist()
  await ada.introductions.send({ invitee_email: "mary@example.org", invitee_message: null }).outcome()
  await ada.introductions.list()
  await almoner.users.list()
  await almoner.audit.list(caller, 10)
  await almoner.mails.list(caller)
  await almoner.testProcessor.list(caller)
  await almoner.consentPrompts.list(caller)
  await almoner.keyRing.status()
  await almoner.eventConsumers.list()
  await almoner.dispatch()
  await almoner.sendMails()
  await almoner.sweep()
  const api = await serve(almoner)
  const headers = { authorization: `Bearer ${key.secret}`, "content-type": "application/json", "idempotency-key": "k" }
  const body = JSON.stringify({ ...gift, donor_id: donor.id })
  await api.fetch(new Request("https://api.almoner.test/api/v1/donations", { method: "POST", headers, body }))
}

const open = (adapters: Adapters) => Almoner.open({ backend: memory(), operatorCidrs: ["192.0.2.0/24"], adapters })

/** A port's original without one of its methods or effects, which has another name. */
const misnamed = (original: object, member: string): object => {
  const { [member]: moved, ...rest } = Object.fromEntries(Object.entries(original))
  return { ...rest, [`${member}s`]: moved }
}

describe("adapters of a host", () => {
  it("that lack a method of their port refuse the opening, with its name and that of what is there instead", async () => {
    const untried: Array<string> = []
    for (const [name, port] of services) {
      let lacking: string | undefined
      let kind = ""
      const layer = Layer.effect(
        port,
        Effect.map(port, (original) => {
          const of = (key: string): unknown => Reflect.get(original, key)
          const members = Object.keys(original).filter(
            (key) => typeof of(key) === "function" || Effect.isEffect(of(key))
          )
          lacking = members.find((key) => typeof of(key) === "function") ?? members[0]
          kind = Effect.isEffect(of(lacking ?? "")) ? "an effect" : "a method"
          return lacking === undefined ? original : misnamed(original, lacking)
        })
      )
      const under = name === "RateLimiter" ? Layer.provide(layer, LocalRateLimiter.layer({})) : layer
      const opened = await open({ [name]: under } as Adapters).then(
        (almoner) => almoner.close().then(() => "opened"),
        (cause: unknown) => (cause instanceof InvalidOption ? `${cause.option}: ${cause.message}` : cause)
      )
      if (lacking === undefined) {
        untried.push(name)
        continue
      }
      const beside = `It has ${lacking}s, which the port has not.`
      assert.strictEqual(opened, `adapters: adapters.${name} has no ${lacking}, which must be ${kind}. ${beside}`)
    }
    assert.deepStrictEqual(untried, [])
  })

  it("that are a rate limiter without its size refuse the opening, too, and one that is whole does not", async () => {
    const take = () => Effect.die("not asked")
    const limiter = { take, charge: take, takeAnonymous: take, giveBackAnonymous: take }
    const opened = (given: object) =>
      open({ RateLimiter: given } as Adapters).then(
        (almoner) => almoner.close().then(() => "opened"),
        (cause: unknown) => (cause instanceof InvalidOption ? cause.message : String(cause))
      )
    assert.strictEqual(await opened(limiter), "adapters.RateLimiter has no size, which must be a value.")
    assert.strictEqual(await opened({ ...limiter, size: { burst: 5, perSecond: 1 } }), "opened")
    const { takeAnonymous, ...rest } = { ...limiter, size: { burst: 5, perSecond: 1 } }
    assert.strictEqual(
      await opened({ ...rest, takeStranger: takeAnonymous }),
      "adapters.RateLimiter has no takeAnonymous, which must be a method. It has takeStranger, which the port has not."
    )
  })

  it("take the place of each port, and are used, written as classes with private fields", async () => {
    const used = new Set<string>()
    // The rate limiter, the transport and the mailer are the host's in any case.
    const outer: Readonly<Record<string, Layer.Layer<never>>> = {
      RateLimiter: LocalRateLimiter.layer({}) as unknown as Layer.Layer<never>,
      WebhookTransport: Layer.succeed(ports.WebhookTransport, {
        post: (_: WebhookRequest) => Effect.succeed(receiverAnswer)
      }) as unknown as Layer.Layer<never>,
      MailTransport: Layer.succeed(ports.MailTransport, {
        send: () => Effect.succeed({ _tag: "Sent" as const })
      }) as unknown as Layer.Layer<never>
    }
    const adapters = services.map(([name, port]) => {
      const spy = Layer.effect(
        port,
        Effect.map(port, (original) => asClass(original, () => used.add(name)))
      )
      const under = outer[name]
      return [name, under === undefined ? spy : Layer.provide(spy, under)]
    })
    // A spy is made for each port alike, which loses whose it is.
    const almoner = await open(Object.fromEntries(adapters) as Adapters)
    await live(almoner)
    await almoner.close()
    assert.isAbove(services.length, 30)
    assert.deepStrictEqual(
      services.map(([name]) => name).filter((name) => !used.has(name) && !unasked.has(name)),
      []
    )
  })

  it("are one for each port that a layer may be made of", async () => {
    const names = services.map(([name]) => name)
    const missing = await Promise.all(
      names.map(async (name) => {
        const opened = await open({ [name]: undefined }).then(
          (almoner) => almoner.close().then(() => null),
          () => name
        )
        return opened
      })
    )
    assert.deepStrictEqual(
      missing.filter((name) => name !== null),
      []
    )
  })

  it("may be implementations as they are", async () => {
    const signed: Array<string> = []
    const almoner = await Almoner.open({
      backend: memory(),
      operatorCidrs: ["192.0.2.0/24"],
      adapters: {
        WebhookSigner: { sign: () => "v1,mine" },
        WebhookTransport: {
          post: ({ headers }) =>
            Effect.sync(() => {
              signed.push(String(headers["webhook-signature"]))
              return receiverAnswer
            })
        }
      }
    })
    const ada = almoner.as(await callerIn(almoner))
    await ada.webhookEndpoints.create({ url: "http://192.0.2.7/", event_types: ["donor.created"] })
    await ada.donors.create({ first_name: "Mary" })
    assert.strictEqual(await almoner.dispatch(), 1)
    assert.deepStrictEqual(signed, ["v1,mine"])
    await almoner.close()
  })

  it("make keys needless where secrets and MACs are the host's", async () => {
    const given = { backend: { ...memory(), keys: { _tag: "Given" as const } } }
    const refused = await Almoner.open(given).catch((failure: unknown) => failure)
    assert.match(String(Object(refused).message), /key/i)
    const plain = { seal: (secret: string) => Effect.succeed(secret), open: (sealed: string) => Effect.succeed(sealed) }
    const macs = await open({}).then(async (almoner) => {
      const service = await almoner.run(ports.Macs)
      return [service, almoner] as const
    })
    const almoner = await Almoner.open({ ...given, adapters: { SecretBox: plain, Macs: macs[0] } })
    await almoner.close()
    await macs[1].close()
  })

  it("are refused with a sentence under a name that no port has, and where they are none", async () => {
    const message = async (adapters: unknown): Promise<string> => {
      const failure = await open(adapters as Adapters).catch((each: unknown) => each)
      return failure instanceof Error ? failure.message : "opened"
    }
    assert.match(
      await message({ DonorStorage: {} }),
      /^adapters has no port "DonorStorage"\. It takes ApiKeyStore, .+\.$/
    )
    for (const none of ["store", 5, null, true]) {
      assert.strictEqual(
        await message({ DonorStore: none }),
        "adapters.DonorStore must be an implementation of the port DonorStore, or a layer of it."
      )
    }
  })

  it("fail to open with the sentence of the adapter that cannot be made", async () => {
    const broken: Adapters = {
      DonorStore: Layer.effect(ports.DonorStore, Effect.fail(new Error("The vault is sealed.")))
    }
    const failure = await open(broken).catch((each: unknown) => each)
    assert.strictEqual(failure instanceof Error ? failure.message : "opened", "The vault is sealed.")
  })
})
