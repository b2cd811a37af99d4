import { Effect, Schema } from "effect"
import { SealedSecrets } from "../../../app/access/SealedSecrets.ts"
import { KeyStatus, Resealed } from "../../../domain/access/KeyUsage.ts"
import { type Operation, ofInstallation } from "../Operation.ts"
import { listOf, Nothing } from "./Parameters.ts"

export const sealedSecretCommands: ReadonlyArray<Operation> = [
  ofInstallation({
    group: "key-ring",
    name: "status",
    description: "Show the keys of the key ring, newest first, and how much of what is in use each made",
    parameters: {},
    input: Nothing,
    output: listOf(KeyStatus),
    columns: ["key_id", "in_ring", "seals", "webhook_secrets", "stored_answers", "introductions", "passphrases"],
    run: () => SealedSecrets.use(({ status }) => Effect.map(status, (data) => ({ data })))
  }),
  ofInstallation({
    group: "key-ring",
    name: "reseal",
    description: "Seal with the newest key what older keys of the ring sealed; it may be cut off and done again",
    parameters: {},
    input: Schema.Struct({}),
    output: Resealed,
    run: () => SealedSecrets.use(({ reseal }) => reseal)
  })
]
