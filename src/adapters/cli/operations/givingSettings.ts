import { Argument } from "effect/cli"
import { givingSettingsOperations as declared } from "../../../app/giving/GivingSettings.ts"
import { commandsOf, runAgainst } from "../Operation.ts"
import { overPicture } from "../PictureFile.ts"

export const givingSettingsCommands = commandsOf("settings", {
  show: runAgainst(declared.read),
  update: runAgainst(declared.update),
  "set-logo": overPicture(
    runAgainst(declared.setLogo, {
      files: ["data"],
      parameters: { data: Argument.withDescription(Argument.String("file"), "A PNG, JPEG or WebP") }
    })
  ),
  "remove-logo": runAgainst(declared.removeLogo)
})
