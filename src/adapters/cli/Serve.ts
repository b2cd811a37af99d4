import { Effect, Layer, Option } from "effect"
import { Organisations } from "../../app/access/Organisations.ts"
import { SealedSecrets } from "../../app/access/SealedSecrets.ts"
import { Regimes, reviewOf } from "../../app/compliance/Regimes.ts"
import { faultOf, warningOf } from "../../domain/access/KeyUsage.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { type Announce, firstCommand, type ServerFacts } from "./Banner.ts"
import { CommandFailed } from "./CommandFailed.ts"
import * as Demo from "./Demo.ts"
import type { Settings } from "./Settings.ts"
import type { StartFacts } from "./StartFacts.ts"

/** The parts of a server, beside the use cases in its context. */
export interface Parts<E, R> {
  readonly settings: Pick<
    Settings,
    "apiBaseUrl" | "dataDir" | "databaseUrl" | "demo" | "logFormat" | "publicUrlTemplate"
  >
  /** The listeners for requests, and the workers. They end together, before anything that they use. */
  readonly doors: Layer.Layer<never, E, R>
  readonly announce: Announce
  readonly facts: StartFacts
}

type Beginning = Omit<ServerFacts, "base_url" | keyof StartFacts>

const nothing: Beginning = { demo_file: null, pages: null, try_it: null, begin_with: null }

/** Makes the demo on an empty database, and returns where its keys are. */
const withDemo = Effect.fnUntraced(function* ({ apiBaseUrl, dataDir }: Parts<never, never>["settings"]) {
  const demo = yield* Demo.ensure(dataDir, apiBaseUrl)
  const path = Demo.demoPath(dataDir)
  if (Option.isNone(demo)) return nothing
  const { pages } = demo.value
  const beginning: Beginning = {
    ...nothing,
    demo_file: path,
    // Whoever has the address of a link or of a set can open it, and this may be a log: they are told by their ids.
    pages: pages === undefined ? null : [pages.form.url, pages.checkout_link.id, pages.recommendation_set.id],
    try_it: pages === undefined ? null : Demo.firstGift(path, apiBaseUrl)
  }
  return beginning
})

/** Makes nothing; returns the command that makes the first organisation, where there is none. */
const withoutDemo = Effect.map(
  Organisations.use((organisations) => organisations.listOfInstallation),
  (known): Beginning => ({ ...nothing, begin_with: known.length === 0 ? firstCommand : null })
)

/** Tries the encryption keys on the sealed texts: wrong keys would seal what the right ones do not open. */
const tryRing = Effect.gen(function* () {
  const trial = yield* SealedSecrets.use((secrets) => secrets.trial)
  const fault = faultOf(trial)
  if (fault !== null) return yield* new CommandFailed({ message: fault })
  const warning = warningOf(trial)
  if (warning !== null) yield* Effect.logWarning(warning)
})

/** Warns of figures of disclosure regimes that nobody has checked for too long. */
const lookAtRegimes = Effect.gen(function* () {
  for (const due of yield* Regimes.use(({ check }) => check)) yield* Effect.logWarning(reviewOf(due))
})

/** Makes the demo where it is wanted, starts listeners and workers, announces the address, and runs until the scope closes. */
export const serve = Effect.fnUntraced(function* <E, R>({ announce, doors, facts, settings }: Parts<E, R>) {
  // Only this process can have the embedded database open: whoever held a lease is gone.
  if (Option.isNone(settings.databaseUrl)) yield* (yield* DeliveryStore).releaseAll
  yield* tryRing
  const beginning = settings.demo === "on" ? yield* withDemo(settings) : yield* withoutDemo
  yield* Layer.build(doors)
  yield* announce({ base_url: settings.apiBaseUrl, ...facts, ...beginning }, settings.logFormat)
  yield* lookAtRegimes
  return yield* Effect.never
})
