import { type DateTime, Effect, Result } from "effect"
import type { StatementMapping } from "../../../domain/access/StatementMapping.ts"
import { type CalendarDate, dayOf, startOfDay } from "../../../domain/kernel/CalendarDate.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { addDays } from "../../../domain/kernel/Schedule.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import type { Credit, CreditCounts } from "../../../domain/payments/Credit.ts"
import type { CreditImport } from "../../../domain/payments/CreditImport.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { faultText, type StatementLine, sortLines } from "../../../domain/payments/Statement.ts"
import { type Comparison, compareDays } from "../../../domain/payments/StatementDays.ts"
import { coverOf, type DayRange, type StatementPart } from "../../../domain/payments/StatementOverview.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { lockCredits } from "./CreditAssignment.ts"
import { makeChargeNames, makeCreditImport, type TransferAccount } from "./CreditImport.ts"
import { eachPart, makeOpenStatement, type OpenStatement } from "./StatementFile.ts"

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const doubtText = (doubts: ReadonlyArray<string>): string =>
  `content must have the whole of its days. ${doubts.slice(0, Limits.creditFaults).join(" ")} Nothing was imported; with anyway, lines that are not recorded are.`

const services = Effect.all({
  charges: ChargeStore,
  credits: CreditStore,
  exceptions: PaymentExceptionStore,
  integrations: IntegrationStore,
  namesOf: makeChargeNames,
  receive: makeCreditImport,
  tokens: Tokens
})

type Services = Effect.Success<typeof services>

const debitReason = ({ amount_cents, day }: StatementLine): string =>
  `On ${day}, ${-amount_cents} left the account with the reference of this gift, which is paid. Record its refund, or ask the bank.`

/** Opens an exception for a line, unless one was opened; how many were. */
const raise = Effect.fnUntraced(function* (
  { exceptions, tokens }: Services,
  line: StatementLine,
  { currency, id: charge_id, organisation_id }: Charge,
  at: DateTime.Utc
) {
  const reason = debitReason(line)
  const known = yield* exceptions.ofCharge(organisation_id, charge_id)
  if (known.some((each) => each.kind === "mismatch" && each.reason === reason)) return 0
  const id = yield* tokens.id("paymentException")
  const what = { id, organisation_id, kind: "mismatch", charge_id, subject_id: charge_id, held_cents: 0 } as const
  const amount_cents = -line.amount_cents
  yield* exceptions.insert(PaymentException.openException({ ...what, amount_cents, currency, reason }, at))
  return 1
})

/** Tells a person of money that went with the reference of a paid gift, each line once; how many were told. */
const checkDebits = Effect.fnUntraced(function* (
  services: Services,
  receiving: TransferAccount,
  debits: ReadonlyArray<StatementLine>,
  at: DateTime.Utc
) {
  const namesIn = yield* services.namesOf(
    receiving,
    debits.map(({ text }) => text)
  )
  let count = 0
  for (const line of debits) {
    const named = namesIn(line.text)
    if (!("charge" in named) || named.charge.status !== "SUCCEEDED") continue
    count += yield* raise(services, line, named.charge, at)
  }
  return count
})

/** Keeps of which days a statement tells, which are over, and has the transfers looked at that can only have come then. */
const keepCover = Effect.fnUntraced(function* (
  services: Services,
  { account, integration, organisation, sharing }: TransferAccount,
  { first: first_day, last }: DayRange,
  { import_id, mapping }: { readonly import_id: string; readonly mapping: StatementMapping | null },
  at: DateTime.Utc
) {
  const today = dayOf(at, organisation.timezone)
  const last_day = last < today ? last : addDays(today, -1)
  const { id: integration_id, organisation_id, statement_mapping, statement_until } = integration
  const statement = { organisation_id, integration_id, import_id, account, first_day, last_day }
  yield* services.credits.keepStatement(statement)
  yield* services.integrations.update({
    ...integration,
    statement_mapping: statement_mapping ?? mapping,
    statement_until: statement_until === null || statement_until < last_day ? last_day : statement_until,
    updated_at: at
  })
  const submitted = (lastDay: CalendarDate) =>
    addTime(startOfDay(lastDay, organisation.timezone), { days: -Limits.bankTransferLapseDays })
  const from = submitted(addDays(first_day, -Limits.statementQuietDays))
  yield* services.charges.lookAtTransfers(organisation.id, sharing, { from, until: submitted(addDays(last_day, 1)) })
})

/** What is recorded of days of the account, and of lines with ids of the bank's. */
const recordedOf = (
  { credits }: Services,
  { account, integration, organisation }: TransferAccount,
  { first, last }: DayRange,
  bank_ids: ReadonlyArray<string>
) => credits.ofDays(organisation.id, { account, integration_id: integration.id, first, last, bank_ids })

/** Keeps what better tells a line that was recorded without it, and nothing else of it: others may decide about it meanwhile. */
const learn = Effect.fnUntraced(function* (
  { credits }: Services,
  recorded: ReadonlyArray<Credit>,
  known: Comparison["known"]
) {
  const lines = new Map<string, StatementLine>(known.map(([{ id }, line]) => [id, line]))
  const better = recorded.filter(({ balance_cents, bank_id, id }) => {
    const line = lines.get(id)
    return (bank_id === null && line?.bank_id != null) || (balance_cents === null && line?.balance_cents != null)
  })
  for (const before of yield* lockCredits(credits, better)) {
    const line = lines.get(before.id)
    const bank_id = before.bank_id ?? line?.bank_id ?? null
    const balance_cents = before.balance_cents ?? line?.balance_cents ?? null
    yield* credits.update({ ...before, bank_id, balance_cents })
  }
})

/** A part of a file, among what is recorded of its days. */
const compare = Effect.fnUntraced(function* (
  services: Services,
  receiving: TransferAccount,
  file: OpenStatement,
  part: StatementPart,
  lines: ReadonlyArray<StatementLine>
) {
  const sorted = sortLines(lines)
  if (Result.isFailure(sorted)) return yield* invalid("content", faultText(sorted.failure))
  const { import_id, isFurther, range } = file
  const bankIds = sorted.success.lines.flatMap(({ bank_id }) => bank_id ?? [])
  const ids = new Set(bankIds)
  const cover = coverOf(part, file)
  const recorded = (yield* recordedOf(services, receiving, cover, bankIds)).filter(
    ({ bank_id, day }) => cover.has(day) || ids.has(bank_id ?? "")
  )
  const compared = compareDays(
    { lines: sorted.success.lines, days: range, import_id, account: receiving.account, isFurther },
    recorded.filter(({ part_of, voided_at }) => part_of === null && voided_at === null)
  )
  return { ...compared, ...sorted.success, recorded }
})

/** What a file contradicts, where it is too long to be imported at once: before anything is. */
const doubtsOf = Effect.fnUntraced(function* (services: Services, receiving: TransferAccount, file: OpenStatement) {
  const doubts: Array<string> = []
  const torn: Array<string> = []
  let knownParts = 0
  yield* eachPart(file, (part, lines) =>
    Effect.map(compare(services, receiving, file, part, lines), (compared) => {
      if (doubts.length < Limits.creditFaults) doubts.push(...compared.doubts)
      if (compared.known.length > 0) knownParts += 1
      torn.push(...compared.torn)
    })
  )
  return knownParts > 1 ? doubts : [...doubts, ...torn]
})

/** Records what a part of a file has of new lines. Fails with {@link InvalidInput}, and has then kept nothing of it. */
const importPart = Effect.fnUntraced(function* (
  services: Services,
  receiving: TransferAccount,
  file: OpenStatement,
  part: StatementPart,
  all: ReadonlyArray<StatementLine>,
  at: DateTime.Utc
) {
  const { import_id, mapping, range } = file
  const found = yield* compare(services, receiving, file, part, all)
  const { debits, doubts, fresh, known, recorded, skipped, torn } = found
  const against = file.parts.length > 1 ? doubts : [...doubts, ...torn]
  if (against.length > 0 && !file.isAnyway) return yield* invalid("content", doubtText(against))
  const other = known.find(([before, line]) => before.import_id === import_id && before.day !== line.day)
  if (other !== undefined) {
    const [{ id }, { line }] = other
    return yield* invalid(
      "content",
      `content must not have an id twice: line ${line} has that of ${id}, of another day.`
    )
  }
  const added = yield* services.receive(receiving, { lines: fresh, import_id, recorded }, at)
  const told = yield* checkDebits(services, receiving, debits, at)
  if (file.parts.at(-1) === part) yield* keepCover(services, receiving, range, { import_id, mapping }, at)
  // Last, since charges are locked before what pays them.
  yield* learn(services, recorded, known)
  const counts: CreditCounts = {
    lines: all.length,
    skipped,
    known: known.length,
    recorded: added.credits.length,
    matched: added.matched,
    exceptions: added.exceptions + told
  }
  return counts
})

/** Reads files of statements and records what is new of them: each part in the surrounding transaction. */
export const makeStatementImport = Effect.gen(function* () {
  const all = yield* services
  const open = yield* makeOpenStatement
  return {
    /** Opens a file, of which all was read then. Fails with {@link InvalidInput} where it cannot be imported. */
    open: Effect.fnUntraced(function* (receiving: TransferAccount, input: CreditImport, today: CalendarDate) {
      const file = yield* open(receiving, input, today)
      const doubts = file.parts.length > 1 && !file.isAnyway ? yield* doubtsOf(all, receiving, file) : []
      return doubts.length > 0 ? yield* invalid("content", doubtText(doubts)) : file
    }),
    importPart: (
      receiving: TransferAccount,
      file: OpenStatement,
      part: StatementPart,
      lines: ReadonlyArray<StatementLine>,
      at: DateTime.Utc
    ) => importPart(all, receiving, file, part, lines, at),
    recordedOf: (receiving: TransferAccount, days: DayRange) => recordedOf(all, receiving, days, [])
  }
})
