import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { staffReads, staffWrites } from "../../domain/access/Policy.ts"
import { dayOf, isAfterDayOf } from "../../domain/kernel/CalendarDate.ts"
import { CreditId, IntegrationId } from "../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { accountKey, accountOf } from "../../domain/payments/BankTransfer.ts"
import { CreditImportResult, CreditRecord, keptText, listing, NewCredit } from "../../domain/payments/Credit.ts"
import { CreditImport } from "../../domain/payments/CreditImport.ts"
import { faultText, statementOf } from "../../domain/payments/Statement.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { CreditStore } from "../../ports/payments/CreditStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, operationsOf, operationTable, pageOf, query } from "../access/operation/Operation.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { makeCreditImport, type TransferAccount } from "./bank/CreditImport.ts"

const operations = operationTable({
  import: {
    summary: "Import a file of a bank statement: each line counts once, and pays the gift whose reference it names",
    requires: staffWrites("credits.import"),
    input: [body(CreditImport)],
    output: CreditImportResult
  },
  record: {
    summary: "Record one line of a bank statement by hand",
    requires: staffWrites("credits.record"),
    input: [body(NewCredit)],
    output: CreditRecord
  },
  read: {
    summary: "Show a line of a bank statement",
    requires: staffReads("credits.read"),
    input: [id(CreditId, "credit")],
    output: CreditRecord
  },
  list: {
    summary: "List incoming bank payments, newest first",
    requires: staffReads("credits.list"),
    input: [query(listing)],
    output: pageOf(CreditRecord)
  }
})

const readIntegration = Schema.decodeUnknownOption(IntegrationId)

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const noAccount = () =>
  invalid(
    "integration_id",
    "integration_id must be the id of an account of this organisation to which donors transfer."
  )

/** Keeps what came to bank accounts, and has it pay the gifts that it names. money, section 3: Bank transfer. */
export class Credits extends Context.Service<Credits>()("almoner/app/Credits", {
  make: Effect.gen(function* () {
    const store = yield* CreditStore
    const integrations = yield* IntegrationStore
    const changeLog = yield* ChangeLog
    const receive = yield* makeCreditImport
    const transaction = yield* Transaction

    const receivingOf = Effect.fnUntraced(function* (organisation: Organisation, given: string) {
      const integration_id = readIntegration(given)
      const found = Option.isNone(integration_id)
        ? Option.none<Integration>()
        : yield* integrations.find(organisation.id, integration_id.value)
      const account = Option.isNone(found) ? null : accountOf(found.value)
      if (Option.isNone(found) || account === null) return yield* noAccount()
      const receiving: TransferAccount = { organisation, integration: found.value, account: accountKey(account) }
      return receiving
    })

    /** The result of an import; `rehearsed` is a failure, by which nothing is kept. */
    const write = Effect.fnUntraced(function* (receiving: TransferAccount, input: CreditImport) {
      const { integration, organisation } = receiving
      const at = yield* organisationNow
      const today = dayOf(at, organisation.timezone)
      const read = statementOf(input, { currency: integration.settlement_currency, today })
      if (Result.isFailure(read)) return yield* invalid(read.failure.param, faultText(read.failure))
      const { lines, skipped } = read.success
      const { credits, exceptions, matched } = yield* receive(receiving, lines, 1, at)
      const is_dry_run = input.is_dry_run === true
      const result: CreditImportResult = {
        lines: lines.length + skipped,
        skipped,
        known: lines.length - credits.length,
        recorded: credits.length,
        matched,
        exceptions,
        is_dry_run
      }
      if (is_dry_run) return yield* Effect.fail({ _tag: "Rehearsed", result } as const)
      yield* changeLog.write({ operation: operations.import.requires.name, subject_id: integration.id, at, events: [] })
      return result
    }, transaction.run)

    /**
     * Imports a file of a bank statement: all of its lines or none, each once however often it comes. What names a gift pays it,
     * and of the rest a person is told. Fails with {@link InvalidInput} of `content` where lines are bad, which it names, of a
     * column that there is not, and of `integration_id`.
     */
    const importFile = Effect.fn("Credits.import")(function* (input: CreditImport) {
      const { organisation } = yield* requireStaff(operations.import)
      const receiving = yield* receivingOf(organisation, input.integration_id)
      return yield* write(receiving, input).pipe(Effect.catchTag("Rehearsed", ({ result }) => Effect.succeed(result)))
    })

    /**
     * Records one line of a statement by hand. Fails with {@link InvalidInput} of `integration_id`, of `currency` where the
     * account has another, of `day` for one in the future, and of `number` where the line is recorded.
     */
    const record = Effect.fn("Credits.record")(function* (input: NewCredit) {
      const { organisation } = yield* requireStaff(operations.record)
      const receiving = yield* receivingOf(organisation, input.integration_id)
      const { settlement_currency } = receiving.integration
      if ((input.currency ?? settlement_currency) !== settlement_currency) {
        return yield* invalid("currency", `currency must be ${settlement_currency}, in which the account is.`)
      }
      const at = yield* organisationNow
      if (isAfterDayOf(input.day, at, organisation.timezone)) {
        return yield* invalid("day", "day must not be in the future in the organisation's timezone.")
      }
      const line = { day: input.day, amount_cents: input.amount_cents, text: keptText(input.text) }
      const { credits } = yield* receive(receiving, [line], input.number ?? 1, at)
      const [credit] = credits
      if (credit === undefined) {
        const message =
          "number must be that of a line which is not recorded: one of this day, amount and text is. Give the next number where the statement has it again."
        return yield* invalid("number", message)
      }
      yield* changeLog.write({ operation: operations.record.requires.name, subject_id: credit.id, at, events: [] })
      return credit
    }, transaction.run)

    const read = readMethod("Credits.read", operations.read, "credit", store)
    const list = listMethod("Credits.list", operations.list, store)

    return yield* serviceInOrganisationTime(operations, { import: importFile, record, read, list })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** The operations of {@link Credits}. */
export const creditOperations = operationsOf(Credits, operations)
