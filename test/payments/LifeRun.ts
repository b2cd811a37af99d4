import { DateTime, Effect, Option, Result } from "effect"
import { CheckoutLinks } from "../../src/app/giving/CheckoutLinks.ts"
import { Sweeper } from "../../src/app/outbox/Sweeper.ts"
import { makeSummaryWriter } from "../../src/app/outbox/summary/SummaryWriter.ts"
import { Charges } from "../../src/app/payments/Charges.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { TestProcessor } from "../../src/app/payments/TestProcessor.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { AllocationId, CheckoutLinkId } from "../../src/domain/kernel/Ids.ts"
import { InvalidInput } from "../../src/domain/kernel/Rejection.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { standardAccount, type TestCharge } from "../../src/domain/payments/TestCharge.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { ChargeStore, TestBank } from "../../src/ports.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { numbers } from "../support/Numbers.ts"
import { asOperator } from "../support/Tenant.ts"
import { hear, importLines, reconcile, recordLine, resolveAll, stray } from "./Acts.ts"
import { askUntilDone, bookedDonor, chargeOf, type GiftLife, linkOf, linkStatus, pageOf } from "./GivingSite.ts"
import { type Act, amount, type DonorInput, type OutsideMoves } from "./Life.ts"
import { giveBack } from "./RefundRetry.ts"
import { endRecurring, moveRenewal, renew, setMandate, workOnRenewals } from "./Renewals.ts"
import { beginAnew, movedByHand, paidBack, refundPayment, setRecipient, shareOut } from "./SharedActs.ts"

const hour = 3_600_000

/** Where the donor is: on the form, on a link of the gift's own, or on the set's page. */
const targetOf = async (living: GiftLife): Promise<FieldsOf<Submission>> => {
  const { life, place } = living
  if (life.page === "link") return { slug: null, code: (await linkOf(living)).code, donor: null }
  if (life.page !== "set") return { slug: place.slug }
  const { allocations, url_key } = place.set
  const amount_cents = amount / allocations.length
  return { slug: null, url_key, allocations: allocations.map((id) => ({ id: AllocationId.make(id), amount_cents })) }
}

const submissionOf = async (living: GiftLife, given: DonorInput, page: 1 | 2): Promise<Submission> => {
  const { n, place } = living
  const isTransfer = given.method === "bank_transfer"
  const submission = {
    organisation: place.organisation.slug,
    submission_id: pageOf(n, page),
    amount_cents: amount,
    currency: "AUD",
    method: "card",
    donor: { email: `canary-${n}@example.org`, first_name: "Canaryfirst", last_name: "Canarylast" },
    ...(isTransfer ? {} : { payment_token: numbers.succeeds }),
    request_id: "req_page",
    ...given,
    ...(await targetOf(living))
  }
  return submission as Submission
}

const bankOf = async ({ place, service }: GiftLife, charge: Charge): Promise<TestCharge | undefined> =>
  (await service.raw(TestBank.use((bank) => bank.ofCharge(place.organisation.id, charge.id))))[0]

/** Where the bank would do again what it was told before. */
const isDone: { readonly [M in OutsideMoves]?: (charge: TestCharge) => boolean } = {
  dispute: ({ disputes }) => disputes.length > 0,
  refund: ({ refunds }) => refunds.length > 0,
  failRefund: ({ refunds }) => refunds.some(({ status }) => status === "failed"),
  reverseTransfer: ({ transfers }) => transfers.some(({ reversal }) => reversal !== undefined)
}

const moveBank = async (living: GiftLife, how: OutsideMoves): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  const found = charge === undefined ? undefined : await bankOf(living, charge)
  if (charge === undefined || found === undefined || isDone[how]?.(found)) return
  if (how === "late") {
    if (found.status !== "cancelled") return
    const { amount_cents, id, movements } = found
    const at = await service.raw(DateTime.now)
    const came = { reference: `${id}_late`, kind: "charge", amount_cents, fee_cents: 0, at } as const
    const late = {
      ...found,
      status: "succeeded",
      fee_cents: null,
      movements: [...movements, came],
      updated_at: at
    } as const
    return service.raw(TestBank.use((bank) => bank.update(late)))
  }
  const moved = TestProcessor.use((bank): Effect.Effect<unknown, unknown, never> => {
    const needsPart = how === "refund" || how === "dispute" || how === "fail"
    return (needsPart ? bank[how](charge.id, {}) : bank[how](charge.id)) as Effect.Effect<unknown, unknown, never>
  })
  const told = await service.run(Effect.result(service.points.run(how, moved.pipe(asOperator(place.organisation)))))
  // The bank refuses what has happened already.
  if (Result.isFailure(told) && !(told.failure instanceof InvalidInput)) throw told.failure
}

const work = async (living: GiftLife): Promise<void> => {
  const { place, service } = living
  const first = await chargeOf(living)
  // A gift that others came after on its link has ended.
  const charge = Option.getOrUndefined(Option.orElse(await chargeOf(living, 2), () => first))
  if (charge === undefined) return
  // What is due later is due now: the stores' clocks cannot be set.
  await service.raw(ChargeStore.use((store) => store.lookNow(place.organisation.id, charge.id)))
  const settled = Settler.use(({ settleDue }) => settleDue)
  await service.run(service.points.run("work", settled))
}

const refund = async (living: GiftLife, amount_cents: number | undefined): Promise<void> => {
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  await giveBack(living, {
    operation: "refund",
    path: `/donations/${charge.subject_id}/refund`,
    body: amount_cents === undefined ? {} : { amount_cents },
    key: `refund ${living.n}`,
    underWay: "Its money is under way",
    work: () => work(living)
  })
}

const moveLink = async (living: GiftLife, how: "cancel" | "archive"): Promise<void> => {
  const { n, place, service } = living
  const { id } = await linkOf(living)
  // Archiving is told again where it is repeated.
  if (how === "archive" && (await linkStatus(living)) === "ARCHIVED") return
  const moved =
    how === "cancel"
      ? Effect.promise(() => askUntilDone(service, place.key, `/checkout-links/${id}/cancel`, undefined, `cancel ${n}`))
      : CheckoutLinks.use((all) => all.archive(CheckoutLinkId.make(id))).pipe(asOperator(place.organisation))
  await service.run(service.points.run(how, Effect.asVoid(moved)))
}

/** Submits. Where the gift before it on the link has not given way yet, it is tried again. */
const submit = async (living: GiftLife, { given = {}, page }: Extract<Act, { _tag: "submit" }>): Promise<void> => {
  const { life, service } = living
  const submission = await submissionOf(living, { ...life.given, ...given }, page ?? 1)
  for (;;) {
    const submitted = Effect.result(Checkouts.use((all) => all.submit(submission)))
    const done = await service.run(service.points.run("submit", submitted))
    if (Result.isSuccess(done)) return
    if (done.failure._tag !== "GuardRefused") throw done.failure
    await work(living)
  }
}

const setAccount = ({ place, service }: GiftLife, set: Extract<Act, { _tag: "account" }>["set"]): Promise<void> =>
  service.raw(
    TestBank.use((bank) => bank.setAccount({ ...standardAccount(place.organisation.id, place.integration_id), ...set }))
  )

const progress = async (living: GiftLife): Promise<void> => {
  const { life, service } = living
  const submission = await submissionOf(living, life.given ?? {}, 1)
  const { progress_token } = await service.run(Checkouts.use((all) => all.submit(submission)))
  const shown = Checkouts.use((all) => all.progress(progress_token))
  await service.run(service.points.run("progress", shown))
}

const openPage = async (living: GiftLife): Promise<void> => {
  const { life, place, service } = living
  const { set, slug } = place
  const link = life.page === "link" ? await linkOf(living) : null
  const page = life.page === "set" ? { url_key: set.url_key } : link === null ? { slug } : { code: link.code }
  const opened = Checkouts.use((all) => all.open({ organisation: place.organisation.slug, ...page }))
  await service.run(service.points.run("open", opened))
}

const look = async (living: GiftLife): Promise<void> => {
  const { place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return
  const looked = Charges.use((all) => all.look(charge.id)).pipe(asOperator(place.organisation))
  await service.run(service.points.run("look", looked))
}

/** Each life at a place has a year of its own: that of others is over, and its summaries are written. */
const firstYear = 2030

const setYear = ({ n, service }: GiftLife, isOver: boolean): void => {
  const at = isOver ? Date.UTC(firstYear + n, 6, 20) : Date.UTC(firstYear + n, 0, 20)
  service.ahead.millis = at - Date.now()
}

const summarise = ({ place, service }: GiftLife): Promise<unknown> => {
  const written = Effect.flatMap(makeSummaryWriter, (write) => write(place.organisation.id))
  return service.run(service.points.run("summarise", written))
}

type ActOf<Tag extends Act["_tag"]> = Extract<Act, { readonly _tag: Tag }>

const during =
  (name: string, effect: Parameters<GiftLife["service"]["run"]>[0]) =>
  (living: GiftLife): Promise<unknown> =>
    living.service.run(living.service.points.run(name, effect))

const acts: { readonly [Tag in Act["_tag"]]: (living: GiftLife, act: ActOf<Tag>) => unknown } = {
  open: openPage,
  submit,
  progress,
  work,
  look,
  share: shareOut,
  renew,
  workOnRenewals,
  mandate: (living, { set }) => setMandate(living, set),
  renewal: (living, { how }) => moveRenewal(living, how),
  end: endRecurring,
  recipient: setRecipient,
  refundPayment,
  beginAnew,
  byHand: (living, { has }) => movedByHand(living, has),
  paidBack,
  refund: (living, { amount_cents }) => refund(living, amount_cents),
  resolve: (living, { money = "kept" }) => resolveAll(living, money),
  accounts: during(
    "accounts",
    Settler.use(({ checkAccounts }) => checkAccounts)
  ),
  sweep: during(
    "sweep",
    Sweeper.use(({ sweepOnce }) => sweepOnce)
  ),
  link: (living, { how }) => moveLink(living, how),
  import: (living, { lines }) => importLines(living, lines),
  record: (living, { line }) => recordLine(living, line),
  hear,
  stray: (living, { about }) => stray(living, about),
  reconcile,
  bank: (living, { how }) => moveBank(living, how),
  account: (living, { set }) => setAccount(living, set),
  year: (living, { isOver }) => setYear(living, isOver),
  summarise,
  hours: ({ service }, { hours }) => {
    service.ahead.millis = hours * hour
  }
}

const perform = <Tag extends Act["_tag"]>(living: GiftLife, act: ActOf<Tag> & { readonly _tag: Tag }) =>
  acts[act._tag](living, act)

/** Lives the whole life of a gift, or takes it up again where it was cut off; `after` is told of each act that was done. */
export const live = async (
  living: GiftLife,
  after: (act: Act) => Promise<void> = async () => undefined
): Promise<void> => {
  living.service.ahead.millis = 0
  await setAccount(living, {})
  if (living.life.page === "link") await linkOf(living)
  if (living.life.acts.some((act) => act._tag === "resolve" && act.money === "gift")) await bookedDonor(living)
  for (const act of living.life.acts) {
    await perform(living, act)
    await after(act)
  }
}
