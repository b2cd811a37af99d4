import { open } from "node:fs/promises"
import { Effect, Predicate } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { refusalOf, type UnnamedOperation } from "./Operation.ts"
import { fileParameter } from "./StatementFile.ts"

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
export const overPicture = (operation: UnnamedOperation): UnnamedOperation => ({
  ...operation,
  perform: (input, slug) => {
    const path = Predicate.hasProperty(input, fileParameter) ? input[fileParameter] : undefined
    return Predicate.isString(path)
      ? Effect.flatMap(base64Of(path), (data) => operation.perform({ data }, slug))
      : operation.perform(input, slug)
  }
})
