import { createReadStream } from "node:fs"
import { open, stat } from "node:fs/promises"
import { Effect, Option, Predicate, Stream } from "effect"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { StatementContent } from "../../ports/payments/StatementContent.ts"
import type { UnnamedOperation } from "./Operation.ts"

export const fileParameter = "file"

/** How much of a file says in which way it is UTF-16. */
const sampleBytes = 64

const strictly = { fatal: true } as const

/** The name of the UTF-16 that a beginning is in: it has that order mark, or every other byte is 0. */
const wideEncoding = (beginning: Uint8Array): string | undefined => {
  const [first = 0, second = 0] = beginning
  const sample = beginning.subarray(0, sampleBytes)
  const isHalfEmpty = (offset: number) =>
    sample.filter((byte, at) => at % 2 === offset && byte === 0).length > sample.length / 4
  if ((first === 0xff && second === 0xfe) || isHalfEmpty(1)) return "utf-16le"
  return (first === 0xfe && second === 0xff) || isHalfEmpty(0) ? "utf-16be" : undefined
}

/** What is no UTF-16 and no UTF-8 is read as Windows writes Western European text. */
const fallback = "windows-1252"

export const decodeBytes = (bytes: Uint8Array): string => {
  const wide = wideEncoding(bytes)
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes)
  return Option.getOrElse(Option.liftThrowable(() => new TextDecoder("utf-8", strictly).decode(bytes))(), () =>
    new TextDecoder(fallback).decode(bytes)
  )
}

const unreadable = (cause: unknown) => {
  const code = Predicate.hasProperty(cause, "code") ? ` (${cause.code})` : ""
  return new InvalidInput({ param: "content", message: `file must name a file that can be read${code}.` })
}

const bytesOf = (path: string) =>
  Stream.suspend(() => Stream.fromAsyncIterable<Uint8Array, InvalidInput>(createReadStream(path), unreadable))

/** The encoding of a file, of which all is read for it unless its beginning says it. */
const encodingOf = Effect.fnUntraced(function* (path: string) {
  // A pipe can be read once, and whoever opens one waits for its other end; /dev/fd is of the process that opens it.
  const about = yield* Effect.tryPromise({ try: () => stat(path), catch: unreadable })
  if (!about.isFile()) {
    const message = "file must name a file: give - for what comes out of a pipe."
    return yield* new InvalidInput({ param: "content", message })
  }
  const beginning = yield* Effect.tryPromise({
    try: async () => {
      await using file = await open(path)
      const { buffer, bytesRead } = await file.read(new Uint8Array(sampleBytes), 0, sampleBytes, 0)
      return buffer.subarray(0, bytesRead)
    },
    catch: unreadable
  })
  const wide = wideEncoding(beginning)
  if (wide !== undefined) return wide
  const decoder = new TextDecoder("utf-8", strictly)
  const isText = (bytes: Uint8Array | undefined) =>
    Option.isSome(Option.liftThrowable(() => decoder.decode(bytes, { stream: bytes !== undefined }))())
  const isUtf8 = yield* Stream.runFold(
    bytesOf(path),
    () => true,
    (isSound, bytes) => isSound && isText(bytes)
  )
  return isUtf8 && isText(undefined) ? "utf-8" : fallback
})

/** The text of a file of the machine, in the encoding that it is in. */
export const textOf = (path: string) =>
  Effect.map(encodingOf(path), (encoding) =>
    Stream.suspend(() => {
      const decoder = new TextDecoder(encoding)
      const pieces = Stream.map(bytesOf(path), (bytes) => decoder.decode(bytes, { stream: true }))
      return Stream.concat(
        pieces,
        Stream.sync(() => decoder.decode())
      )
    })
  )

/** The operation with the file of a request as the content that it opens. */
export const overFile = (parameter: string, operation: UnnamedOperation): UnnamedOperation => ({
  ...operation,
  perform: (input, slug) => {
    if (!Predicate.hasProperty(input, fileParameter) || !Predicate.isString(input[fileParameter])) {
      return operation.perform(input, slug)
    }
    const { [fileParameter]: path, ...rest } = input as { readonly [fileParameter]: string }
    return Effect.provideService(operation.perform({ ...rest, [parameter]: path }, slug), StatementContent, textOf)
  }
})
