import { Effect } from "effect"
import { Flag } from "effect/cli"
import { Mails } from "../../../app/outbox/Mails.ts"
import { Budget, listing, MailRecord, Status } from "../../../domain/kernel/Mail.ts"
import { type Operation, ofOrganisation } from "../Operation.ts"
import { optional, pageOf, paging, parseQuery, Query } from "./Parameters.ts"

export const mailOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "mail",
    name: "list",
    description: "List mails, newest first: what was sent, what waits until when and for which budget",
    parameters: {
      status: optional(
        Flag.Literals("status", [...Status.literals, "UNREADABLE"]),
        "Those that are this far; UNREADABLE are set aside"
      ),
      delayed_by: optional(Flag.Literals("delayed-by", Budget.literals), "Those that wait for this budget"),
      ...paging
    },
    input: Query,
    output: pageOf(MailRecord),
    columns: ["id", "template", "subject_id", "status", "attempt_count", "delayed_by", "next_attempt_at", "created_at"],
    run: (query) => Effect.flatMap(parseQuery(listing, query), (parsed) => Mails.use((mails) => mails.list(parsed)))
  })
]
