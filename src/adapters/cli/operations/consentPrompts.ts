import { Argument, Flag } from "effect/cli"
import { consentPromptOperations as declared } from "../../../app/giving/ConsentPrompts.ts"
import { commandsOf, runAgainst } from "../Operation.ts"
import { optional } from "./Parameters.ts"

export const consentPromptCommands = commandsOf("consent-prompt", {
  create: runAgainst(declared.create, {
    parameters: {
      text: Argument.withDescription(Argument.String("text"), "What the donor is asked, as it is shown"),
      position: optional(Flag.Int("position"), "Its place on the page; the lowest comes first")
    }
  }),
  list: runAgainst(declared.list, { columns: ["id", "position", "text", "created_at", "archived_at"] }),
  show: runAgainst(declared.read),
  update: runAgainst(declared.update),
  archive: runAgainst(declared.archive)
})
