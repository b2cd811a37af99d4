import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Result, Schema } from "effect"
import { bookWith, keptBook, type RegimeBook, RegimeFile, shippedRegimes } from "../../domain/compliance/RegimeBook.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { keepFile } from "./KeptFile.ts"

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(RegimeFile), {
  onExcessProperty: "error",
  errors: "first"
})

const onOneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")

/** The regimes with those of a file; a sentence where the file is not to be used, which is taken whole or not at all. */
const read = (
  path: string,
  bookOf: typeof bookWith = bookWith
): Result.Result<{ readonly book: RegimeBook; readonly text: string }, string> => {
  try {
    if (statSync(path).size > Limits.regimesFileBytes)
      return Result.fail(`has more than ${Limits.regimesFileBytes} bytes`)
    const text = readFileSync(path, "utf8")
    const parsed = Result.mapError(parse(text), ({ message }) => `is not a file of regimes: ${onOneLine(message)}`)
    return Result.map(
      Result.flatMap(parsed, (file) => Result.mapError(bookOf(file), (said) => `is not consistent: ${said}`)),
      (book) => ({ book, text })
    )
  } catch (error) {
    return Result.fail(`cannot be read (${error instanceof Error ? error.message : error})`)
  }
}

/** The copy of the last file that was good, in the data folder. */
const copyIn = (dataDir: string): string => join(dataDir, "regimes.json")

/** The regimes of an installation, and what is to be warned of. */
export interface ReadRegimes {
  readonly book: RegimeBook
  readonly warnings: ReadonlyArray<string>
  /** The file, where it is good. */
  readonly text: string | null
}

/**
 * The regimes with those of `REGIMES_FILE`. A file that has become bad ends no start: the last good one holds, and a warning
 * says so. Fails where there never was a good one. law, section 2; docs/decisions/0077.
 */
export const readRegimes = (path: string | null, dataDir: string): Result.Result<ReadRegimes, string> => {
  if (path === null) return Result.succeed({ book: shippedRegimes, warnings: [], text: null })
  const found = read(path)
  if (Result.isSuccess(found)) {
    const { book, text } = found.success
    const replaced = book.from_file.filter((key) => shippedRegimes.regimes.some((each) => each.key === key))
    const warnings =
      replaced.length === 0 ? [] : [`REGIMES_FILE takes the place of shipped regimes: ${replaced.join(", ")}.`]
    return Result.succeed({ book, warnings, text })
  }
  const copy = read(copyIn(dataDir), keptBook)
  const fault = `REGIMES_FILE (${path}) ${found.failure}`
  return Result.isSuccess(copy)
    ? Result.succeed({
        book: copy.success.book,
        warnings: [`${fault}. The last good copy of it is used: ${copyIn(dataDir)}.`],
        text: null
      })
    : Result.fail(`${fault}. Correct the file, or unset REGIMES_FILE.`)
}

/** The same for the application. A start keeps a copy of a good file, and logs what came of it; commands only read. */
export const regimesOf = (
  path: string | null,
  dataDir: string,
  isStart: boolean
): Effect.Effect<RegimeBook, CommandFailed> =>
  Effect.gen(function* () {
    const { book, text, warnings } = yield* Effect.fromResult(
      Result.mapError(readRegimes(path, dataDir), (message) => new CommandFailed({ message }))
    )
    if (!isStart) return book
    if (text !== null) keepFile(copyIn(dataDir), text)
    for (const warning of warnings) yield* Effect.logWarning(warning)
    return book
  })
