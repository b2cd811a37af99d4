import { DateTime, Effect, Option, Result } from "effect"
import { Credits } from "../../src/app/payments/Credits.ts"
import { NoticeReceiver } from "../../src/app/payments/notice/NoticeReceiver.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Reconciler } from "../../src/app/payments/Reconciler.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { dayOf } from "../../src/domain/kernel/CalendarDate.ts"
import { ChargeId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as Credit from "../../src/domain/payments/Credit.ts"
import type * as Notice from "../../src/domain/payments/Notice.ts"
import * as PaymentException from "../../src/domain/payments/PaymentException.ts"
import * as Ports from "../../src/ports.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { asOperator } from "../support/Tenant.ts"
import { bookedDonor, chargeOf, type GiftLife } from "./GivingSite.ts"
import type { Line } from "./Life.ts"
import { untilFree } from "./ShortLeases.ts"

// What happens around a gift beside its page and its charge: money on an account, what the processor tells, and comparing.

const nobody = (n: number): string => `FROM NOBODY ${n}.`

/** Reads all pages of a list. */
const allOf = <A extends { readonly id: string }, E, R>(
  list: (after: string | null) => Effect.Effect<{ readonly data: ReadonlyArray<A>; readonly has_more: boolean }, E, R>
) =>
  Effect.gen(function* () {
    const all: Array<A> = []
    for (let more = true; more; ) {
      const page = yield* list(all.at(-1)?.id ?? null)
      all.push(...page.data)
      more = page.has_more
    }
    return all
  })

const paging = (after: string | null): ReadonlyArray<readonly [string, string]> => [
  ["limit", "100"],
  ...(after === null ? [] : [["starting_after", after] as const])
]

/** What came to the account for the gift, or in its life without its name. */
export const creditsOf = async (living: GiftLife): Promise<ReadonlyArray<Credit.Credit>> => {
  const { n, place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  const all = await service.raw(
    Ports.CreditStore.use((store) =>
      allOf((after) =>
        Effect.flatMap(Effect.orDie(Effect.fromResult(parse(Credit.listing, paging(after)))), (query) =>
          store.list(place.organisation.id, query)
        )
      )
    )
  )
  const { reference } = charge ?? { reference: null }
  return all
    .filter(({ text }) => text === nobody(n) || (reference !== null && text.includes(reference)))
    .toSorted((a, b) => a.amount_cents - b.amount_cents)
}

/** What people must look at, open and then resolved. */
const allExceptions = async ({
  place,
  service
}: GiftLife): Promise<ReadonlyArray<PaymentException.PaymentException>> => {
  const listed = (status: string) =>
    Ports.PaymentExceptionStore.use((store) =>
      allOf((after) => {
        const query = parse(PaymentException.listing, [...paging(after), ["status", status]])
        return Effect.flatMap(Effect.orDie(Effect.fromResult(query)), (asked) =>
          store.list(place.organisation.id, asked)
        )
      })
    )
  return [...(await service.raw(listed("OPEN"))), ...(await service.raw(listed("RESOLVED")))]
}

/** What people must look at of the gift, oldest first. */
export const exceptionsOf = async (living: GiftLife): Promise<ReadonlyArray<PaymentException.PaymentException>> => {
  const charge = Option.getOrUndefined(await chargeOf(living))
  const credits = new Set<string>((await creditsOf(living)).map(({ id }) => id))
  return (await allExceptions(living))
    .filter(({ charge_id, subject_id }) => charge_id === charge?.id || credits.has(subject_id))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** What people must look at of the account by which gifts are given. */
export const accountExceptionsOf = async (
  living: GiftLife
): Promise<ReadonlyArray<PaymentException.PaymentException>> =>
  (await allExceptions(living)).filter(({ subject_id }) => subject_id === living.place.integration_id)

/** Somebody has looked at what is open, and said what became of the money that was held. */
export const resolveAll = async (living: GiftLife, money: "kept" | "returned" | "gift"): Promise<void> => {
  const { place, service } = living
  for (const { held_cents, id, status } of await exceptionsOf(living)) {
    if (status !== "OPEN") continue
    const became = money === "gift" ? { as_gift: true as const, donor_id: await bookedDonor(living) } : { money }
    const said = { note: "Looked at", ...(held_cents > 0 ? became : {}) }
    const resolved = PaymentExceptions.use((all) => all.resolve(id, said)).pipe(asOperator(place.organisation))
    const done = await service.run(Effect.result(service.points.run("resolve", resolved)))
    // Another process may have been first.
    if (Result.isFailure(done) && done.failure._tag !== "IllegalTransition") throw done.failure
  }
}

const textOf = async (living: GiftLife, { isNameless = false }: Line): Promise<string> => {
  if (isNameless) return nobody(living.n)
  const { reference } = Option.getOrThrow(await chargeOf(living))
  return `TRANSFER ${reference}`
}

/** The day on which everything came: that of the place's beginning. */
const dayHere = ({ place: { organisation } }: GiftLife) => dayOf(organisation.created_at, organisation.timezone)

/** Imports a file with these lines, whatever other lives have of its day. */
export const importLines = async (living: GiftLife, lines: ReadonlyArray<Line>): Promise<void> => {
  const { place, service } = living
  const { integration_id, organisation } = place
  const texts = await Promise.all(lines.map((line) => textOf(living, line)))
  const rows = lines.map(({ amount_cents }, index) => `${dayHere(living)},${amount_cents / 100},${texts[index]}`)
  const content = ["Date,Amount,Description", ...rows, `${dayHere(living)},-9,FEE`, ""].join("\n")
  const imported = Credits.use((all) => all.import({ integration_id, content, anyway: true })).pipe(
    asOperator(organisation)
  )
  await service.run(service.points.run("import", imported))
}

/** Records one line by hand, unless that was done. */
export const recordLine = async (living: GiftLife, line: Line): Promise<void> => {
  const { place, service } = living
  const { integration_id, organisation } = place
  const given = {
    integration_id,
    day: dayHere(living),
    amount_cents: line.amount_cents,
    text: await textOf(living, line)
  }
  const record = (number: number) => {
    const recorded = Credits.use((all) => all.record({ ...given, number })).pipe(asOperator(organisation))
    return service.run(Effect.result(service.points.run("record", recorded)))
  }
  const done = await record(1)
  if (Result.isSuccess(done)) return
  const [, next] = /number must be that of a line .* Give (\d+) where/u.exec(`${done.failure}`) ?? []
  if (next === undefined) throw done.failure
  // It is this one, of before a crash, or another life's of this day and amount.
  if ((await creditsOf(living)).some(({ amount_cents }) => amount_cents === line.amount_cents)) return
  Result.getOrThrow(await record(Number(next)))
}

/** Of the beginning of time. */
const epoch = DateTime.makeUnsafe(0)

/** The next notice of the gift that the bank has to send still. */
const untold = async (living: GiftLife) => {
  const { integration_id, organisation } = living.place
  const { reference } = Option.getOrThrow(await chargeOf(living))
  const all = await living.service.raw(
    Ports.TestBank.use((bank) =>
      bank.noticesAfter(
        { organisation_id: organisation.id, id: integration_id },
        { created_at: epoch, id: "" },
        100_000
      )
    )
  )
  const due = all.flatMap((each) =>
    each.reference === reference && each.send_at !== null ? [{ each, at: each.send_at.epochMilliseconds }] : []
  )
  return due.toSorted((a, b) => a.at - b.at)[0]?.each ?? null
}

const strayOf = (n: number): string => `stray ${n}`

/** The notices that came of the gift, and those of its life that are about nothing of ours. */
export const noticesOf = async (living: GiftLife): Promise<ReadonlyArray<Notice.Notice>> => {
  const { n, place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  const { data } = await service.raw(Ports.NoticeStore.use((store) => store.list(place.organisation.id, queryOf())))
  return data.filter(
    ({ charge_id, event_id, reference }) =>
      charge_id === charge?.id ||
      (reference !== null && reference === charge?.reference) ||
      event_id.startsWith(strayOf(n))
  )
}

/** Sets when a notice is applied, where it is to be still: the stores' clocks cannot be set. */
const applyIn = ({ service }: GiftLife, id: Notice.Notice["id"], minutes: number): Promise<void> => {
  const set = Effect.gen(function* () {
    const store = yield* Ports.NoticeStore
    const held = yield* store.hold(id)
    const apply_at = DateTime.add(yield* store.now, { minutes })
    if (Option.exists(held, (notice) => notice.apply_at !== null)) {
      yield* store.update({ ...Option.getOrThrow(held), apply_at })
    }
  })
  return service.raw(Effect.flatMap(Ports.Transaction, ({ run }) => run(set)))
}

const settleDue = Settler.use((settler) => settler.settleDue)

/**
 * The bank sends what it has to tell of the gift, and a worker applies what came: one after the other, so that a process goes
 * the same way each time. Nobody looks by himself.
 */
export const hear = async (living: GiftLife): Promise<void> => {
  const { n, service } = living
  const listen = () => service.run(service.points.run("hear", settleDue))
  const waiting = (await noticesOf(living)).filter(
    ({ apply_at, event_id }) => apply_at !== null && !event_id.startsWith(strayOf(n))
  )
  for (const { id } of waiting) await applyIn(living, id, 60)
  for (let next = await untold(living); next !== null; next = await untold(living)) {
    service.telling.next = next
    await listen()
  }
  for (const { id } of waiting) {
    await applyIn(living, id, 0)
    await listen()
  }
}

/** The processor tells of something that is not ours: of a charge that nobody has, or of nothing that we keep. */
export const stray = async (living: GiftLife, about: "charge" | "other"): Promise<void> => {
  const { n, place, service } = living
  const integration = await service.raw(
    Ports.IntegrationStore.use((store) =>
      Effect.map(store.find(place.organisation.id, place.integration_id), Option.getOrThrow)
    )
  )
  const charge_id = about === "charge" ? ChargeId.make("chg_01jqz6x8h4e5vb9m2k7ncw3t5d") : null
  const facts = {
    event_id: `${strayOf(n)} ${about}`,
    type: `${about}.changed`,
    object: { kind: about, reference: null, charge_id },
    account: null,
    created_at: place.organisation.created_at
  } as const
  await service.run(
    service.points.run(
      "hear",
      NoticeReceiver.use((intake) => intake.takeUnseen(integration, [facts]))
    )
  )
  await service.run(service.points.run("hear", settleDue))
}

/** Everything is held against what the processor has. One who was killed may hold an account a moment longer. */
export const reconcile = async ({ place, service }: GiftLife): Promise<void> => {
  const since = place.organisation.created_at
  const compared = Reconciler.use((reconciler) => reconciler.reconcile({ since }))
  return untilFree(() => service.run(service.points.run("reconcile", compared)))
}
