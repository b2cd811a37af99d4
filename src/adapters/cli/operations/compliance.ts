import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { codeAssignmentOperations } from "../../../app/compliance/CodeAssignments.ts"
import { defaultCodeOperations } from "../../../app/compliance/DefaultCodes.ts"
import { disclosureOperations } from "../../../app/compliance/Disclosures.ts"
import { RegimeRecord, Regimes, regimeOperations } from "../../../app/compliance/Regimes.ts"
import { Namespace } from "../../../domain/giving/RevenueCode.ts"
import { commandsOf, ofInstallation, runAgainst } from "../Operation.ts"
import { Empty, listOf, optional, withDescription } from "./Parameters.ts"

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

const listing = { parameters: {}, input: Empty, output: listOf(RegimeRecord), columns } as const

export const regimeCommands = commandsOf("regime", {
  list: ofInstallation({
    ...listing,
    description: regimeOperations.list.summary,
    run: () => Regimes.use(({ list }) => Effect.map(list, (data) => ({ data })))
  }),
  check: ofInstallation({
    ...listing,
    description: regimeOperations.check.summary,
    run: () => Regimes.use(({ check }) => Effect.map(check, (data) => ({ data })))
  })
})

export const disclosureCommands = commandsOf("disclosure", {
  export: runAgainst(disclosureOperations.export, {
    parameters: {
      jurisdiction: withDescription(Flag.String("jurisdiction"), "Where the law holds, such as AU"),
      period: withDescription(Flag.String("period"), "Name of the period, such as 2027")
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
      account: optional(
        Flag.String("account"),
        "The link by which the gifts come, which `defaults` lists; any other by default"
      ),
      namespace
    }
  }),
  defaults: runAgainst(defaultCodeOperations.defaults, { ...defaults, parameters: {} }),
  assign: runAgainst(codeAssignmentOperations.assign, {
    parameters: {
      code,
      jurisdiction: Flag.map(
        withDescription(Flag.String("jurisdiction"), "Where its gifts count, such as AU; none for nowhere"),
        noneAsNull
      ),
      namespace
    }
  })
})
