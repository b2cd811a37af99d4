import { givingSettingsOperations } from "../../../app/giving/GivingSettings.ts"
import { commandsOf, runAgainst } from "../Operation.ts"

export const givingSettingsCommands = commandsOf("settings", {
  show: runAgainst(givingSettingsOperations.read),
  update: runAgainst(givingSettingsOperations.update)
})
