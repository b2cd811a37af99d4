import { Flag } from "effect/cli"
import { noticeOperations as declared } from "../../../app/payments/Notices.ts"
import { Status } from "../../../domain/payments/Notice.ts"
import type { Operation } from "../Operation.ts"
import { over, overInstallation } from "../Over.ts"
import { idOf, optional, paging } from "./Parameters.ts"

const group = "notice"

const parameters = {
  status: optional(Flag.Literals("status", Status.literals), "Those that are this far"),
  charge_id: optional(Flag.String("charge"), "Those that name this charge"),
  ...paging
}

const columns = ["id", "type", "charge_id", "reference", "status", "attempts", "error", "created_at"]

export const noticeCommands: ReadonlyArray<Operation> = [
  over(declared.list, { group, name: "list", parameters, columns }),
  over(declared.read, { group, name: "show", parameters: { id: idOf("notice") } }),
  over(declared.retry, { group, name: "retry", parameters: { id: idOf("notice") } }),
  overInstallation(declared.unclaimed, { group, name: "unclaimed", parameters, columns })
]
