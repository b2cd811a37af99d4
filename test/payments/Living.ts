import { DateTime, Effect, Option, Result } from "effect"
import { ApiKeys } from "../../src/app/access/ApiKeys.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { DonationForms } from "../../src/app/giving/DonationForms.ts"
import { Charges } from "../../src/app/payments/Charges.ts"
import { Ledger } from "../../src/app/payments/Ledger.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { TestProcessor } from "../../src/app/payments/TestProcessor.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { DonationId, IntegrationId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import { InvalidInput } from "../../src/domain/kernel/Rejection.ts"
import { type EventRecord, listing } from "../../src/domain/outbox/Event.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { advanced, leftCents } from "../../src/domain/payments/TestBank.ts"
import { standardAccount, type TestCharge } from "../../src/domain/payments/TestCharge.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { OrganisationStore } from "../../src/ports/access/OrganisationStore.ts"
import { DonationStore } from "../../src/ports/giving/DonationStore.ts"
import { RefundStore } from "../../src/ports/giving/RefundStore.ts"
import { Outbox } from "../../src/ports/outbox/Outbox.ts"
import { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../src/ports/payments/DisputeStore.ts"
import { PaymentExceptionStore } from "../../src/ports/payments/PaymentExceptionStore.ts"
import { TestBank } from "../../src/ports/payments/TestBank.ts"
import { numbers } from "../support/Numbers.ts"
import { asOperator } from "../support/Tenant.ts"
import type { CrashService } from "./CrashService.ts"
import { type Act, amount, type Life, type Moving } from "./Lives.ts"

/** Where gifts are given, as one process tells the next. */
export interface Address {
  readonly organisation: string
  readonly integration_id: IntegrationId
  readonly slug: string
  readonly key: string
}

/** Where gifts are given. */
export interface Place extends Omit<Address, "organisation"> {
  readonly organisation: Organisation
}

/** The place of an address. */
export const placeAt = async (service: CrashService, address: Address): Promise<Place> => {
  const found = OrganisationStore.use((store) => Effect.map(store.findBySlug(address.organisation), Option.getOrThrow))
  return { ...address, organisation: await service.raw(found) }
}

/** Makes a sandbox that takes gifts through a form. */
export const makePlace = (service: CrashService): Promise<Address> =>
  service.run(
    Effect.gen(function* () {
      const organisations = yield* Organisations
      const input = {
        slug: "charity",
        name: "Charity",
        timezone: "Australia/Sydney",
        default_currency: "AUD",
        plan: "ENTERPRISE",
        sandbox_webhook_cidrs: []
      } as const
      const context = { actor: { type: "SYSTEM", id: "test" }, request_id: "req_test" } as const
      const { sandbox: organisation } = yield* organisations.create(input, context)
      const made = Effect.gen(function* () {
        const account = { label: "Main", processor_connect_account_id: "acct_1" }
        const { id: integration_id } = yield* Integrations.use((all) => all.create(account))
        const form = yield* DonationForms.use((all) => all.create({ name: "Winter appeal", status: "ACTIVE" }))
        const { secret: key } = yield* ApiKeys.use((keys) => keys.create({ name: "Writer", scope: "WRITE" }))
        return { organisation: organisation.slug, integration_id, slug: form.slug, key }
      })
      return yield* made.pipe(asOperator(organisation))
    })
  )

const hour = 3_600_000

/** The page of the n-th gift. */
const pageOf = (n: number): string => `018f6e7a-0000-7000-8000-${String(n).padStart(12, "0")}`

const submissionOf = ({ organisation, slug }: Place, { given = {} }: Life, n: number): Submission => ({
  organisation: organisation.slug,
  slug,
  submission_id: pageOf(n),
  amount_cents: amount,
  currency: "AUD",
  method: "card",
  donor: { email: `canary-${n}@example.org`, first_name: "Canaryfirst", last_name: "Canarylast" },
  payment_token: numbers.succeeds,
  request_id: "req_page",
  ...given
})

/** The gift that is lived: the n-th at a place. */
export interface Living {
  readonly service: CrashService
  readonly place: Place
  readonly life: Life
  readonly n: number
}

const chargeOf = ({ n, place, service }: Living): Promise<Option.Option<Charge>> =>
  service.raw(ChargeStore.use((store) => store.ofSubmission(place.organisation.id, pageOf(n))))

const bankOf = async ({ place, service }: Living, charge: Charge): Promise<TestCharge | undefined> =>
  (await service.raw(TestBank.use((bank) => bank.ofCharge(place.organisation.id, charge.id))))[0]

/** Where the bank would do again what it was told before. */
const isDone: { readonly [M in Moving]?: (charge: TestCharge) => boolean } = {
  dispute: ({ disputes }) => disputes.length > 0,
  refund: ({ refunds }) => refunds.length > 0,
  failRefund: ({ refunds }) => refunds.some(({ status }) => status === "failed")
}

const moveBank = async (living: Living, how: Moving): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  const found = charge === undefined ? undefined : await bankOf(living, charge)
  if (charge === undefined || found === undefined || isDone[how]?.(found)) return
  if (how === "late") {
    if (found.status !== "cancelled") return
    return service.raw(TestBank.use((bank) => bank.update({ ...found, status: "succeeded", fee_cents: null })))
  }
  const moved = TestProcessor.use((bank): Effect.Effect<unknown, unknown, never> => {
    const needsPart = how === "refund" || how === "dispute" || how === "fail"
    return (needsPart ? bank[how](charge.id, {}) : bank[how](charge.id)) as Effect.Effect<unknown, unknown, never>
  })
  const told = await service.run(Effect.result(service.points.run(how, moved.pipe(asOperator(place.organisation)))))
  // The bank refuses what has happened already.
  if (Result.isFailure(told) && !(told.failure instanceof InvalidInput)) throw told.failure
}

const work = async (living: Living): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  // What is due later is due now: the stores' clocks cannot be set.
  await service.raw(ChargeStore.use((store) => store.lookNow(place.organisation.id, charge.id)))
  const settled = Settler.use(({ settleDue }) => settleDue)
  await service.run(service.points.run("work", settled))
}

const refund = async (living: Living, amount_cents: number | undefined): Promise<void> => {
  const { n, place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  const body = amount_cents === undefined ? {} : { amount_cents }
  for (let attempt = 1; ; ) {
    const key = `refund ${n}, ${attempt}`
    const sent = Effect.promise(() => service.send(place.key, `/donations/${charge.subject_id}/refund`, body, key))
    const answer = await service.run(service.points.run("refund", sent))
    if (answer.status === 200) return
    const text = await answer.text()
    if (text.includes("Its money is under way")) {
      // Whoever was to confirm it is gone: the worker does that, and the refund is asked for anew.
      attempt += 1
      await work(living)
    } else if (!text.includes("still being processed")) {
      throw new Error(`The refund was refused: ${text}`)
    }
    // Another process may be at it now.
    await new Promise((resume) => setTimeout(resume, 20))
  }
}

const resolve = async (living: Living): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  const raised = await service.raw(
    PaymentExceptionStore.use((store) => store.ofCharge(place.organisation.id, charge.id))
  )
  for (const { held_cents, id, status } of raised) {
    if (status !== "OPEN") continue
    const said = { note: "Looked at", ...(held_cents > 0 ? { money: "kept" as const } : {}) }
    const resolved = PaymentExceptions.use((all) => all.resolve(id, said)).pipe(asOperator(place.organisation))
    const done = await service.run(Effect.result(service.points.run("resolve", resolved)))
    // Another process may have been first.
    if (Result.isFailure(done) && done.failure._tag !== "IllegalTransition") throw done.failure
  }
}

const setAccount = ({ place, service }: Living, set: Extract<Act, { _tag: "account" }>["set"]): Promise<void> =>
  service.raw(
    TestBank.use((bank) => bank.setAccount({ ...standardAccount(place.organisation.id, place.integration_id), ...set }))
  )

const perform = async (living: Living, act: Act): Promise<void> => {
  const { life, n, place, service } = living
  const submission = submissionOf(place, life, n)
  const under = <A, E>(name: string, effect: Parameters<typeof service.run<A, E>>[0]) =>
    service.run(service.points.run(name, effect))
  const submitted = Checkouts.use((checkouts) => checkouts.submit(submission))
  switch (act._tag) {
    case "open":
      return void (await under(
        "open",
        Checkouts.use((all) => all.open({ organisation: place.organisation.slug, slug: place.slug }))
      ))
    case "submit":
      return void (await under("submit", submitted))
    case "progress": {
      const { progress_token } = await service.run(submitted)
      return void (await under(
        "progress",
        Checkouts.use((all) => all.progress(progress_token))
      ))
    }
    case "work":
      return work(living)
    case "look": {
      const charge = Option.getOrUndefined(await chargeOf(living))
      if (charge === undefined) return
      const looked = Charges.use((all) => all.look(charge.id)).pipe(asOperator(place.organisation))
      return void (await under("look", looked))
    }
    case "refund":
      return refund(living, act.amount_cents)
    case "resolve":
      return resolve(living)
    case "accounts":
      return void (await under(
        "accounts",
        Settler.use(({ checkAccounts }) => checkAccounts)
      ))
    case "bank":
      return moveBank(living, act.how)
    case "account":
      return setAccount(living, act.set)
    case "hours":
      service.ahead.millis = act.hours * hour
  }
}

/** Lives the whole life of a gift, or takes it up again where it was cut off; `after` is told of each act that was done. */
export const live = async (
  living: Living,
  after: (act: Act) => Promise<void> = async () => undefined
): Promise<void> => {
  living.service.ahead.millis = 0
  await setAccount(living, {})
  for (const act of living.life.acts) {
    await perform(living, act)
    await after(act)
  }
}

/** The statuses of a gift and of all that hangs on it, by the name of the record. */
export const statusesOf = async (living: Living): Promise<ReadonlyArray<readonly [record: string, status: string]>> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return []
  const { id } = place.organisation
  const all = Effect.gen(function* () {
    const gift = yield* (yield* DonationStore).find(id, charge.subject_id as DonationId)
    const refunds = yield* (yield* RefundStore).ofCharge(id, charge.id)
    const disputes = yield* (yield* DisputeStore).ofCharge(id, charge.id)
    const raised = yield* (yield* PaymentExceptionStore).ofCharge(id, charge.id)
    const of = (record: string, rows: ReadonlyArray<{ readonly status: string }>) =>
      rows.map(({ status }) => [record, status] as const)
    return [
      ...of("Donation", Option.toArray(gift)),
      ...of("Charge", [charge]),
      ...of("Refund", refunds),
      ...of("Dispute", disputes),
      ...of("PaymentException", raised)
    ]
  })
  return service.raw(all)
}

/** What became of a gift, as plain values. */
export interface Lived {
  readonly charge: string
  readonly gift: string
  readonly amount: number
  readonly refunded: number
  /** What the simulated bank took and still has, minor units. */
  readonly left: number
  /** How many charges the bank made for it. */
  readonly taken: number
  /** The bank's refunds by our refund's id. */
  readonly paidBack: ReadonlyArray<string | null>
  readonly told: ReadonlyArray<string>
  readonly donor: ReadonlyArray<string>
  readonly refunds: ReadonlyArray<string>
  readonly raised: ReadonlyArray<string>
  readonly charge_id: string
}

/** Every event of a place, oldest first: its type, and the record that it is about. */
const eventsOf = Effect.fnUntraced(function* ({ organisation }: Place) {
  const outbox = yield* Outbox
  const all: Array<EventRecord> = []
  for (let more = true; more; ) {
    const after = all.at(-1)?.id
    const paging = [["sort", "created_at"] as const, ["limit", "100"] as const]
    const query = parse(listing, after === undefined ? paging : [...paging, ["starting_after", after] as const])
    const page = yield* Effect.orDie(
      Effect.flatMap(Effect.fromResult(query), (asked) => outbox.list(organisation.id, asked))
    )
    all.push(...page.data)
    more = page.has_more
  }
  return all.map(({ data, type }) => ({ type, subject: `${Object(data).id}` }))
})

type Events = Effect.Success<ReturnType<typeof eventsOf>>

/** After all that the bank has scheduled. */
const ever = DateTime.makeUnsafe("2100-01-01T00:00:00Z")

/** What became of the n-th gift; none where it was never written. */
const livedOf = async (living: Living, events: Events): Promise<Lived | null> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return null
  const { id } = place.organisation
  const gift = await service.raw(
    DonationStore.use((store) => Effect.map(store.find(id, charge.subject_id as DonationId), Option.getOrThrow))
  )
  const refunds = await service.raw(RefundStore.use((store) => store.ofCharge(id, charge.id)))
  const raised = await service.raw(PaymentExceptionStore.use((store) => store.ofCharge(id, charge.id)))
  const stored = await service.raw(TestBank.use((bank) => bank.ofCharge(id, charge.id)))
  const made = stored.map((each) => advanced(each, ever))
  const about = (subject: string) => events.filter((event) => event.subject === subject).map(({ type }) => type)
  return {
    charge: charge.status,
    gift: gift.status,
    amount: gift.amount_cents,
    refunded: gift.refunded_amount_cents,
    left: made.reduce((sum, each) => sum + leftCents(each), 0),
    taken: made.length,
    paidBack: made.flatMap((each) => each.refunds.map(({ refund_id }) => refund_id)),
    told: about(gift.id),
    donor: about(gift.donor_id),
    refunds: refunds.map(({ status }) => status),
    raised: raised.map(({ kind }) => kind),
    charge_id: charge.id
  }
}

/** What became of everything at a place, as plain values. */
export interface Report {
  /** The gifts that were lived, by their number; null for one that was never written. */
  readonly gifts: Readonly<Record<number, Lived | null>>
  /** What is wrong in the books. */
  readonly faults: ReadonlyArray<string>
  readonly donations: number
}

/** What became of gifts, by their number and life. */
export const reportOf = async (
  service: CrashService,
  place: Place,
  gifts: ReadonlyArray<readonly [n: number, life: Life]>
): Promise<Report> => {
  const events = await service.raw(eventsOf(place))
  const lived: Record<number, Lived | null> = {}
  for (const [n, life] of gifts) lived[n] = await livedOf({ service, place, life, n }, events)
  const { data } = await service.run(Ledger.use(({ check }) => check))
  const donations = events.filter(({ type }) => type === "donation.created").length
  return { gifts: lived, faults: data.flatMap(({ faults }) => faults), donations }
}
