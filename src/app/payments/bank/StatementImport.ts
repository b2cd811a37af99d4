import { type DateTime, Effect, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { differenceOf, givenOf, mappingOf, type StatementMapping } from "../../../domain/access/StatementMapping.ts"
import { type CalendarDate, dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { addDays } from "../../../domain/kernel/Schedule.ts"
import { accountOf } from "../../../domain/payments/BankTransfer.ts"
import type { Credit, CreditImportResult } from "../../../domain/payments/Credit.ts"
import type { CreditImport } from "../../../domain/payments/CreditImport.ts"
import {
  faultText,
  minorDigitsOf,
  type Statement,
  statementFrom,
  statementOf
} from "../../../domain/payments/Statement.ts"
import { camtReader } from "../../../domain/payments/StatementCamt.ts"
import { type Comparison, compareDays } from "../../../domain/payments/StatementDays.ts"
import { kindOf } from "../../../domain/payments/StatementKind.ts"
import { ofxReader } from "../../../domain/payments/StatementOfx.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { StatementMarkup } from "../../../ports/payments/StatementMarkup.ts"
import { makeCreditImport, type TransferAccount } from "./CreditImport.ts"
import { makeDebitCheck } from "./DebitCheck.ts"
import { makeCoveredTransfers } from "./StatementCover.ts"

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

/** The mapping by which a file is read. Fails where it is not the one that the account's statements are read by. */
const mappingFor = ({ statement_mapping: kept }: Integration, input: CreditImport) => {
  const mapping = mappingOf(input, kept)
  const [differs] = kept === null || input.anyway === true ? [] : differenceOf(mapping, kept)
  if (differs === undefined) return Effect.succeed(mapping)
  const message = `${differs} must be as the mapping of this account has it. Leave it out, change the mapping by credit mapping set, or import this one file with anyway.`
  return Effect.fail(invalid(differs, message))
}

const doubtText = (doubts: ReadonlyArray<string>): string =>
  `content must have the whole of its days. ${doubts.join(" ")} Nothing was imported; with anyway, lines that are not recorded are.`

const services = Effect.all({
  checkDebits: makeDebitCheck,
  credits: CreditStore,
  integrations: IntegrationStore,
  lookAtCovered: makeCoveredTransfers,
  markup: StatementMarkup,
  receive: makeCreditImport,
  tokens: Tokens
})

type Services = Effect.Success<typeof services>

/** Keeps of which days a statement tells, which are over, and has the transfers looked at that can only have come then. */
const keepCover = Effect.fnUntraced(function* (
  services: Services,
  { account, integration, organisation, sharing }: TransferAccount,
  { first: first_day, last }: Statement["days"],
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
  yield* services.lookAtCovered(organisation, sharing, statement)
})

/** What is recorded of days of the account, and of lines with ids of the bank's. */
const recordedOf = (
  { credits }: Services,
  { account, integration, organisation }: TransferAccount,
  { first, last }: Statement["days"],
  bank_ids: ReadonlyArray<string>
) => credits.ofDays(organisation.id, { account, integration_id: integration.id, first, last, bank_ids })

/** Keeps what better tells a line that was recorded without it. */
const learn = Effect.fnUntraced(function* (
  { credits }: Services,
  recorded: ReadonlyArray<Credit>,
  known: Comparison["known"]
) {
  const byId = new Map(recorded.map((credit) => [credit.id, credit]))
  for (const [{ id }, line] of known) {
    const before = byId.get(id)
    if (before === undefined) continue
    const bank_id = before.bank_id ?? line.bank_id
    const balance_cents = before.balance_cents ?? line.balance_cents
    if (bank_id !== before.bank_id || balance_cents !== before.balance_cents) {
      yield* credits.update({ ...before, bank_id, balance_cents })
    }
  }
})

/** The form of a file, which is said or by which it begins. */
const formatFor = ({ content, format }: CreditImport) => {
  const kind = kindOf(content)
  if (format != null) return Effect.succeed(format)
  return "mistake" in kind
    ? Effect.fail(invalid("content", `content must be a bank's statement as text: it is ${kind.mistake}.`))
    : Effect.succeed(kind.format)
}

/** The statement of a file that says itself what stands where. */
const markedStatement = Effect.fnUntraced(function* (
  { markup }: Services,
  { integration, organisation }: TransferAccount,
  format: "camt053" | "ofx",
  input: CreditImport,
  today: CalendarDate
) {
  const named = givenOf(input)
  if (named !== undefined) {
    return yield* invalid(named, `${named} must be left out: a file of ${format} says itself where what stands.`)
  }
  const currency = integration.settlement_currency
  const of = {
    ...{ currency, timezone: organisation.timezone, today },
    bank_account: integration.processor === "bank" ? accountOf(integration) : null,
    format: { decimalMark: ".", minorDigits: minorDigitsOf(currency), currency } as const
  }
  const parser = yield* markup.open(format === "ofx" ? "sgml" : "xml")
  const reader = format === "ofx" ? ofxReader(parser, of) : camtReader(parser, of)
  const items = [...reader.write(input.content.replace(/^\uFEFF/u, "")), ...reader.end()]
  const isPassingOver = mappingOf(input, integration.statement_mapping).pass_over === true
  return { mapping: null, statement: statementFrom(items, isPassingOver, today) }
})

/** The statement of a file of values, as the account's mapping says or the input does. */
const mappedStatement = Effect.fnUntraced(function* (
  { integration, organisation }: TransferAccount,
  input: CreditImport,
  today: CalendarDate
) {
  const mapping = yield* mappingFor(integration, input)
  const of = { currency: integration.settlement_currency, timezone: organisation.timezone, today }
  return { mapping, statement: statementOf(input.content, mapping, of) }
})

/** The statement of a file, and the mapping by which it was read, if by any. */
const readStatement = Effect.fnUntraced(function* (
  services: Services,
  receiving: TransferAccount,
  input: CreditImport,
  today: CalendarDate
) {
  const format = yield* formatFor(input)
  const { mapping, statement } =
    format === "csv"
      ? yield* mappedStatement(receiving, input, today)
      : yield* markedStatement(services, receiving, format, input, today)
  if (Result.isFailure(statement)) return yield* invalid(statement.failure.param, faultText(statement.failure))
  return { mapping, statement: statement.success }
})

/** Records what a file has of new lines. Fails with {@link InvalidInput}, and has then kept nothing. */
const importContent = Effect.fnUntraced(function* (
  services: Services,
  receiving: TransferAccount,
  input: CreditImport,
  at: DateTime.Utc
) {
  const { account, integration, organisation } = receiving
  const today = dayOf(at, organisation.timezone)
  const { mapping, statement } = yield* readStatement(services, receiving, input, today)
  const { days, debits, lines, passed, skipped } = statement
  const import_id = `imp_${(yield* services.tokens.digest(`${integration.id} ${input.content}`)).slice(0, 32)}`
  const bankIds = lines.flatMap(({ bank_id }) => bank_id ?? [])
  const recorded = yield* recordedOf(services, receiving, days, bankIds)
  const { doubts, fresh, known } = compareDays(
    { lines, days, import_id, account, isFurther: input.is_further === true },
    recorded.filter(({ part_of, voided_at }) => part_of === null && voided_at === null)
  )
  if (doubts.length > 0 && input.anyway !== true) return yield* invalid("content", doubtText(doubts))
  yield* learn(services, recorded, known)
  const added = yield* services.receive(receiving, { lines: fresh, import_id, recorded }, at)
  const told = yield* services.checkDebits(receiving, debits, at)
  if (lines.length + skipped > 0) {
    yield* keepCover(services, receiving, days, { import_id, mapping }, at)
  }
  const result: CreditImportResult = {
    lines: lines.length + skipped,
    skipped,
    passed_over: passed.length,
    passed: passed.slice(0, Limits.creditPassed),
    known: known.length,
    recorded: added.credits.length,
    matched: added.matched,
    exceptions: added.exceptions + told,
    import_id,
    is_dry_run: input.is_dry_run === true
  }
  return result
})

/** Reads files of statements and records what is new of them, in the surrounding transaction. */
export const makeStatementImport = Effect.map(services, (services) => ({
  importContent: (receiving: TransferAccount, input: CreditImport, at: DateTime.Utc) =>
    importContent(services, receiving, input, at),
  recordedOf: (receiving: TransferAccount, days: Statement["days"]) => recordedOf(services, receiving, days, [])
}))
