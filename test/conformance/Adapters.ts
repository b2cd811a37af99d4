import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as StatementFile from "../../src/adapters/cli/StatementFile.ts"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as FileOutbox from "../../src/adapters/mail/FileOutbox.ts"
import * as LocalRateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import * as AddressGuard from "../../src/adapters/webhooks/AddressGuard.ts"
import * as Transport from "../../src/adapters/webhooks/Transport.ts"
import { StatementContent } from "../../src/ports/payments/StatementContent.ts"
import type * as Conformance from "../../src/testing/Conformance.ts"
import { folder } from "../support/Folder.ts"
import { httpReceiver } from "./HttpReceiver.ts"
import { keyRing } from "./KeyRings.ts"
import { secretBox as box } from "./Seal.ts"

export const memory = Layer.provide(Stores.layer, box)

export const rateLimiter: Conformance.LimiterSubject<never> = {
  layer: (size) => LocalRateLimiter.layer({ size }),
  readsClock: true
}

export const secretBox: Conformance.SecretBoxSubject<never> = {
  layer: (ring) => Layer.provide(EncryptionKeys.layerSecretBox, keyRing(ring))
}

export const macs: Conformance.MacsSubject<never> = {
  layer: (ring) => Layer.provide(EncryptionKeys.layerMacs, keyRing(ring))
}

export const webhookAddresses: Conformance.AddressesSubject<never> = { layer: AddressGuard.layerWith }

const from = "Almoner <almoner@example.org>"

/** Mails as files: in a folder that is made, and where none can be. */
export const mailTransport: Conformance.MailTransportSubject<never> = {
  layer: Layer.unwrap(Effect.map(folder, (path) => FileOutbox.layer({ folder: join(path, "mails"), from }))),
  unable: FileOutbox.layer({ folder: "/dev/null/outbox", from })
}

/** Exchanges that end within so many milliseconds. */
export const webhookTransportWithin = (timeoutMillis: number): Conformance.TransportSubject<never> => ({
  layer: (resolve) => Transport.layerWith({ resolve, timeoutMillis }),
  receiver: httpReceiver,
  timeoutMillis
})

export const webhookTransport = webhookTransportWithin(300)

/** The text itself, as the port is where nobody replaces it. */
export const statementText: Conformance.ContentSubject<never> = {
  layer: Layer.empty,
  contentOf: Effect.succeed,
  missing: null
}

/** Files of the machine, as the command line names them. */
export const statementFiles: Conformance.ContentSubject<never> = {
  layer: Layer.succeed(StatementContent, StatementFile.textOf),
  contentOf: (text) =>
    Effect.map(folder, (path) => {
      const file = join(path, "statement")
      writeFileSync(file, text)
      return file
    }),
  missing: "/dev/null/statement"
}
