import { Effect, type Layer, Option, Result, Schema } from "effect"
import type { Command } from "effect/cli"
import type { useCases } from "../../app/Application.ts"
import { type Operator, Organisations } from "../../app/access/Organisations.ts"
import type * as App from "../../app/access/operation/Operation.ts"
import {
  type ArgumentReader,
  bodyReader,
  idReader,
  json,
  valueReader
} from "../../app/access/operation/ServiceChecks.ts"
import { decoder } from "../../app/kernel/decoding/Decoder.ts"
import type { EndpointTests } from "../../app/outbox/EndpointTests.ts"
import type { Caller } from "../../domain/access/Caller.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import type { GuardRefused, IllegalTransition, InvalidCommand } from "../../domain/kernel/Machine.ts"
import {
  type AlreadyTaken,
  type Forbidden,
  type InvalidInput,
  type KeyRetired,
  type LimitReached,
  type MalformedInput,
  NotFound,
  type RecordArchived,
  type TakesNoPayment
} from "../../domain/kernel/Rejection.ts"
import type { PassphraseLocked } from "../../domain/sharing/Passphrase.ts"
import { CurrentCaller } from "../../ports/access/CurrentCaller.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { type Code, Report } from "./CommandFailed.ts"
import { parametersOf } from "./ParametersOf.ts"

/** The services that the operations of the command use. */
export type UseCases = Layer.Success<typeof useCases> | EndpointTests | Tokens

export type Rejection =
  | AlreadyTaken
  | Forbidden
  | GuardRefused
  | IllegalTransition
  | InvalidCommand
  | InvalidInput
  | KeyRetired
  | LimitReached
  | MalformedInput
  | NotFound
  | PassphraseLocked
  | RecordArchived
  | TakesNoPayment

/** An operation was refused; the message is a sentence for the operator. */
class OperationRefused extends Schema.TaggedError<OperationRefused>()("Refused", Report.fields) {}

const refuse = (code: Code, message: string, param?: string): OperationRefused =>
  new OperationRefused({
    code,
    message: /[.!?]$/.test(message) ? message : `${message}.`,
    ...(param === undefined ? {} : { param })
  })

/** The API's code for each refusal: a new rejection does not compile until it is listed. */
const codes: { readonly [Tag in Rejection["_tag"]]: Code } = {
  AlreadyTaken: "conflict",
  Forbidden: "forbidden",
  GuardRefused: "conflict",
  IllegalTransition: "conflict",
  InvalidCommand: "validation_failed",
  InvalidInput: "validation_failed",
  KeyRetired: "conflict",
  LimitReached: "invalid_request",
  MalformedInput: "invalid_request",
  NotFound: "not_found",
  PassphraseLocked: "rate_limited",
  RecordArchived: "conflict",
  TakesNoPayment: "conflict"
}

/** A refusal of a use case as the command tells it. */
export const refusalOf = (rejection: Rejection): OperationRefused =>
  refuse(codes[rejection._tag], rejection.message, "param" in rejection ? rejection.param : undefined)

/** A request for an operation, as it travels to a running server. */
export const Request = Schema.Struct({
  /** The operation's name, e.g. `key create`, made by {@link nameOf}. */
  operation: Schema.String,
  /** The slug of the organisation that the operation is for; null where it is for none. */
  organisation: Schema.NullOr(Schema.String),
  input: Schema.Unknown
})
export type Request = typeof Request.Type

/** The outcome of an operation: its result as JSON, with what its reader is warned of, or the report of its refusal. */
export const Outcome = Schema.Union([
  Schema.Struct({ result: Schema.Unknown, warnings: Schema.optionalKey(Schema.Array(Schema.String)) }),
  Schema.Struct({ refused: Report })
])
export type Outcome = typeof Outcome.Type

export const groups = {
  organisation: "Make organisations, rename them and set their plans",
  key: "Make, rotate and revoke API keys",
  "key-ring": "See which secrets each encryption key sealed, and seal them with the newest",
  regime: "See the disclosure regimes, how sure their figures are, and which have to be checked",
  "regime elections": "Keep the elections by which notices of gifts are due sooner",
  cap: "See what is used of donors' caps, and say what is done about gifts over them",
  disclosure: "See what is owed to authorities about donors' gifts, and say what was done",
  integration: "Manage an organisation's payment accounts and their passphrases",
  settings: "See and set what receipts say, and how pages look",
  donor: "Keep donors",
  donation: "Keep gifts, and give them back",
  "revenue-code": "Keep the codes that gifts are booked under",
  form: "Keep the forms that donors give through",
  "checkout-link": "Ask a donor for an amount by a link",
  "recommendation-set": "Share one payment among recipients",
  "recipient-account": "Keep the recipient accounts that an organisation linked",
  introduction: "Invite partners to receive",
  event: "See what happened",
  user: "Make users, and members of organisations",
  invitation: "Open, accept and link invitations, as their invitees do",
  subscription: "See recurring gifts, and end them",
  sandbox: "See the clock of a sandbox, and move it on",
  "consent-prompt": "Keep what donors are asked on the pages",
  checkout: "Give through a form, a checkout link or a recommendation set, as donors do",
  charge: "See the attempts to take money from donors",
  credit: "Import bank statements, and see incoming payments",
  "credit mapping": "Say how the bank writes the statements of an account",
  refund: "See refunds that wait, and say how they ended",
  notice: "See webhooks of payment processors, and have them applied again",
  exception: "See what somebody must look at about money, and say what was done",
  ledger: "See where every cent went, and whether the books add up",
  tariff: "Set the platform fee",
  endpoint: "Keep webhook endpoints and try them",
  delivery: "See webhook deliveries and send them again",
  consumer: "See the consumers of events in hosts' processes, and what they failed to handle",
  "test-processor": "Move the simulated bank of a sandbox by hand",
  payment: "See payments to recommendation sets, and give them back",
  transfer: "See what goes to the recipients of shared payments, begin it anew, and say what was moved by hand",
  mail: "See what was sent by mail, and what waits",
  "yearly-summary": "See how far the summaries of donors' financial years are, and send one again",
  audit: "See who did what"
} as const

export interface Declaration<I, A, E extends Rejection, R extends UseCases | CurrentCaller> {
  readonly description: string
  /** The flags and arguments that the input is made of, by the input's names. */
  readonly parameters: Command.Command.Config
  /** Parameters that name a file, or `-` for standard input, whose text is the input, with their flags: secrets. */
  readonly secrets?: { readonly [parameter: string]: string }
  /** Parameters that name a file in the same way, which is read where the operation is performed. */
  readonly files?: ReadonlyArray<string>
  readonly input: Schema.Codec<I, unknown>
  readonly output: Schema.ConstraintCodec<A, unknown>
  /** The columns of the table that is printed for a list; `candidates.donor_name` is that of each candidate. */
  readonly columns?: ReadonlyArray<string>
  /** The fault of flags and arguments that do not go together; undefined where there is none. */
  readonly misuse?: (given: Readonly<Record<string, unknown>>) => string | undefined
  /** Whether each answer is a page, whose `text` is printed as it is, and whose `next` is where the one after it starts. */
  readonly isPaged?: boolean
  /** A remark that is printed after the result, for people. */
  readonly remark?: (result: unknown) => string | undefined
  /** What the reader of a result is warned of, where the operation is performed; printed beside it. */
  readonly warnings?: (result: unknown, input: unknown) => Effect.Effect<ReadonlyArray<string>, never, UseCases>
  readonly run: (input: I) => Effect.Effect<A, E, R>
}

export interface UnnamedOperation
  extends Pick<
    Declaration<unknown, unknown, never, never>,
    | "description"
    | "parameters"
    | "secrets"
    | "files"
    | "misuse"
    | "output"
    | "columns"
    | "isPaged"
    | "remark"
    | "warnings"
  > {
  /** Whether it is for one organisation, which the operator names with `--organisation`; null where that depends on its input. */
  readonly ofOrganisation: boolean | null
  readonly perform: (input: unknown, slug: string | null) => Effect.Effect<unknown, OperationRefused, UseCases>
}

export interface Operation extends UnnamedOperation {
  /** Null for a command outside of groups. */
  readonly group: keyof typeof groups | null
  readonly name: string
}

export const commandsOf = (
  group: Operation["group"],
  commands: Readonly<Record<string, UnnamedOperation>>
): ReadonlyArray<Operation> => Object.entries(commands).map(([name, command]) => ({ ...command, group, name }))

/** The name of an operation: its group and its own name. */
export const nameOf = ({ group, name }: Pick<Operation, "group" | "name">): string =>
  group === null ? name : `${group} ${name}`

/** The message where an operation is for one organisation and none is named. */
export const noOrganisation = "Say which organisation: --organisation <slug>."

/** The message where an operation is for no organisation, and one is named: its answer is not that organisation's. */
export const wholeInstallation = "This command is for the whole installation: leave --organisation out."

const performer = <I, A, E extends Rejection, R extends UseCases | CurrentCaller>(
  declaration: Declaration<I, A, E, R>
) => {
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(declaration.output))
  return Effect.fnUntraced(function* (input: unknown) {
    const decoded = Effect.fromResult(decoder(Schema.toCodecJson(declaration.input))(input))
    const result = yield* Effect.mapError(Effect.flatMap(decoded, declaration.run), refusalOf)
    return yield* Effect.orDie(encode(result))
  })
}

export const ofInstallation = <I, A, E extends Rejection>(
  declaration: Declaration<I, A, E, UseCases>
): UnnamedOperation => {
  const perform = performer(declaration)
  return { ...declaration, ofOrganisation: false, perform: (input) => perform(input) }
}

/** The command line as the actor of the audit, with an id for this one run. */
export const operator = Effect.gen(function* () {
  const acting: Operator = {
    actor: { type: "SYSTEM", id: "command line" },
    request_id: yield* (yield* Tokens).id("request")
  }
  return acting
})

const callerFor = Effect.fnUntraced(function* (organisation: Organisation) {
  const caller: Caller = { ...(yield* operator), organisation, scope: "WRITE" }
  return caller
})

/** An operation within one organisation, with the system as its actor. */
export const ofOrganisation = <I, A, E extends Rejection>(
  declaration: Declaration<I, A, E, UseCases | CurrentCaller>
): UnnamedOperation => {
  const perform = performer(declaration)
  return {
    ...declaration,
    ofOrganisation: true,
    perform: Effect.fnUntraced(function* (input, slug) {
      if (slug === null) return yield* refuse("usage", noOrganisation)
      const organisation = yield* Effect.mapError(
        Organisations.use((organisations) => organisations.findBySlug(slug)),
        refusalOf
      )
      return yield* Effect.provideService(perform(input), CurrentCaller, yield* callerFor(organisation))
    })
  }
}

const decodeRequest = Schema.decodeUnknownOption(Request)

/** Performs the operation that a request names. It never fails: a refusal is an outcome, too. */
export const performFrom =
  (operations: ReadonlyArray<Operation>) =>
  (request: unknown): Effect.Effect<Outcome, never, UseCases> => {
    const asked = Option.getOrUndefined(decodeRequest(request))
    const found = operations.find((operation) => nameOf(operation) === asked?.operation)
    if (asked === undefined || found === undefined) {
      const message = "The running server is of another version and does not know this command."
      return Effect.succeed({ refused: { code: "unavailable", message } })
    }
    return Effect.matchEffect(found.perform(asked.input, asked.organisation), {
      onFailure: ({ code, message, param }): Effect.Effect<Outcome> =>
        Effect.succeed({ refused: { code, message, ...(param === undefined ? {} : { param }) } }),
      onSuccess: (result): Effect.Effect<Outcome, never, UseCases> =>
        found.warnings === undefined
          ? Effect.succeed({ result })
          : Effect.map(found.warnings(result, asked.input), (warnings) => ({ result, warnings }))
    })
  }

/** The parts of a declaration that a command adds to an operation, whose words and parts it has where it has none of its own. */
type Says = Partial<
  Pick<
    Declaration<unknown, unknown, never, never>,
    "description" | "parameters" | "secrets" | "files" | "columns" | "isPaged" | "remark" | "warnings"
  >
>

/** An operation that a command can be over: its failures have words here, and its use cases are the command's. */
export interface CommandOperation<R> {
  readonly summary: string
  readonly service: App.ServiceKey<UseCases>
  readonly input: App.Parts
  readonly output: Schema.Top
  readonly run: (...args: never) => Effect.Effect<unknown, Rejection, R>
}

type Input = Readonly<Record<string, unknown>>

/** The name of a part that a command takes by one name: `id` for an id, a value's own. */
const partName = (part: App.Part): string | undefined =>
  part._tag === "Id" ? "id" : part._tag === "Value" ? part.name : undefined

/** The parts are read as the API reads them: a list's query is texts, everything else JSON. */
const readerOf = (part: App.Part): ArgumentReader => {
  switch (part._tag) {
    case "Id": {
      // What is no id is not repeated: it may be a secret, put in the wrong place.
      const { record } = part
      return (given) => Result.mapError(idReader(part)(given), () => new NotFound({ record, id: "of this id" }))
    }
    case "Body":
      return bodyReader(part, json)
    case "Value":
      return valueReader(part, json)
    case "Query":
      return (given) => parse(part.listing, Object.entries(Object(given)))
  }
}

/** The arguments, refused in the order of the API: an id that cannot exist comes last. */
const readAll = (parts: App.Parts, given: Input) => {
  const named = parts.map(partName)
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !named.includes(name)))
  const read = parts.map((part, index) => readerOf(part)(given[named[index] ?? ""] ?? rest))
  return Result.andThen(Result.all(read.filter((_, index) => parts[index]?._tag !== "Id")), Result.all(read))
}

/** A use case that answers several records has them in `data`, as a list of the API has. */
const declarationOf = <R>({ input, output, run, service, summary }: CommandOperation<R>, says: Says) => {
  const answer = Schema.make<Schema.Codec<unknown>>(output.ast)
  const isList = output.ast._tag === "Arrays"
  return {
    description: summary,
    parameters: parametersOf(input, says.secrets ?? {}),
    ...says,
    input: Schema.Record(Schema.String, Schema.Unknown),
    output: isList ? Schema.Struct({ data: answer }) : answer,
    run: Effect.fnUntraced(function* (given: Input) {
      const args = yield* Effect.fromResult(readAll(input, given))
      const perform = run as (use: unknown, ...decoded: ReadonlyArray<unknown>) => Effect.Effect<unknown, Rejection, R>
      const result = yield* perform(yield* service, ...args)
      return isList ? { data: result } : result
    })
  }
}

/**
 * A command over an operation of one organisation: its parameters have the names of the operation's inputs, each with a flag
 * or an argument where none are given, and its output is the operation's.
 */
export const runAgainst = (operation: CommandOperation<CurrentCaller>, says: Says = {}): UnnamedOperation =>
  ofOrganisation(declarationOf(operation, says))

export const overInstallation = (operation: CommandOperation<never>, says: Says = {}): UnnamedOperation =>
  ofInstallation(declarationOf(operation, says))
