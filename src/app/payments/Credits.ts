import { type DateTime, Effect, Option, Schema } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"
import type { Integration } from "../../domain/access/Integration.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { AccountMapping, conflictOf, mappingOf, StatementMapping } from "../../domain/access/StatementMapping.ts"
import { dayOf, firstDay, isAfterDayOf } from "../../domain/kernel/CalendarDate.ts"
import { CreditId, IntegrationId } from "../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { compareCodePoints, GivenId } from "../../domain/kernel/Text.ts"
import { accountKey, accountOf, receivedCents } from "../../domain/payments/BankTransfer.ts"
import {
  addCounts,
  CreditImportResult,
  CreditRecord,
  CreditVoid,
  ImportUndo,
  ImportUndone,
  keptText,
  listing,
  NewCredit,
  noCounts
} from "../../domain/payments/Credit.ts"
import { CreditImport } from "../../domain/payments/CreditImport.ts"
import type { ImportedStatement } from "../../domain/payments/ImportedStatement.ts"
import type { StatementLine } from "../../domain/payments/Statement.ts"
import { isRecordedAs } from "../../domain/payments/StatementDays.ts"
import type { StatementPart } from "../../domain/payments/StatementOverview.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { CreditStore } from "../../ports/payments/CreditStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, operationsOf, value } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makePaymentAccounts } from "./account/PaymentAccounts.ts"
import { makeChargeNames, makeCreditImport, type TransferAccount } from "./bank/CreditImport.ts"
import { makeCreditVoid } from "./bank/CreditVoid.ts"
import { eachPart, type OpenStatement } from "./bank/StatementFile.ts"
import { makeStatementImport } from "./bank/StatementImport.ts"

const operations = Row.table("credits", {
  import: Row.staffChange(
    "Import a file of a bank statement: each line counts once, and pays the gift whose reference it names",
    [body(CreditImport)],
    CreditImportResult
  ),
  record: Row.staffChange("Record one line of a bank statement by hand", [body(NewCredit)], CreditRecord),
  read: Row.staffRead("Show a line of a bank statement", [id(CreditId, "credit")], CreditRecord),
  void: Row.staffChange(
    "Say that a payment never came, which pays nothing yet",
    [id(CreditId, "credit"), body(CreditVoid)],
    CreditRecord
  ),
  undo: Row.staffChange(
    "Void all payments that came with a file: all of them or none",
    [body(ImportUndo)],
    ImportUndone
  ),
  setMapping: Row.staffChange(
    "Keep how the statements of an account are written: by its bank, or column by column",
    [body(AccountMapping)],
    StatementMapping
  ),
  readMapping: Row.staffRead(
    "Show how the statements of an account are written",
    [value("integration_id", GivenId)],
    StatementMapping
  ),
  list: Row.staffList("List incoming bank payments, newest first", listing, CreditRecord)
})

const readIntegration = Schema.decodeUnknownOption(IntegrationId)

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const noAccount = () =>
  invalid(
    "integration_id",
    "integration_id must be the id of an account of this organisation to which donors transfer."
  )

/** Keeps what came to bank accounts, and has it pay the gifts that it names. money, section 3: Bank transfer. */
export class Credits extends Service<Credits>()("almoner/app/Credits", function* () {
  const store = yield* CreditStore
  const integrations = yield* IntegrationStore
  const changeLog = yield* ChangeLog
  const namesOf = yield* makeChargeNames
  const receive = yield* makeCreditImport
  const { importPart, open, recordedOf } = yield* makeStatementImport
  const accounts = yield* makePaymentAccounts
  const voidAll = yield* makeCreditVoid
  const transaction = yield* Transaction

  const receivingOf = Effect.fnUntraced(function* (organisation: Organisation, given: string) {
    const integration_id = readIntegration(given)
    const found = Option.isNone(integration_id)
      ? Option.none<Integration>()
      : yield* integrations.find(organisation.id, integration_id.value)
    const account = Option.isNone(found) ? null : accountOf(found.value)
    if (Option.isNone(found) || account === null) return yield* noAccount()
    const key = accountKey(account)
    const sharing = (yield* accounts.all(organisation)).flatMap((each) => {
      const known = accountOf(each)
      return known !== null && accountKey(known) === key ? each.id : []
    })
    const receiving: TransferAccount = { organisation, integration: found.value, account: key, sharing }
    return receiving
  })

  /** The account, which no other import has until the transaction ends: of all integrations that have it. */
  const lockedOf = Effect.fnUntraced(function* (organisation: Organisation, given: string) {
    const { sharing } = yield* receivingOf(organisation, given)
    for (const id of sharing.toSorted(compareCodePoints)) yield* integrations.findForUpdate(organisation.id, id)
    return yield* receivingOf(organisation, given)
  })

  /** The result of a part of a file; a rehearsal is a failure, by which nothing is kept. */
  const write = Effect.fnUntraced(function* (
    organisation: Organisation,
    input: CreditImport,
    ...[file, part, lines]: readonly [OpenStatement, StatementPart, ReadonlyArray<StatementLine>]
  ) {
    const receiving = yield* lockedOf(organisation, input.integration_id)
    const at = yield* organisationNow
    const result = yield* importPart(receiving, file, part, lines, at)
    if (file.isRehearsed) return yield* Effect.fail({ _tag: "Rehearsed", result } as const)
    const subject_id = receiving.integration.id
    yield* changeLog.write({ operation: operations.import.requires.name, subject_id, at, events: [] })
    return result
  }, transaction.run)

  /**
   * Imports a file of a bank statement, each line once however often it comes: all of its lines or none, and of a long file all
   * lines of a day or none, one day after another. What names a gift pays it, and of the rest a person is told. Fails with
   * {@link InvalidInput} of `content` where lines are bad, which it names, and where the file contradicts what is recorded of
   * its days, of a column that there is not or that the account's mapping has otherwise, and of `integration_id`.
   */
  const importFile = Effect.fn("Credits.import")(function* (input: CreditImport) {
    const { organisation } = yield* requireStaff(operations.import)
    const receiving = yield* receivingOf(organisation, input.integration_id)
    const file = yield* open(receiving, input, dayOf(yield* organisationNow, organisation.timezone))
    let counts = noCounts
    yield* eachPart(file, (part, lines) =>
      write(organisation, input, file, part, lines).pipe(
        Effect.catchTag("Rehearsed", ({ result }) => Effect.succeed(result)),
        Effect.tap((result) => Effect.sync(() => (counts = addCounts(counts, result))))
      )
    )
    const { import_id, isRehearsed, passed, passedCount } = file
    const result: CreditImportResult = {
      ...{ ...counts, passed_over: passedCount, passed: passed.map(({ line, says }) => ({ line, says })) },
      ...{ import_id, is_dry_run: isRehearsed }
    }
    return result
  })

  /**
   * Records one line of a statement by hand. Fails with {@link InvalidInput} of `integration_id`, of `currency` where the
   * account has another, of `day` for one in the future, and of `number` where the line is recorded.
   */
  const record = Effect.fn("Credits.record")(function* (input: NewCredit) {
    const { organisation } = yield* requireStaff(operations.record)
    const receiving = yield* lockedOf(organisation, input.integration_id)
    const { settlement_currency } = receiving.integration
    if ((input.currency ?? settlement_currency) !== settlement_currency) {
      return yield* invalid("currency", `currency must be ${settlement_currency}, in which the account is.`)
    }
    const at = yield* organisationNow
    const { amount_cents, day } = input
    if (isAfterDayOf(day, at, organisation.timezone)) {
      return yield* invalid("day", "day must not be in the future in the organisation's timezone.")
    }
    const line = { day, amount_cents, text: keptText(input.text), bank_id: null, balance_cents: null }
    const recorded = yield* recordedOf(receiving, { first: day, last: day })
    const named = (yield* namesOf(receiving, [line.text]))(line.text)
    const reference = "charge" in named ? named.charge.reference : null
    const known = recorded.filter(
      (each) => each.voided_at === null && each.part_of === null && isRecordedAs(each, { ...line, reference })
    )
    const [newest] = known.toReversed()
    if (newest !== undefined && known.length >= (input.number ?? 1)) {
      const message = `number must be that of a line which is not recorded: ${newest.id} is of this day and amount. Give ${known.length + 1} where the statement has one more.`
      return yield* invalid("number", message)
    }
    const { credits } = yield* receive(receiving, { lines: [line], import_id: null, recorded }, at)
    const [credit] = credits
    if (credit === undefined) return yield* Effect.die(new Error("A line was recorded while its account was held"))
    yield* changeLog.write({ operation: operations.record.requires.name, subject_id: credit.id, at, events: [] })
    return credit
  }, transaction.run)

  /** Keeps how the account's files are written, from now on. Fails with {@link InvalidInput} of a column beside another one. */
  const setMapping = Effect.fn("Credits.setMapping")(function* (input: AccountMapping) {
    const { organisation } = yield* requireStaff(operations.setMapping)
    const { integration } = yield* lockedOf(organisation, input.integration_id)
    const at = yield* organisationNow
    const statement_mapping = mappingOf(input, null)
    const conflict = conflictOf(statement_mapping)
    if (conflict !== undefined) return yield* invalid(conflict.param, conflict.says)
    yield* integrations.update({ ...integration, statement_mapping, updated_at: at })
    const { requires } = operations.setMapping
    yield* changeLog.write({ operation: requires.name, subject_id: integration.id, at, events: [] })
    return statement_mapping
  }, transaction.run)

  /** How the account's statements are written. Fails with {@link InvalidInput} where none is imported yet. */
  const readMapping = Effect.fn("Credits.readMapping")(function* (integration_id: string) {
    const { organisation } = yield* requireStaff(operations.readMapping)
    const { integration } = yield* receivingOf(organisation, integration_id)
    return integration.statement_mapping ?? mappingOf({}, null)
  })

  const voidingBy = (caller: Caller, operation: string, note: string) =>
    Effect.map(organisationNow, (at) => ({ operation, caller, note, at }))

  /**
   * Says that a payment never came: it pays nothing any more, and the bank's account is the bank's again. Fails with {@link
   * InvalidInput} of `id` where it pays a gift, or where somebody has decided about its money.
   */
  const voidCredit = Effect.fn("Credits.void")(function* (id: CreditId, { note }: CreditVoid) {
    const caller = yield* requireStaff(operations.void)
    yield* store.find(caller.organisation.id, id).pipe(orNotFound("credit", id))
    yield* voidAll([id], yield* voidingBy(caller, operations.void.requires.name, note))
    return yield* store.find(caller.organisation.id, id).pipe(orNotFound("credit", id))
  }, transaction.run)

  /** Takes back of which days a statement told, as far as no other tells of them. */
  const dropCover = Effect.fnUntraced(function* (statement: ImportedStatement, at: DateTime.Utc) {
    const { account, import_id, integration_id, organisation_id } = statement
    yield* store.dropStatement(organisation_id, import_id)
    const held = yield* integrations.findForUpdate(organisation_id, integration_id)
    const asked = { account, integration_id, day: firstDay }
    const [last] = yield* store.statementsSince(organisation_id, asked)
    if (Option.isNone(held)) return
    yield* integrations.update({ ...held.value, statement_until: last?.last_day ?? null, updated_at: at })
  })

  const writeUndo = Effect.fnUntraced(function* (caller: Caller, { import_id, is_dry_run, note }: ImportUndo) {
    const { organisation } = caller
    const statement = yield* store.findStatement(organisation.id, import_id)
    if (Option.isSome(statement)) yield* lockedOf(organisation, statement.value.integration_id)
    const came = (yield* store.ofImport(organisation.id, import_id)).filter((each) => each.voided_at === null)
    if (came.length === 0 && Option.isNone(statement)) {
      return yield* invalid("import_id", "import_id must be that of an import which is not undone.")
    }
    const ids = came.map(({ id }) => id).toSorted(compareCodePoints)
    const voiding = yield* voidingBy(caller, operations.undo.requires.name, note)
    yield* voidAll(ids, voiding)
    if (Option.isSome(statement)) yield* dropCover(statement.value, voiding.at)
    const amount_cents = receivedCents(came)
    const result: ImportUndone = { import_id, voided: came.length, amount_cents, is_dry_run: is_dry_run === true }
    if (result.is_dry_run) return yield* Effect.fail({ _tag: "Rehearsed", result } as const)
    return result
  }, transaction.run)

  /** Voids what came with a file. Fails as {@link voidCredit} does, and with {@link InvalidInput} of `import_id`. */
  const undo = Effect.fn("Credits.undo")(function* (input: ImportUndo) {
    const caller = yield* requireStaff(operations.undo)
    return yield* writeUndo(caller, input).pipe(Effect.catchTag("Rehearsed", ({ result }) => Effect.succeed(result)))
  })

  const read = readMethod("Credits.read", operations.read, "credit", store)
  const list = listMethod("Credits.list", operations.list, store)

  return yield* serviceInOrganisationTime(operations, {
    import: importFile,
    record,
    read,
    list,
    void: voidCredit,
    undo,
    setMapping,
    readMapping
  })
}) {}

/** The operations of {@link Credits}. */
export const creditOperations = operationsOf(Credits, operations)
