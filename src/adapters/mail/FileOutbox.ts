import { access, constants, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { textAt } from "../../domain/kernel/Text.ts"
import { type MailMessage, type MailOutcome, MailTransport } from "../../ports/outbox/MailTransport.ts"
import { messageOf } from "./Message.ts"

/** The folder for mails, and their sender. */
export interface FileOutboxOptions {
  readonly folder: string
  readonly from: string
}

const composed = async (mail: MailMessage, from: string): Promise<Buffer> => {
  const { createTransport } = await import("nodemailer")
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "unix" })
  const { message } = await transport.sendMail(messageOf(mail, from))
  if (!Buffer.isBuffer(message)) throw new Error("the mail was not composed into memory")
  return message
}

/** Writes the file atomically; only its owner can read it, from the first moment on. */
const write = async (folder: string, name: string, bytes: Buffer): Promise<void> => {
  const draft = join(folder, `${name}.draft`)
  const file = await open(draft, "wx", 0o600).catch(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await rm(draft, { force: true })
    return open(draft, "wx", 0o600)
  })
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, join(folder, `${name}.eml`))
}

const codeOf = (cause: unknown): string => textAt(cause, "code") ?? "UNKNOWN"

const failed = (cause: unknown): MailOutcome => ({ _tag: "Failed", reason: codeOf(cause) })

/** The reason why mails cannot be written to the folder, undefined where they can. It makes no folder: the first mail does. */
const obstacleTo = async (folder: string): Promise<string | undefined> => {
  try {
    await access(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (cause) {
    const code = codeOf(cause)
    return code === "ENOENT" && dirname(folder) !== folder ? obstacleTo(dirname(folder)) : code
  }
}

const warnOf = Effect.fnUntraced(function* (folder: string) {
  const obstacle = yield* Effect.promise(() => obstacleTo(resolve(folder)))
  if (obstacle === undefined) return
  yield* Effect.logWarning(
    `Mails cannot be written to ${folder} (${obstacle}), and wait. Set SMTP_URL to send them, or DATA_DIR to a folder that can be written.`
  )
})

/**
 * Writes each mail to a file named by its id, `.eml`, instead of sending it: for machines without a mail server. A
 * folder that cannot be written is logged at the start and stops nothing: its mails wait and are tried again.
 */
export const layer = ({ folder, from }: FileOutboxOptions): Layer.Layer<MailTransport> =>
  Layer.effect(
    MailTransport,
    Effect.as(
      warnOf(folder),
      MailTransport.of({
        send: (mail) =>
          Effect.tryPromise({
            try: async (): Promise<MailOutcome> => {
              await write(folder, mail.id, await composed(mail, from))
              return { _tag: "Sent" }
            },
            catch: failed
          }).pipe(Effect.catch((outcome) => Effect.succeed(outcome)))
      })
    )
  )
