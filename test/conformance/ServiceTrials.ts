import { Context, Effect, Layer, Predicate, Stream } from "effect"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as StatementMarkupAdapter from "../../src/adapters/processors/bank/StatementMarkup.ts"
import * as Signature from "../../src/adapters/webhooks/Signature.ts"
import type { InvalidInput } from "../../src/domain/kernel/Rejection.ts"
import type { MarkupDialect, MarkupParser, MarkupPart } from "../../src/domain/payments/Markup.ts"
import { type PaymentProcessor, StatementContent, StatementMarkup } from "../../src/ports.ts"
import { ProcessorUnderTest } from "../../src/testing/conformance/ProcessorDriver.ts"
import { Checks } from "../../src/testing.ts"
import {
  macs,
  mailTransport,
  memory,
  rateLimiter,
  secretBox,
  statementFiles,
  webhookAddresses,
  webhookTransportWithin
} from "./Adapters.ts"
import { testProcessor } from "./TestProcessorDriver.ts"
import { over, portOf, type Trial } from "./Trials.ts"
import type { Swap } from "./WrongAdapters.ts"

// Long enough for a machine that has much else to do.
const transport = webhookTransportWithin(700)

type Change = <R>(layer: Layer.Layer<R>) => Layer.Layer<R>

const changeOf =
  (changed: Swap): Change =>
  <R>(layer: Layer.Layer<R>) =>
    (changed as Layer.Layer<R, never, R>).pipe(Layer.provideMerge(layer))

/** Ports whose checks make their adapters themselves. */
const subjects: Readonly<Record<string, (change: Change) => ReadonlyArray<Checks.Check>>> = {
  Macs: (change) => Checks.macs({ layer: (ring) => change(macs.layer(ring)) }),
  MailTransport: (change) =>
    Checks.mailTransport({ layer: change(mailTransport.layer), unable: change(mailTransport.unable), runs: 5 }),
  RateLimiter: (change) =>
    Checks.rateLimiter({ ...rateLimiter, layer: (size) => change(rateLimiter.layer(size)), runs: 50 }),
  SecretBox: (change) => Checks.secretBox({ layer: (ring) => change(secretBox.layer(ring)) }),
  WebhookAddresses: (change) =>
    Checks.webhookAddresses({ layer: (resolve) => change(webhookAddresses.layer(resolve)), runs: 50 }),
  WebhookTransport: (change) =>
    Checks.webhookTransport({ ...transport, layer: (resolve) => change(transport.layer(resolve)) })
}

const subjectTrials = Object.entries(subjects).map(
  ([name, checksOf]): Trial => ({
    name,
    port: portOf(name),
    checks: (changed) => Effect.succeed(checksOf(changeOf(changed)))
  })
)

/** The members of a processor, those of its parts by `part.member`. */
type Flat = Readonly<Record<string, unknown>>

const flat = (processor: object): Flat =>
  Object.fromEntries(
    Object.entries(processor).flatMap(([name, value]) =>
      Predicate.isObject(value) && Object.values(value).some(Predicate.isFunction)
        ? Object.entries(value).map(([member, each]) => [`${name}.${member}`, each])
        : [[name, value]]
    )
  )

const whole = (good: PaymentProcessor, members: Flat): PaymentProcessor => {
  const made: Record<string, unknown> = { ...good }
  for (const [name, value] of Object.entries(members)) {
    const [part = "", member] = name.split(".")
    const before = made[part]
    made[part] = member === undefined ? value : { ...(Predicate.isObject(before) ? before : {}), [member]: value }
  }
  return made as unknown as PaymentProcessor
}

/** A parser in the hands of members that are wrong one at a time. */
class Held {
  readonly parser: MarkupParser

  constructor(parser: MarkupParser) {
    this.parser = parser
  }
}

class Markup extends Context.Service<
  Markup,
  {
    readonly open: (dialect: MarkupDialect) => Effect.Effect<Held>
    readonly write: (held: Held, piece: string) => ReadonlyArray<MarkupPart>
    readonly end: (held: Held) => ReadonlyArray<MarkupPart>
  }
>()("test/conformance/Markup") {}

const markup = Layer.effect(
  Markup,
  StatementMarkup.use(({ open }) =>
    Effect.succeed({
      open: (dialect: MarkupDialect) => Effect.map(open(dialect), (parser) => new Held(parser)),
      write: ({ parser }: Held, piece: string) => parser.write(piece),
      end: ({ parser }: Held) => parser.end()
    })
  )
).pipe(Layer.provide(StatementMarkupAdapter.layer))

const markupChanged = (changed: Swap) =>
  Layer.effect(
    StatementMarkup,
    Markup.use(({ end, open, write }) =>
      Effect.succeed({
        open: (dialect) =>
          Effect.map(open(dialect), (held) => ({ write: (piece) => write(held, piece), end: () => end(held) }))
      })
    )
  ).pipe(Layer.provide(changeOf(changed)(markup)))

class Contents extends Context.Service<
  Contents,
  { readonly open: (content: string) => Effect.Effect<ReadonlyArray<string>, InvalidInput> }
>()("test/conformance/Contents") {}

const readPieces = (read: Stream.Stream<string, InvalidInput>) =>
  Stream.runCollect(Stream.filter(read, (piece) => piece !== ""))

const contents = Layer.effect(
  Contents,
  StatementContent.use((open) =>
    Effect.succeed({ open: (content: string) => Effect.flatMap(open(content), readPieces) })
  )
).pipe(Layer.provide(statementFiles.layer))

const contentChanged = (changed: Swap) =>
  Layer.effect(
    StatementContent,
    Contents.use(({ open }) => Effect.succeed((content) => Effect.map(open(content), Stream.fromIterable)))
  ).pipe(Layer.provide(changeOf(changed)(contents)))

class Processor extends Context.Service<Processor, Flat>()("test/conformance/Processor") {}

const processor = Layer.effect(
  Processor,
  ProcessorUnderTest.use((driver) => Effect.succeed(flat(driver.processor)))
).pipe(Layer.provideMerge(testProcessor(memory)))

const processorChanged = (changed: Swap) =>
  Layer.effect(
    ProcessorUnderTest,
    Effect.map(Effect.all([ProcessorUnderTest, Processor]), ([driver, members]) => ({
      ...driver,
      processor: whole(driver.processor, members)
    }))
  ).pipe(Layer.provide(changeOf(changed)(processor)))

/** Ports that are not stores. */
export const serviceTrials: ReadonlyArray<Trial> = [
  ...subjectTrials,
  {
    name: "Tokens",
    port: portOf("Tokens"),
    checks: (changed) => over(Checks.tokens(), changeOf(changed)(Tokens.layer))
  },
  {
    name: "WebhookSigner",
    port: portOf("WebhookSigner"),
    checks: (changed) => over(Checks.webhookSigner(), changeOf(changed)(Signature.layer))
  },
  {
    name: "StatementMarkup",
    port: Markup as unknown as Trial["port"],
    checks: (changed) => over(Checks.statementMarkup(), markupChanged(changed))
  },
  {
    name: "StatementContent",
    port: Contents as unknown as Trial["port"],
    checks: (changed) => Effect.succeed(Checks.statementContent({ ...statementFiles, layer: contentChanged(changed) }))
  },
  {
    name: "Transaction",
    port: portOf("Transaction"),
    checks: (changed) => over(Checks.transaction({ records: Checks.donorRecords, runs: 10 }), changeOf(changed)(memory))
  },
  {
    name: "PaymentProcessor",
    port: Processor as unknown as Trial["port"],
    checks: (changed) => over(Checks.paymentProcessor(), processorChanged(changed))
  }
]
