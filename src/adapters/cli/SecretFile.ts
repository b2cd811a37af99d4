import { Effect, FileSystem, type PlatformError, Stdio, Stream } from "effect"
import { CommandFailed } from "./CommandFailed.ts"

/** Stands for standard input in place of a file's path. */
const standardInput = "-"

const text = new TextDecoder()

const readInput = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const parts = yield* Stream.runCollect(stdin)
  return text.decode(Buffer.concat([...parts]))
})

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
