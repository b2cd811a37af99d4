import { Effect } from "effect"
import { Flag } from "effect/cli"
import { noticeOperations as declared, Notices } from "../../../app/payments/Notices.ts"
import { listing, Status } from "../../../domain/payments/Notice.ts"
import { type Operation, ofInstallation } from "../Operation.ts"
import { over } from "../Over.ts"
import { idOf, optional, paging, parseQuery, Query } from "./Parameters.ts"

const group = "notice"

const parameters = {
  status: optional(Flag.Literals("status", Status.literals), "Those that are this far"),
  charge_id: optional(Flag.String("charge"), "Those that name this charge"),
  ...paging
}

const columns = ["id", "type", "charge_id", "reference", "status", "attempts", "error", "created_at"]

export const noticeCommands: ReadonlyArray<Operation> = [
  over(declared.list, { group, name: "list", description: declared.list.summary, parameters, columns }),
  over(declared.read, {
    group,
    name: "show",
    description: declared.read.summary,
    parameters: { id: idOf("notice") }
  }),
  over(declared.retry, {
    group,
    name: "retry",
    description: declared.retry.summary,
    parameters: { id: idOf("notice") }
  }),
  ofInstallation({
    group,
    name: "unclaimed",
    description: declared.unclaimed.summary,
    parameters,
    input: Query,
    output: declared.unclaimed.output,
    columns,
    run: (given) =>
      Effect.flatMap(parseQuery(listing, given), (asked) => Notices.use((notices) => notices.unclaimed(asked)))
  })
]
