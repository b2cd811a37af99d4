import { Argument, Flag } from "effect/cli"
import { consentPromptOperations as declared } from "../../../app/giving/ConsentPrompts.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags } from "./Parameters.ts"

const id = idOf("consent prompt")
const position = optional(Flag.Int("position"), "Its place on the page; the lowest comes first")

export const consentPromptCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.create, {
    group: "consent-prompt",
    name: "create",
    parameters: {
      text: Argument.withDescription(Argument.String("text"), "What the donor is asked, as it is shown"),
      position
    }
  }),
  runAgainst(declared.list, {
    group: "consent-prompt",
    name: "list",
    parameters: {
      archived: optional(Flag.Literals("archived", ["true", "false"]), "Whether archived ones are listed, too"),
      ...pageFlags
    },
    columns: ["id", "position", "text", "created_at", "archived_at"]
  }),
  runAgainst(declared.read, { group: "consent-prompt", name: "show", parameters: { id } }),
  runAgainst(declared.update, {
    group: "consent-prompt",
    name: "update",
    parameters: { id, text: optional(Flag.String("text"), "What the donor is asked from now on"), position }
  }),
  runAgainst(declared.archive, { group: "consent-prompt", name: "archive", parameters: { id } })
]
