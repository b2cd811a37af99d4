import { Effect, type Scope } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

/** A mail as a server took it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Headers and body. */
  readonly source: string
}

/** A mail server that runs in this process. */
export interface MailServer {
  readonly url: string
  /** Everything that it took, in order. */
  readonly received: ReadonlyArray<ReceivedMail>
}

/** Starts a mail server on a port of loopback, until the scope closes. `answers` replaces what it says. */
export const mailServer = (
  answers: Pick<SMTPServerOptions, "onAuth" | "onRcptTo" | "onData" | "onMailFrom"> = {}
): Effect.Effect<MailServer, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly server: SMTPServer; readonly received: Array<ReceivedMail> }>((resume) => {
        const received: Array<ReceivedMail> = []
        const server = new SMTPServer({
          authOptional: true,
          disabledCommands: ["STARTTLS"],
          onData: (stream, session, callback) => {
            const chunks: Array<Buffer> = []
            stream.on("data", (chunk: Buffer) => chunks.push(chunk))
            stream.on("end", () => {
              const { mailFrom, rcptTo } = session.envelope
              received.push({
                from: mailFrom === false ? "" : mailFrom.address,
                to: rcptTo.map(({ address }) => address),
                source: Buffer.concat(chunks).toString("utf8")
              })
              callback()
            })
          },
          ...answers
        })
        server.on("error", () => {})
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, received })))
      }),
      ({ server }) => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
    ),
    ({ received, server }) => {
      const address = server.server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { url: `smtp://127.0.0.1:${port}`, received }
    }
  )
