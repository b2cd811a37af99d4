import { type DateTime, Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { ChargeId, IntegrationId } from "../../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import * as Transfer from "../../../domain/payments/BankTransfer.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import { type Credit, digestedText } from "../../../domain/payments/Credit.ts"
import { type Posting, posting } from "../../../domain/payments/Ledger.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { referencesIn } from "../../../domain/payments/TransferReference.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { makeLedgerWriter } from "../ledger/LedgerWriter.ts"

type Line = Pick<Credit, "day" | "amount_cents" | "text" | "bank_id" | "balance_cents">

export interface IncomingLines {
  readonly lines: ReadonlyArray<Line>
  /** The file that they come with; null where a person records them. */
  readonly import_id: string | null
  /** What is recorded of their days. */
  readonly recorded: ReadonlyArray<Credit>
}

export interface TransferAccount {
  readonly organisation: Organisation
  readonly integration: Integration
  readonly account: string
  readonly sharing: ReadonlyArray<IntegrationId>
}

/** The result of lines that were recorded. */
export interface ImportResult {
  readonly credits: ReadonlyArray<Credit>
  readonly matched: number
  readonly exceptions: number
}

/** A charge that is locked, and the credits for it. */
interface Held {
  readonly charge: Charge
  readonly received_cents: number
}

/** The charge that a line names, or why there is none. */
type Named =
  | { readonly charge: Charge }
  | { readonly unfound: Transfer.Unfound; readonly charges: ReadonlyArray<string> }

const byId = (charges: ReadonlyArray<Charge>): ReadonlyArray<Charge> =>
  Array.from(new Map(charges.map((charge) => [charge.id, charge])).values()).toSorted((a, b) =>
    compareCodePoints(a.id, b.id)
  )

const services = Effect.all({
  charges: ChargeStore,
  credits: CreditStore,
  exceptions: PaymentExceptionStore,
  tokens: Tokens,
  writeLedger: makeLedgerWriter
})

type Services = Effect.Success<typeof services>

/** The lines as credits: those that are alike are numbered on from what is recorded. */
const drafted = Effect.fnUntraced(function* (
  { tokens }: Services,
  { account, integration, organisation }: TransferAccount,
  { import_id, lines, recorded }: IncomingLines,
  at: DateTime.Utc
) {
  const counts = new Map<string, number>()
  for (const { digest, number } of recorded) counts.set(digest, Math.max(number, counts.get(digest) ?? 0))
  const drafts: Array<Credit> = []
  for (const { amount_cents, balance_cents, bank_id, day, text } of lines) {
    const digest = yield* tokens.digest(digestedText({ day, amount_cents, text }))
    const number = (counts.get(digest) ?? 0) + 1
    counts.set(digest, number)
    drafts.push({
      id: yield* tokens.id("credit"),
      organisation_id: organisation.id,
      integration_id: integration.id,
      account,
      day,
      amount_cents,
      currency: integration.settlement_currency,
      text,
      reference: null,
      digest,
      number,
      charge_id: null,
      bank_id,
      balance_cents,
      import_id,
      part_of: null,
      voided_at: null,
      created_at: at
    })
  }
  return drafts
})

/** The charges that texts name, of every integration that has the account. */
const makeNames = Effect.fnUntraced(function* (
  { charges }: Services,
  { organisation, sharing }: TransferAccount,
  texts: ReadonlyArray<string>
) {
  const wanted = new Set(texts.flatMap(referencesIn))
  const found = wanted.size === 0 ? [] : yield* charges.ofReferences(organisation.id, sharing, Array.from(wanted))
  const transfers = found.filter(({ method }) => method === "bank_transfer")
  const namesIn = (text: string): Named => {
    const references = new Set(referencesIn(text))
    const found = transfers.filter(({ reference }) => reference !== null && references.has(reference))
    const [charge, ...others] = found
    if (charge === undefined) return { unfound: "none", charges: [] }
    return others.length > 0 ? { unfound: "several", charges: found.map(({ id }) => id) } : { charge }
  }
  return namesIn
})

/** Locks the charges, always in one order, as every import does. */
const hold = Effect.fnUntraced(function* ({ charges, credits }: Services, named: ReadonlyArray<Charge>) {
  const held = new Map<ChargeId, Held>()
  for (const { id, organisation_id } of byId(named)) {
    const charge = yield* charges.findForUpdate(organisation_id, id)
    const received_cents = Transfer.receivedCents(yield* credits.ofCharge(organisation_id, id))
    if (Option.isSome(charge)) held.set(id, { charge: charge.value, received_cents })
  }
  return held
})

const raise = Effect.fnUntraced(function* (
  { exceptions, tokens }: Services,
  credit: Credit,
  charge_id: ChargeId | null,
  { held_cents, kind, reason }: NonNullable<Transfer.CreditMatch["raised"]>,
  at: DateTime.Utc
) {
  const id = yield* tokens.id("paymentException")
  const { currency, id: subject_id, organisation_id } = credit
  const what = {
    id,
    organisation_id,
    kind,
    charge_id,
    subject_id,
    amount_cents: held_cents,
    held_cents,
    currency,
    reason
  }
  yield* exceptions.insert(PaymentException.openException(what, at))
})

/** Writes what one credit is to its charge, and answers the credit as it is then. */
const write = Effect.fnUntraced(function* (
  services: Services,
  credit: Credit,
  charge: Charge | null,
  what: Transfer.CreditMatch,
  postings: ReadonlyArray<Posting>,
  at: DateTime.Utc
) {
  const after: Credit =
    charge === null ? credit : { ...credit, reference: charge.reference, charge_id: what.counts ? charge.id : null }
  if (after !== credit) yield* services.credits.update(after)
  const charge_id = charge?.id ?? null
  yield* services.writeLedger({ ...credit, charge_id }, [{ cause: "credit", cause_id: credit.id, postings }], at)
  if (what.raised !== null) yield* raise(services, credit, charge_id, what.raised, at)
  if (what.counts && charge !== null) yield* services.charges.lookNow(charge.organisation_id, charge.id)
  return after
})

/** Records lines that are not recorded yet. */
const receive = Effect.fnUntraced(function* (
  services: Services,
  receiving: TransferAccount,
  incoming: IncomingLines,
  at: DateTime.Utc
) {
  const { organisation } = receiving
  const drafts = yield* drafted(services, receiving, incoming, at)
  const added = yield* services.credits.add(organisation.id, drafts)
  const fresh = drafts.filter(({ id }) => added.has(id))
  const named = yield* makeNames(
    services,
    receiving,
    fresh.map(({ text }) => text)
  )
  const found = fresh.map((credit) => ({ credit, named: named(credit.text) }))
  const held = yield* hold(
    services,
    found.flatMap((each) => ("charge" in each.named ? [each.named.charge] : []))
  )
  const done: Array<Credit> = []
  let exceptionCount = 0
  for (const { credit, named: name } of found) {
    const to = "charge" in name ? held.get(name.charge.id) : undefined
    const what =
      to === undefined
        ? Transfer.unfound(credit, "unfound" in name ? name.unfound : "none", "unfound" in name ? name.charges : [])
        : Transfer.matchCredit(credit, to.charge, to.received_cents, organisation.timezone)
    if (to !== undefined && what.counts) {
      held.set(to.charge.id, { ...to, received_cents: to.received_cents + credit.amount_cents })
    }
    if (what.raised !== null) exceptionCount += 1
    const postings = Transfer.creditPostings(credit, what)
    done.push(yield* write(services, credit, to?.charge ?? null, what, postings, at))
  }
  const received: ImportResult = {
    credits: done,
    matched: done.filter(({ charge_id }) => charge_id !== null).length,
    exceptions: exceptionCount
  }
  return received
})

/**
 * Records lines of bank statements, each once, and finds the charges that they pay: in the surrounding transaction, and
 * under the locks of those charges; who calls it holds the account. A sync finds that a charge is paid. money, section 3: Bank transfer.
 */
export const makeCreditImport = Effect.map(
  services,
  (services) => (receiving: TransferAccount, incoming: IncomingLines, at: DateTime.Utc) =>
    receive(services, receiving, incoming, at)
)

/** Has money that is unmatched pay a charge that waits for it; what is too much is held again. */
export const makeCreditPayment = Effect.map(
  services,
  (services) => (credit: Credit, charge: Charge, what: Transfer.CreditMatch, at: DateTime.Utc) =>
    write(services, credit, charge, what, posting("unmatched", "held", what.raised?.held_cents ?? 0), at)
)

/** The charges that texts name, of every integration that has the account. */
export const makeChargeNames = Effect.map(
  services,
  (services) => (receiving: TransferAccount, texts: ReadonlyArray<string>) => makeNames(services, receiving, texts)
)
