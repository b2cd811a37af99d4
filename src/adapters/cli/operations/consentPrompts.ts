import { Argument, Flag } from "effect/cli"
import { consentPromptOperations as declared } from "../../../app/giving/ConsentPrompts.ts"
import { commandsOf, runAgainst } from "../Operation.ts"
import { idOf, optional, pageFlags } from "./Parameters.ts"

const id = idOf("consent prompt")
const position = optional(Flag.Int("position"), "Its place on the page; the lowest comes first")

export const consentPromptCommands = commandsOf("consent-prompt", {
  create: runAgainst(declared.create, {
    parameters: {
      text: Argument.withDescription(Argument.String("text"), "What the donor is asked, as it is shown"),
      position
    }
  }),
  list: runAgainst(declared.list, {
    parameters: {
      archived: optional(Flag.Literals("archived", ["true", "false"]), "Whether archived ones are listed, too"),
      ...pageFlags
    },
    columns: ["id", "position", "text", "created_at", "archived_at"]
  }),
  show: runAgainst(declared.read, { parameters: { id } }),
  update: runAgainst(declared.update, {
    parameters: { id, text: optional(Flag.String("text"), "What the donor is asked from now on"), position }
  }),
  archive: runAgainst(declared.archive, { parameters: { id } })
})
