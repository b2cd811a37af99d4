import { Option, Result } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { MalformedInput } from "../../../domain/kernel/Rejection.ts"
import { jsonFault } from "./JsonFault.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true })

const [quote, backslash] = [0x22, 0x5c]
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Whether JSON nests lists and objects too deep, judged by its bytes before it is parsed. */
const isTooDeep = (bytes: Uint8Array): boolean => {
  let depth = 0
  let isText = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    if (isText) {
      if (byte === backslash) index += 1
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte < 0x5b) continue
    else if (opening.has(byte)) depth += 1
    else if (closing.has(byte)) depth -= 1
    if (depth > Limits.bodyDepth) return true
  }
  return false
}

const faultOf = (text: string): string => {
  const fault = jsonFault(text)
  return fault === undefined
    ? "The body is not well-formed JSON."
    : `The body is not well-formed JSON: at line ${fault.line}, column ${fault.column}, ${fault.expected} is expected.`
}

/** Reads a body as JSON; none when it is empty. */
export const parseJson = (bytes: Uint8Array): Result.Result<Option.Option<unknown>, MalformedInput> => {
  if (bytes.byteLength === 0) return Result.succeed(Option.none())
  if (isTooDeep(bytes)) {
    const message = `The body nests lists and objects more than ${Limits.bodyDepth} levels deep.`
    return Result.fail(new MalformedInput({ message }))
  }
  return Result.flatMap(
    Result.try({
      try: () => utf8.decode(bytes),
      catch: () => new MalformedInput({ message: "The body is not text in UTF-8. Send the JSON in that encoding." })
    }),
    (text) =>
      Result.try({
        try: () => Option.some<unknown>(JSON.parse(text)),
        catch: () => new MalformedInput({ message: faultOf(text) })
      })
  )
}
