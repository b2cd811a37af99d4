import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { capOperations } from "../../../app/compliance/Caps.ts"
import { codeAssignmentOperations } from "../../../app/compliance/CodeAssignments.ts"
import { defaultCodeOperations } from "../../../app/compliance/DefaultCodes.ts"
import { disclosureOperations } from "../../../app/compliance/Disclosures.ts"
import { electionOperations } from "../../../app/compliance/Elections.ts"
import { RegimeRecord, Regimes, regimeOperations, reviewOf } from "../../../app/compliance/Regimes.ts"
import { Namespace } from "../../../domain/giving/RevenueCode.ts"
import { commandsOf, ofInstallation, overInstallation, runAgainst } from "../Operation.ts"
import { Empty, listOf, optional, optionalText, text } from "./Parameters.ts"

const columns = [
  "jurisdiction",
  "key",
  "status",
  "effective_from",
  "effective_to",
  "threshold_cents",
  "confidence",
  "checked_on",
  "review_by",
  "origin"
]

const jurisdictionsIn = (shown: unknown): ReadonlyArray<unknown> => {
  const { data, jurisdiction } = Object(shown)
  return [jurisdiction, ...(Array.isArray(data) ? data.flatMap(jurisdictionsIn) : [])]
}

/** The figures that a list goes by, of the jurisdictions that it names, where they are to be checked again. law, section 2. */
const reviewWarnings = (...shown: ReadonlyArray<unknown>) => {
  const named = new Set(shown.flatMap(jurisdictionsIn))
  return Effect.map(
    Regimes.use(({ check }) => check),
    (due) => due.filter(({ jurisdiction }) => named.has(jurisdiction)).map(reviewOf)
  )
}

/** The warnings of commands that show what a regime has come to. */
export const reviewWarning = { warnings: reviewWarnings }

const listing = { parameters: {}, input: Empty, output: listOf(RegimeRecord), columns } as const

export const regimeCommands = commandsOf("regime", {
  list: ofInstallation({
    ...listing,
    ...reviewWarning,
    description: regimeOperations.list.summary,
    run: () => Regimes.use(({ list }) => Effect.map(list, (data) => ({ data })))
  }),
  check: ofInstallation({
    ...listing,
    description: regimeOperations.check.summary,
    run: () => Regimes.use(({ check }) => Effect.map(check, (data) => ({ data })))
  })
})

const recounted = (): string =>
  "Open duties are recounted in the background, beginning in some seconds. Gifts within the election become due sooner; none becomes due later."

const electionColumns = ["jurisdiction", "name", "writ_on", "expedited_from", "polling_on", "ends_on", "origin"]

const day = (name: string, description: string) => text(name, `${description}, such as 2028-04-17`)

const ofElection = {
  jurisdiction: text("jurisdiction", "Where it is held, such as AU"),
  writ_on: day("writ-on", "The day on which the writ is issued")
}

export const electionCommands = commandsOf("regime elections", {
  list: overInstallation(electionOperations.list, { columns: electionColumns }),
  add: overInstallation(electionOperations.add, {
    parameters: {
      ...ofElection,
      polling_on: day("polling-on", "Polling day"),
      name: text("name", "What it is called")
    },
    remark: recounted
  }),
  remove: overInstallation(electionOperations.remove, {
    parameters: ofElection,
    remark: () => "Duties that it made due sooner stay so: no recount moves a due date back."
  })
})

export const capCommands = commandsOf("cap", {
  show: runAgainst(capOperations.read),
  update: runAgainst(capOperations.update),
  donor: runAgainst(capOperations.donor, reviewWarning),
  "set-donor": runAgainst(capOperations.setDonor)
})

export const disclosureCommands = commandsOf("disclosure", {
  export: runAgainst(disclosureOperations.export, {
    ...reviewWarning,
    parameters: {
      jurisdiction: text("jurisdiction", "Where the law holds, such as AU"),
      period: text("period", "Name of the period, such as 2027")
    },
    isPaged: true
  })
})

const noneAsNull = (text: string): string | null => (text === "none" ? null : text)

const namespace = optional(
  Flag.Literals("namespace", Namespace.literals),
  "The system that the code belongs to (default: INTERNAL)"
)

const code = Argument.withDescription(Argument.String("code"), "The text of the code")

const defaults = { columns: ["account", "from", "label", "code", "namespace", "jurisdiction"] }

export const codeAssignmentCommands = commandsOf("revenue-code", {
  default: runAgainst(defaultCodeOperations.default, {
    ...defaults,
    parameters: {
      code: Argument.map(Argument.withDescription(code, "The text of the code; none for none"), noneAsNull),
      account: optionalText(
        "account",
        "The link by which the gifts come, which revenue-code defaults lists; any other by default"
      ),
      namespace
    }
  }),
  defaults: runAgainst(defaultCodeOperations.defaults, { ...defaults, parameters: {} }),
  assign: runAgainst(codeAssignmentOperations.assign, {
    parameters: {
      code,
      jurisdiction: Flag.map(text("jurisdiction", "Where its gifts count, such as AU; none for nowhere"), noneAsNull),
      namespace
    }
  })
})
