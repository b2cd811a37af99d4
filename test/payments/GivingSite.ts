import { Effect, Option } from "effect"
import { ApiKeys } from "../../src/app/access/ApiKeys.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { DonationForms } from "../../src/app/giving/DonationForms.ts"
import { RevenueCodes } from "../../src/app/giving/RevenueCodes.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { CheckoutLinkId, type IntegrationId, type OrganisationId } from "../../src/domain/kernel/Ids.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { ChargeStore, CheckoutLinkStore, OrganisationStore } from "../../src/ports.ts"
import { asOperator } from "../support/Tenant.ts"
import type { CrashService } from "./CrashService.ts"
import { countGifts } from "./DisclosureLaw.ts"
import { amount, type Life } from "./Life.ts"

// Where the lives of the crash tests are lived.

/** Where gifts are given, as one process tells the next. */
export interface Address {
  readonly organisation: string
  readonly integration_id: IntegrationId
  readonly slug: string
  readonly key: string
  /** The set whose recipients are paid, equal parts each. */
  readonly set: { readonly url_key: string; readonly allocations: ReadonlyArray<string> }
  /** Where the set's recipients get their parts. */
  readonly recipients: ReadonlyArray<Recipient>
}

/** An account of a set's recipient. */
export interface Recipient {
  readonly organisation_id: OrganisationId
  readonly integration_id: IntegrationId
}

/** Where gifts are given. */
export interface GivingSite extends Omit<Address, "organisation"> {
  readonly organisation: Organisation
}

export const siteAt = async (service: CrashService, address: Address): Promise<GivingSite> => {
  const found = OrganisationStore.use((store) => Effect.map(store.findBySlug(address.organisation), Option.getOrThrow))
  return { ...address, organisation: await service.raw(found) }
}

/** The code of an organisation's gifts. */
const code = "CAMPAIGN"

const makeSandbox = (service: CrashService, slug: string): Promise<Organisation> =>
  service.run(
    Effect.gen(function* () {
      const input = {
        slug,
        name: "Charity",
        timezone: "Australia/Sydney",
        default_currency: "AUD",
        plan: "ENTERPRISE",
        sandbox_webhook_cidrs: []
      } as const
      const context = { actor: { type: "SYSTEM", id: "test" }, request_id: "req_test" } as const
      const { sandbox } = yield* Organisations.use((all) => all.create(input, context))
      const counted = Effect.andThen(
        RevenueCodes.use((codes) => codes.create({ code })),
        countGifts(code)
      )
      yield* counted.pipe(asOperator(sandbox))
      return sandbox
    })
  )

const makeAccount = (service: CrashService, organisation: Organisation) =>
  service.run(
    Integrations.use((all) =>
      all.create({
        label: "Main",
        processor_connect_account_id: "acct_1",
        methods: ["card", "au_becs_debit", "payto", "bank_transfer"]
      })
    ).pipe(asOperator(organisation))
  )

/** Asks REST for something as often as it says that it is at it still, or has no time now, and answers its body. */
export const askUntilDone = async (
  service: CrashService,
  key: string,
  path: string,
  body: unknown,
  idempotencyKey: string
): Promise<Record<string, unknown>> => {
  for (;;) {
    const answer = await service.send(key, path, body, idempotencyKey)
    const text = await answer.text()
    if (answer.ok) return JSON.parse(text)
    if (answer.status !== 503 && !text.includes("still being processed"))
      throw new Error(`${path} was refused: ${text}`)
    await new Promise((resume) => setTimeout(resume, 20))
  }
}

/** Makes a recipient whose account is linked; it and its link. */
const makeRecipient = async (service: CrashService, key: string, n: number) => {
  const organisation = await makeSandbox(service, n === 0 ? "food-bank" : `food-bank-${n}`)
  const { id: integration_id, passphrase } = await makeAccount(service, organisation)
  const { id } = await askUntilDone(service, key, "/recipient-accounts", { passphrase }, `recipient ${n}`)
  return { recipient: { organisation_id: organisation.id, integration_id }, link: id }
}

/** Makes a sandbox that takes gifts through a form, through links and through a set with so many recipients. */
export const makePlace = async (service: CrashService, recipients = 1): Promise<Address> => {
  const organisation = await makeSandbox(service, "charity")
  const { id: integration_id } = await makeAccount(service, organisation)
  const opened = Effect.gen(function* () {
    const form = yield* DonationForms.use((all) =>
      all.create({ name: "Winter appeal", status: "ACTIVE", revenue_code: code })
    )
    const { secret: key } = yield* ApiKeys.use((keys) => keys.create({ name: "Writer", scope: "WRITE" }))
    return { key, slug: form.slug }
  })
  const { key, slug } = await service.run(opened.pipe(asOperator(organisation)))
  const made: Array<Awaited<ReturnType<typeof makeRecipient>>> = []
  for (let n = 0; n < recipients; n += 1) made.push(await makeRecipient(service, key, n))
  const amount_cents = amount / recipients
  const allocations = made.map(({ link }) => ({ recipient_org_account_link_id: link, amount_cents }))
  const given = { name: "Harvest", amount_mode: "SUGGESTED", allocations }
  const set = await askUntilDone(service, key, "/recommendation-sets", given, "set")
  return {
    organisation: organisation.slug,
    integration_id,
    slug,
    key,
    set: {
      url_key: `${set["url_key"]}`,
      allocations: (set["allocations"] as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
    },
    recipients: made.map(({ recipient }) => recipient)
  }
}

/** The gift that is lived: the n-th at a place. */
export interface GiftLife {
  readonly service: CrashService
  readonly place: GivingSite
  readonly life: Life
  readonly n: number
}

/** A page of the n-th gift: the first, or the one on which somebody gives after it. */
export const pageOf = (n: number, page: 1 | 2 = 1): string =>
  `018f6e7a-0000-7000-800${page}-${String(n).padStart(12, "0")}`

export const chargeOf = ({ n, place, service }: GiftLife, page: 1 | 2 = 1): Promise<Option.Option<Charge>> =>
  service.raw(ChargeStore.use((store) => store.ofSubmission(place.organisation.id, pageOf(n, page))))

export interface Link {
  readonly id: string
  readonly code: string
}

const hour = 3_600_000

/** How long after the beginning of the place its links that expire do so, hours. */
const linkHours = 12

const links = new WeakMap<GiftLife, Promise<Link>>()

const makeLink = async ({ life, n, place, service }: GiftLife): Promise<Link> => {
  const { organisation } = place
  const ends = new Date(organisation.created_at.epochMilliseconds + linkHours * hour).toISOString()
  const given = {
    donor_email: `canary-${n}@example.org`,
    donor_first_name: "Canaryfirst",
    donor_last_name: "Canarylast",
    amount_cents: 5_000,
    payment_methods: ["card", "au_becs_debit", "bank_transfer"],
    ...(life.expires === true ? { expires_at: ends } : {})
  }
  const { code, id } = await askUntilDone(service, place.key, "/checkout-links", given, `link ${n}`)
  return { code: `${code}`, id: `${id}` }
}

/** The link of the gift, which is made once: it is asked for before any time passes, while its key is kept. */
export const linkOf = (living: GiftLife): Promise<Link> => {
  const known = links.get(living) ?? makeLink(living)
  links.set(living, known)
  return known
}

export const linkStatus = async (living: GiftLife): Promise<string> => {
  const { id } = await linkOf(living)
  const { place, service } = living
  const found = CheckoutLinkStore.use((store) => store.find(place.organisation.id, CheckoutLinkId.make(id)))
  const { archived_at, status } = Option.getOrThrow(await service.raw(found))
  return archived_at === null ? status : "ARCHIVED"
}

const donors = new WeakMap<GiftLife, Promise<string>>()

/** The donor under whom money is booked that named no gift. */
export const bookedDonor = (living: GiftLife): Promise<string> => {
  const { n, place, service } = living
  const body = { first_name: "Canaryfirst", email: `canary-booked-${n}@example.org` }
  const known =
    donors.get(living) ?? askUntilDone(service, place.key, "/donors", body, `donor ${n}`).then(({ id }) => `${id}`)
  donors.set(living, known)
  return known
}
