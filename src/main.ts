import { createRequire } from "node:module"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { readBeside, versionOfBuild } from "./adapters/cli/Build.ts"
import * as Almoner from "./adapters/cli/Command.ts"
import * as ExitStatus from "./adapters/cli/CommandFailed.ts"
import { asksForJson, CommandFailed, DatabaseInUse, failedWith } from "./adapters/cli/CommandFailed.ts"
import * as Logging from "./adapters/cli/Logging.ts"
import { performFrom, type UseCases } from "./adapters/cli/Operation.ts"
import { operations } from "./adapters/cli/Operations.ts"
import { type Settings, settingNames, settings } from "./adapters/cli/Settings.ts"
import { sentenceOf, unknownVariables } from "./adapters/cli/UnknownVariables.ts"
import { controlSocket } from "./adapters/postgres/connection/SocketFolder.ts"

const { version }: { readonly version: string } = createRequire(import.meta.url)("../package.json")
const build = versionOfBuild(version, readBeside(import.meta.url, "./build.json"))

const args = process.argv.slice(2)

// To load a module takes longer than most commands do: each command loads what it runs, and help loads neither.
const application = Effect.promise(() => import("./application.ts"))
const server = Effect.promise(() => import("./server.ts"))

const heldOrFailed = (failure: { readonly _tag: string; readonly message: string }) =>
  failure._tag === "DataFolderLocked" ? new DatabaseInUse({ message: failure.message }) : failedWith(failure)

const configured = Effect.mapError(
  settings,
  ({ message, name }) => new CommandFailed({ code: "usage", message, param: name })
)

/** With --json everything that a command writes on standard error is JSON, its log included. */
const logOf = (chosen: Settings) =>
  Logging.layerCommand(asksForJson(args) ? { ...chosen, logFormat: "json" as const } : chosen)

const perform = performFrom(operations)

const warnOfVariables = Effect.suspend(() =>
  Effect.forEach(unknownVariables(process.env, settingNames), (unknown) => Effect.logWarning(sentenceOf(unknown)))
)

const host: Almoner.Host = {
  version: build,
  perform: Effect.fnUntraced(function* (work) {
    const chosen = yield* configured
    const { applicationOf, checkForms, transportOnDemand } = yield* application
    yield* checkForms(chosen)
    return yield* Effect.context<UseCases>().pipe(
      Effect.flatMap((context) => work((request) => Effect.provide(perform(request), context))),
      Effect.provide(applicationOf(chosen, { version, access: "uses", transport: transportOnDemand })),
      Effect.mapError(heldOrFailed),
      Effect.provide(logOf(chosen))
    )
  }),
  migrate: Effect.gen(function* () {
    const chosen = yield* configured
    const { checkForms, migrate } = yield* application
    yield* checkForms(chosen)
    yield* Effect.provide(warnOfVariables, logOf(chosen))
    return yield* migrate(chosen).pipe(Effect.mapError(heldOrFailed), Effect.provide(logOf(chosen)))
  }),
  check: Effect.flatMap(
    Effect.promise(() => import("./check.ts")),
    ({ lookAtAll }) => lookAtAll
  ).pipe(Effect.provide(Logging.layerCommand({ logFormat: asksForJson(args) ? "json" : "pretty", logLevel: "Info" }))),
  controlSocket: Effect.flatMap(configured, ({ dataDir }) => Effect.mapError(controlSocket(dataDir), failedWith)),
  serve: Effect.fnUntraced(function* (announce) {
    const chosen = yield* configured
    const { serve } = yield* server
    yield* (yield* application).checkForms(chosen)
    yield* Effect.provide(warnOfVariables, Logging.layer(chosen))
    return yield* serve(chosen, { version, build }, announce)
  })
}

ExitStatus.main(Almoner.run(host, args).pipe(Effect.provide(NodeServices.layer)), args)
