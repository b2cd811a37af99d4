import { Effect, Option, Result, Stream } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { differenceOf, givenOf, mappingOf, type StatementMapping } from "../../../domain/access/StatementMapping.ts"
import type { CalendarDate } from "../../../domain/kernel/CalendarDate.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { accountOf } from "../../../domain/payments/BankTransfer.ts"
import type { CreditImport } from "../../../domain/payments/CreditImport.ts"
import {
  faultText,
  minorDigitsOf,
  type StatementItem,
  type StatementLine,
  type StatementReader
} from "../../../domain/payments/Statement.ts"
import { camtReader } from "../../../domain/payments/StatementCamt.ts"
import { csvReader } from "../../../domain/payments/StatementCsv.ts"
import { kindOf, type StatementFormat } from "../../../domain/payments/StatementKind.ts"
import { ofxReader } from "../../../domain/payments/StatementOfx.ts"
import { makeOverview, type StatementOverview, type StatementPart } from "../../../domain/payments/StatementOverview.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { StatementContent } from "../../../ports/payments/StatementContent.ts"
import { StatementMarkup } from "../../../ports/payments/StatementMarkup.ts"
import type { TransferAccount } from "./CreditImport.ts"

/** A file of which all was read, and nothing is held: it is read again for its lines. */
export interface OpenStatement extends StatementOverview {
  /** The mapping by which it is read; null for a file that says itself what stands where. */
  readonly mapping: StatementMapping | null
  readonly import_id: string
  readonly isAnyway: boolean
  readonly isFurther: boolean
  readonly isRehearsed: boolean
  readonly items: Stream.Stream<ReadonlyArray<StatementItem>, InvalidInput>
}

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

/** The mapping by which a file is read. Fails where it is not the one that the account's statements are read by. */
const mappingFor = ({ statement_mapping: kept }: Integration, input: CreditImport) => {
  const mapping = mappingOf(input, kept)
  const [differs] = kept === null || input.anyway === true ? [] : differenceOf(mapping, kept)
  if (differs === undefined) return Effect.succeed(mapping)
  const message = `${differs} must be as the mapping of this account has it. Leave it out, change the mapping by credit mapping set, or import this one file with anyway.`
  return Effect.fail(invalid(differs, message))
}

/** The form of a file, which is said or by which it begins. */
const formatFor = (beginning: string, { format }: CreditImport): Effect.Effect<StatementFormat, InvalidInput> => {
  if (format != null) return Effect.succeed(format)
  const kind = kindOf(beginning)
  return "mistake" in kind
    ? Effect.fail(invalid("content", `content must be a bank's statement as text: it is ${kind.mistake}.`))
    : Effect.succeed(kind.format)
}

const services = Effect.all({ markup: StatementMarkup, tokens: Tokens })

type Services = Effect.Success<typeof services>

/** What makes a reader of the file, and the mapping by which it reads, if by any. */
const readerFor = Effect.fnUntraced(function* (
  { markup }: Services,
  { integration, organisation }: TransferAccount,
  input: CreditImport,
  format: StatementFormat,
  today: CalendarDate
) {
  const currency = integration.settlement_currency
  const of = { currency, timezone: organisation.timezone, today }
  if (format === "csv") {
    const mapping = yield* mappingFor(integration, input)
    return { mapping, makeReader: Effect.sync((): StatementReader => csvReader(mapping, of)) }
  }
  const named = givenOf(input)
  if (named !== undefined) {
    return yield* invalid(named, `${named} must be left out: a file of ${format} says itself where what stands.`)
  }
  const account = {
    ...of,
    bank_account: integration.processor === "bank" ? accountOf(integration) : null,
    format: { decimalMark: ".", minorDigits: minorDigitsOf(currency), currency } as const
  }
  const isOfx = format === "ofx"
  const makeReader = Effect.map(markup.open(isOfx ? "sgml" : "xml"), (parser) =>
    isOfx ? ofxReader(parser, account) : camtReader(parser, account)
  )
  return { mapping: null, makeReader }
})

const pieceShape = /.{1,10000}/gsu

/** Pieces that are read without keeping others waiting; a character stays whole. */
const shortened = Stream.flatMap((piece: string) => Stream.fromIterable(piece.match(pieceShape) ?? []))

/** The items of a file, piece by piece. */
const itemsOf = (
  pieces: Stream.Stream<string, InvalidInput>,
  makeReader: Effect.Effect<StatementReader>
): OpenStatement["items"] =>
  Stream.unwrap(
    Effect.map(makeReader, (reader) =>
      Stream.concat(
        Stream.mapEffect(shortened(pieces), (piece) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => reader.write(piece))
          )
        ),
        Stream.sync(() => reader.end())
      )
    )
  )

/** The id of an import, by the account and the content. */
const identify = Effect.fnUntraced(function* (
  { tokens }: Services,
  { id }: Integration,
  pieces: Stream.Stream<string, InvalidInput>
) {
  let digest: string = id
  let rest = ""
  let isFirst = true
  const take = Effect.fnUntraced(function* (block: string) {
    digest = yield* tokens.digest(`${digest} ${block}`)
    isFirst = false
  })
  yield* Stream.runForEach(pieces, (piece) =>
    Effect.gen(function* () {
      rest += piece
      while (rest.length >= Limits.creditFileCharacters) {
        yield* take(rest.slice(0, Limits.creditFileCharacters))
        rest = rest.slice(Limits.creditFileCharacters)
      }
    })
  )
  if (isFirst || rest !== "") yield* take(rest)
  return `imp_${digest.slice(0, 32)}`
})

/** Opens files. Fails with {@link InvalidInput} where a file cannot be read. */
export const makeOpenStatement = Effect.map(services, (services) =>
  Effect.fnUntraced(function* (receiving: TransferAccount, input: CreditImport, today: CalendarDate) {
    const pieces = yield* (yield* StatementContent)(input.content)
    const beginning = Option.getOrElse(yield* Stream.runHead(pieces), () => "")
    const format = yield* formatFor(beginning, input)
    const { makeReader, mapping } = yield* readerFor(services, receiving, input, format, today)
    const items = itemsOf(pieces, makeReader)
    const isPassingOver = mappingOf(input, receiving.integration.statement_mapping).pass_over === true
    const overview = makeOverview(isPassingOver)
    yield* Stream.runForEach(items, (found) => Effect.sync(() => found.forEach(overview.take)))
    const read = overview.end(today)
    if (Result.isFailure(read)) return yield* invalid(read.failure.param, faultText(read.failure))
    const file: OpenStatement = {
      ...read.success,
      mapping,
      items,
      import_id: yield* identify(services, receiving.integration, pieces),
      isAnyway: input.anyway === true,
      isFurther: input.is_further === true,
      isRehearsed: input.is_dry_run === true
    }
    return file
  })
)

/** Reads the file once more, and does something with the lines of each part, one after another. */
export const eachPart = Effect.fnUntraced(function* <E, R>(
  { items, parts }: OpenStatement,
  use: (part: StatementPart, lines: ReadonlyArray<StatementLine>) => Effect.Effect<void, E, R>
) {
  let index = 0
  let lines: Array<StatementLine> = []
  const changed = invalid("content", "content must stay as it is while it is imported: the file has changed.")
  yield* Stream.runForEach(
    items,
    Effect.fnUntraced(function* (found: ReadonlyArray<StatementItem>) {
      for (const item of found) {
        if (Result.isFailure(item)) continue
        const part = parts[index]
        if (part === undefined || !part.days.has(item.success.day)) return yield* changed
        lines.push(item.success)
        if (lines.length < part.count) continue
        yield* use(part, lines)
        lines = []
        index += 1
      }
    })
  )
  if (index < parts.length) return yield* changed
})
