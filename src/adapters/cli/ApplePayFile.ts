import { readFileSync, statSync } from "node:fs"
import { Effect } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { CommandFailed } from "./CommandFailed.ts"

const most = Limits.applePayFileBytes

const failed = (path: string, fault: string) =>
  new CommandFailed({ message: `APPLE_PAY_FILE (${path}) ${fault}. Correct the file, or unset APPLE_PAY_FILE.` })

/** The content of `APPLE_PAY_FILE`. Fails where it cannot be read, is empty, or has more bytes than any such file. */
export const readApplePayFile = (path: string): Effect.Effect<Uint8Array, CommandFailed> =>
  Effect.try({
    try: () => (statSync(path).size > most ? undefined : readFileSync(path)),
    catch: (error) => failed(path, `cannot be read (${error instanceof Error ? error.message : error})`)
  }).pipe(
    Effect.flatMap((bytes) =>
      bytes === undefined || bytes.length === 0
        ? failed(path, bytes === undefined ? `has more than ${most} bytes` : "is empty")
        : Effect.succeed(bytes)
    )
  )
