import { Effect } from "effect"
import { SealedSecrets, sealedSecretOperations } from "../../../app/access/SealedSecrets.ts"
import { KeyStatus } from "../../../domain/access/KeyUsage.ts"
import { type Operation, ofInstallation } from "../Operation.ts"
import { overInstallation } from "../Over.ts"
import { Empty, listOf } from "./Parameters.ts"

export const sealedSecretCommands: ReadonlyArray<Operation> = [
  ofInstallation({
    group: "key-ring",
    name: "status",
    description: sealedSecretOperations.status.summary,
    parameters: {},
    input: Empty,
    output: listOf(KeyStatus),
    columns: [
      "key_id",
      "in_ring",
      "seals",
      "webhook_secrets",
      "stored_answers",
      "payment_tokens",
      "credentials",
      "introductions",
      "passphrases"
    ],
    run: () => SealedSecrets.use(({ status }) => Effect.map(status, (data) => ({ data })))
  }),
  overInstallation(sealedSecretOperations.reseal, { group: "key-ring", name: "reseal", parameters: {} })
]
