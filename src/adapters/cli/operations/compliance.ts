import { Effect } from "effect"
import { RegimeRecord, Regimes, regimeOperations } from "../../../app/compliance/Regimes.ts"
import { commandsOf, ofInstallation } from "../Operation.ts"
import { Empty, listOf } from "./Parameters.ts"

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
