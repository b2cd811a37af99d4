import { resolve } from "node:path"
import {
  Console,
  Effect,
  FileSystem,
  Layer,
  Option,
  type PlatformError,
  Predicate,
  type Scope,
  Stdio,
  Stream
} from "effect"
import { CliConfig, type CliError, CliOutput, Command, Flag, GlobalFlag, type HelpDoc } from "effect/cli"
import type { Finding } from "../../ports/kernel/Finding.ts"
import { type Announce, makeAnnouncer } from "./Banner.ts"
import { asksForJson, CommandFailed, type DatabaseInUse, failureText, type Report } from "./CommandFailed.ts"
import {
  groups,
  nameOf,
  noOrganisation,
  type Operation,
  type Outcome,
  type Request,
  wholeInstallation
} from "./Operation.ts"
import { operations } from "./Operations.ts"
import { inFlags } from "./ParametersOf.ts"
import { reach, type Work } from "./Reach.ts"
import { oneLine, render } from "./Render.ts"
import { settingsHelp } from "./Settings.ts"
import { decodeBytes, fileParameter } from "./StatementFile.ts"

/** Stands for standard input in place of a file's path. */
const standardInput = "-"

const text = new TextDecoder()

const inputBytes = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const parts = yield* Stream.runCollect(stdin)
  return Buffer.concat([...parts])
})

const readInput = Effect.map(inputBytes, (bytes) => text.decode(bytes))

const readFile = (path: string) => Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path))

/**
 * Reads a secret from a file, or from standard input: arguments are kept in the shell's history, and every user of the
 * machine can read them while the command runs. Fails with {@link CommandFailed}, which does not repeat the path: it
 * may be the secret, put in the wrong place.
 */
const readSecret = Effect.fnUntraced(function* (flag: string, path: string) {
  const source: Effect.Effect<string, PlatformError.PlatformError, FileSystem.FileSystem | Stdio.Stdio> =
    path === standardInput ? readInput : readFile(path)
  const given = yield* Effect.mapError(
    source,
    ({ reason }) =>
      new CommandFailed({
        code: "usage",
        message: `--${flag} must name a file that can be read, or be - for standard input (${reason._tag}).`
      })
  )
  const secret = given.trim()
  if (secret !== "") return secret
  return yield* new CommandFailed({ code: "usage", message: `What --${flag} names is empty.` })
})

/** The file of a path that is given, wherever the operation is performed; standard input is read here, as far as a text goes. */
const readPath = Effect.fnUntraced(function* (name: string, path: string) {
  if (path !== standardInput) return { [fileParameter]: resolve(path) }
  const bytes = yield* Effect.mapError(
    inputBytes,
    ({ reason }) =>
      new CommandFailed({ code: "usage", message: `Standard input must be such that it can be read (${reason._tag}).` })
  )
  return { [name]: decodeBytes(bytes) }
})

type Described = Pick<HelpDoc.FlagDoc, "description" | "required">

/** Marks flags and arguments that are required. A description tells a default itself; all others may be left out. */
const marked = <D extends Described>(doc: D): D => ({
  ...doc,
  description: doc.required ? Option.map(doc.description, (text) => `${text} (required)`) : doc.description
})

/** Whether each command is for one organisation; those that are not operations are for the whole installation. */
const ofOrganisation = new Map([
  ...operations.map((each) => [nameOf(each), each.ofOrganisation] as const),
  ...["serve", "migrate", "check"].map((name) => [name, false] as const)
])

/** Prints the help of one command; for `serve` with the environment's settings. */
const helpFor = (event: CliOutput.Presenter.Help): Effect.Effect<void> => {
  const { helpDoc } = event
  const command = event.commandPath.slice(1).join(" ")
  const isOfOrganisation = ofOrganisation.get(command)
  const globalFlags = helpDoc.globalFlags?.flatMap((flag) => {
    if (flag.name !== "organisation") return [marked(flag)]
    return isOfOrganisation === false ? [] : [marked({ ...flag, required: isOfOrganisation === true })]
  })
  const whole: HelpDoc.HelpDoc = {
    ...helpDoc,
    flags: helpDoc.flags.map(marked),
    ...(helpDoc.args === undefined ? {} : { args: helpDoc.args.map(marked) }),
    ...(globalFlags === undefined ? {} : { globalFlags })
  }
  const printed = CliOutput.defaultPresenter.present({ ...event, helpDoc: whole })
  return command === "serve" ? Effect.andThen(printed, Console.log(`\n${settingsHelp()}`)) : printed
}

export interface Host {
  readonly version: string
  /** Performs operations in this process. */
  readonly perform: (work: Work) => Effect.Effect<Outcome, CommandFailed | DatabaseInUse>
  /** The socket of a server that holds the database. */
  readonly controlSocket: Effect.Effect<string, CommandFailed, Scope.Scope>
  /** Brings the database to this version's schema, and returns the names of the migrations that ran. */
  readonly migrate: Effect.Effect<ReadonlyArray<string>, CommandFailed | DatabaseInUse>
  /** Looks at everything that a server runs on, and changes nothing. */
  readonly check: Effect.Effect<ReadonlyArray<Finding>>
  /** Serves until a signal ends it. */
  readonly serve: (announce: Announce) => Effect.Effect<void, CommandFailed>
}

const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
})

const OrganisationSlug = GlobalFlag.Setting("organisation")({
  flag: Flag.String("organisation").pipe(
    Flag.withMetavar("<slug>"),
    Flag.withDescription("The organisation that the command is for"),
    Flag.optional
  )
})

const print = (value: unknown, human: () => string) =>
  Effect.flatMap(Json, (json) => Console.log(json ? JSON.stringify(value, null, 2) : human()))

/** The parsed flags and arguments as an operation's input, without those that were not given. */
const inputOf = (parsed: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parsed).flatMap(([name, value]) => {
      if (!Option.isOption(value)) return [[name, value]]
      return Option.isSome(value) ? [[name, value.value]] : []
    })
  )

/** The input with its secrets, each read from the file that its parameter names, and with the paths of its other files. */
const withFiles = Effect.fnUntraced(function* (
  { files, secrets }: Pick<Operation, "files" | "secrets">,
  input: Record<string, unknown>
) {
  const read = { ...input }
  for (const name of files ?? []) {
    const path = read[name]
    if (!Predicate.isString(path)) continue
    delete read[name]
    Object.assign(read, yield* readPath(name, path))
  }
  for (const [name, flag] of Object.entries(secrets ?? {})) {
    const path = read[name]
    if (Predicate.isString(path)) read[name] = yield* readSecret(flag, path)
  }
  return read
})

/** A page of text, and where the next one starts. */
interface TextPage {
  readonly text: string
  readonly next: string | null
}

const cutOff: Report = { code: "unavailable", message: "Standard output was closed before everything was written." }

const isTextPage = (result: unknown): result is TextPage =>
  Predicate.hasProperty(result, "next") && Predicate.hasProperty(result, "text") && Predicate.isString(result.text)

/** Asks for all pages, and writes each before the next is asked for. */
const pageByPage =
  (request: Request, write: (page: TextPage) => Effect.Effect<boolean>): Work =>
  (perform) => {
    const from = (starting_after: string | null): ReturnType<typeof perform> => {
      const asked = { ...request, input: { ...Object(request.input), starting_after } }
      return Effect.flatMap(perform(asked), (outcome) => {
        if ("refused" in outcome || !isTextPage(outcome.result)) return Effect.succeed(outcome)
        const { next } = outcome.result
        return Effect.flatMap(write(outcome.result), (isWritten) => {
          if (!isWritten) return Effect.succeed({ refused: cutOff })
          return next === null ? Effect.succeed(outcome) : from(next)
        })
      })
    }
    return from(null)
  }

/** The organisation that is named, for a command that is for one, for none, or for either (null). */
const organisationFor = Effect.fnUntraced(function* (isOfOrganisation: boolean | null) {
  const organisation = Option.getOrNull(yield* OrganisationSlug)
  if (isOfOrganisation === true && organisation === null) {
    return yield* new CommandFailed({ code: "usage", message: noOrganisation })
  }
  if (isOfOrganisation === false && organisation !== null) {
    return yield* new CommandFailed({ code: "usage", message: wholeInstallation })
  }
  return organisation
})

const leafOf = (host: Host) => (operation: Operation) =>
  Command.make(
    operation.name,
    operation.parameters,
    Effect.fnUntraced(function* (parsed) {
      const organisation = yield* organisationFor(operation.ofOrganisation)
      const input = inputOf(parsed)
      const misuse = operation.misuse?.(input)
      if (misuse !== undefined) return yield* new CommandFailed({ code: "usage", message: misuse })
      const request: Request = { operation: nameOf(operation), organisation, input: yield* withFiles(operation, input) }
      const stdout = (yield* Stdio.Stdio).stdout({ endOnDone: false })
      const write = ({ text }: TextPage) => Effect.isSuccess(Stream.run(Stream.make(text), stdout))
      const work: Work = operation.isPaged === true ? pageByPage(request, write) : (perform) => perform(request)
      const outcome = yield* reach(work, host.perform, host.controlSocket)
      if ("refused" in outcome) {
        const message = inFlags(operation.parameters, outcome.refused.message)
        return yield* new CommandFailed({ ...outcome.refused, message })
      }
      for (const warning of outcome.warnings ?? []) yield* Console.error(warning)
      if (operation.isPaged === true) return
      const remark = operation.remark?.(outcome.result)
      const lines = () => render(outcome.result, operation.columns) + (remark === undefined ? "" : `\n\n${remark}`)
      yield* print(outcome.result, lines)
    })
  ).pipe(Command.withDescription(operation.description))

const singlesOf = (host: Host) => operations.filter(({ group }) => group === null).map(leafOf(host))

const leavesOf = (host: Host, group: string) =>
  operations.filter((operation) => operation.group === group).map(leafOf(host))

/** The groups within a group: `credit mapping` is within `credit`. */
const innerOf = (host: Host, outer: string) =>
  Object.entries(groups).flatMap(([group, description]) => {
    const [within, name] = group.split(" ")
    if (within !== outer || name === undefined) return []
    return [
      Command.make(name).pipe(Command.withDescription(description), Command.withSubcommands(leavesOf(host, group)))
    ]
  })

const groupsOf = (host: Host) =>
  Object.entries(groups).flatMap(([group, description]) =>
    group.includes(" ")
      ? []
      : [
          Command.make(group).pipe(
            Command.withDescription(description),
            Command.withSubcommands([...leavesOf(host, group), ...innerOf(host, group)])
          )
        ]
  )

const serveOf = (host: Host) =>
  Command.make("serve", {}, () =>
    Effect.andThen(
      organisationFor(false),
      Effect.flatMap(Json, (json) => host.serve(makeAnnouncer(json)))
    )
  ).pipe(Command.withDescription("Serve the API and deliver webhooks, until SIGTERM or SIGINT; makes the database"))

const migrateOf = (host: Host) =>
  Command.make("migrate", {}, () =>
    Effect.andThen(organisationFor(false), host.migrate).pipe(
      // A running server migrated its database when it started.
      Effect.catchTag("DatabaseHeld", () => Effect.succeed<ReadonlyArray<string>>([])),
      Effect.flatMap((migrations) =>
        print({ migrations }, () =>
          migrations.length === 0 ? "The database is up to date." : `Migrated:\n${migrations.join("\n")}`
        )
      )
    )
  ).pipe(Command.withDescription("Bring the database to this version's schema; makes the database"))

const checkOf = (host: Host) =>
  Command.make("check", {}, () =>
    Effect.gen(function* () {
      yield* organisationFor(false)
      const findings = yield* host.check
      yield* print({ findings }, () => render({ data: findings, has_more: false }, ["state", "part", "message"]))
      const failing = findings.filter(({ state }) => state === "wrong" || state === "away")
      if (failing.length === 0) return
      const parts = [...new Set(failing.map(({ part }) => part))]
      const code = parts.includes("variables") ? "usage" : "unavailable"
      return yield* new CommandFailed({ code, message: `A server cannot work so. Look at: ${parts.join(", ")}.` })
    })
  ).pipe(
    Command.withDescription(
      "Look at what a server would run on: variables, database, encryption keys, Stripe's keys, mail server, clock; changes nothing"
    )
  )

const almoner = (host: Host) =>
  Command.make("almoner").pipe(
    Command.withDescription("A fundraising revenue service"),
    Command.withSubcommands([serveOf(host), migrateOf(host), checkOf(host), ...singlesOf(host), ...groupsOf(host)]),
    Command.withGlobalFlags([Json, OrganisationSlug])
  )

const sentence = (text: string): string => `${oneLine(text)}.`.replace(/([.?!])\.$/, "$1")

/** How many times a flag is given where it is taken once, as the parser says it in place of its value. */
const occurrences = /^\d+ occurrences$/

const messageOf = (error: CliError.CliError): string =>
  error._tag === "InvalidValue" && error.kind === "flag" && occurrences.test(error.value)
    ? `--${error.option} is given more than once: give it once`
    : error.message

const wrong = (commandPath: ReadonlyArray<string>, messages: ReadonlyArray<string>, json: boolean) =>
  Console.error(
    failureText(
      { code: "usage", message: `${messages.map(sentence).join(" ")} See: ${commandPath.join(" ")} --help` },
      json
    )
  )

/** Prints help, asked for or for a command without a subcommand, and reports a wrong invocation as any failure. */
const presenterFor = (args: ReadonlyArray<string>) => {
  const json = asksForJson(args)
  return CliOutput.layerPresenter({
    present: (event) => {
      switch (event._tag) {
        case "InvalidInvocation":
          return wrong(event.commandPath, event.errors.map(messageOf), json)
        case "Help":
          return json && event.reason === "Implicit"
            ? wrong(event.commandPath, ["A subcommand is needed"], json)
            : helpFor(event)
        case "Version":
          return CliOutput.defaultPresenter.present(event)
      }
    }
  })
}

const builtIns = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

/** Runs the command with these arguments, the program's name left out. */
export const run = (host: Host, args: ReadonlyArray<string>) =>
  Command.runWith(almoner(host), { version: host.version })(args).pipe(
    Effect.provide(Layer.merge(presenterFor(args), builtIns))
  )
