import { Effect, FileSystem, type PlatformError, Stdio, Stream } from "effect"
import { CommandFailed } from "./CommandFailed.ts"

/** Stands for standard input in place of a file's path. */
const standardInput = "-"

const text = new TextDecoder()
const strict = new TextDecoder("utf-8", { fatal: true })

const inputBytes = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const parts = yield* Stream.runCollect(stdin)
  return Buffer.concat([...parts])
})

const readInput = Effect.map(inputBytes, (bytes) => text.decode(bytes))

const readFile = (path: string) => Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path))

/**
 * Reads a secret from a file, or from standard input: arguments are kept in the shell's history, and every user of the
 * machine can read them while the command runs. Fails with {@link CommandFailed}, which does not repeat the path: it
 * may be the secret, put in the wrong place.
 */
export const readSecret = Effect.fnUntraced(function* (flag: string, path: string) {
  const source: Effect.Effect<string, PlatformError.PlatformError, FileSystem.FileSystem | Stdio.Stdio> =
    path === standardInput ? readInput : readFile(path)
  const given = yield* Effect.mapError(
    source,
    ({ reason }) =>
      new CommandFailed({
        code: "usage",
        message: `--${flag} must name a file that can be read, or be - for standard input (${reason._tag}).`
      })
  )
  const secret = given.trim()
  if (secret !== "") return secret
  return yield* new CommandFailed({ code: "usage", message: `What --${flag} names is empty.` })
})

/** Reads a text from a file, or from standard input, as it is. Fails with {@link CommandFailed}. */
export const readText = Effect.fnUntraced(function* (flag: string, path: string) {
  const source: Effect.Effect<Uint8Array, PlatformError.PlatformError, FileSystem.FileSystem | Stdio.Stdio> =
    path === standardInput ? inputBytes : Effect.flatMap(FileSystem.FileSystem, (files) => files.readFile(path))
  const bytes = yield* Effect.mapError(
    source,
    ({ reason }) =>
      new CommandFailed({
        code: "usage",
        message: `${flag} must name a file that can be read, or be - for standard input (${reason._tag}).`
      })
  )
  return yield* Effect.try({
    try: () => strict.decode(bytes),
    catch: () =>
      new CommandFailed({ code: "usage", message: `${flag} must name a file in UTF-8: export it so, or convert it.` })
  })
})
