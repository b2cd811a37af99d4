import { Effect, Layer, Redacted } from "effect"
import * as Smtp from "../../src/adapters/mail/Smtp.ts"
import * as Conformance from "../../src/testing/Conformance.ts"
import { mailServer } from "../support/MailServer.ts"
import { mailTransport } from "./Adapters.ts"

const from = "Almoner <almoner@example.org>"

const through = (url: string) => Smtp.layer({ url: Redacted.make(url), from })

Conformance.mailTransport("mails as files", { ...mailTransport, runs: 20 })

Conformance.mailTransport("mails by SMTP", {
  layer: Layer.unwrap(Effect.map(mailServer(), ({ url }) => through(url))),
  unable: through("smtp://127.0.0.1:1"),
  runs: 10
})
