import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Context, Effect, Exit, Layer, Option, Redacted, Sink, Stdio, Stream } from "effect"
import { type Host, run } from "../../src/adapters/cli/Command.ts"
import { CommandFailed, toStatus } from "../../src/adapters/cli/CommandFailed.ts"
import { performFrom, type UseCases } from "../../src/adapters/cli/Operation.ts"
import { operations } from "../../src/adapters/cli/Operations.ts"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import * as StatementMarkup from "../../src/adapters/processors/bank/StatementMarkup.ts"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import * as AddressGuard from "../../src/adapters/webhooks/AddressGuard.ts"
import * as Signature from "../../src/adapters/webhooks/Signature.ts"
import { useCases } from "../../src/app/Application.ts"
import { ChangeLog } from "../../src/app/access/change/Change.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { DonationForms } from "../../src/app/giving/DonationForms.ts"
import { EndpointTests } from "../../src/app/outbox/EndpointTests.ts"
import type { NewDonationForm } from "../../src/domain/giving/FormSettings.ts"
import { type WebhookRequest, WebhookTransport } from "../../src/ports/outbox/WebhookTransport.ts"
import { asOperator } from "../support/Tenant.ts"

const ring = EncryptionKeys.layer({
  keys: Option.some(Redacted.make(`k:${Buffer.alloc(32, 7).toString("base64")}`)),
  folder: Option.none()
})

/** The requests that receivers were sent. */
export class Arrivals extends Context.Service<Arrivals, Array<WebhookRequest>>()("test/Arrivals") {}

/** A receiver that answers 204, but for paths that say otherwise: `/503`. */
const receiver = Layer.effect(
  WebhookTransport,
  Effect.map(Arrivals, (arrivals) =>
    WebhookTransport.of({
      post: (request) =>
        Effect.sync(() => {
          arrivals.push(request)
          const status = Number(/\/(\d{3})$/.exec(request.url)?.[1] ?? 204)
          return { response_status: status, response_excerpt: "ok", retry_after: null, error: null, duration_ms: 7 }
        })
    })
  )
).pipe(Layer.provideMerge(Layer.sync(Arrivals, () => [])))

/** Everything that the command runs on, over stores in memory; every name resolves to a public address. */
export const worldWith = (options: Processors.MoreProcessors) =>
  Layer.merge(useCases, EndpointTests.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(ChangeLog.layer, receiver, Signature.layer)),
    Layer.provideMerge(Processors.layer(options)),
    Layer.provideMerge(
      Layer.merge(
        Stores.layer,
        AddressGuard.layerWith(() => Promise.resolve(["93.184.215.14"]))
      )
    ),
    Layer.provideMerge(
      Layer.merge(
        Layer.merge(EncryptionKeys.layerSecretBox, EncryptionKeys.layerMacs).pipe(Layer.provide(ring)),
        Layer.merge(StatementMarkup.layer, Tokens.layer)
      )
    )
  )

/** The same without Stripe. */
export const world = worldWith({})

/** The result of a run of the command. */
export interface Ran {
  readonly stdout: string
  readonly stderr: string
  /** The sentence of the failure, null when it succeeded. */
  readonly failure: string | null
  /** The exit status of the process. */
  readonly status: number
}

/** The command's standard input. */
export const StandardInput = Context.Reference<string>("test/StandardInput", { defaultValue: () => "" })

const elsewhere = new CommandFailed({ message: "This is not part of the test." })

/** Runs the command in this process on the use cases in the context. */
export const almoner = (...args: ReadonlyArray<string>): Effect.Effect<Ran, never, UseCases> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<UseCases>()
    const stdio = yield* Effect.provide(Stdio.Stdio, NodeServices.layer)
    const stdout: Array<string> = []
    const stderr: Array<string> = []
    const collect = (text: unknown) => Effect.sync(() => stdout.push(String(text)))
    const host: Host = {
      version: "1.2.3",
      perform: (work) => work((request) => Effect.provideContext(performFrom(operations)(request), context)),
      controlSocket: Effect.fail(elsewhere),
      migrate: Effect.succeed(["organisations"]),
      check: Effect.succeed([]),
      serve: () => Effect.fail(elsewhere)
    }
    const capture = Object.assign(Object.create(console), {
      log: (...parts: ReadonlyArray<unknown>) => stdout.push(parts.join(" ")),
      error: (...parts: ReadonlyArray<unknown>) => stderr.push(parts.join(" "))
    })
    const exit = yield* run(host, args).pipe(
      Effect.provideService(Console.Console, capture),
      Effect.provideService(
        Stdio.Stdio,
        Stdio.make({
          ...stdio,
          stdin: Stream.make(Buffer.from(yield* StandardInput)),
          stdout: () => Sink.forEach(collect)
        })
      ),
      Effect.provide(NodeServices.layer),
      Effect.exit
    )
    const failure = Exit.isSuccess(exit) ? null : Cause.prettyErrors(exit.cause)[0]?.message
    const status = yield* Effect.provideService(toStatus(exit, args), Console.Console, capture)
    return { stdout: stdout.join("\n"), stderr: stderr.join("\n"), failure: failure ?? null, status }
  })

/** The JSON that a run of the command prints. */
export const json = (...args: ReadonlyArray<string>) =>
  Effect.map(almoner("--json", ...args), ({ failure, stderr, stdout }) => {
    if (failure !== null) throw new Error(`${args.join(" ")}: ${failure} ${stderr}`)
    return JSON.parse(stdout)
  })

/** Makes an organisation with its sandbox. */
export const newOrganisation = (slug: string, ...more: ReadonlyArray<string>) => {
  const place = ["--timezone", "Australia/Sydney", "--default-currency", "AUD"]
  return json("organisation", "create", "--slug", slug, "--name", slug, ...place, ...more)
}

/** Has an account take an organisation's gifts. */
export const newAccount = (at: ReadonlyArray<string>, account = "acct_1", ...more: ReadonlyArray<string>) =>
  json("integration", "create", ...at, "--label", "Main", "--processor-connect-account", account, ...more)

/** Makes an organisation with its sandbox, and an open form on one of the two; tells how a command names that one. */
export const newFormOf = Effect.fnUntraced(function* (
  side: string,
  form: NewDonationForm,
  ...more: ReadonlyArray<string>
) {
  yield* newOrganisation(side.replace(/-sandbox$/, ""), ...more)
  const organisation = yield* Organisations.use((organisations) => organisations.findBySlug(side))
  yield* DonationForms.use((forms) => forms.create({ ...form, status: "ACTIVE" })).pipe(asOperator(organisation))
  return { organisation, at: ["--organisation", side] }
})
