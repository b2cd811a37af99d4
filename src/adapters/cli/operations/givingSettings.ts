import { open } from "node:fs/promises"
import { Effect, Predicate } from "effect"
import { Argument } from "effect/cli"
import { consentPromptOperations } from "../../../app/giving/ConsentPrompts.ts"
import { givingSettingsOperations } from "../../../app/giving/GivingSettings.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { commandsOf, refusalOf, runAgainst, type UnnamedOperation } from "../Operation.ts"
import { fileParameter } from "../StatementFile.ts"
import { optional, wholeNumber } from "./Parameters.ts"

/** The bytes of a file as base64: one more than a logo may have, where there are more. */
const base64Of = (path: string) =>
  Effect.tryPromise({
    try: async () => {
      await using file = await open(path)
      const { buffer, bytesRead } = await file.read(new Uint8Array(Limits.logoBytes + 1))
      return Buffer.from(buffer.subarray(0, bytesRead)).toString("base64")
    },
    catch: () => refusalOf(new InvalidInput({ param: "data", message: "file must name a file that can be read." }))
  })

/** The operation with the file of a request as its picture. Standard input is read as text, which a picture is not. */
const overPicture = (operation: UnnamedOperation): UnnamedOperation => ({
  ...operation,
  perform: (input, slug) => {
    const path = Predicate.hasProperty(input, fileParameter) ? input[fileParameter] : undefined
    return Predicate.isString(path)
      ? Effect.flatMap(base64Of(path), (data) => operation.perform({ data }, slug))
      : operation.perform(input, slug)
  }
})

export const givingSettingsCommands = commandsOf("settings", {
  show: runAgainst(givingSettingsOperations.read),
  update: runAgainst(givingSettingsOperations.update),
  "set-logo": overPicture(
    runAgainst(givingSettingsOperations.setLogo, {
      files: ["data"],
      parameters: { data: Argument.withDescription(Argument.String("file"), "A PNG, JPEG or WebP") }
    })
  ),
  "remove-logo": runAgainst(givingSettingsOperations.removeLogo)
})

export const consentPromptCommands = commandsOf("consent-prompt", {
  create: runAgainst(consentPromptOperations.create, {
    parameters: {
      text: Argument.withDescription(Argument.String("text"), "What the donor is asked, as it is shown"),
      position: optional(wholeNumber("position"), "Its place on the page; the lowest comes first")
    }
  }),
  list: runAgainst(consentPromptOperations.list, { columns: ["id", "position", "text", "created_at", "archived_at"] }),
  show: runAgainst(consentPromptOperations.read),
  update: runAgainst(consentPromptOperations.update),
  archive: runAgainst(consentPromptOperations.archive)
})
