import { Flag } from "effect/cli"
import { noticeOperations as declared } from "../../../app/payments/Notices.ts"
import { Status } from "../../../domain/payments/Notice.ts"
import type { Operation } from "../Operation.ts"
import { overInstallation, runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags } from "./Parameters.ts"

const group = "notice"

const parameters = {
  status: optional(Flag.Literals("status", Status.literals), "Those that are this far"),
  charge_id: optional(Flag.String("charge"), "Those that name this charge"),
  ...pageFlags
}

const columns = ["id", "type", "charge_id", "reference", "status", "attempts", "error", "created_at"]

export const noticeCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.list, { group, name: "list", parameters, columns }),
  runAgainst(declared.read, { group, name: "show", parameters: { id: idOf("notice") } }),
  runAgainst(declared.retry, { group, name: "retry", parameters: { id: idOf("notice") } }),
  overInstallation(declared.unclaimed, { group, name: "unclaimed", parameters, columns })
]
