import { assert } from "@effect/vitest"
import { Effect, Option, Predicate } from "effect"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import {
  DonationFormId,
  DonationId,
  DonorId,
  IntegrationId,
  idPrefixes,
  RecipientAccountLinkId,
  RecommendationSetId
} from "../../src/domain/kernel/Ids.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import * as Ports from "../../src/ports.ts"
import { disclosureOf } from "../../src/testing/conformance/DisclosureRecords.ts"
import { campaignOf } from "../../src/testing/conformance/Insight.ts"
import { chargeOf, invoiceOf, paymentOf, subscriptionOf } from "../../src/testing/conformance/MoneyRecords.ts"
import type { Answer } from "./Answer.ts"
import { type DeclaredOperation, guardedOperations, soundBody, writes } from "./Declaration.ts"
import type { RequestParts, Service } from "./Service.ts"
import { makeTenants, type Tenant } from "./Tenant.ts"

export type Ids = ReadonlyMap<string, string>

const anyId = /\b([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
const prefixOf = (text: string): string | undefined => new RegExp(`^${anyId.source}$`).exec(text)?.[1]

/** The ids that an answer mentions, by prefix; the first of a kind stays. */
const gather = (ids: Map<string, string>, { text }: Answer): void => {
  for (const [id, prefix = ""] of text.matchAll(anyId)) if (!ids.has(prefix)) ids.set(prefix, id)
}

/** A place in a body where an id stands, or may stand. */
export interface Site {
  readonly path: ReadonlyArray<string | number>
  readonly prefix: string
}

const snake = (kind: string): string => kind.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const kinds: ReadonlyArray<readonly [suffix: string, prefix: string]> = [
  ...Object.entries(idPrefixes).map(([kind, prefix]) => [`${snake(kind)}_id`, prefix] as const),
  ["recipient_org_account_link_id", idPrefixes.recipientAccountLink],
  ["form_id", idPrefixes.donationForm],
  ["endpoint_id", idPrefixes.webhookEndpoint]
]

/** The prefix of the ids that a field of this name holds. */
export const prefixOfName = (name: string): string | undefined =>
  kinds.find(([suffix]) => name === suffix || name.endsWith(`_${suffix}`))?.[1]

const sitesIn = (value: unknown, path: Site["path"]): ReadonlyArray<Site> => {
  if (typeof value === "string") {
    const prefix = prefixOf(value)
    return prefix === undefined ? [] : [{ path, prefix }]
  }
  if (!Predicate.isObjectOrArray(value)) return []
  return Array.isArray(value)
    ? value.flatMap((each, index) => sitesIn(each, [...path, index]))
    : Object.entries(value).flatMap(([key, each]) => sitesIn(each, [...path, key]))
}

/** A body that the operation accepts: the reference's example. */
const bodyOf = (operation: DeclaredOperation): unknown => operation.example.request ?? soundBody(operation)

/** Everywhere in an operation's body that an id stands or may stand. */
export const sitesOf = (operation: DeclaredOperation): ReadonlyArray<Site> => {
  const taken =
    operation.payload?.ast._tag === "Objects"
      ? operation.payload.ast.propertySignatures.map(({ name }) => String(name))
      : []
  const inExample = sitesIn(bodyOf(operation), [])
  const more = taken.flatMap((name): ReadonlyArray<Site> => {
    const prefix = prefixOfName(name)
    return prefix === undefined || inExample.some(({ path }) => path[0] === name) ? [] : [{ path: [name], prefix }]
  })
  return [...inExample, ...more]
}

/** The value with another one at a path. */
const put = (value: unknown, [key, ...rest]: Site["path"], given: string): unknown => {
  if (key === undefined) return given
  if (Array.isArray(value)) return value.map((each, index) => (index === key ? put(each, rest, given) : each))
  const inner: unknown = Reflect.get(Object(value), key)
  return { ...Object(value), [key]: put(inner, rest, given) }
}

/** The operation's request with these ids where the example has ids; what has no id here keeps the example's. */
export const requestTo = (
  operation: DeclaredOperation,
  ids: Ids
): { readonly path: string; readonly sent: RequestParts } => {
  const path = operation.ids.reduce(
    (text, [name, prefix]) => text.replace(`:${name}`, ids.get(prefix) ?? `${prefix}_01jh00000000000000000000zz`),
    operation.path
  )
  if (!writes(operation)) return { path, sent: {} }
  const body = sitesIn(bodyOf(operation), []).reduce(
    (filled, site) => put(filled, site.path, ids.get(site.prefix) ?? "none"),
    bodyOf(operation)
  )
  return { path, sent: { json: body } }
}

export const withId = (sent: RequestParts, site: Site, id: string): RequestParts => ({
  ...sent,
  json: put(sent.json, site.path, id)
})

export const ask = (tenant: Tenant, operation: DeclaredOperation, ids: Ids): Promise<Answer> => {
  const { path, sent } = requestTo(operation, ids)
  return tenant.writer.request(operation.method, path, sent)
}

/** Reads every list of a tenant that concerns no single record, and every record that these ids name. */
export const readAll = async (tenant: Tenant, ids: Ids): Promise<string> => {
  const texts: Array<string> = []
  // The time is another with each reading.
  const all = guardedOperations.filter(({ method, operation }) => method === "GET" && operation !== "sandbox.read")
  for (const operation of all) {
    const { path } = requestTo(operation, ids)
    const size = operation.list === undefined ? "" : `?limit=${Limits.pageMaximum}`
    texts.push((await tenant.writer.get(`${path}${size}`, { "x-request-id": "reading" })).text)
  }
  return texts.join("\n")
}

/** Makes the records that REST cannot make: an account to link, and a campaign. */
const prepare = async (service: Service, tenant: Tenant, ids: Map<string, string>): Promise<void> => {
  const { live: recipient } = await makeTenants(service, { name: "Food Bank" })
  const { passphrase, ...account } = await recipient.staff(
    Integrations.use((all) => all.create({ label: "Main", processor_connect_account_id: "acct_1" }))
  )
  // Its processor, of which there is no key here, has said that it takes charges.
  await service.run(Ports.IntegrationStore.use((store) => store.update({ ...account, charges_enabled: true })))
  const linked = await tenant.writer.post("/recipient-accounts", { passphrase })
  assert.strictEqual(linked.status, 201, linked.text)
  ids.set(idPrefixes.recipientAccountLink, linked.textAt("id"))
  ids.set(idPrefixes.organisation, recipient.organisation.id)
  const integration = await tenant.staff(
    Integrations.use((all) => all.create({ label: "Own", processor_connect_account_id: "acct_2" }))
  )
  ids.set(idPrefixes.integration, integration.id)
  const campaign = await service.run(campaignOf(tenant.organisation.id))
  await service.run(Ports.CampaignStore.use((store) => store.insert(campaign)))
  ids.set(idPrefixes.campaign, campaign.id)
}

/** Makes a recurring gift of a donor that is there, and a disclosure: only a donor on a page sets one up, and only gifts make the other. */
const subscribe = async (service: Service, tenant: Tenant, ids: Map<string, string>): Promise<void> => {
  const giver = { id: DonorId.make(ids.get(idPrefixes.donor) ?? ""), organisation_id: tenant.organisation.id }
  const donation_form_id = DonationFormId.make(ids.get(idPrefixes.donationForm) ?? "")
  const [anchor_day, next_charge_on] = [CalendarDate.make("2026-04-02"), CalendarDate.make("2026-05-02")]
  const given = { donation_form_id, anchor_day, next_charge_on, consent_given: true }
  const subscription = await service.run(subscriptionOf(giver, given))
  await service.run(Ports.SubscriptionStore.use((store) => store.insert(subscription)))
  const invoice = await service.run(invoiceOf(subscription))
  await service.run(Ports.InvoiceStore.use((store) => store.insert(invoice)))
  ids.set(idPrefixes.subscription, subscription.id)
  const donation_ids = [DonationId.make(ids.get(idPrefixes.donation) ?? "")]
  const disclosure = await service.run(
    disclosureOf(giver, { cap_cents: 5_000_000, cap_used_cents: 600_000, donation_ids })
  )
  await service.run(Ports.DisclosureStore.use((store) => store.insert(disclosure)))
  ids.set(idPrefixes.disclosure, disclosure.id)
}

/** Makes a payment to a set whose money has gone on to its recipient: only a donor on a page pays. */
const pay = async (service: Service, { organisation }: Tenant, ids: Map<string, string>): Promise<void> => {
  const idOf = (kind: keyof typeof idPrefixes) => ids.get(idPrefixes[kind]) ?? ""
  const make = Effect.gen(function* () {
    const link = Option.getOrThrow(
      yield* Ports.RecipientAccountStore.use((store) =>
        store.find(organisation.id, RecipientAccountLinkId.make(idOf("recipientAccountLink")))
      )
    )
    const set = Option.getOrThrow(
      yield* Ports.RecommendationSetStore.use((store) =>
        store.find(organisation.id, RecommendationSetId.make(idOf("recommendationSet")))
      )
    )
    const integration = Option.getOrThrow(
      yield* Ports.IntegrationStore.use((store) => store.find(organisation.id, IntegrationId.make(idOf("integration"))))
    )
    const donation_id = DonationId.make(idOf("donation"))
    const paid = yield* paymentOf(set, [link], {
      payment_status: "SUCCEEDED",
      total_amount_cents: 6_000,
      donor_id: DonorId.make(idOf("donor"))
    })
    const amounts = { gross_amount_cents: 6_000, net_amount_cents: 5_800 }
    const allocations = paid.allocations.map((each) => ({
      ...each,
      ...amounts,
      donation_id,
      transfer_status: "succeeded" as const
    }))
    yield* Ports.PaymentStore.use((store) => store.insert({ ...paid, allocations }))
    const charge = yield* chargeOf(integration, {
      purpose: "payment",
      subject_id: paid.id,
      amount_cents: 6_000,
      status: "SUCCEEDED"
    })
    yield* Ports.ChargeStore.use((store) => Effect.orDie(store.insert(charge)))
    return paid.id
  })
  ids.set(idPrefixes.payment, await service.run(make))
}

/** The moment at which the reference's examples happen. */
export const exampleTime = Date.UTC(2026, 3, 2)

/**
 * Makes a record of every kind for a tenant, by the declared creates with the bodies of the reference, and answers their ids.
 * A create that needs another's record finds it at the second turn, as do the lists of events and deliveries.
 */
export const populate = async (service: Service, tenant: Tenant): Promise<Ids> => {
  if (service.clock.now < exampleTime) service.clock.advance(exampleTime - service.clock.now)
  const ids = new Map<string, string>()
  await prepare(service, tenant, ids)
  const creates = guardedOperations.filter(({ answers, method }) => method === "POST" && answers.has(201))
  for (const turn of [1, 2]) {
    for (const operation of creates) {
      const answer = await ask(tenant, operation, ids)
      if (answer.status === 201) gather(ids, answer)
      else if (turn === 1) assert.isTrue(answer.status < 500, `${operation.name}: ${answer.text}`)
    }
  }
  await subscribe(service, tenant, ids)
  await pay(service, tenant, ids)
  for (const { path, list } of guardedOperations) {
    if (list !== undefined && !path.includes("/:")) gather(ids, await tenant.writer.get(path))
  }
  return ids
}
