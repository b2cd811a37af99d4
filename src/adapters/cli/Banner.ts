import { Console, Effect, References } from "effect"
import type { Settings } from "./Settings.ts"
import { type StartFacts, startLine } from "./StartFacts.ts"

/** The facts that a server announces once it answers. */
export interface ServerFacts extends StartFacts {
  readonly base_url: string
  /** The path of the demo's keys, null where this start neither made nor found any. */
  readonly demo_file: string | null
  /** The address of the demo's form, and the ids of its checkout link and its recommendation set; null without them. */
  readonly pages: ReadonlyArray<string> | null
  /** A first gift to paste into a shell; null without the demo's pages. */
  readonly try_it: string | null
  /** The command that makes the first organisation; null where there is one. */
  readonly begin_with: string | null
}

export type Announce = (served: ServerFacts, format: Settings["logFormat"]) => Effect.Effect<void>

/** The command that makes the first organisation where there is no demo. */
export const firstCommand =
  "almoner organisation create --slug <slug> --name <name> --timezone <timezone> --default-currency <currency>"

const headline = ({ base_url }: ServerFacts): string => `Almoner listens on ${base_url}`

const linesOf = (served: ServerFacts): ReadonlyArray<string> => [
  startLine(served),
  headline(served),
  ...(served.demo_file === null ? [] : [`The demo's keys are in ${served.demo_file}`]),
  ...(served.pages === null ? [] : [`Its sandbox takes gifts at ${served.pages.join(", ")}`]),
  ...(served.try_it === null ? [] : ["Give by card, and see the event:", "", served.try_it, ""]),
  ...(served.begin_with === null
    ? []
    : ["There is no organisation yet. Make the first one, and then its key:", "", served.begin_with, keyCommand, ""])
]

const keyCommand = "almoner key create --organisation <slug> --name <name> --scope WRITE"

/** The announcement as a log line, whatever the log level: a program that reads the log reads no other line. */
const logged = (served: ServerFacts): Effect.Effect<void> =>
  Effect.logInfo(headline(served)).pipe(
    Effect.annotateLogs(Object.fromEntries(Object.entries(served).filter(([, value]) => value !== null))),
    Effect.provideService(References.MinimumLogLevel, "Info")
  )

/** Announces as JSON where the command was run with `--json`, else in the form of the server's log. */
export const makeAnnouncer =
  (json: boolean): Announce =>
  (served, format) => {
    if (json) return Console.log(JSON.stringify(served))
    return format === "json" ? logged(served) : Console.log(linesOf(served).join("\n"))
  }
