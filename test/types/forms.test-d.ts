import type { DateTime } from "effect"
import type { Client } from "../../src/client.ts"
import type { CalendarDate, Ids, Integration } from "../../src/domain.ts"
import type { CheckoutLinks, Checkouts, Donations, Integrations, PaymentExceptions, Sandbox } from "../../src/effect.ts"
import type { Almoner, Caller, DonorId, NewIntegration } from "../../src/index.ts"

declare const almoner: Almoner
declare const caller: Caller
declare const api: Client
declare const donor: { readonly id: DonorId }

/* An input that has exactly one of some fields, or fields that go together, takes nothing else: in promises. */

almoner.checkouts.open({ organisation: "harbour", slug: "appeal" })
almoner.checkouts.open({ organisation: "harbour", code: "abc", slug: null })

// @ts-expect-error nothing names the page
almoner.checkouts.open({ organisation: "harbour" })

// @ts-expect-error two things name the page
almoner.checkouts.open({ organisation: "harbour", slug: "appeal", code: "abc" })

declare const settings: {
  readonly processor: string
  readonly own: "adyen" | "harbour"
  readonly either: "bank" | "stripe"
}
const named = { label: "Bank", processor: "bank" }
const open = { processor_connect_account_id: "main" }
const credentials = { secret_key: "sk_live_1", publishable_key: "pk_live_1" }
const bank_account = { account_name: "Harbour", bsb: "062-000", account_number: "12345678" }

almoner.integrations.create(caller, { label: "Bank", processor: "bank", bank_account, ...open })

// @ts-expect-error the bank without its account
almoner.integrations.create(caller, { label: "Bank", processor: "bank", ...open })

// @ts-expect-error an account of its own at the bank
almoner.integrations.create(caller, { label: "Bank", processor: "bank", is_own: true, credentials, ...open })

// @ts-expect-error one of two, of which one is the bank
almoner.integrations.create(caller, { label: "Bank", processor: settings.either, ...open })

// @ts-expect-error an input that says so before
almoner.integrations.create(caller, { ...named, processor: "bank", ...open } as const)

almoner.integrations.create(caller, { label: "Main" })
almoner.integrations.create(caller, { label: "Main", processor: null })
almoner.integrations.create(caller, { label: "Main", processor: "adyen" })
almoner.integrations.create(caller, { label: "Main", processor: "stripe", is_own: true, credentials, ...open })
almoner.integrations.create(caller, { label: "Main", processor: settings.processor })
almoner.integrations.create(caller, { label: "Main", processor: settings.own })
// One that is put together before has any text: the use case refuses it.
almoner.integrations.create(caller, named)
export const makeIntegration = (input: NewIntegration) => almoner.integrations.create(caller, input)

// @ts-expect-error an account for donors' transfers elsewhere than at the bank
almoner.integrations.create(caller, { label: "Bank", processor: "stripe", bank_account, ...open })

// @ts-expect-error an own account without credentials
almoner.integrations.create(caller, { label: "Main", processor: "stripe", is_own: true, ...open })

// @ts-expect-error credentials of an account that has none of its own
almoner.integrations.create(caller, { label: "Main", processor: "stripe", credentials, ...open })

// @ts-expect-error a bank account that is open nowhere
almoner.integrations.create(caller, { label: "Bank", processor: "bank", bank_account })

// @ts-expect-error an own account that is open nowhere
almoner.integrations.create(caller, { label: "Main", processor: "stripe", is_own: true, credentials })

const in_kind = {
  donor_id: donor.id,
  donation_type: "IN_KIND",
  amount_cents: 500,
  donation_date: "2026-01-10"
} as const

almoner.donations.create(caller, { ...in_kind, in_kind_category: "GOODS", in_kind_description: "A desk" })
almoner.donations.create(caller, { ...in_kind, donation_type: "MONETARY", in_kind_category: null })

// @ts-expect-error things without what they are
almoner.donations.create(caller, { ...in_kind, in_kind_category: "GOODS" })

// @ts-expect-error the same over HTTP
api.donations.create(in_kind)

/* The services in Effect take the same. */

declare const checkouts: Checkouts.Checkouts["Service"]
declare const integrations: Integrations.Integrations["Service"]
declare const donations: Donations.Donations["Service"]

checkouts.open({ organisation: "harbour", slug: "appeal" })
checkouts.open({ organisation: "harbour", code: "abc", slug: null })

// @ts-expect-error nothing names the page
checkouts.open({ organisation: "harbour" })

// @ts-expect-error nothing but null names the page
checkouts.visit({ organisation: "harbour", slug: null })

// @ts-expect-error two things name the page
checkouts.visit({ organisation: "harbour", slug: "appeal", code: "abc" })

declare const names: { readonly slug: string | null; readonly code: string | null }

// @ts-expect-error names that may both be null, or both be given
checkouts.open({ organisation: "harbour", ...names })

const submission_id = "0b5f2f6e-52ff-4d8b-9a5a-5d1c8f7f8f10"
const gift = { submission_id, amount_cents: 500, currency: "AUD", method: "card", request_id: "req_1" } as const
const asking = { submission_id, email: "ada@example.org" }

checkouts.submit({ organisation: "harbour", url_key: "abc", ...gift })
checkouts.requestCode({ organisation: "harbour", embed_token: "abc", ...asking })
checkouts.openCards({ organisation: "harbour", slug: "appeal", ...asking, email_code: "123456" })

// @ts-expect-error nothing names the page
checkouts.submit({ organisation: "harbour", ...gift })

// @ts-expect-error two things name the page
checkouts.submit({ organisation: "harbour", slug: "appeal", url_key: "abc", ...gift })

// @ts-expect-error nothing names the page
checkouts.requestCode({ organisation: "harbour", ...asking })

// @ts-expect-error two things name the page
checkouts.openCards({ organisation: "harbour", slug: "appeal", embed_token: "abc", ...asking, email_code: "123456" })

integrations.create({ label: "Bank", processor: "bank", bank_account, ...open })

// @ts-expect-error the bank without its account
integrations.create({ label: "Bank", processor: "bank", ...open })

// @ts-expect-error an account of its own at the bank
integrations.create({ label: "Bank", processor: "bank", is_own: true, credentials, ...open })

// @ts-expect-error one of two, of which one is the bank
integrations.create({ label: "Bank", processor: settings.either, ...open })

// @ts-expect-error an input that says so before
integrations.create({ ...named, processor: "bank", ...open } as const)

integrations.create({ label: "Main" })
integrations.create({ label: "Main", processor: null })
integrations.create({ label: "Main", processor: "adyen" })
integrations.create({ label: "Main", processor: "stripe", is_own: true, credentials, ...open })
integrations.create({ label: "Main", processor: settings.processor })
integrations.create({ label: "Main", processor: settings.own })
integrations.create(named)
export const makeInEffect = (input: Integration.NewIntegration) => integrations.create(input)

// @ts-expect-error an account for donors' transfers elsewhere than at the bank
integrations.create({ label: "Bank", processor: "stripe", bank_account, ...open })

// @ts-expect-error an own account without credentials
integrations.create({ label: "Main", processor: "stripe", is_own: true, ...open })

// @ts-expect-error credentials of an account that has none of its own
integrations.create({ label: "Main", processor: "stripe", credentials, ...open })

// @ts-expect-error a bank account that is open nowhere
integrations.create({ label: "Bank", processor: "bank", bank_account })

// @ts-expect-error an own account that is open nowhere
integrations.create({ label: "Main", processor: "stripe", is_own: true, credentials })

declare const donation_date: CalendarDate.CalendarDate
const things = { ...in_kind, donation_date }

donations.create({ ...things, in_kind_category: "GOODS", in_kind_description: "A desk" })
donations.create({ ...things, donation_type: "MONETARY", in_kind_category: null })

// @ts-expect-error things without what they are
donations.create({ ...things, in_kind_category: "GOODS" })

declare const donation_type: "MONETARY" | "IN_KIND"

// @ts-expect-error what may be things, without what they are
donations.create({ ...things, donation_type })

/* So do other inputs, in both. */

declare const sandbox: Sandbox.Sandbox["Service"]
declare const exceptions: PaymentExceptions.PaymentExceptions["Service"]
declare const links: CheckoutLinks.CheckoutLinks["Service"]
declare const instant: DateTime.Utc
declare const id: string
declare const ids: { readonly exception: Ids.PaymentExceptionId; readonly integration: Ids.IntegrationId }

almoner.sandbox.advance(caller, { duration: "30d" })
sandbox.advance({ to: instant })

// @ts-expect-error no way to say how far
almoner.sandbox.advance(caller, {})

// @ts-expect-error two ways to say how far
sandbox.advance({ duration: "30d", to: instant })

const note = "Looked at"
const gone = { as_gift: true, donor_id: donor.id } as const

almoner.paymentExceptions.resolve(caller, id, { note })
almoner.paymentExceptions.resolve(caller, id, { note, money: "returned" })
exceptions.resolve(ids.exception, { note, ...gone })
exceptions.resolve(ids.exception, { note, charge_ids: ["chg_1"], amounts_cents: [500] })

// @ts-expect-error a gift of nobody
almoner.paymentExceptions.resolve(caller, id, { note, as_gift: true })

// @ts-expect-error a donor of no gift
exceptions.resolve(ids.exception, { note, donor_id: donor.id })

// @ts-expect-error money that is returned, and is a gift
almoner.paymentExceptions.resolve(caller, id, { note, money: "returned", ...gone })

// @ts-expect-error money that is a gift, and is for charges
exceptions.resolve(ids.exception, { note, charge_ids: ["chg_1"], ...gone })

// @ts-expect-error amounts of no charges
almoner.paymentExceptions.resolve(caller, id, { note, amounts_cents: [500] })

almoner.checkoutLinks.create(caller, { amount_cents: 500, donor_email: "ada@example.org" })
links.create({ amount_cents: 500, donor_id: donor.id, donor_email: "" })

// @ts-expect-error a link of nobody
almoner.checkoutLinks.create(caller, { amount_cents: 500, donor_first_name: "Ada" })

// @ts-expect-error a link of nobody
links.create({ amount_cents: 500, donor_id: null })

almoner.integrations.rotateCredentials(caller, id, { notice_secrets: ["whsec_1"] })
integrations.rotateCredentials(ids.integration, { secret_key: "sk_live_2", overlap_hours: 1 })

// @ts-expect-error nothing is rotated
almoner.integrations.rotateCredentials(caller, id, { overlap_hours: 1 })

// @ts-expect-error nothing is rotated
integrations.rotateCredentials(ids.integration, {})
